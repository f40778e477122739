/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the common numbers of images, functions and blocks of two runs, and
   the pairs of what they executed.  Handed: two processes.

   The same image, function or block gets one number in both runs.  Numbers
   are made from the coarse to the fine.

   Images.  Those with equal paths are a pair.  The rest is paired by file
   name, then by file name up to ".so".  At last the two programs are a pair,
   whatever their names.  Two images are one build if their symbols have equal
   offsets.

   Functions.  In an image that was not rebuilt, functions at equal offsets are
   the same.  In a rebuilt one, those with the same name and source file are.
   The rest is paired by name, then by the demangled name, then by the source
   line at which a function begins, then by the guesses of shape.c.

   Blocks.  In an image that was not rebuilt, a block's number is its offset,
   or that of its stub (shape.c).  In a rebuilt one, blocks of a function
   that have the same line are paired in their order.

   A pair of runs' functions, loops, routines, blocks or edges is then found by
   sorting the executed ones of both runs by these numbers. */

#include "cmd/builds/builds.h"
#include "cmd/builds/pairing.h"

#include "cmd/base/keymap.h"

/*--- Images                                               ---*/

/* Name: the name of an image. */
typedef
   struct {
      const char* name;
      size_t      length;       // characters that are compared
      uint32_t    index, turn;  // the image; earlier images with this name
   }
   Name;

COMPARE(by_text, Name,
        memcmp(x->name, y->name, x->length < y->length ? x->length : y->length)
        ?: UP(length))

COMPARE(by_name, Name, by_text(x, y) ?: UP(index))

/* Likeness: the part of two images' names that is compared. */
typedef enum { LIKE_PATH, LIKE_NAME, LIKE_SHORT_NAME } Likeness;

/* Return the length of NAME up to ".so", or of all. */
static size_t short_length(const char* name)
{
   const char* so = strstr(name, ".so");

   return so == NULL ? strlen(name) : (size_t)(so - name);
}

/* Return the images that have no number yet, sorted by name, to be freed.  *N
   is how many. */
static Name* names_of(const ImageSide* s, Likeness like, uint32_t* n)
{
   Name* names = zalloc(s->g->p->n_images, sizeof(*names));

   *n = 0;
   for (uint32_t i = 0; i < s->g->p->n_images; i++) {
      const char* name = like == LIKE_PATH ? image_path(s->g, i)
                         : image_name(s->g, i);
      if (s->image[i] == UINT32_MAX)
         names[(*n)++] = (Name){ name, like == LIKE_SHORT_NAME
                                 ? short_length(name) : strlen(name), i, 0 };
   }
   qsort(names, *n, sizeof(*names), by_name);
   for (uint32_t i = 1; i < *n; i++)
      if (by_text(&names[i], &names[i - 1]) == 0)
         names[i].turn = names[i - 1].turn + 1;
   return names;
}

static void pair_images(BuildImages* b, uint32_t x, uint32_t y)
{
   b->side[0].image[x] = b->side[1].image[y] = b->n_images++;
}

/* Pair images with the same name.  If a file was mapped several times in a run,
   the first such image and the other run's first are a pair, and so on. */
static void pair_by_name(BuildImages* b, Likeness like)
{
   uint32_t n, m, j = 0;
   Name*    x = names_of(&b->side[0], like, &n);
   Name*    y = names_of(&b->side[1], like, &m);

   for (uint32_t i = 0; i < m; i++) {
      int d = -1;
      while (j < n && ((d = by_text(&x[j], &y[i])) < 0
                       || (d == 0 && x[j].turn < y[i].turn)))
         j++;
      if (j < n && d == 0 && x[j].turn == y[i].turn)
         pair_images(b, x[j].index, y[i].index);
   }
   FREE_ALL(x, y);
}

