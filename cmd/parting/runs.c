/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Two recordings, and which code of them is the same. */

/* Owns: the places of two recordings and their keys; texts of places.  Handed:
   files.

   An address differs from run to run, so code is the same if its image is,
   and its offset in there.  Images are the same by their build id, else by
   their path, else by their name; and so are the two programs.  In an image
   of another build, a key is the function, by its name, and the offset in
   the function.  Functions with other names are the same if their
   instructions have the same sizes and operations, and no others have.  In
   graphs, cmd/builds/ says which functions are.  Code that the program made,
   and code without a symbol in a rebuilt image, is not followed: all of it
   is one place. */

#include "cmd/parting/parting.h"

#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"
#include "cmd/program/mapping.h"
#include "cmd/program/recording.h"

#include <elf.h>

/*--- Keys                                                 ---*/

#define KEY_REBUILT ((uint64_t)1 << 62)
#define OFFSET_BITS 44
#define IN_FUNCTION_BITS 26

static uint64_t key_of_offset(uint32_t image, uint64_t offset)
{
   return (uint64_t)(image + 1) << OFFSET_BITS
          | (offset & ((UINT64_C(1) << OFFSET_BITS) - 1));
}

static uint64_t key_of_function(uint64_t function, uint64_t offset)
{
   return KEY_REBUILT | function << IN_FUNCTION_BITS
          | (offset & ((UINT64_C(1) << IN_FUNCTION_BITS) - 1));
}

/*--- Images of whole execution traces                     ---*/

/* WetImage: an image of a whole execution trace. */
typedef
   struct {
      const char* name;
      const char* build_id;     // or NULL
      uint64_t    load;
      uint32_t    first, end;   // its instructions
      uint32_t    pair;         // its number in both runs; UINT32_MAX: none yet
      bool        generated, rebuilt;
   }
   WetImage;

typedef
   struct {
      WetImage* images;
      size_t    n, room;
   }
   WetImageList;

/* Return whether NAME is of code without a file, as the tool names it. */
static bool is_generated(const char* name)
{
   return name == NULL || strcmp(name, "[anon]") == 0
          || strcmp(name, "[unknown]") == 0;
}

static WetImageList images_of(DcfgWet* w)
{
   WetImageList l = { 0 };
   uint32_t     n = dcfg_wet_instrs(w);

   for (uint32_t i = 0, end; i < n; i = end) {
      const DcfgWetInstr in = *dcfg_wet_instr(w, i);
      end = image_end(w, i);
      GROW(l.images, l.n, l.room);
      l.images[l.n++] = (WetImage){ in.image_name, in.image_build_id,
                                    in.image_load, i, end, UINT32_MAX,
                                    is_generated(in.image_name), false };
   }
   return l;
}

/* ImageTest: a rule by which two images are the same. */
typedef bool ImageTest(const WetImage* a, const WetImage* b);

static bool same_build(const WetImage* a, const WetImage* b)
{
   return a->build_id != NULL && b->build_id != NULL
          && strcmp(a->build_id, b->build_id) == 0;
}

static bool same_path(const WetImage* a, const WetImage* b)
{
   return a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0;
}

static bool same_name(const WetImage* a, const WetImage* b)
{
   return a->name != NULL && b->name != NULL
          && strcmp(text_base(a->name), text_base(b->name)) == 0;
}

/* Give the same number to the images of L, of two sides, that TEST says are the
   same: the first of A and the first of B, and so on. */
static void pair_images(WetImageList* l, ImageTest* test, uint32_t* number)
{
   for (size_t i = 0; i < l[0].n; i++)
      for (size_t k = 0; k < l[1].n; k++) {
         WetImage* a = &l[0].images[i];
         WetImage* b = &l[1].images[k];
         if (a->pair == UINT32_MAX && b->pair == UINT32_MAX && !a->generated
             && !b->generated && test(a, b))
            a->pair = b->pair = (*number)++;
      }
}

/* Return the image of L that is the program PATH; NULL: none is. */
static WetImage* image_named(WetImageList* l, const char* path)
{
   for (size_t i = 0; i < l->n && path != NULL; i++)
      if (l->images[i].name != NULL && strcmp(l->images[i].name, path) == 0)
         return &l->images[i];
   return NULL;
}

