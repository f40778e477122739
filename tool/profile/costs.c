/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Costs, calls and jumps of each context. */

/* Owns: the order of the counts by context.  Handed: counts (tool/calls/calls.c),
   calls (tool/calls/calls.c), instructions (tool/run/gather.c); tool/profile/jumps.c turns
   counts into jumps.  Taken by: tool/profile/output_profile.c. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "format/order.h"
#include "tool/base/util.h"
#include "tool/calls/calls.h"
#include "tool/profile/costs.h"
#include "tool/run/landing.h"

#define NONE DCFG_NO_INSTR

/* Ranking: things sorted by rank.  Those of rank R are ORDER[START[R] ..
   START[R+1] - 1]. */
typedef
   struct {
      UInt  n;
      UInt* order;
      UInt* start;
   }
   Ranking;

struct _Costs {
   const Gathered* p;
   UInt*           first_instr;   // for each superblock
   UInt            n_ranks;
   UInt*           rank;          // for each context, from 0
   UInt*           contexts;      // for each rank
   ContextCount**  counts;
   Call**          calls;
   UInt*           call_instr;
   const Place**   places;        // for each instruction
   Ranking         ranked_counts, ranked_calls;
   ULong           total;
   ULong           n_runs;
   UInt            next;          // the next rank
   Jumps*          jumps;         // NULL: not wanted
   /* The present context's: */
   XArray*         now_costs;     // Cost
   XArray*         now_calls;     // CostedCall
};

/*--- Instructions                                         ---*/

static UInt* find_first_instrs(const Gathered* p)
{
   UInt  n     = DCFG_(n_superblocks)();
   UInt* first = VG_(malloc)("dcfg.costs.first", (n + 1) * sizeof(UInt));

   for (UInt id = 1; id <= n; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      first[id] = DCFG_(find_instr)(p, sb->image, sb->addr);
   }
   return first;
}

/* Return the index of the instruction at A, in the image of instruction I,
   searching from I on; NONE if I is NONE or it never ran. */
static UInt advance(const Gathered* p, UInt i, Addr a)
{
   const Instr* in = p->instrs;

   if (i == NONE)
      return NONE;
   while (i + 1 < p->n_instrs && in[i].addr < a
          && in[i + 1].image == in[i].image)
      i++;
   return in[i].addr == a ? i : NONE;
}

/* Return the end of the instructions that CC counts; *FROM is the first one. */
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

/*--- Contexts                                             ---*/

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

/* Give ranks to contexts in which something ran or called. */
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

/* Sort N things by the rank that RANK_OF returns. */
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

/*--- Places                                               ---*/

static const Place** find_places(const Costs* c)
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
            places[i] = DCFG_(call_fields)(sb)->place;
      }
   }
   /* Targets of jumps begin superblocks. */
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      if (c->first_instr[id] != NONE)
         places[c->first_instr[id]]
            = DCFG_(call_fields)(DCFG_(superblock)(id))->place;
   return places;
}

const Place* DCFG_(place_of_instr)(const Costs* c, UInt instr)
{
   return c->places[instr];
}

/*--- A superblock in a context                            ---*/

static void add_cost(Costs* c, UInt instr, ULong n)
{
   Cost cost = { instr, n };
   if (n > 0)
      VG_(addToXA)(c->now_costs, &cost);
}

/* Read COUNTS, the N counts of one superblock in one context. */
static void read_costs(const Costs* c, SbCosts* sc, const UInt* counts,
                       UInt n)
{
   const Superblock* sb = DCFG_(superblock)(c->counts[counts[0]]->sb);
   UInt i = c->first_instr[sb->id];
   Addr a = sb->addr;

   sc->sb = sb;
   VG_(memset)(sc->executed, 0, sb->n_instrs * sizeof(ULong));
   VG_(memset)(sc->segments, 0, (sb->n_instrs + 1) * sizeof(ULong));
   for (UInt x = 0; x < n; x++) {
      const ContextCount* cc = c->counts[counts[x]];
      UInt from, end = extent_of(cc, &from);
      for (UInt k = from; k < end; k++)
         sc->executed[k] += cc->faults ? -cc->count : cc->count;
      if (!cc->faults)
         sc->segments[cc->place] = cc->count;
   }
   for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
      UInt next     = advance(c->p, i, a);
      sc->instrs[k] = next;
      i             = next == NONE ? i : next;
   }
}

/* --- The present context                                  --- */

COMPARE(cmp_costs, Cost, UP(instr))

