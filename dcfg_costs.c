
/*--------------------------------------------------------------------*/
/*--- Costs, calls and jumps of each function.        dcfg_costs.c ---*/
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

/* Owns: putting in order what was counted by context.  Handed: counts
   (dcfg_context.c), calls (dcfg_stack.c), and the graph, for jumps, by
   dcfg_profile.c.  Taken by: dcfg_callgrind.c.

   Jumps were not counted by context.  They are given to the context in
   which their instruction ran most often, which nearly always is the only
   one. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "dcfg_costs.h"
#include "dcfg_util.h"

#define NONE DCFG_NO_INSTR

/* Things by rank: those of rank R are ORDER[START[R] .. START[R+1] - 1]. */
typedef
   struct {
      UInt  n;
      UInt* order;
      UInt* start;
   }
   Ranking;

struct _Costs {
   const Profile* p;
   UInt*          first_instr;   // by superblock
   UInt           n_ranks;
   UInt*          rank;          // by context, from 0 up
   UInt*          contexts;      // by rank
   ContextCount** counts;
   Call**         calls;
   UInt*          call_instr;
   XArray*        jumps;         // Jump
   Ranking        ranked_counts, ranked_calls, ranked_jumps;
   ULong          total;
   ULong          n_runs;
   UInt           next;          // rank
   /* Of the context in work: */
   XArray*        now_costs;     // Cost
   XArray*        now_calls;     // CostedCall
   XArray*        now_jumps;     // Jump
};

/*------------------------------------------------------------*/
/*--- Instructions                                         ---*/
/*------------------------------------------------------------*/

static UInt* find_first_instrs(const Profile* p)
{
   UInt  n     = DCFG_(n_superblocks)();
   UInt* first = VG_(malloc)("dcfg.costs.first", (n + 1) * sizeof(UInt));

   for (UInt id = 1; id <= n; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      first[id] = DCFG_(find_instr)(p, sb->image, sb->addr);
   }
   return first;
}

/* From instruction I (or NONE) on to the one at A in the same image; NONE
   if that never ran. */
static UInt advance(const Profile* p, UInt i, Addr a)
{
   const Instr* in = p->instrs;

   if (i == NONE)
      return NONE;
   while (i + 1 < p->n_instrs && in[i].addr < a
          && in[i + 1].image == in[i].image)
      i++;
   return in[i].addr == a ? i : NONE;
}

/* The instructions that CC is about: from *FROM on, before the one that is
   returned. */
static UInt extent_of(const ContextCount* cc, UInt* from)
{
   const Superblock* sb = DCFG_(superblock)(cc->sb);

   *from = cc->faults ? cc->place : 0;
   if (!cc->faults)
      for (UInt s = 0; s < cc->place; s++)
         *from = DCFG_(segment_end)(sb, *from);
   return DCFG_(segment_end)(sb, *from);
}

static UInt instr_of_call(const Costs* c, const Call* call)
{
   const Superblock* sb = call->sb;

   if (sb == NULL)
      return DCFG_(find_landing)(c->p,
                                 DCFG_(target_now)(call->from->hash_key + 1,
                                                   False));
   return advance(c->p, c->first_instr[sb->id],
                  DCFG_(instr_addr)(sb, call->instr));
}

PtrdiffT* DCFG_(image_biases)(const Profile* p)
{
   PtrdiffT* biases = VG_(calloc)("dcfg.costs.bias", p->n_images + 1,
                                  sizeof(PtrdiffT));

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      UInt place = p->place_of[sb->image];
      if (place != NONE && sb->place != NULL)
         biases[place] = sb->place->bias;
   }
   return biases;
}

/*------------------------------------------------------------*/
/*--- Contexts                                             ---*/
/*------------------------------------------------------------*/

static Int cmp_functions(UInt a, UInt b)
{
   const Function* f = DCFG_(function)(a);
   const Function* g = DCFG_(function)(b);
   Int r;

   if ((r = VG_(strcmp)(f->object, g->object)) != 0)
      return r;
   if ((r = VG_(strcmp)(f->file, g->file)) != 0)
      return r;
   return VG_(strcmp)(f->name, g->name);
}

static Bool is_context_before(const void* arg, UInt a, UInt b)
{
   UInt f = DCFG_CONTEXT_FUNCTION(a), g = DCFG_CONTEXT_FUNCTION(b);

   return f == g ? a < b : cmp_functions(f, g) < 0;
}