/* Return whether A, an image of the first run, and B have other code at an
   offset that both executed: without build ids, that says that they are
   other builds. */
static bool has_other_code(Runs* r, const WetImage* a, const WetImage* b)
{
   uint32_t k = b->first;

   for (uint32_t i = a->first; i < a->end; i++) {
      DcfgWetInstr  x = *dcfg_wet_instr(r->side[0].w, i);
      uint64_t      offset = x.addr - a->load;
      while (k < b->end && r->side[1].begin[k] - b->load < offset)
         k++;
      if (k < b->end && r->side[1].begin[k] - b->load == offset) {
         const DcfgWetInstr* y = dcfg_wet_instr(r->side[1].w, k);
         if (x.size != y->size || memcmp(x.code, y->code, x.size) != 0)
            return true;
      }
   }
   return false;
}

static void find_rebuilt(Runs* r, WetImageList* l)
{
   for (size_t i = 0; i < l[0].n; i++)
      for (size_t k = 0; k < l[1].n; k++) {
         WetImage* a = &l[0].images[i];
         WetImage* b = &l[1].images[k];
         if (a->pair == UINT32_MAX || a->pair != b->pair || same_build(a, b))
            continue;
         a->rebuilt = b->rebuilt = (a->build_id != NULL && b->build_id != NULL)
                                   || has_other_code(r, a, b);
         r->rebuilt |= a->rebuilt;
      }
}

static void number_images(Runs* r, WetImageList* l)
{
   uint32_t    number = 0;
   const char* a = wet_program(r->side[0].w);
   const char* b = wet_program(r->side[1].w);
   WetImage*   x = image_named(&l[0], a);
   WetImage*   y = image_named(&l[1], b);

   pair_images(l, same_build, &number);
   pair_images(l, same_path, &number);
   pair_images(l, same_name, &number);
   if (x != NULL && y != NULL && x->pair == UINT32_MAX
       && y->pair == UINT32_MAX)
      x->pair = y->pair = number++;
   for (int k = 0; k < 2; k++)
      for (size_t i = 0; i < l[k].n; i++)
         if (l[k].images[i].pair == UINT32_MAX)
            l[k].images[i].pair = number++;
   find_rebuilt(r, l);
}

/*--- Functions of rebuilt images                          ---*/

/* WetFunction: a function of a rebuilt image, with its first instruction
   here and its number. */
typedef
   struct {
      uint64_t    start;        // address
      uint64_t    shape;        // a hash of its instructions
      uint32_t    first, n;     // instructions
      uint64_t    number;
      bool        named;        // the other run has a function of the name
   }
   WetFunction;

typedef
   struct {
      WetFunction* all;
      size_t       n, room;
   }
   WetFunctions;