/* Merge the costs of each instruction into one. */
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
   if (a->call->to == NULL || b->call->to == NULL)
      return (a->call->to != NULL) - (b->call->to != NULL);
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

static Bool is_count_before(const void* arg, UInt a, UInt b)
{
   const Costs* c = arg;
   return c->counts[a]->sb < c->counts[b]->sb;
}

static void take_counts(Costs* c, UInt rank)
{
   UInt*   order = c->ranked_counts.order + c->ranked_counts.start[rank];
   UInt    n     = c->ranked_counts.start[rank + 1]
                   - c->ranked_counts.start[rank];
   SbCosts sc;

   DCFG_(sort_uints)(order, n, is_count_before, c);
   for (UInt i = 0, end; i < n; i = end) {
      for (end = i + 1; end < n && c->counts[order[end]]->sb
                                   == c->counts[order[i]]->sb; )
         end++;
      sc.rank = rank;
      read_costs(c, &sc, order + i, end - i);
      for (UInt k = 0; k < sc.sb->n_instrs; k++)
         if (sc.instrs[k] != NONE)
            add_cost(c, sc.instrs[k], sc.executed[k]);
      if (c->jumps != NULL)
         DCFG_(add_jumps)(c->jumps, &sc);
   }
}

static void take_calls(Costs* c, UInt rank)
{
   for (UInt x = c->ranked_calls.start[rank];
        x < c->ranked_calls.start[rank + 1]; x++) {
      UInt       i  = c->ranked_calls.order[x];
      CostedCall cc = { c->call_instr[i], c->calls[i] };
      if (cc.call->to == NULL && cc.instr != NONE)
         add_cost(c, cc.instr, cc.call->cost);
      else if (cc.call->cost > 0)
         VG_(addToXA)(c->now_calls, &cc);
   }
}

Bool DCFG_(next_costs)(Costs* c, ContextCosts* cc)
{
   UInt rank = c->next;

   if (rank == c->n_ranks)
      return False;
   c->next++;
   VG_(dropTailXA)(c->now_costs, VG_(sizeXA)(c->now_costs));
   VG_(dropTailXA)(c->now_calls, VG_(sizeXA)(c->now_calls));
   take_counts(c, rank);
   take_calls(c, rank);
   merge_costs(c->now_costs);
   VG_(sortXA)(c->now_calls);
   cc->context = c->contexts[rank];
   cc->n_costs = VG_(sizeXA)(c->now_costs);
   cc->costs   = cc->n_costs ? VG_(indexXA)(c->now_costs, 0) : NULL;
   cc->n_calls = VG_(sizeXA)(c->now_calls);
   cc->calls   = cc->n_calls ? VG_(indexXA)(c->now_calls, 0) : NULL;
   cc->n_jumps = 0;
   cc->jumps   = NULL;
   if (c->jumps != NULL)
      cc->jumps = DCFG_(take_jumps)(c->jumps, cc->costs, &cc->n_jumps);
   return True;
}

/*--- All together                                         ---*/

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

/* Tell jumps.c of contexts in the order of ranks.  If two contexts ran a
   superblock equally often, the choice must not depend on a hash table's
   order. */
static void note_runs(Costs* c)
{
   for (UInt x = 0; x < c->ranked_counts.n; x++) {
      const ContextCount* cc = c->counts[c->ranked_counts.order[x]];
      if (!cc->faults && cc->place == 0)
         DCFG_(note_runs)(c->jumps, cc->sb, c->rank[cc->context], cc->count);
   }
}

Costs* DCFG_(take_costs)(const Gathered* p, const CallProfile* cp,
                         UInt thread, Bool with_jumps)
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
   c->places    = find_places(c);
   c->now_costs = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(Cost));
   c->now_calls = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(CostedCall));
   VG_(setCmpFnXA)(c->now_costs, cmp_costs);
   VG_(setCmpFnXA)(c->now_calls, cmp_costed_calls);
   rank_contexts(c, n_counts, n_calls);
   rank_things(c, &c->ranked_counts, n_counts, rank_of_count);
   rank_things(c, &c->ranked_calls, n_calls, rank_of_call);
   sum_up(c, n_counts, n_calls);
   if (with_jumps) {
      c->jumps = DCFG_(new_jumps)(p, c->places, thread);
      note_runs(c);
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
   VG_(free)(c->places);
   if (c->jumps != NULL)
      DCFG_(delete_jumps)(c->jumps);
   VG_(deleteXA)(c->now_costs);
   VG_(deleteXA)(c->now_calls);
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
