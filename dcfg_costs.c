
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
   (dcfg_context.c), calls (dcfg_stack.c), where indirect jumps led
   (dcfg_bb.c), and instructions (dcfg_profile.c).  Taken by:
   dcfg_callgrind.c.

   How often an exit was taken is what ran of its segment less what ran of
   the next.  Where an indirect jump led was not counted by context: that
   is given to the context in which its superblock ran most often, which
   nearly always is the only one. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "dcfg_costs.h"
#include "dcfg_flow.h"
#include "dcfg_thread.h"
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

typedef
   struct {
      UInt  sb;
      Addr  target;
      ULong count;
   }
   IndirectJump;

struct _Costs {
   const Profile* p;
   UInt*          first_instr;   // by superblock
   UInt           n_ranks;
   UInt*          rank;          // by context, from 0 up
   UInt*          contexts;      // by rank
   ContextCount** counts;
   Call**         calls;
   UInt*          call_instr;
   const Place**  places;        // by instruction
   UInt*          owner;         // by superblock: the rank in which it ran
                                 // most often
   XArray*        indirect;      // IndirectJump, by superblock
   Ranking        ranked_counts, ranked_calls;
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
/*--- Places                                               ---*/
/*------------------------------------------------------------*/

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
            places[i] = sb->place;
      }
   }
   /* What is jumped to begins a superblock. */
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      if (c->first_instr[id] != NONE)
         places[c->first_instr[id]] = DCFG_(superblock)(id)->place;
   return places;
}

const Place* DCFG_(place_of_instr)(const Costs* c, UInt instr)
{
   return c->places[instr];
}

/*------------------------------------------------------------*/
/*--- A superblock in a context                            ---*/
/*------------------------------------------------------------*/

static void add_cost(Costs* c, UInt instr, ULong n)
{
   Cost cost = { instr, n };
   if (n > 0)
      VG_(addToXA)(c->now_costs, &cost);
}

/* What a superblock did in the context in work. */
typedef
   struct {
      const Superblock* sb;
      UInt  rank;
      UInt  instrs[DCFG_MAX_INSTRS];          // its instructions, or NONE
      ULong executed[DCFG_MAX_INSTRS];
      ULong segments[DCFG_MAX_INSTRS + 1];
   }
   SbCosts;

/* COUNTS are the N counts of one superblock in one context. */
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

/*------------------------------------------------------------*/
/*--- Jumps                                                ---*/
/*------------------------------------------------------------*/

static void add_jump(Costs* c, const SbCosts* sc, UInt k, Addr target,
                     ULong count, Bool is_conditional)
{
   /* In its own image, where other code may have come since. */
   Jump j = { sc->instrs[k],
              DCFG_(find_instr)(c->p, sc->sb->image, target),
              count, 0, is_conditional };

   if (j.to == NONE)
      j.to = DCFG_(find_landing)(c->p, DCFG_(target_now)(target, False));
   if (count > 0 && j.from != NONE && j.to != NONE
       && !DCFG_(is_call_like)(sc->sb->place, c->places[j.to]))
      VG_(addToXA)(c->now_jumps, &j);
}

static Bool may_jump(InsnKind kind)
{
   return kind != InsnCall && kind != InsnIndirectCall && kind != InsnReturn
          && kind != InsnSyscall;
}

static void add_indirect_jumps(Costs* c, const SbCosts* sc, UInt k)
{
   Word lo = 0, hi = VG_(sizeXA)(c->indirect);

   if (c->owner[sc->sb->id] != sc->rank)
      return;
   while (lo < hi) {
      Word mid = lo + (hi - lo) / 2;
      if (((const IndirectJump*)VG_(indexXA)(c->indirect, mid))->sb
          < sc->sb->id)
         lo = mid + 1;
      else
         hi = mid;
   }
   for (; lo < VG_(sizeXA)(c->indirect); lo++) {
      const IndirectJump* j = VG_(indexXA)(c->indirect, lo);
      if (j->sb != sc->sb->id)
         break;
      add_jump(c, sc, k, j->target, j->count, False);
   }
}

static void add_jumps(Costs* c, const SbCosts* sc)
{
   const Superblock* sb   = sc->sb;
   UInt              last = sb->n_instrs - 1, s = 0;
   Bool              is_conditional = False;
   ULong             at_end = sc->executed[last];
   Addr              a = sb->addr;

   for (UInt e = 0, k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
      if (e == sb->n_exits || sb->exits[e].instr != k)
         continue;
      /* Where several exits share an instruction they lead on. */
      ULong passed = sc->segments[++s];
      if (sb->exits[e].target != a + sb->lengths[k])
         add_jump(c, sc, k, sb->exits[e].target, sc->executed[k] - passed,
                  True);
      while (e < sb->n_exits && sb->exits[e].instr == k)
         e++;
      if (k == last) {
         is_conditional = True;
         at_end         = passed;
      }
   }
   if (!may_jump(sb->kinds[last]))
      return;
   if (sb->end == EndIndirect)
      add_indirect_jumps(c, sc, last);
   else if (sb->next != a)
      add_jump(c, sc, last, sb->next, at_end, is_conditional);
}

