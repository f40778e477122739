
/*--------------------------------------------------------------------*/
/*--- The same things in two builds.                    builds.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: what is the same in two builds of a program.  Handed: two processes.
   Taken by: match.c.

   Images are the same if they have one file name; then those whose names differ
   only behind ".so"; then the two programs themselves, whatever they are
   called.  If their symbols are at the same offsets it is one build, and
   offsets say what is the same.  Else it is functions of one name that are the
   same, or, of those that are left, functions that begin at the same source
   line; and within them what is from the same line, in the order in which it
   stands there. */

#include "builds.h"

#include "interned.h"

#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const Program* g;
      Functions*     f;
      uint32_t*      image;     // by image: its number
      uint64_t*      function;  // by function: its number
   }
   Side;

/* What a place is numbered by, one after the other: with each a pair of numbers
   becomes one. */
typedef
   enum {
      BY_IMAGE, BY_NAME, BY_FILE, BY_BLOCKS_FILE, BY_LINE, BY_ORDER, N_LEVELS
   }
   Level;

struct Builds {
   Side      side[2];
   uint32_t  n_images;          // numbers
   bool*     rebuilt;           // by image's number
   bool      differ;
   Interned* names;
   KeyMap*   name_numbers;      // by address
   KeyMap*   offsets;
   KeyMap*   pairs[N_LEVELS];   // of two numbers: one
};

/*------------------------------------------------------------*/
/*--- Images                                               ---*/
/*------------------------------------------------------------*/

typedef
   struct {
      const char* name;
      size_t      length;       // that matters
      uint32_t    index, turn;
   }
   Name;

static int by_text(const Name* x, const Name* y)
{
   size_t n = x->length < y->length ? x->length : y->length;
   int    d = memcmp(x->name, y->name, n);

   return d != 0 ? d : x->length < y->length ? -1 : x->length > y->length;
}

static int by_name(const void* a, const void* b)
{
   const Name* x = a;
   const Name* y = b;
   int         d = by_text(x, y);

   return d != 0 ? d : x->index < y->index ? -1 : x->index > y->index;
}

/* Up to ".so". */
static size_t short_length(const char* name)
{
   const char* so = strstr(name, ".so");

   return so == NULL ? strlen(name) : (size_t)(so - name);
}

/* The images without a number, by name. */
static Name* names_of(const Side* s, bool brief, uint32_t* n)
{
   Name* names = zalloc(s->g->p->n_images, sizeof(*names));

   *n = 0;
   for (uint32_t i = 0; i < s->g->p->n_images; i++) {
      const char* name = image_name(s->g, i);
      if (s->image[i] == UINT32_MAX)
         names[(*n)++] = (Name){ name, brief ? short_length(name)
                                 : strlen(name), i, 0 };
   }
   qsort(names, *n, sizeof(*names), by_name);
   for (uint32_t i = 1; i < *n; i++)
      if (by_text(&names[i], &names[i - 1]) == 0)
         names[i].turn = names[i - 1].turn + 1;
   return names;
}

static void pair_images(Builds* b, uint32_t x, uint32_t y)
{
   b->side[0].image[x] = b->side[1].image[y] = b->n_images++;
}

/* Of several images with the name (generations of a mapping), the first
   belongs to the first, and so on. */
static void pair_by_name(Builds* b, bool brief)
{
   uint32_t n, m, j = 0;
   Name*    x = names_of(&b->side[0], brief, &n);
   Name*    y = names_of(&b->side[1], brief, &m);

   for (uint32_t i = 0; i < m; i++) {
      int d = -1;
      while (j < n && ((d = by_text(&x[j], &y[i])) < 0
                       || (d == 0 && x[j].turn < y[i].turn)))
         j++;
      if (j < n && d == 0 && x[j].turn == y[i].turn)
         pair_images(b, x[j].index, y[i].index);
   }
   free(x);
   free(y);
}

static void number_images(Builds* b)
{
   for (int k = 0; k < 2; k++) {
      Side* s = &b->side[k];
      s->image = zalloc(s->g->p->n_images, sizeof(*s->image));
      for (uint32_t i = 0; i < s->g->p->n_images; i++)
         s->image[i] = UINT32_MAX;
   }
   pair_by_name(b, false);
   pair_by_name(b, true);
   if (b->side[0].g->p->n_images > 0 && b->side[1].g->p->n_images > 0
       && b->side[0].image[0] == UINT32_MAX
       && b->side[1].image[0] == UINT32_MAX)
      pair_images(b, 0, 0);
   for (int k = 0; k < 2; k++)
      for (uint32_t i = 0; i < b->side[k].g->p->n_images; i++)
         if (b->side[k].image[i] == UINT32_MAX)
            b->side[k].image[i] = b->n_images++;
}

