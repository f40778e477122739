/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of the source in a graph, and the calls between them. */

/* Owns: which function of the source a block belongs to, and the calls
   between functions.  Handed: a process and its edges. */

#include "cmd/program/functions.h"

/* A function's key: the first symbol at its address; without a symbol, its
   first block and this bit. */
#define OF_BLOCK ((uint64_t)1 << 32)

/*--- Symbols                                              ---*/

/* "name.cold" is a part of "name" that the compiler moved elsewhere. */
#define COLD ".cold"

typedef
   struct {
      const char* name;
      uint32_t    symbol;
   }
   Named;

COMPARE(by_name, Named, strcmp(x->name, y->name) ?: UP(symbol))

static bool is_cold(const char* name)
{
   const char* dot = strstr(name, COLD);

   return dot != NULL && (dot[strlen(COLD)] == 0 || dot[strlen(COLD)] == '.');
}

/* Return the image's symbols by name, if one is a cold part; else NULL. */
static Named* sort_symbols(const DcfgProcess* p, const DcfgImage* im)
{
   bool   any = false;
   Named* names;

   for (uint32_t i = 0; i < im->n_symbols && !any; i++)
      any = is_cold(p->symbols[im->first_symbol + i].name);
   if (!any)
      return NULL;
   names = zalloc(im->n_symbols, sizeof(*names));
   for (uint32_t i = 0; i < im->n_symbols; i++)
      names[i] = (Named){ p->symbols[im->first_symbol + i].name,
                          im->first_symbol + i };
   qsort(names, im->n_symbols, sizeof(*names), by_name);
   return names;
}

/* Return the symbol that COLD_ONE is a part of, or COLD_ONE itself. */
static uint32_t warm_symbol(const DcfgProcess* p, const DcfgImage* im,
                            const Named* names, uint32_t cold_one)
{
   char*    name = text_copy(p->symbols[cold_one].name);
   uint32_t low = 0, found = cold_one;

   *strstr(name, COLD) = 0;
   BISECT(low, im->n_symbols, middle, strcmp(names[middle].name, name) < 0);
   if (low < im->n_symbols && strcmp(names[low].name, name) == 0)
      found = names[low].symbol;
   free(name);
   return found;
}

/*--- Blocks                                               ---*/

/* Return whether NODE is a stub of a linkage table without a symbol, a few
   instructions that jump to another image, or on within the table.  It is part
   of its caller. */
static bool is_stub(const DcfgProcess* p, uint32_t node)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(p, node, &n);

   if (!is_small_stub(p, node))
      return false;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->type == DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH
          && e->target < p->n_blocks
          && (p->nodes[e->target].image != p->nodes[node].image
              || dcfg_symbol_of(p, e->target) != DCFG_NONE
              || is_small_stub(p, e->target)))
         return true;
      if (e->type == DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH
          && e->target < p->n_blocks
          && p->nodes[e->target].image == p->nodes[node].image
          && p->nodes[e->target].addr < p->nodes[node].addr
          && dcfg_symbol_of(p, e->target) == DCFG_NONE
          && p->nodes[node].n_instrs <= 3)
         return true;
   }
   return false;
}

static void add_block(Functions* f, uint32_t node, uint64_t key, bool begins)
{
   f->of[node] = keymap_number(f->keys, key);
   f->begins[node] = begins;
   if (f->of[node] == f->n) {
      GROW(f->nodes, f->n, f->room);
      f->nodes[f->n++] = node;
   } else if (begins) {
      f->nodes[f->of[node]] = node;
   }
}

/* Return the immediate dominator of NODE in its routine; DCFG_NONE: there is none. */
static uint32_t dominator_of(const DcfgProcess* p, uint32_t node)
{
   uint32_t r = p->nodes[node].routine, idom = p->nodes[node].idom;

   return r == DCFG_NONE || node == p->routines[r].entry || idom >= p->n_blocks
          ? DCFG_NONE : idom;
}

/* Return the block that begins the function of NODE, which has no symbol: its
   routine's entry; or, if that has a symbol or is a stub, the first one without
   on each way from there.  FIRSTS has it, + 1, for each block that was met;
   DCFG_NONE: there is none; 0: it was not met. */
static uint32_t first_without_symbol(const DcfgProcess* p, uint32_t* firsts,
                                     uint32_t node)
{
   uint32_t first = node, up;

   /* Dominators of a damaged file can be a circle. */
   for (up = node; up != DCFG_NONE && firsts[up] == 0; up = dominator_of(p, up)) {
      firsts[up] = DCFG_NONE;
      if (dcfg_symbol_of(p, up) == DCFG_NONE && !is_stub(p, up))
         first = up;
   }
   if (up != DCFG_NONE && firsts[up] != DCFG_NONE)
      first = firsts[up] - 1;
   for (uint32_t k = node; k != up && firsts[k] != first + 1;
        k = k == first ? up : dominator_of(p, k))
      firsts[k] = first + 1;
   return first;
}