/* Where indirect jumps of THREAD, or of all, led. */
static void find_indirect_jumps(Costs* c, UInt thread)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      if (thread != DCFG_ALL_THREADS && thread != t)
         continue;
      DCFG_(thread_info)(t, &info);
      const ULong* cells = DCFG_(cell_counts)(info.cells);
      for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
         const Superblock* sb = DCFG_(superblock)(id);
         if (sb->end != EndIndirect || !may_jump(sb->kinds[sb->n_instrs - 1]))
            continue;
         for (const Pair* p = sb->branch->first_pair; p; p = p->next) {
            IndirectJump j = { id, p->target, cells[p->cell] };
            if (j.count > 0)
               VG_(addToXA)(c->indirect, &j);
         }
      }
   }
   VG_(sortXA)(c->indirect);
}

static Int cmp_indirect(const void* va, const void* vb)
{
   const IndirectJump* a = va;
   const IndirectJump* b = vb;
   if (a->sb != b->sb)
      return a->sb < b->sb ? -1 : 1;
   return a->target < b->target ? -1 : a->target > b->target;
}

static void find_owners(Costs* c)
{
   ULong* most = VG_(calloc)("dcfg.costs.most", DCFG_(n_superblocks)() + 1,
                             sizeof(ULong));

   for (UInt x = 0; x < c->ranked_counts.n; x++) {
      const ContextCount* cc = c->counts[c->ranked_counts.order[x]];
      if (!cc->faults && cc->place == 0 && cc->count > most[cc->sb]) {
         most[cc->sb]     = cc->count;
         c->owner[cc->sb] = c->rank[cc->context];
      }
   }
   VG_(free)(most);
}

static Int cmp_jumps(const void* va, const void* vb)
{
   const Jump* a = va;
   const Jump* b = vb;
   if (a->from != b->from)
      return a->from < b->from ? -1 : 1;
   if (a->to != b->to)
      return a->to < b->to ? -1 : 1;
   return a->is_conditional - b->is_conditional;
}

/* One jump of a kind for each two instructions, with how often the first
   ran. */
static void merge_jumps(Costs* c)
{
   Word n = 0, cost = 0;

   VG_(sortXA)(c->now_jumps);
   for (Word i = 0; i < VG_(sizeXA)(c->now_jumps); i++) {
      Jump* next = VG_(indexXA)(c->now_jumps, i);
      Jump* last = n > 0 ? VG_(indexXA)(c->now_jumps, n - 1) : NULL;
      while (((const Cost*)VG_(indexXA)(c->now_costs, cost))->instr
             < next->from)
         cost++;
      next->executed
         = ((const Cost*)VG_(indexXA)(c->now_costs, cost))->count;
      if (last != NULL && cmp_jumps(last, next) == 0)
         last->count += next->count;
      else
         *(Jump*)VG_(indexXA)(c->now_jumps, n++) = *next;
   }
   VG_(dropTailXA)(c->now_jumps, VG_(sizeXA)(c->now_jumps) - n);
}

/*------------------------------------------------------------*/
/*--- The context in work                                  ---*/
/*------------------------------------------------------------*/

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
      if (c->owner != NULL)
         add_jumps(c, &sc);
   }
}

static void take_calls(Costs* c, UInt rank)
{
   for (UInt x = c->ranked_calls.start[rank];
        x < c->ranked_calls.start[rank + 1]; x++) {
      UInt       i  = c->ranked_calls.order[x];
      CostedCall cc = { c->call_instr[i], c->calls[i] };
      if (cc.instr == NONE)
         continue;
      if (cc.call->to == NULL)
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
   VG_(dropTailXA)(c->now_jumps, VG_(sizeXA)(c->now_jumps));
   take_counts(c, rank);
   take_calls(c, rank);
   merge_costs(c->now_costs);
   VG_(sortXA)(c->now_calls);
   merge_jumps(c);
   cc->context = c->contexts[rank];
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
   c->indirect  = VG_(newXA)(VG_(malloc), "dcfg.costs.indirect", VG_(free),
                             sizeof(IndirectJump));
   c->now_costs = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(Cost));
   c->now_calls = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(CostedCall));
   c->now_jumps = VG_(newXA)(VG_(malloc), "dcfg.costs.now", VG_(free),
                             sizeof(Jump));
   VG_(setCmpFnXA)(c->now_costs, cmp_costs);
   VG_(setCmpFnXA)(c->now_calls, cmp_costed_calls);
   VG_(setCmpFnXA)(c->now_jumps, cmp_jumps);
   VG_(setCmpFnXA)(c->indirect, cmp_indirect);
   rank_contexts(c, n_counts, n_calls);
   rank_things(c, &c->ranked_counts, n_counts, rank_of_count);
   rank_things(c, &c->ranked_calls, n_calls, rank_of_call);
   sum_up(c, n_counts, n_calls);
   if (with_jumps) {
      c->owner = VG_(calloc)("dcfg.costs.owner", DCFG_(n_superblocks)() + 1,
                             sizeof(UInt));
      find_owners(c);
      find_indirect_jumps(c, thread);
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
   if (c->owner != NULL)
      VG_(free)(c->owner);
   VG_(deleteXA)(c->indirect);
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
