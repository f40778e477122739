/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations in use. */

/* Owns: the locations that a slice's instances used, and since when they had
   their values.  Handed: a slice that keeps instances. */

#include "cmd/omitted/wants.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>

#define MOST_WANTS 20000

COMPARE(by_distance, Want, UP(distance) ?: UP(node) ?: UP(place))

bool operand_in_frame(const StaticCode* c, uint32_t n, const MemoryOperand* m,
                      int64_t* offset)
{
   unsigned reg;
   int64_t  rule;

   if (m->fixed || m->segment || m->index != NO_REGISTER
       || m->base == NO_REGISTER
       || !code_frame(c->names, c->nodes[n].near, c->nodes[n].addr, &reg, &rule)
       || reg != m->base)
      return false;
   *offset = m->disp - rule;
   return true;
}

static void add_want(Wants* l, const Want* w)
{
   /* Bytes with several writers are one location, and the last writer
      counts. */
   if (l->n > 0) {
      Want* last = &l->all[l->n - 1];
      if (last->node == w->node && last->memory == w->memory
          && last->place == w->place) {
         if (w->from > last->from)
            last->from = w->from;
         return;
      }
   }
   GROW(l->all, l->n, l->room);
   l->all[l->n++] = *w;
}

static void add_memory(Wants* l, const StaticCode* c, const DcfgSlice* s,
                       const DcfgSliceInput* in, Want w)
{
   const DcfgSliceNode* n = &s->nodes[w.node];
   const DcfgWetInstr   i = *dcfg_wet_instr(c->w, n->instr);
   const MemoryOperand* m;
   InstrEffect          e;

   if (in->reg != 0 || n->from == 0 || image_is_constant(&c->bytes, n->from, n->order)
       || !instr_effect(&i, &e) || e.returns || e.call)
      return;
   m = accessed_operand(&i, &e, 0);
   if (m == NULL || m->size == 0)
      return;
   w.memory = true;
   w.place  = n->from;
   w.size   = m->size;
   if (w.at != NO_NODE && operand_in_frame(c, w.at, m, &w.offset)) {
      w.in_frame = true;
   } else if (!m->fixed) {
      w.based  = m->index == NO_REGISTER;
      w.offset = m->disp;
   }
   add_want(l, &w);
}

/* Add the location that Q asks for at criterion N, which was written at
   W.from. */
static void add_asked(Wants* l, const DcfgSlice* s, const DcfgSliceQuery* q,
                      const DcfgSliceNode* n, Want w)
{
   w.asked  = true;
   w.memory = q->of != DCFG_SLICE_REGISTER;
   w.place  = q->of == DCFG_SLICE_FRAME ? s->frame : q->place;
   w.size   = q->size;
   for (uint32_t k = 0; k < q->n_parts; k++)
      if (q->parts[k].instr == n->instr && q->parts[k].instance == n->instance) {
         w.place = q->parts[k].place;
         w.size  = q->parts[k].size;
      }
   if (w.memory ? w.size > 0 && w.place != 0
       : w.place < MAX_GENERAL && w.at != NO_NODE)
      add_want(l, &w);
}

/* Return whether IN is a vector or x87 register with a value from another
   line of W's function. */
static bool is_held_in_vector(const StaticCode* c, const DcfgSlice* s,
                              const DcfgSliceInput* in, const Want* w)
{
   const DcfgWetInstr user = *dcfg_wet_instr(c->w, s->nodes[w->node].instr);
   uint32_t           by, from, line;

   if ((in->port != DCFG_WET_VECTOR && in->port != DCFG_WET_X87)
       || in->node >= DCFG_SLICE_NOT || w->at == NO_NODE)
      return false;
   by   = s->nodes[in->node].instr;
   from = code_node_at(c, dcfg_wet_instr(c->w, by)->addr, by);
   line = dcfg_wet_instr(c->w, by)->line;
   return from != NO_NODE && line != user.line
          && c->nodes[from].entry == c->nodes[w->at].entry;
}

static bool is_criterion(const DcfgSlice* s, uint32_t node)
{
   for (uint32_t i = 0; i < s->n_criteria; i++)
      if (s->criteria[i] == node)
         return true;
   return false;
}

static void add_node(Wants* l, const StaticCode* c, const DcfgSlice* s,
                     const DcfgSliceQuery* q, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];
   const Processor*     p = processor_of(c->w);
   uint32_t             at = code_node_at(c, dcfg_wet_instr(c->w,
                                                            n->instr)->addr,
                                          n->instr);
   bool                 part = q->of != DCFG_SLICE_ALL
                               && is_criterion(s, node);

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      Want                  w = { .node = node, .at = at, .to = n->order,
                                  .distance = n->distance };
      if (in->node == DCFG_SLICE_NOT || in->port == DCFG_WET_CONTROL)
         continue;
      w.from = in->node == DCFG_SLICE_NOBODY ? 0 : s->nodes[in->node].order;
      l->vectors |= is_held_in_vector(c, s, in, &w);
      if (part && q->of != DCFG_SLICE_FLAGS && q->of != DCFG_SLICE_X87)
         add_asked(l, s, q, n, w);
      else if (in->port == DCFG_WET_MEMORY)
         add_memory(l, c, s, in, w);
      else if (in->port == DCFG_WET_GENERAL && at != NO_NODE
               && in->reg != p->stack && in->node != DCFG_SLICE_NOBODY) {
         w.place = in->reg;
         add_want(l, &w);
      }
   }
}

Wants wants_find(const StaticCode* c, const DcfgSlice* s,
                 const DcfgSliceQuery* q, const uint32_t* nodes, size_t n)
{
   Wants    l = { .n = 0 };
   uint32_t all = nodes == NULL ? s->n_nodes : (uint32_t)n;

   for (uint32_t i = 0; i < all; i++)
      add_node(&l, c, s, q, nodes == NULL ? i : nodes[i]);
   if (l.n > 0)
      qsort(l.all, l.n, sizeof(*l.all), by_distance);
   l.bounded = l.n > MOST_WANTS;
   if (l.bounded)
      l.n = MOST_WANTS;
   return l;
}