static uint64_t mixed(uint64_t hash, uint64_t word)
{
   return (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Add the functions of image M of S to F, with what they look like. */
static void find_functions(RunSide* s, const WetImage* m, WetFunctions* f)
{
   for (uint32_t i = m->first; i < m->end; i++) {
      DcfgWetInstr in = *dcfg_wet_instr(s->w, i);
      uint64_t     start;
      WetFunction* last = f->n == 0 ? NULL : &f->all[f->n - 1];
      if (in.function == NULL)
         continue;
      start = in.function_addr;
      if (last == NULL || last->start != start || last->first < m->first) {
         GROW(f->all, f->n, f->room);
         last  = &f->all[f->n++];
         *last = (WetFunction){ .start = start, .first = i };
      }
      last->n     = i + 1 - last->first;
      last->shape = mixed(last->shape, (in.addr - start) << 16
                          | (uint64_t)in.size << 8 | in.code[0]);
   }
}

/* Number the functions F of two sides, of images with number PAIR, by name:
   NUMBERS has those so far. */
static void number_by_name(Runs* r, WetFunctions* f, KeyMap* numbers,
                           Interned* names)
{
   for (int k = 0; k < 2; k++) {
      KeyMap*   turns = keymap_new();
      uint32_t* seen = NULL;
      size_t    room = 0, n = 0;
      for (size_t i = 0; i < f[k].n; i++) {
         const char* name = intern(names, base_name(
            dcfg_wet_instr(r->side[k].w, f[k].all[i].first)->function));
         uint32_t    turn = keymap_number(turns, (uintptr_t)name);
         if (turn == n) {
            GROW(seen, n, room);
            seen[n++] = 0;
         }
         f[k].all[i].number = keymap_number(
            numbers, (uintptr_t)intern(names, text_format(
               "%s\n%" PRIu32, name, seen[turn]++)));
         if (i % 256 == 0)
            text_forget();
      }
      keymap_free(turns);
      free(seen);
   }
}

static bool has_number(const WetFunctions* f, uint64_t number)
{
   for (size_t i = 0; i < f->n; i++)
      if (f->all[i].number == number)
         return true;
   return false;
}

/* Return the only function of F without a partner that has SHAPE; NULL:
   there is none, or several. */
static WetFunction* only_shape(WetFunctions* f, uint64_t shape)
{
   WetFunction* found = NULL;

   for (size_t i = 0; i < f->n; i++)
      if (!f->all[i].named && f->all[i].shape == shape) {
         if (found != NULL)
            return NULL;
         found = &f->all[i];
      }
   return found;
}

/* Instructions of a function that is found by its shape, at least. */
#define LEAST_SHAPE 6

/* Give functions of B without a partner the numbers of those of A that look the
   same. */
static void number_by_shape(WetFunctions* f)
{
   for (int k = 0; k < 2; k++)
      for (size_t i = 0; i < f[k].n; i++)
         f[k].all[i].named = has_number(&f[1 - k], f[k].all[i].number);
   for (size_t i = 0; i < f[0].n; i++) {
      WetFunction* a = &f[0].all[i];
      WetFunction* b = a->named || a->n < LEAST_SHAPE ? NULL
                       : only_shape(&f[1], a->shape);
      if (b == NULL || only_shape(&f[0], a->shape) != a)
         continue;
      b->number = a->number;
      a->named  = b->named = true;
   }
}

/* Set the keys of the instructions of rebuilt image M of S, whose functions F
   has. */
static void key_functions(RunSide* s, const WetImage* m, const WetFunctions* f)
{
   for (uint32_t i = m->first; i < m->end; i++)
      s->to[i] = KEY_NAMELESS;
   for (size_t k = 0; k < f->n; k++)
      for (uint32_t i = f->all[k].first; i < f->all[k].first + f->all[k].n; i++)
         if (i >= m->first && i < m->end
             && dcfg_wet_instr(s->w, i)->function != NULL)
            s->to[i] = key_of_function(f->all[k].number,
                                       s->begin[i] - f->all[k].start);
}

static void key_rebuilt(Runs* r, WetImageList* l)
{
   KeyMap*   numbers = keymap_new();
   Interned* names = interned_new();

   for (size_t i = 0; i < l[0].n; i++)
      for (size_t k = 0; k < l[1].n; k++) {
         const WetImage* m[2] = { &l[0].images[i], &l[1].images[k] };
         WetFunctions    f[2] = { { 0 }, { 0 } };
         if (m[0]->pair != m[1]->pair || !m[0]->rebuilt)
            continue;
         for (int x = 0; x < 2; x++)
            find_functions(&r->side[x], m[x], &f[x]);
         number_by_name(r, f, numbers, names);
         number_by_shape(f);
         for (int x = 0; x < 2; x++) {
            key_functions(&r->side[x], m[x], &f[x]);
            free(f[x].all);
         }
      }
   keymap_free(numbers);
   interned_free(names);
}

/*--- Whole execution traces                               ---*/

static void open_wet(RunSide* s, const char* root)
{
   refuse_other_kind(s->file, KIND_WET);
   s->w = load_wet(s->file);
   if (dcfg_wet_instrs(s->w) == 0)
      die("%s: nothing was executed", s->file);
   if (dcfg_wet_before(s->w) > 0)
      die("%s has only the last part of its run (--wet-ring): it lacks the first %s "
          "instructions, so nobody knows where it parts; record it without a ring",
          s->file, text_count(dcfg_wet_before(s->w)));
   tell_loads(s->w);
   s->program   = program_new(s->w, root);
   s->lines     = code_lines_new(s->program);
   s->n         = dcfg_wet_instrs(s->w);
   s->n_threads = dcfg_wet_threads(s->w);
   s->begin     = zalloc(s->n, sizeof(uint64_t));
   s->last      = s->begin;
   s->end       = zalloc(s->n, sizeof(uint64_t));
   s->to        = zalloc(s->n, sizeof(uint64_t));
   s->from      = s->to;
   for (uint32_t i = 0; i < s->n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(s->w, i);
      s->begin[i] = in->addr;
      s->end[i]   = in->addr + in->size;
   }
}

static void open_wets(Runs* r, const char* root)
{
   WetImageList l[2];

   for (int k = 0; k < 2; k++) {
      open_wet(&r->side[k], root);
      l[k] = images_of(r->side[k].w);
   }
   if (dcfg_wet_instr(r->side[0].w, 0)->machine
       != dcfg_wet_instr(r->side[1].w, 0)->machine)
      die("%s and %s are of different processors, so no path of one is a path of "
          "the other", r->side[0].file, r->side[1].file);
   number_images(r, l);
   for (int k = 0; k < 2; k++)
      for (size_t i = 0; i < l[k].n; i++) {
         const WetImage* m = &l[k].images[i];
         for (uint32_t p = m->first; p < m->end; p++)
            r->side[k].to[p] = m->generated ? KEY_GENERATED
                               : key_of_offset(m->pair, r->side[k].begin[p]
                                                        - m->load);
      }
   if (r->rebuilt)
      key_rebuilt(r, l);
   FREE_ALL(l[0].images, l[1].images);
}

/*--- Graphs                                               ---*/

static void open_graph(RunSide* s, const char* root)
{
   if (file_kind(s->file) != KIND_GRAPH || file_kind(s->trace) != KIND_TRACE) {
      refuse_other_kind(s->file, KIND_GRAPH);
      refuse_other_kind(s->trace, KIND_TRACE);
   }
   s->d     = load_dcfg(s->file);
   s->g     = (Program){ s->d, main_process(s->d), false };
   s->code  = code_quiet(&s->g, root);
   s->n     = s->g.p->n_nodes;
   s->n_threads = s->g.p->n_threads;
   s->begin = zalloc(s->n + (size_t)1, sizeof(uint64_t));
   s->last  = zalloc(s->n + (size_t)1, sizeof(uint64_t));
   s->end   = zalloc(s->n + (size_t)1, sizeof(uint64_t));
   s->to    = zalloc(s->n + (size_t)1, sizeof(uint64_t));
   s->from  = zalloc(s->n + (size_t)1, sizeof(uint64_t));
   for (uint32_t i = 0; i < s->n; i++) {
      const DcfgNode* n = &s->g.p->nodes[i];
      s->begin[i] = n->addr;
      s->last[i]  = n->addr + n->last_offset;
      s->end[i]   = n->addr + n->size;
   }
}

/* Return the key of ADDR in the block NODE of side K. */
static uint64_t key_of_block(const Runs* r, int k, const bool* rebuilt,
                             uint32_t node, uint64_t addr)
{
   const RunSide*   s = &r->side[k];
   const DcfgNode*  n = &s->g.p->nodes[node];
   const Functions* f = build_functions(r->builds, k);
   uint32_t         image;

   if (n->kind != DCFG_NODE_BLOCK)
      return KEY_START;
   image = build_image(r->builds, k, n->image);
   if (is_generated(image_file(&s->g, n->image)))
      return KEY_GENERATED;
   if (!rebuilt[image])
      return key_of_offset(image, addr - s->g.p->images[n->image].load_addr);
   if (f->of[node] == NO_FUNCTION)
      return KEY_NAMELESS;
   return key_of_function(build_function(r->builds, k, f->of[node]),
                          addr - s->begin[f->nodes[f->of[node]]]);
}

static void open_graphs(Runs* r, const char* root)
{
   bool* rebuilt;

   for (int k = 0; k < 2; k++)
      open_graph(&r->side[k], root);
   r->builds  = builds_new(&r->side[0].g, &r->side[1].g);
   r->rebuilt = builds_differ(r->builds);
   rebuilt = zalloc(build_images(r->builds) + (size_t)1, sizeof(bool));
   for (uint32_t i = 0; i < r->side[0].g.p->n_images; i++) {
      uint32_t image = build_image(r->builds, 0, i);
      rebuilt[image] = build_was_rebuilt(r->builds, image);
   }
   for (int k = 0; k < 2; k++)
      for (uint32_t i = 0; i < r->side[k].n; i++) {
         RunSide* s = &r->side[k];
         s->to[i]   = key_of_block(r, k, rebuilt, i, s->begin[i]);
         s->from[i] = key_of_block(r, k, rebuilt, i, s->last[i]);
      }
   free(rebuilt);
}

/*--- Both                                                 ---*/

/* Return the program's path of S; NULL: it is not known. */
static const char* program_of(const RunSide* s)
{
   return s->w != NULL ? wet_program(s->w)
          : s->g.p->n_images == 0 ? NULL : program_name(&s->g);
}

/* Return whether PLACE of S is the program's. */
static bool is_of_path(const RunSide* s, uint32_t place, const char* path)
{
   const char* name = s->w != NULL ? dcfg_wet_instr(s->w, place)->image_name
                      : s->g.p->nodes[place].kind != DCFG_NODE_BLOCK ? NULL
                      : image_file(&s->g, s->g.p->nodes[place].image);

   return name != NULL && strcmp(name, path) == 0;
}

/* Return what stands for the function of PLACE of side K: of a rebuilt image
   its number, else the place itself; 0 if it has none that is sure. */
static uint64_t function_key(const Runs* r, int k, uint32_t place)
{
   const RunSide* s = &r->side[k];

   if (s->to[place] >= OPAQUE_KEYS
       || (r->builds != NULL && build_is_guess(r->builds, k, place)))
      return 0;
   return s->to[place] & KEY_REBUILT ? s->to[place] >> IN_FUNCTION_BITS
          : s->to[place];
}

/* Return the symbol of PLACE, or NULL. */
static const char* symbol_of(RunSide* s, uint32_t place)
{
   return s->w != NULL ? dcfg_wet_instr(s->w, place)->function
          : node_symbol(&s->g, place);
}

/* Return the source file of PLACE, without folders; NULL: it is not known. */
static const char* source_of(RunSide* s, uint32_t place)
{
   const char* path;
   uint32_t    line;

   if (s->w != NULL) {
      path = dcfg_wet_instr(s->w, place)->source;
   } else {
      line = dcfg_source_at(s->g.p, s->g.p->nodes[place].image, s->begin[place]);
      path = line == DCFG_NONE || s->g.p->sources[line].file >= s->d->n_files
             ? NULL : s->d->files[s->g.p->sources[line].file].name;
   }
   return path == NULL ? NULL : text_base(path);
}

/* Return whether SYMBOL is in any program of C. */
static bool is_everywhere(const char* symbol)
{
   return symbol[0] == '_' || strcmp(symbol, "main") == 0
          || strstr(symbol, "tm_clones") != NULL
          || strcmp(symbol, "frame_dummy") == 0;
}

/* Exit if the runs are of programs with other names that have no function
   and no source file in common. */
static void refuse_other_program(Runs* r)
{
   const char* path[2] = { program_of(&r->side[0]), program_of(&r->side[1]) };
   KeyMap*     keys;
   Interned*   sources;
   KeyMap*     known;
   bool        same = false;

   if (path[0] == NULL || path[1] == NULL
       || strcmp(text_base(path[0]), text_base(path[1])) == 0)
      return;
   keys    = keymap_new();
   known   = keymap_new();
   sources = interned_new();
   for (int k = 1; k >= 0; k--)
      for (uint32_t i = 0; i < r->side[k].n && !same; i++) {
         const char* symbol = symbol_of(&r->side[k], i);
         const char* source;
         uint64_t    key = function_key(r, k, i);
         if (!is_of_path(&r->side[k], i, path[k]))
            continue;
         source = source_of(&r->side[k], i);
         if (k == 1) {
            keymap_number(keys, key);
            if (source != NULL)
               keymap_number(known, (uintptr_t)intern(sources, source));
            continue;
         }
         same = (key != 0 && symbol != NULL && !is_everywhere(symbol)
                 && keymap_find(keys, key) != UINT32_MAX)
                || (source != NULL
                    && keymap_find(known, (uintptr_t)intern(sources, source))
                       != UINT32_MAX);
      }
   FREE_EACH(keymap_free, keys, known);
   interned_free(sources);
   if (!same)
      die("%s ran %s, and %s ran %s: these are other programs, with no way in common",
          r->side[0].file, text_clean(path[0]), r->side[1].file,
          text_clean(path[1]));
}

Runs* runs_new(const char* const* files, int n_files, const char* root)
{
   Runs* r = zalloc(1, sizeof(*r));

   for (int k = 0; k < 2; k++) {
      r->side[k].file  = files[n_files == 4 ? 2 * k : k];
      r->side[k].trace = n_files == 4 ? files[2 * k + 1] : NULL;
   }
   if (n_files == 4)
      open_graphs(r, root);
   else
      open_wets(r, root);
   refuse_other_program(r);
   return r;
}

static void free_side(RunSide* s)
{
   if (s->last != s->begin)
      free(s->last);
   if (s->from != s->to)
      free(s->from);
   FREE_ALL(s->begin, s->end, s->to);
   if (s->w != NULL) {
      code_lines_free(s->lines);
      program_free(s->program);
      dcfg_wet_close(s->w);
   } else {
      code_free(s->code);
      dcfg_free(s->d);
   }
}

void runs_free(Runs* r)
{
   if (r == NULL)
      return;
   if (r->builds != NULL)
      builds_free(r->builds);
   for (int k = 0; k < 2; k++)
      free_side(&r->side[k]);
   free(r);
}

/*--- Places                                               ---*/

uint32_t run_place(const RunSide* s, uint64_t key)
{
   for (uint32_t i = 0; i < s->n && key < OPAQUE_KEYS; i++)
      if (s->to[i] == key)
         return i;
   return NO_PLACE;
}

uint32_t run_place_at(const RunSide* s, uint64_t addr, uint32_t near)
{
   for (uint32_t k = 0; k < s->n; k++) {
      uint32_t i = (near + k) % s->n;
      if (s->begin[i] == addr
          && (s->w != NULL || s->g.p->nodes[i].kind == DCFG_NODE_BLOCK))
         return i;
   }
   return NO_PLACE;
}

/* The most instructions of the program's first code up to main()'s address. */
#define FIRST_CODE 24

/* Return the place of main() in a program without symbols: the program's first code
   hands its address to the C library, as the first argument of a call.  Return
   NO_PLACE if that is not how the program begins. */
static uint32_t find_main(const RunSide* s)
{
   const DcfgWetState* state = dcfg_wet_state(s->w);
   unsigned            argument = processor_of(s->w)->arguments[0];
   uint64_t            addr = 0;
   uint32_t            at;

   for (uint32_t i = 0; i < state->n_aux; i++)
      if (state->aux[i].type == AT_ENTRY)
         addr = state->aux[i].value;
   at = addr == 0 ? NO_PLACE : run_place_at(s, addr, 0);
   for (uint32_t n = 0; at < s->n && n < FIRST_CODE; n++, at++) {
      const DcfgWetInstr in = *dcfg_wet_instr(s->w, at);
      InstrEffect        e = { .n_memory = 0 };
      uint64_t           to;
      if (in.transfer != DCFG_WET_FALLS || !instr_effect(&in, &e))
         return NO_PLACE;
      if (e.written != UINT32_C(1) << argument)
         continue;
      to = e.kind == EFFECT_ADDRESS && e.n_memory == 1 && e.memory[0].fixed
           ? (uint64_t)e.memory[0].disp : constant_number(&in);
      addr = run_place_at(s, to, at);
      if (addr != NO_PLACE)
         return (uint32_t)addr;
   }
   return NO_PLACE;
}

uint64_t run_function_key(const RunSide* s, const char* function)
{
   uint32_t    found = NO_PLACE;
   const char* last = NULL;
   bool        is = false;

   for (uint32_t i = 0; i < s->n; i++) {
      const char* symbol = symbol_of((RunSide*)s, i);
      if (symbol != last)       // a function's instructions share it
         is = symbol != NULL && (strcmp(symbol, function) == 0
                                 || symbol_is(symbol, function));
      last = symbol;
      if (is && (found == NO_PLACE || s->begin[i] < s->begin[found]))
         found = i;
   }
   text_forget();
   if (found == NO_PLACE && s->w != NULL && strcmp(function, "main") == 0)
      found = find_main(s);
   return found == NO_PLACE || s->to[found] >= OPAQUE_KEYS ? 0 : s->to[found];
}

/* Exit: S did not run FUNCTION. */
static _Noreturn void refuse_function(const RunSide* s, const char* function)
{
   Nearest n = nearest_to(function);

   for (uint32_t i = 0; i < s->n; i++) {
      const char* symbol = symbol_of((RunSide*)s, i);
      if (symbol != NULL)
         offer_function(&n, text_demangle(symbol));
      if (i % 256 == 0)
         text_forget();
   }
   die("--after: %s did not run a function `%s'%s", s->file, function,
       nearest_text(&n));
}

uint64_t runs_after(const Runs* r, const char* after)
{
   const char* name = after == NULL ? "main" : after;
   uint64_t    key[2] = { 0, 0 };

   for (int k = 0; k < 2 && name[0] != 0; k++) {
      key[k] = run_function_key(&r->side[k], name);
      if (key[k] == 0 && after != NULL)
         refuse_function(&r->side[k], after);
   }
   if (key[0] != key[1] && after != NULL)
      die("--after: %s is another function in %s than in %s", after,
          r->side[1].file, r->side[0].file);
   return key[0] == key[1] ? key[0] : 0;
}

static void tell_code(void* text, const Instr* in)
{
   *(const char**)text = text_format("%s", in->text);
}

/* Set what T lacks of the last or first instruction of node PLACE. */
static void graph_text(RunSide* s, uint32_t place, PlaceText* t)
{
   const DcfgNode* n = &s->g.p->nodes[place];
   uint32_t        line;

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   line = dcfg_source_at(s->g.p, n->image, t->addr);
   t->function = node_symbol(&s->g, place) == NULL ? ""
                 : text_brief(symbol_name(&s->g, node_symbol(&s->g, place)));
   t->image    = image_name(&s->g, n->image);
   t->offset   = t->addr - s->g.p->images[n->image].load_addr;
   if (line != DCFG_NONE && s->g.p->sources[line].file < s->d->n_files) {
      t->source = s->d->files[s->g.p->sources[line].file].name;
      t->line   = s->g.p->sources[line].line;
   }
   code_range(s->code, n->image, t->addr, s->end[place] - t->addr, tell_code,
              (void*)&t->code);
}

static void wet_text(RunSide* s, uint32_t place, PlaceText* t)
{
   DcfgWetInstr in = *dcfg_wet_instr(s->w, place);
   char         code[256];
   CodeLine     l = told_line(s->lines, place);

   instr_text(&in, code, sizeof(code));
   t->code     = text_format("%s", code);
   t->function = in.function == NULL ? ""
                 : text_brief(text_demangle(in.function));
   t->image    = in.image_name == NULL ? "?" : text_base(in.image_name);
   t->offset   = in.addr - in.image_load;
   if (l.line != 0) {
      t->source = l.source;
      t->line   = l.line;
      if (l.function != NULL)
         t->function = text_brief(text_demangle(l.function));
   }
}

PlaceText run_place_text(RunSide* s, uint32_t place, bool last)
{
   PlaceText   t = { .function = "", .image = "?", .code = "", .text = "" };

   if (place == NO_PLACE)
      return t;
   t.addr = last ? s->last[place] : s->begin[place];
   if (s->w != NULL)
      wet_text(s, place, &t);
   else
      graph_text(s, place, &t);
   t.function = text_clean(t.function);
   if (t.source == NULL)
      return t;
   t.text = source_text(t.source, t.line);
   return t;
}

/* FUNCTION_WIDTH: the columns of a function's name; templates have longer ones. */
#define FUNCTION_WIDTH 48

const char* place_words(const PlaceText* t)
{
   const char* where = t->source != NULL
                       ? text_format("%s:%" PRIu32,
                                     text_clean(text_base(t->source)), t->line)
                       : text_format("%s+0x%" PRIx64, text_clean(t->image),
                                     t->offset);

   return t->function[0] == 0 ? where
          : text_format("%s (%s)", text_shorten(t->function, FUNCTION_WIDTH),
                        where);
}
