/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of a wet file's instructions. */

/* Owns: which instruction led to which within a routine, the static closure of
   that, and post-dominators.  Handed: arcs by wet_control.c.  Taken by:
   wet_control.c.

   Nodes are the file's executed instructions, then those not executed, then one
   for the end of all routines.  A direct conditional branch leads to both its
   outcomes.  Code that was not executed leads on as its instructions say; out
   of its function, to the end. */

#include "lib/base/postdom.h"
#include "lib/wet/wet_images.h"
#include "lib/wet/wet.h"
#include "lib/wet/wet_graph.h"

bool wet_graph_new(Job* job, DcfgWet* w, WetGraph* g)
{
   *g = (WetGraph){ .job = job, .w = w };
   g->last = job_nones(g->job, 2 * (w->instrs.n + w->unexecuted.n + 1));
   g->scanned = job_calloc(g->job, w->sbs.n, sizeof(*g->scanned));
   return g->last != NULL && g->scanned != NULL;
}

void wet_graph_forget_arcs(WetGraph* g)
{
   size_t n = GRAPH_EXIT(g) + (size_t)1;

   map_free(g->job, &g->arcs);
   job_free(g->job, g->last, 2 * n * sizeof(*g->last));
   g->last = NULL;
}

void wet_graph_free(WetGraph* g)
{
   size_t n = GRAPH_EXIT(g) + (size_t)1;

   wet_graph_forget_arcs(g);
   job_free(g->job, g->ipdom, n * sizeof(*g->ipdom));
   job_free(g->job, g->branches, n);
   job_free(g->job, g->scanned, g->w->sbs.n * sizeof(*g->scanned));
}

/* Add an arc.  Keys of the table number nodes from 1. */
bool wet_graph_arc(WetGraph* g, uint32_t from, uint32_t to)
{
   uint32_t* last = &g->last[2 * (size_t)from];

   if (last[0] == to || last[1] == to)
      return true;
   last[1] = last[0];
   last[0] = to;
   return map_add(g->job, &g->arcs, ((uint64_t)from + 1) << 32 | (to + 1))
          != NULL;
}

bool wet_graph_within(WetGraph* g, uint32_t sb, uint32_t n)
{
   const InstrPlan* at = &g->w->places[ELEM(g->w->sbs, WetSb, sb).instrs.first];

   for (uint16_t* k = &g->scanned[sb]; *k + 1u < n; (*k)++)
      if (!wet_graph_arc(g, at[*k].instr, at[*k + 1].instr))
         return false;
   return true;
}

/*--- The static closure                                   ---*/

static bool is_at(const Array* all, size_t i, uint32_t image, uint64_t addr)
{
   return i < all->n && ELEM(*all, WetInstr, i).image == image
          && ELEM(*all, WetInstr, i).addr == addr;
}

/* Return the index of the instruction at ADDR in ALL, sorted by image and
   address; likely LIKELY. */
static uint32_t find_instr(const Array* all, uint32_t image, uint64_t addr,
                           uint32_t likely)
{
   size_t low = 0, high = all->n;

   if (is_at(all, likely, image, addr))
      return likely;
   while (low < high) {
      size_t          mid = low + (high - low) / 2;
      const WetInstr* i = &ELEM(*all, WetInstr, mid);
      if (i->image < image || (i->image == image && i->addr < addr))
         low = mid + 1;
      else
         high = mid;
   }
   return is_at(all, low, image, addr) ? (uint32_t)low : DCFG_NONE;
}

/* Add an arc from FROM, node NODE, to the code at ADDR. */
static bool add_way(WetGraph* g, const WetInstr* from, uint32_t node,
                    uint64_t addr)
{
   DcfgWet* w = g->w;
   uint32_t to = DCFG_NONE;

   if (wet_function_at(w, from->image, from->addr)
       == wet_function_at(w, from->image, addr)) {
      to = find_instr(&w->instrs, from->image, addr, node + 1);
      if (to == DCFG_NONE) {
         to = find_instr(&w->unexecuted, from->image, addr,
                         node + 1 - (uint32_t)w->instrs.n);
         to = to == DCFG_NONE ? to : (uint32_t)w->instrs.n + to;
      }
   }
   return wet_graph_arc(g, node, to == DCFG_NONE ? GRAPH_EXIT(g) : to);
}

static uint64_t target_of(const DcfgWet* w, const WetInstr* i)
{
   return w->machine->target(&ELEM(w->code, uint8_t, i->code), i->len,
                             i->addr);
}

/* Add all arcs that the code of NODE allows. */
static bool add_static(WetGraph* g, const WetInstr* i, uint32_t node)
{
   uint64_t next = i->addr + i->len;

   switch (i->kind) {
      case InsnCond:
         return add_way(g, i, node, next)
                && add_way(g, i, node, target_of(g->w, i));
      case InsnJump:
         return add_way(g, i, node, target_of(g->w, i));
      case InsnIndirectJump:
      case InsnReturn:
         return wet_graph_arc(g, node, GRAPH_EXIT(g));
      default:
         return add_way(g, i, node, next);
   }
}

/* Add the static closure.  Instructions that were translated but not executed
   count as not executed. */
static bool add_closure(WetGraph* g)
{
   const DcfgWet* w = g->w;
   uint32_t       n = (uint32_t)w->instrs.n;

   for (uint32_t i = 0; i < n; i++) {
      const WetInstr* in = &ELEM(w->instrs, WetInstr, i);
      if ((g->last[2 * (size_t)i] == DCFG_NONE || in->kind == InsnCond)
          && !add_static(g, in, i))
         return false;
   }
   for (uint32_t i = 0; i < w->unexecuted.n; i++)
      if (!add_static(g, &ELEM(w->unexecuted, WetInstr, i), n + i))
         return false;
   return true;
}

bool wet_graph_finish(WetGraph* g)
{
   uint32_t  n = GRAPH_EXIT(g) + 1, k = 0;
   uint32_t* degree;
   Arc*      arcs;

   if (!add_closure(g))
      return false;
   arcs        = job_calloc(g->job, g->arcs.n + 1, sizeof(*arcs));
   degree      = job_calloc(g->job, n, sizeof(*degree));
   g->branches = job_calloc(g->job, n, 1);
   if (arcs != NULL && degree != NULL && g->branches != NULL) {
      for (size_t i = 0; i < g->arcs.room; i++)
         if (g->arcs.keys[i] != 0) {
            arcs[k] = (Arc){ (uint32_t)(g->arcs.keys[i] >> 32) - 1,
                             (uint32_t)g->arcs.keys[i] - 1 };
            g->branches[arcs[k].from] = ++degree[arcs[k].from] > 1;
            k++;
         }
      g->ipdom = find_postdominators(g->job, n, arcs, k, n - 1);
   }
   job_free(g->job, arcs, (g->arcs.n + 1) * sizeof(*arcs));
   job_free(g->job, degree, n * sizeof(*degree));
   return g->ipdom != NULL;
}