static void number_images(BuildImages* b)
{
   for (int k = 0; k < 2; k++) {
      ImageSide* s = &b->side[k];
      s->image = zalloc(s->g->p->n_images, sizeof(*s->image));
      for (uint32_t i = 0; i < s->g->p->n_images; i++)
         s->image[i] = UINT32_MAX;
   }
   for (Likeness like = LIKE_PATH; like <= LIKE_SHORT_NAME; like++)
      pair_by_name(b, like);
   if (b->side[0].g->p->n_images > 0 && b->side[1].g->p->n_images > 0
       && b->side[0].image[0] == UINT32_MAX
       && b->side[1].image[0] == UINT32_MAX)
      pair_images(b, 0, 0);
   for (int k = 0; k < 2; k++)
      for (uint32_t i = 0; i < b->side[k].g->p->n_images; i++)
         if (b->side[k].image[i] == UINT32_MAX)
            b->side[k].image[i] = b->n_images++;
}

/* Return whether the image with more blocks has all blocks of the other one, at
   the same offsets. */
static bool same_blocks(const DcfgProcess* process, const DcfgImage* x,
                        const DcfgProcess* q, const DcfgImage* y)
{
   KeyMap*  blocks = keymap_new();
   uint32_t n = x->n_nodes < y->n_nodes ? x->n_nodes : y->n_nodes, same = 0;

   for (uint32_t i = x->first_node; i < x->first_node + x->n_nodes; i++)
      keymap_number(blocks, (process->nodes[i].addr - x->load_addr) << 16
                            | (process->nodes[i].n_instrs & 0xffff));
   for (uint32_t i = y->first_node; i < y->first_node + y->n_nodes; i++)
      same += keymap_find(blocks, (q->nodes[i].addr - y->load_addr) << 16
                                  | (q->nodes[i].n_instrs & 0xffff))
              != UINT32_MAX;
   keymap_free(blocks);
   return same >= n;
}

/* Compare build ids: 0 if they are equal, 1 if not, -1 if one is not known. */
static int compare_ids(const DcfgImage* x, const DcfgImage* y)
{
   const char* a = x->build_id != NULL ? x->build_id : x->code_hash;
   const char* b = y->build_id != NULL ? y->build_id : y->code_hash;

   return a == NULL || b == NULL ? -1 : strcmp(a, b) != 0;
}

/* Return whether the images are one build.  Symbols decide; if one was
   stripped, build ids and blocks do. */
static bool same_symbols(const DcfgProcess* process, const DcfgImage* x,
                         const DcfgProcess* q, const DcfgImage* y)
{
   if (x->n_symbols == 0 || y->n_symbols == 0)
      return compare_ids(x, y) != 1 || same_blocks(process, x, q, y);
   if (x->n_symbols != y->n_symbols)
      return compare_ids(x, y) == 0 && same_blocks(process, x, q, y);
   for (uint32_t i = 0; i < x->n_symbols; i++) {
      const DcfgSymbol* s = &process->symbols[x->first_symbol + i];
      const DcfgSymbol* t = &q->symbols[y->first_symbol + i];
      if (s->addr - x->load_addr != t->addr - y->load_addr
          || s->size != t->size || strcmp(s->name, t->name) != 0)
         return false;
   }
   return true;
}

/* Set .rebuilt, .stripped and .differ. */
static void find_rebuilt(BuildImages* b)
{
   const DcfgProcess* p = b->side[0].g->p;
   const DcfgProcess* q = b->side[1].g->p;
   uint32_t*          other = zalloc(b->n_images, sizeof(*other));

   b->rebuilt = zalloc(b->n_images, sizeof(*b->rebuilt));
   b->same = zalloc(b->n_images, sizeof(*b->same));
   b->stripped = zalloc(b->n_images, sizeof(*b->stripped));
   for (uint32_t i = 0; i < q->n_images; i++)
      other[b->side[1].image[i]] = i + 1;
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint32_t number = b->side[0].image[i];
      if (other[number] == 0)
         continue;
      b->rebuilt[number] = !same_symbols(p, &p->images[i], q,
                                         &q->images[other[number] - 1]);
      b->same[number] = !b->rebuilt[number]
                        && compare_ids(&p->images[i],
                                       &q->images[other[number] - 1]) == 0;
      b->stripped[number] = b->rebuilt[number]
                            && (p->images[i].n_symbols == 0
                                || q->images[other[number] - 1].n_symbols == 0);
      b->differ = b->differ || b->rebuilt[number];
   }
   free(other);
}

