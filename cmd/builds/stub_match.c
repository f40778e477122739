/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the stubs of linkage tables of two builds, by name. */

/* Owns: the common numbers of stubs.  Handed: two runs, the places of their
   other blocks.

   A linker orders stubs by their names, so one more import moves all others.
   A stub's name is that of its relocation, if the files of both builds can be
   read; else that of the function to which it jumps most often.  A call site is
   a block that calls a stub; it has the same number in both runs.  Several
   stubs of one name are paired in the order of their call sites.  A stub that
   has no name, since its first call was its last one, is that which the other
   run calls from the same site.  In an image whose symbols are unchanged, it
   may be the one at the same offset, too. */

#include "cmd/builds/pairing.h"

#include "cmd/base/keymap.h"
#include "cmd/program/code.h"

#include <stdlib.h>
#include <string.h>

/* Part: the parts of a stub.  The first call of a lazily bound function goes
   on at PART_BIND, and from there to the table's head, the code that binds
   it. */
typedef enum { PART_JUMP, PART_BIND, PART_HEAD } Part;

/* Stub: a stub, or a part of one. */
typedef
   struct {
      uint32_t side, node, image;       // the image's common number
      uint32_t name;            // 0: none
      uint64_t site;            // the first call site; UINT64_MAX: none
      Part     part;
   }
   Stub;

/* Matching: all stubs of both runs. */
typedef
   struct {
      const BuildImages* images;
      StubSide*          side;
      Code*              code[2];
      Interned*          names;
      KeyMap*            name_numbers;
      KeyMap*            keys;          // keys of make_key()
      KeyMap*            sites;
      Stub*              stubs;
      size_t             n, room;
   }
   Matching;

/* Space: the spaces of numbers of an image. */
typedef enum { NAMED, CLUES, LATER, LEFT, LEFT_B, BINDING, SITES, OFFSETS } Space;

/* Return a number for Y in the space X, which make_key() or space_of() made. */
static uint64_t make_key(Matching* m, uint64_t x, uint64_t y)
{
   return keymap_number(m->keys, x << 32 | y);
}

static uint64_t space_of(Matching* m, uint32_t image, Space space)
{
   return make_key(m, (uint64_t)1 << 31 | image, space);
}

static const DcfgProcess* process_of(const Matching* m, uint32_t side)
{
   return m->images->side[side].g->p;
}

static bool is_linkage(const Matching* m, uint32_t side, uint32_t node)
{
   return node < process_of(m, side)->n_blocks
          && m->side[side].f->of[node] == NO_FUNCTION;
}

/*--- Stubs                                                ---*/

/* Return which part of a stub NODE is; *JUMP is the part that leads there. */
static Part part_of(const Matching* m, uint32_t side, uint32_t node,
                    uint32_t* jump)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           n;
   const uint32_t*    edges = dcfg_out_edges(p, node, &n);
   bool               binds = false, inside = false, outside = false;

   *jump = DCFG_NONE;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[edges[i]];
      binds = binds || (e->type == DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH
                        && is_linkage(m, side, e->target));
   }
   edges = dcfg_in_edges(p, node, &n);
   for (uint32_t i = 0; i < n; i++) {
      uint32_t from = p->edges[edges[i]].source;
      if (is_linkage(m, side, from)) {
         inside = true;
         *jump = from;
      } else {
         outside = outside || from < p->n_blocks;
      }
   }
   return binds && inside ? PART_BIND
          : inside && !outside ? PART_HEAD : PART_JUMP;
}

/* Return whether the files of both builds of the image can be read. */
static bool has_files(Matching* m, uint32_t image)
{
   for (uint32_t k = 0; k < 2; k++) {
      const ImageSide* s = &m->images->side[k];
      uint32_t         i = 0;
      while (i < s->g->p->n_images && s->image[i] != image)
         i++;
      if (i == s->g->p->n_images
          || (s->g->p->images[i].build_id == NULL
              && s->g->p->images[i].code_hash == NULL)
          || code_elf(m->code[k], i) == NULL)
         return false;
   }
   return true;
}

/* Return the function that the stub jumps to most often, by its number;
   UINT64_MAX if there is none. */
static uint64_t function_behind(const Matching* m, uint32_t side, uint32_t node)
{
   const DcfgProcess* p = process_of(m, side);
   const Functions*   f = m->side[side].f;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);
   uint64_t           most = 0, found = UINT64_MAX;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->type != DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH
          || e->target >= p->n_blocks || e->count <= most
          || f->of[e->target] == NO_FUNCTION || !f->begins[e->target])
         continue;
      most = e->count;
      found = m->side[side].numbers[f->of[e->target]];
   }
   return found;
}