static bool same_symbols(const DcfgProcess* p, const DcfgImage* x,
                         const DcfgProcess* q, const DcfgImage* y)
{
   if (x->n_symbols != y->n_symbols)
      return x->n_symbols == 0 || y->n_symbols == 0;
   for (uint32_t i = 0; i < x->n_symbols; i++) {
      const DcfgSymbol* s = &p->symbols[x->first_symbol + i];
      const DcfgSymbol* t = &q->symbols[y->first_symbol + i];
      if (s->addr - x->load_addr != t->addr - y->load_addr
          || s->size != t->size || strcmp(s->name, t->name) != 0)
         return false;
   }
   return true;
}

static void find_rebuilt(Builds* b)
{
   const DcfgProcess* p = b->side[0].g->p;
   const DcfgProcess* q = b->side[1].g->p;
   uint32_t*          other = zalloc(b->n_images, sizeof(*other));

   b->rebuilt = zalloc(b->n_images, sizeof(*b->rebuilt));
   for (uint32_t i = 0; i < q->n_images; i++)
      other[b->side[1].image[i]] = i + 1;
   for (uint32_t i = 0; i < p->n_images; i++) {
      uint32_t number = b->side[0].image[i];
      if (other[number] == 0)
         continue;
      b->rebuilt[number] = !same_symbols(p, &p->images[i], q,
                                         &q->images[other[number] - 1]);
      b->differ = b->differ || b->rebuilt[number];
   }
   free(other);
}

/*------------------------------------------------------------*/
/*--- Functions                                            ---*/
/*------------------------------------------------------------*/

static uint32_t name_number(Builds* b, const char* name)
{
   return keymap_number(b->name_numbers,
                        (uintptr_t)intern(b->names, name));
}

static uint64_t pair(Builds* b, Level level, uint64_t x, uint64_t y)
{
   return keymap_number(b->pairs[level], x << 32 | y);
}

/* Compilers and BOLT call parts and copies of "name" "name.part.0" and the
   like, or "name/1". */
static const char* base_name(const char* symbol)
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

/* The number of a source file's name without its folders; 0: none. */
static uint64_t file_number(Builds* b, const Program* g, const DcfgNode* n,
                            uint32_t* line)
{
   uint32_t s = dcfg_source_at(g->p, n->image, n->addr);

   *line = 0;
   if (s == DCFG_NONE || g->p->sources[s].file >= g->d->n_files)
      return 0;
   *line = g->p->sources[s].line;
   return 1 + (uint64_t)name_number(b, text_base(
                 g->d->files[g->p->sources[s].file].name));
}

/* What functions are numbered by, at first. */
static uint64_t number_by_name(Builds* b, const Side* s, uint32_t function)
{
   const Program*  g = s->g;
   uint32_t        node = s->f->nodes[function], symbol, line;
   const DcfgNode* n = &g->p->nodes[node];
   uint32_t        image = s->image[n->image];
   uint64_t        number;

   symbol = dcfg_symbol_of(g->p, node);
   if (!b->rebuilt[image] || symbol == DCFG_NONE) {
      uint64_t offset = n->addr - g->p->images[n->image].load_addr;
      number = pair(b, BY_NAME, pair(b, BY_IMAGE, image, 0),
                    keymap_number(b->offsets, offset));
      return pair(b, BY_FILE, number, 0);
   }
   number = pair(b, BY_NAME, pair(b, BY_IMAGE, image, 1),
                 name_number(b, base_name(g->p->symbols[symbol].name)));
   /* Static functions of several files may have one name. */
   return pair(b, BY_FILE, number, file_number(b, g, n, &line));
}

static uint64_t number_by_line(Builds* b, const Side* s, uint32_t function)
{
   const DcfgNode* n = &s->g->p->nodes[s->f->nodes[function]];
   uint32_t        line;
   uint64_t        file = file_number(b, s->g, n, &line);

   if (!b->rebuilt[s->image[n->image]] || file == 0)
      return UINT64_MAX;
   return pair(b, BY_FILE, pair(b, BY_NAME,
                                pair(b, BY_IMAGE, s->image[n->image], 2),
                                file), line);
}

typedef
   struct {
      uint64_t number;
      uint32_t side, function;
   }
   Candidate;

static int by_number(const void* a, const void* b)
{
   const Candidate* x = a;
   const Candidate* y = b;

   return x->number < y->number ? -1 : x->number > y->number ? 1
          : x->side != y->side ? (x->side < y->side ? -1 : 1)
          : x->function < y->function ? -1 : x->function > y->function;
}

/* Functions that are called differently and begin at the same line, one of each
   run, are the same. */