/* Return the images of runs X and Y, for build_images_free().  X and Y must
   last as long. */
static BuildImages build_images_new(const Program* x, const Program* y)
{
   BuildImages b = { .side = { { x, NULL }, { y, NULL } } };

   number_images(&b);
   find_rebuilt(&b);
   return b;
}

static void build_images_free(BuildImages* b)
{
   for (int k = 0; k < 2; k++)
      free(b->side[k].image);
   FREE_ALL(b->rebuilt, b->same, b->stripped);
}

/*--- Numbers                                              ---*/

/* Side: a run. */
typedef
   struct {
      const Program* g;
      Functions*     f;
      const uint32_t* image;    // by image: its common number
      uint64_t*      function;  // by function: its common number
      uint32_t*      file;      // by function: file of its first line; 0: none
      uint64_t*      stub;      // by block: its number if it is a stub
   }
   Side;

/* Level: the keys that make up the number of a function or block, in their
   order.  At each level, pair() turns the number so far and the next key into
   the next number. */
typedef
   enum {
      BY_IMAGE, BY_NAME, BY_FILE, BY_BLOCKS_FILE, BY_LINE, BY_ORDER, N_LEVELS
   }
   Level;

struct Builds {
   Side      side[2];
   BuildImages images;
   Interned* names;
   KeyMap*   name_numbers;      // by address of an interned name
   KeyMap*   offsets;
   KeyMap*   pairs[N_LEVELS];   // by level: pairs of a number and a key
   KeyMap*   guesses;           // numbers of guessed functions
   KeyMap*   lineless;          // numbers of functions that only one build has
                                // lines of
};

/*--- Functions                                            ---*/

static uint32_t name_number(Builds* builds, const char* name)
{
   return keymap_number(builds->name_numbers,
                        (uintptr_t)intern(builds->names, name));
}

/* Return a number for X and Y, the same for the same two at this level. */
static uint64_t pair(Builds* builds, Level level, uint64_t x, uint64_t y)
{
   return keymap_number(builds->pairs[level], x << 32 | y);
}

const char* base_name(const char* symbol)
{
   static const char* const ends[] = {
      ".cold", ".part.", ".constprop.", ".isra.", ".lto_priv.", ".localalias",
      ".llvm.", "/", ".__uniq."
   };
   size_t n = strlen(symbol);

   for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
      const char* end = strstr(symbol, ends[i]);
      if (end != NULL && end > symbol && (size_t)(end - symbol) < n)
         n = (size_t)(end - symbol);
   }
   return symbol[n] == 0 ? symbol : text_format("%.*s", (int)n, symbol);
}

/* Return the number of the name, without directories, of the source file of
   block N; 0 if there is none.  Set *LINE to the line. */
static uint64_t file_number(Builds* builds, const Program* program,
                            const DcfgNode* n, uint32_t* line)
{
   uint32_t s = dcfg_source_at(program->p, n->image, n->addr);

   *line = 0;
   if (s == DCFG_NONE || program->p->sources[s].file >= program->d->n_files)
      return 0;
   *line = program->p->sources[s].line;
   return 1 + (uint64_t)name_number(builds, text_base(
                 program->d->files[program->p->sources[s].file].name));
}

/* Return the first number of FUNCTION: by its offset if the image was not
   rebuilt, else by its name and source file. */