/* FUNCTION: the bit of a name that is a function's number.  No pointer has
   it. */
#define FUNCTION ((uint64_t)1 << 63)

/* Return the number of the stub's name, without a version; 0 if it has none.  If
   the function behind it has no symbol, its number stands for the name. */
static uint32_t name_of(Matching* m, uint32_t side, uint32_t node, bool files)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           symbol = stub_target(p, node);
   const char*        name = !files ? NULL
                             : code_stub(m->code[side], p->nodes[node].image,
                                         p->nodes[node].addr);

   if (name == NULL && symbol != DCFG_NONE)
      name = p->symbols[symbol].name;
   if (name == NULL) {
      uint64_t function = function_behind(m, side, node);
      return function == UINT64_MAX ? 0
             : 1 + keymap_number(m->name_numbers, FUNCTION | function);
   }
   name = text_format("%.*s", (int)strcspn(name, "@"), name);
   return 1 + keymap_number(m->name_numbers,
                            (uintptr_t)intern(m->names, name));
}

/* Return the number of EDGE's source as a call site, one for both runs;
   UINT64_MAX if it is none.  A direct jump has one target, so a site calls one
   stub. */
static uint64_t site_of(Matching* m, uint32_t side, const DcfgEdge* edge)
{
   uint32_t from = edge->source;

   if (from >= process_of(m, side)->n_blocks || is_linkage(m, side, from)
       || (edge->type != DCFG_EDGE_CALL && edge->type != DCFG_EDGE_DIRECT_CALL
           && edge->type != DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH))
      return UINT64_MAX;
   return make_key(m, space_of(m, m->images->side[side].image
                                     [process_of(m, side)->nodes[from].image],
                               SITES),
                   keymap_number(m->sites, m->side[side].places[from]));
}

static void add_stub(Matching* m, uint32_t side, uint32_t node, bool files)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           n, jump;
   const uint32_t*    in = dcfg_in_edges(p, node, &n);
   Stub               s = { side, node, m->images->side[side].image
                                           [p->nodes[node].image],
                            0, UINT64_MAX, part_of(m, side, node, &jump) };

   if (s.part == PART_JUMP)
      s.name = name_of(m, side, node, files);
   for (uint32_t i = 0; i < n; i++) {
      uint64_t site = site_of(m, side, &p->edges[in[i]]);
      if (site < s.site)
         s.site = site;
   }
   GROW(m->stubs, m->n, m->room);
   m->stubs[m->n++] = s;
}

static void add_stubs(Matching* m, uint32_t side)
{
   const ImageSide* s = &m->images->side[side];

   for (uint32_t k = 0; k < s->g->p->n_images; k++) {
      const DcfgImage* im = &s->g->p->images[k];
      bool             known = false, files = false;
      if (m->images->same[s->image[k]])
         continue;
      for (uint32_t i = im->first_node; i < im->first_node + im->n_nodes; i++) {
         if (!is_linkage(m, side, i))
            continue;
         files = known ? files : has_files(m, s->image[k]);
         known = true;
         add_stub(m, side, i, files);
         text_forget();
      }
   }
}

/*--- Pairs                                                ---*/

COMPARE(by_name, Stub, UP(part) ?: UP(image) ?: UP(name) ?: UP(side) ?: UP(site)
        ?: UP(node))

static uint64_t* number_of(const Matching* m, const Stub* s)
{
   return &m->side[s->side].stub[s->node];
}

/* Number the stubs that have names, and the tables' heads. */
static void number_named(Matching* m)
{
   uint64_t turn = 0;

   qsort(m->stubs, m->n, sizeof(*m->stubs), by_name);
   for (size_t i = 0; i < m->n; i++) {
      Stub*       s = &m->stubs[i];
      const Stub* before = i == 0 ? NULL : s - 1;
      turn = before == NULL || before->part != s->part
             || before->image != s->image || before->name != s->name
             || before->side != s->side ? 0 : turn + 1;
      if (s->part != PART_BIND && (s->name != 0 || s->part == PART_HEAD))
         *number_of(m, s) = make_key(m, make_key(m, space_of(m, s->image,
                                                             NAMED),
                                                 s->name), turn);
   }
}

/* Return a number for the N-th thing by which stub S can be recognized: a call
   site, or its offset.  0: it is none.  UINT64_MAX: there are no more. */