/* Those in which anything ran or called. */
static void rank_contexts(Costs* c, UInt n_counts, UInt n_calls)
{
   UInt  n    = DCFG_CONTEXT(DCFG_(n_functions)() + 1, 0);
   Bool* used = VG_(calloc)("dcfg.costs.used", n, sizeof(Bool));

   for (UInt i = 0; i < n_counts; i++)
      used[c->counts[i]->context] = True;
   for (UInt i = 0; i < n_calls; i++)
      used[c->calls[i]->context] = True;
   c->rank     = VG_(calloc)("dcfg.costs.rank", n, sizeof(UInt));
   c->contexts = VG_(malloc)("dcfg.costs.contexts", n * sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      if (used[i])
         c->contexts[c->n_ranks++] = i;
   VG_(free)(used);
   DCFG_(sort_uints)(c->contexts, c->n_ranks, is_context_before, NULL);
   for (UInt r = 0; r < c->n_ranks; r++)
      c->rank[c->contexts[r]] = r;
}

/* Order N things by rank, each as RANK_OF says. */
static void rank_things(const Costs* c, Ranking* r, UInt n,
                        UInt (*rank_of)(const Costs* c, UInt i))
{
   r->n     = n;
   r->order = VG_(malloc)("dcfg.costs.order", (n + 1) * sizeof(UInt));
   r->start = VG_(calloc)("dcfg.costs.start", c->n_ranks + 2, sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      r->start[rank_of(c, i) + 2]++;
   for (UInt k = 1; k < c->n_ranks + 2; k++)
      r->start[k] += r->start[k - 1];
   for (UInt i = 0; i < n; i++)
      r->order[r->start[rank_of(c, i) + 1]++] = i;
}

static void delete_ranking(Ranking* r)
{
   VG_(free)(r->order);
   VG_(free)(r->start);
}

static UInt rank_of_count(const Costs* c, UInt i)
{
   return c->rank[c->counts[i]->context];
}

static UInt rank_of_call(const Costs* c, UInt i)
{
   return c->rank[c->calls[i]->context];
}

/*------------------------------------------------------------*/
/*--- Jumps                                                ---*/
/*------------------------------------------------------------*/

/* For each instruction a place that says what Callgrind knows of it. */
static const Place** find_places(Costs* c)
{
   const Place** places = VG_(calloc)("dcfg.costs.places",
                                      c->p->n_instrs + 1, sizeof(Place*));

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      UInt i = c->first_instr[id];
      Addr a = sb->addr;
      for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
         i = advance(c->p, i, a);
         if (i != NONE && places[i] == NULL)
            places[i] = sb->place;
      }
   }
   /* An instruction that is jumped to begins a superblock. */
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      if (c->first_instr[id] != NONE)
         places[c->first_instr[id]] = DCFG_(superblock)(id)->place;
   return places;
}

static Bool is_jump(EdgeType type)
{
   return type == EdgeDirectConditionalBranch
          || type == EdgeDirectUnconditionalBranch
          || type == EdgeIndirectUnconditionalBranch || type == EdgeRep;
}

/* By node, the first and the last of its instructions. */
static void find_ends(const Profile* p, UInt* first, UInt* last)
{
   for (UInt i = 0; i < p->n_instrs; i++) {
      UInt         node = p->graph->node_of[i];
      const Block* bb   = &p->graph->blocks[node - NodeFirstBlock];
      if (p->instrs[i].addr == bb->addr)
         first[node] = i;
      if (p->instrs[i].addr == bb->addr + bb->last_offset)
         last[node] = i;
   }
}

static void find_jumps(Costs* c)
{
   const Graph*  g      = c->p->graph;
   UInt          n      = NodeFirstBlock + g->n_blocks;
   UInt*         first  = VG_(calloc)("dcfg.costs.ends", n, sizeof(UInt));
   UInt*         last   = VG_(calloc)("dcfg.costs.ends", n, sizeof(UInt));
   const Place** places = find_places(c);

   find_ends(c->p, first, last);
   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      Jump        j = { last[e->source], first[e->target], 0, 0,
                        e->type == EdgeDirectConditionalBranch };
      if (!is_jump(e->type)
          || DCFG_(is_call_like)(places[j.from], places[j.to]))
         continue;
      for (UInt k = 0; k < e->n_counts; k++)
         j.count += g->counts[e->first_count + k].count;
      j.executed = g->blocks[e->source - NodeFirstBlock].count;
      if (j.count > 0)
         VG_(addToXA)(c->jumps, &j);
   }
   VG_(free)(first);
   VG_(free)(last);
   VG_(free)(places);
}

/*------------------------------------------------------------*/
/*--- One context                                          ---*/
/*------------------------------------------------------------*/