static uint64_t number_by_name(Builds* builds, const Side* s, uint32_t function)
{
   const Program*  g = s->g;
   uint32_t        node = s->f->nodes[function], symbol, line;
   const DcfgNode* n = &g->p->nodes[node];
   uint32_t        image = s->image[n->image];
   uint64_t        number;

   symbol = dcfg_symbol_of(g->p, node);
   s->file[function] = (uint32_t)file_number(builds, g, n, &line);
   if (symbol == DCFG_NONE && builds->images.stripped[image])
      return pair(builds, BY_FILE,
                  pair(builds, BY_NAME, pair(builds, BY_IMAGE, image,
                                             s == builds->side ? 6 : 7),
                       function), 0);
   if (!builds->images.rebuilt[image] || symbol == DCFG_NONE) {
      uint64_t offset = n->addr - g->p->images[n->image].load_addr;
      number = pair(builds, BY_NAME, pair(builds, BY_IMAGE, image, 0),
                    keymap_number(builds->offsets, offset));
      return pair(builds, BY_FILE, number, 0);
   }
   number = pair(builds, BY_NAME, pair(builds, BY_IMAGE, image, 1),
                 name_number(builds, base_name(g->p->symbols[symbol].name)));
   /* Static functions of several files may have the same name. */
   return pair(builds, BY_FILE, number, s->file[function]);
}

/* Return the number of a function's demangled name; 0 if it has none.
   Demangling drops the parts of C++ and Rust symbols that differ between
   builds. */
static uint32_t spoken_name(Builds* builds, const Side* s, uint32_t function)
{
   uint32_t symbol = dcfg_symbol_of(s->g->p, s->f->nodes[function]);

   return symbol == DCFG_NONE ? 0
          : 1 + name_number(builds, text_demangle(base_name(
                                       s->g->p->symbols[symbol].name)));
}

/* Return a number for FUNCTION's name in a rebuilt image; UINT64_MAX if there
   is none.  Functions below do the same for the demangled name and for the line
   at which the function begins. */
static uint64_t number_by_symbol(Builds* builds, const Side* s,
                                 uint32_t function)
{
   uint32_t node = s->f->nodes[function];
   uint32_t image = s->image[s->g->p->nodes[node].image];
   uint32_t symbol = dcfg_symbol_of(s->g->p, node);

   if (!builds->images.rebuilt[image] || symbol == DCFG_NONE)
      return UINT64_MAX;
   return pair(builds, BY_NAME, pair(builds, BY_IMAGE, image, 1), name_number(
                       builds, base_name(s->g->p->symbols[symbol].name)));
}

static uint64_t number_by_spoken_name(Builds* builds, const Side* s,
                                      uint32_t function)
{
   uint32_t image = s->image[s->g->p->nodes[s->f->nodes[function]].image];
   uint32_t name = builds->images.rebuilt[image]
                   ? spoken_name(builds, s, function) : 0;

   return name == 0 ? UINT64_MAX
          : pair(builds, BY_NAME, pair(builds, BY_IMAGE, image, 4), name);
}

static uint64_t number_by_line(Builds* builds, const Side* s, uint32_t function)
{
   const DcfgNode* n = &s->g->p->nodes[s->f->nodes[function]];
   uint32_t        line;
   uint64_t        file = file_number(builds, s->g, n, &line);

   if (!builds->images.rebuilt[s->image[n->image]] || file == 0)
      return UINT64_MAX;
   return pair(builds, BY_FILE, pair(builds, BY_NAME,
                                     pair(builds, BY_IMAGE, s->image[n->image],
                                          2),
                                     file), line);
}

/* Candidate: a function that may get the number of another run's function. */
typedef
   struct {
      uint64_t number;
      uint32_t side, function;
   }
   Candidate;

COMPARE(by_number, Candidate, UP(number) ?: UP(side) ?: UP(function))

typedef uint64_t NumberBy(Builds* builds, const Side* s, uint32_t function);

/* Number the N candidates C by BY, and sort by number those that get one.
   Return how many these are; they come first. */
static size_t renumber(Builds* builds, Candidate* c, size_t n, NumberBy* by)
{
   size_t kept = 0;

   for (size_t i = 0; i < n; i++) {
      Candidate one = c[i];
      one.number = by(builds, &builds->side[one.side], one.function);
      if (one.number != UINT64_MAX)
         c[kept++] = one;
      if (i % 256 == 0)
         text_forget();
   }
   qsort(c, kept, sizeof(*c), by_number);
   return kept;
}