static void pair_by_line(Builds* b, Candidate* c, size_t n)
{
   size_t kept = 0;

   for (size_t i = 0; i < n; i++) {
      c[kept] = c[i];
      c[kept].number = number_by_line(b, &b->side[c[i].side], c[i].function);
      kept += c[kept].number != UINT64_MAX;
      if (i % 256 == 0)
         text_forget();
   }
   qsort(c, kept, sizeof(*c), by_number);
   for (size_t i = 0; i + 1 < kept; i++)
      if (c[i].number == c[i + 1].number && c[i].side == 0
          && c[i + 1].side == 1
          && (i == 0 || c[i - 1].number != c[i].number)
          && (i + 2 == kept || c[i + 2].number != c[i].number))
         b->side[1].function[c[i + 1].function]
            = b->side[0].function[c[i].function];
}

/* Those whose number is on one side only, to the front. */
static size_t find_lonely(Candidate* c, size_t n)
{
   size_t lonely = 0;

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

static void number_functions(Builds* b)
{
   size_t     n = 0;
   Candidate* c = zalloc((size_t)b->side[0].f->n + b->side[1].f->n,
                         sizeof(*c));

   for (uint32_t k = 0; k < 2; k++) {
      Side* s = &b->side[k];
      s->function = zalloc(s->f->n, sizeof(*s->function));
      for (uint32_t i = 0; i < s->f->n; i++) {
         s->function[i] = number_by_name(b, s, i);
         c[n++] = (Candidate){ s->function[i], k, i };
         if (i % 256 == 0)
            text_forget();
      }
   }
   if (b->differ && n > 0)
      pair_by_line(b, c, find_lonely(c, n));
   free(c);
}

/*------------------------------------------------------------*/
/*--- Blocks                                               ---*/
/*------------------------------------------------------------*/

static bool is_placed(const DcfgProcess* p, uint32_t node, PlaceKind kind)
{
   switch (kind) {
      case PLACE_LOOPS:    return dcfg_loop_by_head(p, node) != DCFG_NONE;
      case PLACE_ROUTINES: return dcfg_routine_by_entry(p, node) != DCFG_NONE;
      default:             return true;
   }
}

uint64_t* build_places(Builds* b, int side, PlaceKind kind)
{
   const Side*        s = &b->side[side];
   const DcfgProcess* p = s->g->p;
   uint64_t*          places = zalloc(p->n_blocks, sizeof(*places));
   KeyMap*            seen = keymap_new();
   uint32_t*          n_seen = NULL;            // by number in that
   size_t             n = 0, room = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgNode* node = &p->nodes[i];
      uint32_t        f = s->f->of[i], line, k;
      uint64_t        where;
      places[i] = node->addr - p->images[node->image].load_addr;
      if (!b->rebuilt[s->image[node->image]] || !is_placed(p, i, kind))
         continue;
      where = f != NO_FUNCTION ? s->function[f]
              : pair(b, BY_FILE, pair(b, BY_NAME,
                                      pair(b, BY_IMAGE,
                                           s->image[node->image], 3), 0), 0);
      where = pair(b, BY_BLOCKS_FILE, where,
                   file_number(b, s->g, node, &line));
      where = pair(b, BY_LINE, where, line);
      k = keymap_number(seen, where);
      if (k == n) {
         GROW(n_seen, n, room);
         n_seen[n++] = 0;
      }
      places[i] = pair(b, BY_ORDER, where, n_seen[k]++);
      if (i % 256 == 0)
         text_forget();
   }
   keymap_free(seen);
   free(n_seen);
   return places;
}

/*------------------------------------------------------------*/
/*--- The whole                                            ---*/
/*------------------------------------------------------------*/

Builds* builds_new(const Program* x, const Program* y)
{
   Builds* b = zalloc(1, sizeof(*b));

   b->side[0].g = x;
   b->side[1].g = y;
   b->names = interned_new();
   b->name_numbers = keymap_new();
   b->offsets = keymap_new();
   for (int k = 0; k < N_LEVELS; k++)
      b->pairs[k] = keymap_new();
   for (int k = 0; k < 2; k++)
      b->side[k].f = functions_new(b->side[k].g);
   number_images(b);
   find_rebuilt(b);
   number_functions(b);
   return b;
}

void builds_free(Builds* b)
{
   for (int k = 0; k < 2; k++) {
      functions_free(b->side[k].f);
      free(b->side[k].image);
      free(b->side[k].function);
   }
   free(b->rebuilt);
   interned_free(b->names);
   keymap_free(b->name_numbers);
   keymap_free(b->offsets);
   for (int k = 0; k < N_LEVELS; k++)
      keymap_free(b->pairs[k]);
   free(b);
}

bool builds_differ(const Builds* b)
{
   return b->differ;
}

const Functions* build_functions(const Builds* b, int side)
{
   return b->side[side].f;
}

uint32_t build_image(const Builds* b, int side, uint32_t image)
{
   return b->side[side].image[image];
}

uint64_t build_function(const Builds* b, int side, uint32_t function)
{
   return b->side[side].function[function];
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