static void add_cost(Costs* c, UInt instr, ULong n)
{
   Cost cost = { instr, n };
   VG_(addToXA)(c->now_costs, &cost);
}

/* What CC counted. */
static void add_costs(Costs* c, const ContextCount* cc)
{
   const Superblock* sb = DCFG_(superblock)(cc->sb);
   UInt from, end = extent_of(cc, &from);
   UInt i = c->first_instr[sb->id];
   Addr a = DCFG_(instr_addr)(sb, from);

   for (UInt k = from; k < end; a += sb->lengths[k++]) {
      i = advance(c->p, i, a);
      if (i != NONE)
         add_cost(c, i, cc->faults ? -cc->count : cc->count);
   }
}

static Int cmp_costs(const void* va, const void* vb)
{
   const Cost* a = va;
   const Cost* b = vb;
   return a->instr < b->instr ? -1 : a->instr > b->instr;
}

/* One cost for each instruction. */
static void merge_costs(XArray* costs)
{
   Word n = 0;

   VG_(sortXA)(costs);
   for (Word i = 0; i < VG_(sizeXA)(costs); i++) {
      const Cost* next = VG_(indexXA)(costs, i);
      Cost*       last = n > 0 ? VG_(indexXA)(costs, n - 1) : NULL;
      if (last != NULL && last->instr == next->instr)
         last->count += next->count;
      else
         *(Cost*)VG_(indexXA)(costs, n++) = *next;
   }
   VG_(dropTailXA)(costs, VG_(sizeXA)(costs) - n);
}

static Int cmp_costed_calls(const void* va, const void* vb)
{
   const CostedCall* a = va;
   const CostedCall* b = vb;
   Int r;

   if (a->instr != b->instr)
      return a->instr < b->instr ? -1 : 1;
   if (a->call->to->function != b->call->to->function
       && (r = cmp_functions(a->call->to->function,
                             b->call->to->function)) != 0)
      return r;
   if (a->call->to_context != b->call->to_context)
      return a->call->to_context < b->call->to_context ? -1 : 1;
   if (a->call->to->hash_key != b->call->to->hash_key)
      return a->call->to->hash_key < b->call->to->hash_key ? -1 : 1;
   if (a->call->sb == NULL || b->call->sb == NULL)
      return (a->call->sb != NULL) - (b->call->sb != NULL);
   return a->call->sb->id < b->call->sb->id ? -1
          : a->call->sb->id > b->call->sb->id;
}

static Int cmp_jumps(const void* va, const void* vb)
{
   const Jump* a = va;
   const Jump* b = vb;
   if (a->from != b->from)
      return a->from < b->from ? -1 : 1;
   return a->to < b->to ? -1 : a->to > b->to;
}

static void take_rank(Costs* c, UInt r)
{
   VG_(dropTailXA)(c->now_costs, VG_(sizeXA)(c->now_costs));
   VG_(dropTailXA)(c->now_calls, VG_(sizeXA)(c->now_calls));
   for (UInt k = c->ranked_counts.start[r];
        k < c->ranked_counts.start[r + 1]; k++)
      add_costs(c, c->counts[c->ranked_counts.order[k]]);
   for (UInt k = c->ranked_calls.start[r];
        k < c->ranked_calls.start[r + 1]; k++) {
      UInt       i  = c->ranked_calls.order[k];
      CostedCall cc = { c->call_instr[i], c->calls[i] };
      if (cc.instr == NONE)
         continue;
      if (cc.call->to == NULL)
         add_cost(c, cc.instr, cc.call->cost);
      else if (cc.call->cost > 0)
         VG_(addToXA)(c->now_calls, &cc);
   }
   merge_costs(c->now_costs);
   VG_(sortXA)(c->now_calls);
}

static UInt* owners;     // of instructions, while jumps are ranked

static UInt rank_of_jump(const Costs* c, UInt i)
{
   return owners[((const Jump*)VG_(indexXA)(c->jumps, i))->from];
}

static void rank_jumps(Costs* c)
{
   UInt   n    = c->p->n_instrs + 1;
   ULong* most = VG_(calloc)("dcfg.costs.most", n, sizeof(ULong));

   owners = VG_(calloc)("dcfg.costs.owners", n, sizeof(UInt));
   for (UInt r = 0; r < c->n_ranks; r++) {
      take_rank(c, r);
      for (Word i = 0; i < VG_(sizeXA)(c->now_costs); i++) {
         const Cost* cost = VG_(indexXA)(c->now_costs, i);
         if (cost->count > most[cost->instr]) {
            most[cost->instr]   = cost->count;
            owners[cost->instr] = r;
         }
      }
   }
   rank_things(c, &c->ranked_jumps, VG_(sizeXA)(c->jumps), rank_of_jump);
   VG_(free)(most);
   VG_(free)(owners);
}