static uint64_t clue_of(Matching* m, const Stub* s, bool sites, uint32_t n)
{
   const DcfgProcess* p = process_of(m, s->side);
   const DcfgNode*    node = &p->nodes[s->node];
   uint32_t           n_in;
   const uint32_t*    in = dcfg_in_edges(p, s->node, &n_in);
   uint64_t           site;

   if (!sites)
      return n > 0 || m->images->rebuilt[s->image] ? UINT64_MAX
             : 1 + make_key(m, space_of(m, s->image, OFFSETS), keymap_number(
                   m->sites, node->addr
                             - p->images[node->image].load_addr));
   if (n >= n_in)
      return UINT64_MAX;
   site = site_of(m, s->side, &p->edges[in[n]]);
   return site == UINT64_MAX ? 0 : 1 + make_key(m, space_of(m, s->image, CLUES),
                                                site);
}

/* Pair stubs whose numbers only one run has, if they have a clue in common and
   one of them has no name. */
static void pair_lonely(Matching* m, bool sites)
{
   KeyMap* there[2] = { keymap_new(), keymap_new() };
   KeyMap* clues = keymap_new();
   Stub**  owners = NULL;               // by number in CLUES: A's stub
   size_t  n = 0, room = 0;

   for (size_t i = 0; i < m->n; i++)
      if (*number_of(m, &m->stubs[i]) != NO_STUB)
         keymap_number(there[m->stubs[i].side], *number_of(m, &m->stubs[i]));
   for (uint32_t side = 0; side < 2; side++)
      for (size_t i = 0; i < m->n; i++) {
         Stub*    s = &m->stubs[i];
         uint64_t number = *number_of(m, s), clue;
         if (s->side != side || s->part != PART_JUMP
             || (number != NO_STUB
                 && keymap_find(there[1 - side], number) != UINT32_MAX))
            continue;
         for (uint32_t k = 0; (clue = clue_of(m, s, sites, k)) != UINT64_MAX;
              k++) {
            uint32_t found = clue == 0 ? UINT32_MAX : keymap_find(clues, clue);
            if (clue != 0 && side == 0 && found == UINT32_MAX) {
               keymap_number(clues, clue);
               GROW(owners, n, room);
               owners[n++] = s;
            } else if (side == 1 && found != UINT32_MAX
                       && owners[found] != NULL
                       && (s->name == 0 || owners[found]->name == 0)) {
               Stub* a = owners[found];
               if (*number_of(m, a) == NO_STUB)
                  *number_of(m, a) = make_key(m, space_of(m, a->image, LATER),
                                              a->node);
               *number_of(m, s) = *number_of(m, a);
               for (size_t j = 0; j < n; j++)
                  owners[j] = owners[j] == a ? NULL : owners[j];
               break;
            }
         }
      }
   for (int side = 0; side < 2; side++)
      keymap_free(there[side]);
   keymap_free(clues);
   free(owners);
}

/* Number what is left: stubs that only one run has, and the parts that bind,
   each by its stub. */
static void number_rest(Matching* m)
{
   uint32_t jump;

   for (size_t i = 0; i < m->n; i++) {
      const Stub* s = &m->stubs[i];
      if (s->part != PART_BIND && *number_of(m, s) == NO_STUB)
         *number_of(m, s) = make_key(m, space_of(m, s->image, s->side == 0
                                                          ? LEFT : LEFT_B),
                                     s->node);
   }
   for (size_t i = 0; i < m->n; i++) {
      const Stub* s = &m->stubs[i];
      if (s->part != PART_BIND)
         continue;
      part_of(m, s->side, s->node, &jump);
      *number_of(m, s) = make_key(m, space_of(m, s->image, BINDING),
                                  m->side[s->side].stub[jump]);
   }
}

void match_stubs(const BuildImages* images, StubSide side[2])
{
   Matching m = { .images = images, .side = side };

   m.names = interned_new();
   m.name_numbers = keymap_new();
   m.keys = keymap_new();
   m.sites = keymap_new();
   for (uint32_t k = 0; k < 2; k++)
      m.code[k] = code_quiet(images->side[k].g, NULL);
   for (uint32_t k = 0; k < 2; k++)
      add_stubs(&m, k);
   if (m.n > 0) {
      number_named(&m);
      pair_lonely(&m, true);
      pair_lonely(&m, false);
      number_rest(&m);
   }
   for (int k = 0; k < 2; k++)
      code_free(m.code[k]);
   interned_free(m.names);
   keymap_free(m.name_numbers);
   keymap_free(m.keys);
   keymap_free(m.sites);
   free(m.stubs);
}