static void add_image(Functions* f, const DcfgImage* im, uint32_t* firsts)
{
   const DcfgProcess* p = f->g.p;
   Named*             names = sort_symbols(p, im);

   for (uint32_t i = im->first_node; i < im->first_node + im->n_nodes; i++) {
      uint32_t s = dcfg_symbol_of(p, i), whole, first;
      if (s == DCFG_NONE) {
         f->of[i] = NO_FUNCTION;
         if (is_stub(p, i))
            continue;
         first = first_without_symbol(p, firsts, i);
         add_block(f, i, OF_BLOCK | first,
                   first == i && p->nodes[i].routine != DCFG_NONE);
         continue;
      }
      while (s > im->first_symbol
             && p->symbols[s - 1].addr == p->symbols[s].addr)
         s--;
      whole = names != NULL && is_cold(p->symbols[s].name)
              ? warm_symbol(p, im, names, s) : s;
      add_block(f, i, whole,
                whole == s && p->symbols[s].addr == p->nodes[i].addr);
   }
   free(names);
}

Functions* functions_new(const Program* g)
{
   Functions* f = zalloc(1, sizeof(*f));
   uint32_t*  firsts = zalloc(g->p->n_blocks, sizeof(*firsts));

   f->g = *g;
   f->keys = keymap_new();
   f->of = zalloc(g->p->n_blocks, sizeof(*f->of));
   f->begins = zalloc(g->p->n_blocks, sizeof(*f->begins));
   for (uint32_t i = 0; i < g->p->n_images; i++)
      add_image(f, &g->p->images[i], firsts);
   free(firsts);
   return f;
}

void functions_free(Functions* f)
{
   keymap_free(f->keys);
   FREE_ALL(f->of, f->begins, f->nodes, f);
}

uint32_t function_symbol(const Functions* f, uint32_t function)
{
   const Program* g = &f->g;
   uint64_t       key = keymap_key(f->keys, function);
   uint32_t       s;

   if (key >= OF_BLOCK)
      return DCFG_NONE;
   /* If several symbols have the address, take the one that names the
      blocks. */
   s = dcfg_symbol_at(g->p, g->p->nodes[f->nodes[function]].image,
                      g->p->symbols[key].addr);
   return s == DCFG_NONE ? (uint32_t)key : s;
}

const char* function_symbol_name(const Functions* f, uint32_t function)
{
   uint32_t s = function_symbol(f, function);

   return s == DCFG_NONE ? NULL : f->g.p->symbols[s].name;
}

const char* function_name(const Functions* f, uint32_t function)
{
   const char* symbol = function_symbol_name(f, function);

   return symbol == NULL ? node_name(&f->g, f->nodes[function])
          : symbol_name(&f->g, symbol);
}

/* Return the function that a call reaches through the stub at NODE: the most
   frequent target.  Until a name is resolved, a stub may lead to another
   stub. */
static uint32_t behind_stub(const Functions* f, uint32_t node)
{
   const DcfgProcess* p = f->g.p;

   for (int step = 0; step < 3; step++) {
      uint32_t        n, next = DCFG_NONE;
      uint64_t        most = 0;
      const uint32_t* out = dcfg_out_edges(p, node, &n);
      for (uint32_t i = 0; i < n; i++) {
         const DcfgEdge* e = &p->edges[out[i]];
         if (e->target < p->n_blocks && e->count > most
             && dcfg_is_local(e->type)) {
            most = e->count;
            next = e->target;
         }
      }
      if (next == DCFG_NONE || f->of[next] != NO_FUNCTION)
         return next == DCFG_NONE ? NO_FUNCTION : f->of[next];
      node = next;
   }
   return NO_FUNCTION;
}

bool function_call(const Functions* f, const DcfgEdge* e, uint32_t* from,
                   uint32_t* to)
{
   const DcfgProcess* p = f->g.p;

   if (e->source >= p->n_blocks || e->target >= p->n_blocks)
      return false;
   *from = f->of[e->source];
   *to = f->of[e->target];
   if (*from == NO_FUNCTION)
      return false;
   if (!dcfg_is_call(e->type) && e->type != DCFG_EDGE_CONTEXT_CHANGE
       && (dcfg_is_return(e->type) || dcfg_is_bypass(e->type)
           || *from == *to || (*to != NO_FUNCTION && !f->begins[e->target])))
      return false;
   if (*to == NO_FUNCTION)
      *to = behind_stub(f, e->target);
   return *to != NO_FUNCTION;
}