Bool DCFG_(next_costs)(Costs* c, ContextCosts* cc)
{
   UInt r = c->next;

   if (r == c->n_ranks)
      return False;
   c->next++;
   take_rank(c, r);
   VG_(dropTailXA)(c->now_jumps, VG_(sizeXA)(c->now_jumps));
   if (VG_(sizeXA)(c->jumps) > 0)
      for (UInt k = c->ranked_jumps.start[r];
           k < c->ranked_jumps.start[r + 1]; k++)
         VG_(addToXA)(c->now_jumps,
                      VG_(indexXA)(c->jumps, c->ranked_jumps.order[k]));
   VG_(sortXA)(c->now_jumps);
   cc->context = c->contexts[r];
   cc->n_costs = VG_(sizeXA)(c->now_costs);
   cc->costs   = cc->n_costs ? VG_(indexXA)(c->now_costs, 0) : NULL;
   cc->n_calls = VG_(sizeXA)(c->now_calls);
   cc->calls   = cc->n_calls ? VG_(indexXA)(c->now_calls, 0) : NULL;
   cc->n_jumps = VG_(sizeXA)(c->now_jumps);
   cc->jumps   = cc->n_jumps ? VG_(indexXA)(c->now_jumps, 0) : NULL;
   return True;
}

/*------------------------------------------------------------*/
/*--- All together                                         ---*/
/*------------------------------------------------------------*/

static void sum_up(Costs* c, UInt n_counts, UInt n_calls)
{
   for (UInt i = 0; i < n_counts; i++) {
      const ContextCount* cc = c->counts[i];
      UInt  from, end = extent_of(cc, &from);
      ULong n = (end - from) * cc->count;
      c->total += cc->faults ? -n : n;
      if (!cc->faults && cc->place == 0)
         c->n_runs += cc->count;
   }
   for (UInt i = 0; i < n_calls; i++)
      if (c->calls[i]->to == NULL)
         c->total += c->calls[i]->cost;
}

Costs* DCFG_(take_costs)(const Profile* p, const CallProfile* cp,
                         Bool with_jumps)
{
   Costs* c = VG_(calloc)("dcfg.costs", 1, sizeof(Costs));
   UInt   n_counts, n_calls;

   c->p           = p;
   c->first_instr = find_first_instrs(p);
   c->counts      = (ContextCount**)VG_(HT_to_array)(cp->contexts, &n_counts);
   c->calls       = (Call**)VG_(HT_to_array)(cp->calls, &n_calls);
   c->call_instr  = VG_(malloc)("dcfg.costs.calls",
                                (n_calls + 1) * sizeof(UInt));
   for (UInt i = 0; i < n_calls; i++)
      c->call_instr[i] = instr_of_call(c, c->calls[i]);
   c->jumps     = VG_(newXA)(VG_(malloc), "dcfg.costs.jumps", VG_(free),
                             sizeof(Jump));
   c->now_costs = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(Cost));
   c->now_calls = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(CostedCall));
   c->now_jumps = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(Jump));
   VG_(setCmpFnXA)(c->now_costs, cmp_costs);
   VG_(setCmpFnXA)(c->now_calls, cmp_costed_calls);
   VG_(setCmpFnXA)(c->now_jumps, cmp_jumps);
   rank_contexts(c, n_counts, n_calls);
   rank_things(c, &c->ranked_counts, n_counts, rank_of_count);
   rank_things(c, &c->ranked_calls, n_calls, rank_of_call);
   sum_up(c, n_counts, n_calls);
   if (with_jumps) {
      find_jumps(c);
      rank_jumps(c);
   }
   return c;
}

void DCFG_(delete_costs)(Costs* c)
{
   VG_(free)(c->first_instr);
   VG_(free)(c->rank);
   VG_(free)(c->contexts);
   VG_(free)(c->counts);
   VG_(free)(c->calls);
   VG_(free)(c->call_instr);
   delete_ranking(&c->ranked_counts);
   delete_ranking(&c->ranked_calls);
   delete_ranking(&c->ranked_jumps);
   VG_(deleteXA)(c->jumps);
   VG_(deleteXA)(c->now_costs);
   VG_(deleteXA)(c->now_calls);
   VG_(deleteXA)(c->now_jumps);
   VG_(free)(c);
}

ULong DCFG_(total_cost)(const Costs* c)
{
   return c->total;
}

ULong DCFG_(total_runs)(const Costs* c)
{
   return c->n_runs;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