/* Pair functions with different names that begin at the same line, if each run
   has exactly one of them. */
static void pair_by_line(Builds* builds, Candidate* c, size_t n)
{
   size_t kept = renumber(builds, c, n, number_by_line);

   for (size_t i = 0; i + 1 < kept; i++)
      if (c[i].number == c[i + 1].number && c[i].side == 0
          && c[i + 1].side == 1
          && (i == 0 || c[i - 1].number != c[i].number)
          && (i + 2 == kept || c[i + 2].number != c[i].number))
         builds->side[1].function[c[i + 1].function]
                 = builds->side[0].function[c[i].function];
}

/* Pair functions of the same name in different files, if each run has that name
   in one file only.  If the file of some is not known, functions of that name
   cannot be told apart: with WHOLE, they then count as one function. */
static void pair_by_symbol(Builds* builds, Candidate* c, size_t n, NumberBy* by,
                           bool whole)
{
   size_t kept = renumber(builds, c, n, by);

   for (size_t i = 0, end; i < kept; i = end) {
      uint64_t one[2] = { UINT64_MAX, UINT64_MAX };
      bool     several = false, fileless = false;
      for (end = i; end < kept && c[end].number == c[i].number; end++) {
         const Side* s = &builds->side[c[end].side];
         uint64_t*   is = &one[c[end].side];
         several = several || (*is != UINT64_MAX
                               && *is != s->function[c[end].function]);
         fileless = fileless || s->file[c[end].function] == 0;
         *is = s->function[c[end].function];
      }
      if (one[0] != UINT64_MAX && one[1] != UINT64_MAX
          && (!several || (whole && fileless)))
         for (size_t k = i; k < end; k++)
            builds->side[c[k].side].function[c[k].function] = one[0];
   }
}

/* Set C to all functions whose number only one run has.  Return how many these
   are. */
static size_t find_lonely(const Builds* builds, Candidate* c)
{
   size_t n = 0, lonely = 0;

   for (uint32_t k = 0; k < 2; k++)
      for (uint32_t i = 0; i < builds->side[k].f->n; i++)
         c[n++] = (Candidate){ builds->side[k].function[i], k, i };
   qsort(c, n, sizeof(*c), by_number);
   for (size_t i = 0, end; i < n; i = end) {
      bool there[2] = { false, false };
      for (end = i; end < n && c[end].number == c[i].number; end++)
         there[c[end].side] = true;
      for (size_t k = i; k < end && !(there[0] && there[1]); k++)
         c[lonely++] = c[k];
   }
   return lonely;
}

/* Pair functions by shape.c's guesses. */
static void pair_by_shape(Builds* builds)
{
   ShapeSide side[2];

   for (int k = 0; k < 2; k++) {
      const Side* s = &builds->side[k];
      uint32_t*   image = zalloc(s->f->n, sizeof(*image));
      uint32_t*   name = zalloc(s->f->n, sizeof(*name));
      bool*       open = zalloc(s->f->n, sizeof(*open));
      for (uint32_t i = 0; i < s->f->n; i++) {
         image[i] = s->image[s->g->p->nodes[s->f->nodes[i]].image];
         name[i] = spoken_name(builds, s, i);
         open[i] = builds->images.rebuilt[image[i]];
         if (i % 256 == 0)
            text_forget();
      }
      side[k] = (ShapeSide){ s->g, s->f, s->function, image, name, open };
   }
   match_shapes(side, builds->guesses);
   for (int k = 0; k < 2; k++) {
      FREE_ALL(side[k].image, side[k].name, side[k].open);
   }
}

/* Enter into .lineless the functions that have lines in one run only. */
static void find_lineless(Builds* builds)
{
   KeyMap* with = keymap_new();

   for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < 2; k++)
         for (uint32_t i = 0; i < builds->side[k].f->n; i++) {
            const Side* s = &builds->side[k];
            if (pass == 0 && s->file[i] != 0)
               keymap_number(with, s->function[i]);
            else if (pass == 1 && s->file[i] == 0
                     && keymap_find(with, s->function[i]) != UINT32_MAX)
               keymap_number(builds->lineless, s->function[i]);
         }
   keymap_free(with);
}

static void number_functions(Builds* builds)
{
   Candidate* c = zalloc((size_t)builds->side[0].f->n + builds->side[1].f->n,
                         sizeof(*c));

   for (uint32_t k = 0; k < 2; k++) {
      Side* s = &builds->side[k];
      s->function = zalloc(s->f->n, sizeof(*s->function));
      s->file = zalloc(s->f->n, sizeof(*s->file));
      for (uint32_t i = 0; i < s->f->n; i++) {
         s->function[i] = number_by_name(builds, s, i);
         if (i % 256 == 0)
            text_forget();
      }
   }
   if (builds->images.differ) {
      pair_by_symbol(builds, c, find_lonely(builds, c), number_by_symbol, true);
      pair_by_symbol(builds, c, find_lonely(builds, c), number_by_spoken_name,
                     false);
      pair_by_line(builds, c, find_lonely(builds, c));
      pair_by_shape(builds);
      find_lineless(builds);
   }
   free(c);
}

/*--- Blocks                                               ---*/

/* Return whether NODE is one that places of KIND count. */
static bool is_placed(const DcfgProcess* process, uint32_t node, PlaceKind kind)
{
   switch (kind) {
      case PLACE_LOOPS:    return dcfg_loop_by_head(process, node) != DCFG_NONE;
      case PLACE_ROUTINES: return dcfg_routine_by_entry(process, node)
      != DCFG_NONE;
      default:             return true;
   }
}

/* STUB_PLACE: the bit of places that are numbers of stubs. */
#define STUB_PLACE ((uint64_t)1 << 63)

uint64_t* build_places(Builds* builds, int side, PlaceKind kind)
{
   const Side*        s = &builds->side[side];
   const DcfgProcess* p = s->g->p;
   uint64_t*          places = zalloc(p->n_blocks, sizeof(*places));
   KeyMap*            seen = keymap_new();
   uint32_t*          n_seen = NULL;            // by number in SEEN
   size_t             n = 0, room = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgNode* node = &p->nodes[i];
      uint32_t        f = s->f->of[i], line, k;
      uint64_t        where, file;
      places[i] = s->stub[i] != NO_STUB ? STUB_PLACE | s->stub[i]
                  : node->addr - p->images[node->image].load_addr;
      if (f == NO_FUNCTION || !builds->images.rebuilt[s->image[node->image]]
          || !is_placed(p, i, kind))
         continue;
      where = s->function[f];
      file = file_number(builds, s->g, node, &line);
      if (keymap_find(builds->lineless, s->function[f]) != UINT32_MAX)
         file = line = 0;
      else if (file == s->file[f])
         file = UINT32_MAX;             // the function's own file, whatever its
                                        // name
      where = pair(builds, BY_BLOCKS_FILE, where, file);
      where = pair(builds, BY_LINE, where, line);
      k = keymap_number(seen, where);
      if (k == n) {
         GROW(n_seen, n, room);
         n_seen[n++] = 0;
      }
      places[i] = pair(builds, BY_ORDER, where, n_seen[k]++);
      if (i % 256 == 0)
         text_forget();
   }
   keymap_free(seen);
   free(n_seen);
   return places;
}

/*--- Stubs                                                ---*/

static void number_stubs(Builds* builds)
{
   StubSide side[2];

   for (int k = 0; k < 2; k++) {
      Side* s = &builds->side[k];
      s->stub = zalloc(s->g->p->n_blocks, sizeof(*s->stub));
      memset(s->stub, 0xff, s->g->p->n_blocks * sizeof(*s->stub));
   }
   for (int k = 0; k < 2; k++)
      side[k] = (StubSide){ builds->side[k].f, builds->side[k].function,
                            build_places(builds, k, PLACE_BLOCKS),
                            builds->side[k].stub };
   match_stubs(&builds->images, side);
   for (int k = 0; k < 2; k++)
      free((void*)side[k].places);
}

/*--- The builds                                           ---*/

Builds* builds_new(const Program* x, const Program* y)
{
   Builds* b = zalloc(1, sizeof(*b));

   b->side[0].g = x;
   b->side[1].g = y;
   b->names = interned_new();
   b->name_numbers = keymap_new();
   b->offsets = keymap_new();
   b->guesses = keymap_new();
   b->lineless = keymap_new();
   for (int k = 0; k < N_LEVELS; k++)
      b->pairs[k] = keymap_new();
   b->images = build_images_new(x, y);
   for (int k = 0; k < 2; k++) {
      b->side[k].f = functions_new(b->side[k].g);
      b->side[k].image = b->images.side[k].image;
   }
   number_functions(b);
   number_stubs(b);
   return b;
}

void builds_free(Builds* builds)
{
   for (int k = 0; k < 2; k++) {
      functions_free(builds->side[k].f);
      FREE_ALL(builds->side[k].function, builds->side[k].file,
               builds->side[k].stub);
   }
   build_images_free(&builds->images);
   interned_free(builds->names);
   FREE_EACH(keymap_free, builds->name_numbers, builds->offsets,
             builds->guesses, builds->lineless);
   for (int k = 0; k < N_LEVELS; k++)
      keymap_free(builds->pairs[k]);
   free(builds);
}

bool build_is_guess(const Builds* builds, int side, uint32_t node)
{
   const Side* s = &builds->side[side];

   return node < s->g->p->n_blocks && s->f->of[node] != NO_FUNCTION
          && keymap_find(builds->guesses, s->function[s->f->of[node]])
             != UINT32_MAX;
}

bool builds_differ(const Builds* builds)
{
   return builds->images.differ;
}

const Functions* build_functions(const Builds* builds, int side)
{
   return builds->side[side].f;
}

uint32_t build_images(const Builds* builds)
{
   return builds->images.n_images;
}

bool build_was_rebuilt(const Builds* builds, uint32_t number)
{
   return builds->images.rebuilt[number];
}

uint32_t build_image(const Builds* builds, int side, uint32_t image)
{
   return builds->side[side].image[image];
}

uint64_t build_function(const Builds* builds, int side, uint32_t function)
{
   return builds->side[side].function[function];
}

/*--- Pairs of what was executed                           ---*/

/* Key: the place of a thing: an image's number and a number in the image, equal
   in both runs for the same thing.  An edge has two places, other things
   one. */
typedef
   struct {
      uint32_t image, image2;
      uint64_t offset, offset2;
      uint32_t index;
      bool     second;          // from run B
      uint64_t count;
   }
   Key;

/* SPECIAL: the image's number in the places of special nodes. */
#define SPECIAL (UINT32_MAX - 1)

/* Set *IMAGE and *OFFSET to the place of NODE. */
static void place(const Builds* builds, int side, const DcfgProcess* process,
                  const uint64_t* places, uint32_t node, uint32_t* image,
                  uint64_t* offset)
{
   const DcfgNode* n;

   if (node >= process->n_nodes) {
      *image = SPECIAL;
      *offset = UINT64_MAX;
      return;
   }
   n = &process->nodes[node];
   if (n->kind != DCFG_NODE_BLOCK) {
      *image = SPECIAL;
      *offset = n->kind;
   } else {
      *image = build_image(builds, side, n->image);
      *offset = places[node];
   }
}

static uint32_t n_things(const DcfgProcess* process, Kind kind)
{
   switch (kind) {
      case MATCH_LOOPS:    return process->n_loops;
      case MATCH_ROUTINES: return process->n_routines;
      case MATCH_BLOCKS:   return process->n_blocks;
      default:             return process->n_edges;
   }
}

/* Set KEYS to the executed things of KIND of a run.  Return how many these
   are. */
static size_t add_keys(Builds* builds, const Program* program, Kind kind,
                       int side, Key* keys)
{
   const DcfgProcess* p = program->p;
   uint64_t* places = build_places(builds, side,
                                   kind == MATCH_LOOPS ? PLACE_LOOPS
                                   : kind == MATCH_ROUTINES ? PLACE_ROUTINES
                                   : PLACE_BLOCKS);
   size_t    n = 0;

   for (uint32_t i = 0; i < n_things(p, kind); i++) {
      Key*     k = &keys[n];
      uint32_t node = i;
      *k = (Key){ .index = i, .second = side == 1 };
      if (kind == MATCH_LOOPS) {
         node = p->loops[i].head;
         k->count = dcfg_loop_iterations(p, i, DCFG_ALL_THREADS);
      } else if (kind == MATCH_ROUTINES) {
         node = p->routines[i].entry;
         k->count = dcfg_routine_instrs(p, i, DCFG_ALL_THREADS);
      } else if (kind == MATCH_BLOCKS) {
         k->count = dcfg_node_executions(p, i, DCFG_ALL_THREADS);
      } else {
         node = p->edges[i].source;
         place(builds, side, p, places, p->edges[i].target, &k->image2,
               &k->offset2);
         k->count = p->edges[i].count;
      }
      place(builds, side, p, places, node, &k->image, &k->offset);
      n += k->count > 0;
   }
   free(places);
   return n;
}

/* Do the same for functions, each with the instructions of its blocks.  If a
   function has several parts, the first part stands for all. */
static size_t add_functions(const Builds* builds, const Program* program,
                            int side, Key* keys)
{
   const Functions* f = build_functions(builds, side);
   KeyMap*          numbers = keymap_new();
   size_t           n = 0, kept = 0;

   for (uint32_t i = 0; i < program->p->n_blocks; i++) {
      uint64_t instrs = dcfg_node_instrs(program->p, i, DCFG_ALL_THREADS),
      number;
      uint32_t k;
      if (f->of[i] == NO_FUNCTION)
         continue;
      number = build_function(builds, side, f->of[i]);
      k = keymap_number(numbers, number);
      if (k == n)
         keys[n++] = (Key){ .offset = number, .index = f->of[i],
                            .second = side == 1 };
      add_count(&keys[k].count, instrs);
   }
   for (size_t k = 0; k < n; k++)
      if (keys[k].count > 0)
         keys[kept++] = keys[k];
   keymap_free(numbers);
   return kept;
}

static int by_place(const Key* x, const Key* y)
{
   return UP(image) ?: UP(offset) ?: UP(image2) ?: UP(offset2);
}

COMPARE(by_key, Key, by_place(x, y) ?: UP(second) ?: UP(index))

Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n)
{
   const Program* g[2] = { a, b };
   size_t room = (size_t)a->p->n_edges + b->p->n_edges + a->p->n_blocks
                 + b->p->n_blocks + a->p->n_loops + b->p->n_loops
                 + a->p->n_routines + b->p->n_routines;
   Key*   keys = zalloc(room, sizeof(*keys));
   size_t n_keys = 0;
   Pair*  pairs;

   for (int side = 0; side < 2; side++)
      n_keys += kind == MATCH_FUNCTIONS
                ? add_functions(builds, g[side], side, keys + n_keys)
                : add_keys(builds, g[side], kind, side, keys + n_keys);
   qsort(keys, n_keys, sizeof(*keys), by_key);
   pairs = zalloc(n_keys, sizeof(*pairs));
   *n = 0;
   for (size_t i = 0; i < n_keys; i++) {
      Pair* p = &pairs[(*n)++];
      *p = (Pair){ .a = DCFG_NONE, .b = DCFG_NONE };
      if (!keys[i].second) {
         p->a = keys[i].index;
         p->count_a = keys[i].count;
         if (i + 1 == n_keys || !keys[i + 1].second
             || by_place(&keys[i], &keys[i + 1]) != 0)
            continue;
         i++;
      }
      p->b = keys[i].index;
      p->count_b = keys[i].count;
   }
   free(keys);
   return pairs;
}
