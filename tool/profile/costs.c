/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The costs of a profile, by context and instruction. */

/* Owns: the order of the counts by context, and the jumps within one.  Handed:
   the run and instructions by tool/run/gather.c, counts and calls by
   tool/calls/calls.c, the targets of indirect jumps by dcfg_bb.c.

   Jumps.  An exit was taken as often as its segment ran less the next segment.

   Targets of indirect jumps are not counted by context.  They are given to the
   context in which the superblock ran most often, which nearly always is the
   only one.

   Nor is it counted by context which of an instruction's several exits was
   taken.  REPNE SCAS, for example, has one for a count of 0 and one to begin
   again.  The exits that lead to the next instruction are given to the
   contexts in their order. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "dcfg_bb.h"
#include "format/order.h"
#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "tool/base/util.h"
#include "tool/calls/context.h"
#include "tool/profile/profile.h"
#include "tool/run/flow.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

#define NONE DCFG_NO_INSTR

/*--- Jumps                                                ---*/

/* SbCosts: how often a superblock ran in a context of .rank: each of its
   instructions, and each of its segments. */
typedef
   struct {
      const Superblock* sb;
      UInt  rank;
      UInt  instrs[DCFG_MAX_INSTRS];     // DCFG_NO_INSTR: never ran
      ULong executed[DCFG_MAX_INSTRS];
      ULong segments[DCFG_MAX_INSTRS + 1];
   }
   SbCosts;

typedef
   struct {
      UInt  sb;
      Addr  target;
      ULong count;
   }
   IndirectJump;

/* Owner: the context in which a superblock ran most often. */
typedef
   struct {
      UInt  rank;
      ULong count;
   }
   Owner;

/* Jumps: what makes the jumps of a context. */
typedef
   struct {
      const Gathered*     p;
      const Place* const* places;
      Owner*              owners;     // for each superblock
      ULong*              led_on;     // for each superblock whose last
                                      // instruction has several exits: how
                                      // often the first one was taken, and is
                                      // not given to a context yet
      XArray*             indirect;   // IndirectJump, sorted by superblock
      XArray*             now;        // Jump, in the present context
      Bool                taken;      // has .now been given out?
   }
   Jumps;

static void add_jump(Jumps* js, const SbCosts* sc, UInt k, Addr target,
                     ULong count, Bool is_conditional)
{
   /* The target is in the same image, or other code has replaced it. */
   Jump j = { sc->instrs[k],
              DCFG_(find_instr)(js->p, sc->sb->image, target),
              count, 0, is_conditional };

   if (j.to == NONE)
      j.to = DCFG_(find_landing)(js->p, DCFG_(target_now)(target, False));
   if (count > 0 && j.from != NONE && j.to != NONE
       && !DCFG_(is_call_like)(DCFG_(call_fields)(sc->sb)->place,
                                js->places[j.to]))
      VG_(addToXA)(js->now, &j);
}

static Bool may_jump(InsnKind kind)
{
   if (kind == InsnJump)
      return !DCFG_(guest).jumps_are_calls;
   return kind != InsnCall && kind != InsnIndirectCall && kind != InsnReturn
          && kind != InsnSyscall;
}

static void add_indirect_jumps(Jumps* js, const SbCosts* sc, UInt k)
{
   Word lo = 0;

   if (js->owners[sc->sb->id].rank != sc->rank)
      return;
   BISECT(lo, VG_(sizeXA)(js->indirect), mid,
          ((const IndirectJump*)VG_(indexXA)(js->indirect, mid))->sb
          < sc->sb->id);
   for (; lo < VG_(sizeXA)(js->indirect); lo++) {
      const IndirectJump* j = VG_(indexXA)(js->indirect, lo);
      if (j->sb != sc->sb->id)
         break;
      add_jump(js, sc, k, j->target, j->count, False);
   }
}

/* Return whether exit E leads to the next instruction, and another exit of the
   last instruction does not. */
static Bool leads_on_first(const Superblock* sb, UInt e)
{
   return e + 1 < sb->n_exits && sb->exits[e + 1].instr == sb->n_instrs - 1
          && sb->exits[e].instr == sb->n_instrs - 1
          && sb->exits[e].counting == ExitBefore;
}

/* Superblock SB was left LEFT times in a context by its exits from E on, all of
   one instruction.  Return the exit that does not lead to NEXT, if there is
   one, and set *LEFT to how often it was taken. */
static const SbExit* exit_elsewhere(Jumps* js, const Superblock* sb, UInt e,
                                    Addr next, /*INOUT*/ULong* left)
{
   UInt k = sb->exits[e].instr;

   if (leads_on_first(sb, e) && sb->exits[e].target == next) {
      ULong* on = &js->led_on[sb->id];
      ULong  n  = *on < *left ? *on : *left;
      *on   -= n;
      *left -= n;
   }
   for (; e < sb->n_exits && sb->exits[e].instr == k; e++)
      if (sb->exits[e].target != next)
         return &sb->exits[e];
   return NULL;
}

/* Add the jumps of a superblock in the present context. */
static void add_jumps(Jumps* js, const SbCosts* sc)
{
   const Superblock* sb   = sc->sb;
   UInt              last = sb->n_instrs - 1, s = 0;
   Bool              is_conditional = False;
   ULong             at_end = sc->executed[last];
   Addr              a = sb->addr;

   if (js->taken)
      VG_(dropTailXA)(js->now, VG_(sizeXA)(js->now));
   js->taken = False;
   for (UInt e = 0, k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
      if (e == sb->n_exits || sb->exits[e].instr != k)
         continue;
      ULong         passed = sc->segments[++s];
      ULong         left   = sc->executed[k] - passed;
      const SbExit* away   = exit_elsewhere(js, sb, e, a + sb->lengths[k],
                                            &left);
      if (away != NULL)
         add_jump(js, sc, k, away->target, left, True);
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
      add_indirect_jumps(js, sc, last);
   else if (sb->next != a)
      add_jump(js, sc, last, sb->next, at_end, is_conditional);
}

COMPARE(cmp_jumps, Jump, UP(from) ?: UP(to) ?: UP(is_conditional))

/* Return the jumps that were added since the last call, sorted by the first
   instruction: one of a kind for each pair of instructions.  Executions of the
   first instruction come from COSTS, which is sorted as well.  Valid until the
   next call of add_jumps(). */
static const Jump* take_jumps(Jumps* js, const Cost* costs, UInt* n_jumps)
{
   Word n = 0;

   if (js->taken)
      VG_(dropTailXA)(js->now, VG_(sizeXA)(js->now));
   js->taken = True;
   VG_(sortXA)(js->now);
   for (Word i = 0; i < VG_(sizeXA)(js->now); i++) {
      Jump* next = VG_(indexXA)(js->now, i);
      Jump* last = n > 0 ? VG_(indexXA)(js->now, n - 1) : NULL;
      while (costs->instr < next->from)
         costs++;
      next->executed = costs->count;
      if (last != NULL && cmp_jumps(last, next) == 0)
         last->count += next->count;
      else
         *(Jump*)VG_(indexXA)(js->now, n++) = *next;
   }
   *n_jumps = n;
   return n == 0 ? NULL : VG_(indexXA)(js->now, 0);
}

COMPARE(cmp_indirect, IndirectJump, UP(sb) ?: UP(target))

static void note_led_on(Jumps* js, const Superblock* sb, const ULong* cells)
{
   for (UInt e = 0; e < sb->n_exits; e++)
      if (leads_on_first(sb, e))
         js->led_on[sb->id] += DCFG_(count_of_cell)(cells[sb->exits[e].cell]);
}

static void find_jumps(Jumps* js, UInt thread)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      if (thread != DCFG_ALL_THREADS && thread != t)
         continue;
      DCFG_(thread_info)(t, &info);
      const ULong* cells = DCFG_(cell_counts)(info.cells);
      for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
         const Superblock* sb = DCFG_(superblock)(id);
         note_led_on(js, sb, cells);
         if (sb->end != EndIndirect || !may_jump(sb->kinds[sb->n_instrs - 1]))
            continue;
         for (const Pair* p = sb->branch->first_pair; p; p = p->next) {
            IndirectJump j = { id, p->target,
                               DCFG_(count_of_cell)(cells[p->cell]) };
            if (j.count > 0)
               VG_(addToXA)(js->indirect, &j);
         }
      }
   }
   VG_(sortXA)(js->indirect);
}

/* Note that a context of RANK ran superblock SB COUNT times.  Call it for all
   contexts before add_jumps(). */
static void note_owner(Jumps* js, UInt sb, UInt rank, ULong count)
{
   Owner* o = &js->owners[sb];

   if (count > o->count) {
      o->rank  = rank;
      o->count = count;
   }
}

/* Prepare jumps for THREAD or DCFG_ALL_THREADS.  PLACES has an element for each
   instruction of GATHERED.  Both must live longer than the result. */
static Jumps* new_jumps(const Gathered* gathered, const Place* const* places,
                        UInt thread)
{
   Jumps* js = VG_(calloc)("dcfg.jumps", 1, sizeof(Jumps));

   js->p        = gathered;
   js->places   = places;
   js->owners   = VG_(calloc)("dcfg.jumps.owners",
                              DCFG_(n_superblocks)() + 1, sizeof(Owner));
   js->led_on   = VG_(calloc)("dcfg.jumps.led_on",
                              DCFG_(n_superblocks)() + 1, sizeof(ULong));
   js->indirect = DCFG_NEW_ARRAY("dcfg.jumps.indirect", IndirectJump);
   js->now      = DCFG_NEW_ARRAY("dcfg.jumps.now", Jump);
   VG_(setCmpFnXA)(js->indirect, cmp_indirect);
   VG_(setCmpFnXA)(js->now, cmp_jumps);
   find_jumps(js, thread);
   return js;
}

static void delete_jumps(Jumps* js)
{
   DCFG_FREE_ALL(js->owners, js->led_on);
   VG_(deleteXA)(js->indirect);
   VG_(deleteXA)(js->now);
   VG_(free)(js);
}

/*--- Costs                                                ---*/

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
   ULong           sys[N_SYS_EVENTS];
   ULong           n_runs;
   UInt            next;          // the next rank
   Jumps*          jumps;         // NULL: not wanted
   /* The present context's: */
   XArray*         now_costs;     // Cost
   XArray*         now_calls;     // CostedCall
};

/*--- Instructions                                         ---*/

static UInt* find_first_instrs(const Gathered* gathered)
{
   UInt  n     = DCFG_(n_superblocks)();
   UInt* first = VG_(malloc)("dcfg.costs.first", (n + 1) * sizeof(UInt));

   for (UInt id = 1; id <= n; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      first[id] = DCFG_(find_instr)(gathered, sb->image, sb->addr);
   }
   return first;
}

/* Return the index of the instruction at A, in the image of instruction I,
   searching from I on; NONE if I is NONE or it never ran. */
static UInt advance(const Gathered* gathered, UInt i, Addr a)
{
   const Instr* in = gathered->instrs;

   if (i == NONE)
      return NONE;
   while (i + 1 < gathered->n_instrs && in[i].addr < a
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

static UInt instr_of_call(const Costs* costs, const Call* call)
{
   const Superblock* sb = call->sb;

   if (sb == NULL)
      return DCFG_(find_landing)(costs->p,
                                 DCFG_(target_now)(call->from->hash_key + 1,
                                                   False));
   return advance(costs->p, costs->first_instr[sb->id],
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

static UInt function_of(UInt context)
{
   return DCFG_(context_name)(context).functions[0];
}

static Bool is_context_before(const void* arg, UInt a, UInt b)
{
   UInt f = function_of(a), g = function_of(b);

   return f == g ? a < b : cmp_functions(f, g) < 0;
}

/* Give ranks to contexts in which something ran or called. */
static void rank_contexts(Costs* costs, UInt n_counts, UInt n_calls)
{
   UInt  n    = DCFG_(end_of_contexts)();
   Bool* used = VG_(calloc)("dcfg.costs.used", n, sizeof(Bool));

   for (UInt i = 0; i < n_counts; i++)
      used[costs->counts[i]->context] = True;
   for (UInt i = 0; i < n_calls; i++)
      used[costs->calls[i]->context] = True;
   costs->rank     = VG_(calloc)("dcfg.costs.rank", n, sizeof(UInt));
   costs->contexts = VG_(malloc)("dcfg.costs.contexts", n * sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      if (used[i])
         costs->contexts[costs->n_ranks++] = i;
   VG_(free)(used);
   DCFG_(sort_uints)(costs->contexts, costs->n_ranks, is_context_before, NULL);
   for (UInt r = 0; r < costs->n_ranks; r++)
      costs->rank[costs->contexts[r]] = r;
}

/* Sort N things by the rank that RANK_OF returns. */
static void rank_things(const Costs* costs, Ranking* r, UInt n,
                        UInt (*rank_of)(const Costs* costs, UInt i))
{
   r->n     = n;
   r->order = VG_(malloc)("dcfg.costs.order", (n + 1) * sizeof(UInt));
   r->start = VG_(calloc)("dcfg.costs.start", costs->n_ranks + 2, sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      r->start[rank_of(costs, i) + 2]++;
   for (UInt k = 1; k < costs->n_ranks + 2; k++)
      r->start[k] += r->start[k - 1];
   for (UInt i = 0; i < n; i++)
      r->order[r->start[rank_of(costs, i) + 1]++] = i;
}

static void delete_ranking(Ranking* r)
{
   DCFG_FREE_ALL(r->order, r->start);
}

static UInt rank_of_count(const Costs* costs, UInt i)
{
   return costs->rank[costs->counts[i]->context];
}

static UInt rank_of_call(const Costs* costs, UInt i)
{
   return costs->rank[costs->calls[i]->context];
}

/*--- Places                                               ---*/

static const Place** find_places(const Costs* costs)
{
   const Place** places = VG_(calloc)("dcfg.costs.places",
                                      costs->p->n_instrs + 1, sizeof(Place*));

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      UInt i = costs->first_instr[id];
      Addr a = sb->addr;
      for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
         i = advance(costs->p, i, a);
         if (i != NONE && places[i] == NULL)
            places[i] = DCFG_(call_fields)(sb)->place;
      }
   }
   /* Targets of jumps begin superblocks. */
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      if (costs->first_instr[id] != NONE)
         places[costs->first_instr[id]]
            = DCFG_(call_fields)(DCFG_(superblock)(id))->place;
   return places;
}

const Place* DCFG_(place_of_instr)(const Costs* costs, UInt instr)
{
   return costs->places[instr];
}

/*--- A superblock in a context                            ---*/

static void add_cost(Costs* costs, UInt instr, ULong n)
{
   Cost cost = { instr, n };
   if (n > 0)
      VG_(addToXA)(costs->now_costs, &cost);
}

/* Read COUNTS, the N counts of one superblock in one context. */
static void read_costs(const Costs* costs, SbCosts* sc, const UInt* counts,
                       UInt n)
{
   const Superblock* sb = DCFG_(superblock)(costs->counts[counts[0]]->sb);
   UInt i = costs->first_instr[sb->id];
   Addr a = sb->addr;

   sc->sb = sb;
   VG_(memset)(sc->executed, 0, sb->n_instrs * sizeof(ULong));
   VG_(memset)(sc->segments, 0, (sb->n_instrs + 1) * sizeof(ULong));
   for (UInt x = 0; x < n; x++) {
      const ContextCount* cc = costs->counts[counts[x]];
      UInt from, end = extent_of(cc, &from);
      for (UInt k = from; k < end; k++)
         sc->executed[k] += cc->faults ? -cc->count : cc->count;
      if (!cc->faults)
         sc->segments[cc->place] = cc->count;
   }
   for (UInt k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
      UInt next     = advance(costs->p, i, a);
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

static Int cmp_callers(const Call* a, const Call* b)
{
   if (a->sb == NULL || b->sb == NULL)
      return (a->sb != NULL) - (b->sb != NULL);
   return a->sb->id < b->sb->id ? -1 : a->sb->id > b->sb->id;
}

static Int cmp_costed_calls(const void* va, const void* vb)
{
   const CostedCall* a = va;
   const CostedCall* b = vb;
   Int r;

   if (a->instr != b->instr)
      return a->instr < b->instr ? -1 : 1;
   if ((r = (a->call->to != NULL) - (b->call->to != NULL)) != 0)
      return r;
   if (a->call->to == NULL)
      return cmp_callers(a->call, b->call);
   if (a->call->to->function != b->call->to->function
       && (r = cmp_functions(a->call->to->function,
                             b->call->to->function)) != 0)
      return r;
   if (a->call->to_context != b->call->to_context)
      return a->call->to_context < b->call->to_context ? -1 : 1;
   if (a->call->to->hash_key != b->call->to->hash_key)
      return a->call->to->hash_key < b->call->to->hash_key ? -1 : 1;
   return cmp_callers(a->call, b->call);
}

static Bool is_count_before(const void* arg, UInt a, UInt b)
{
   const Costs* c = arg;
   return c->counts[a]->sb < c->counts[b]->sb;
}

static void take_counts(Costs* costs, UInt rank)
{
   UInt*   order = costs->ranked_counts.order
                   + costs->ranked_counts.start[rank];
   UInt    n     = costs->ranked_counts.start[rank + 1]
                   - costs->ranked_counts.start[rank];
   SbCosts sc;

   DCFG_(sort_uints)(order, n, is_count_before, costs);
   for (UInt i = 0, end; i < n; i = end) {
      for (end = i + 1; end < n && costs->counts[order[end]]->sb
                                   == costs->counts[order[i]]->sb; )
         end++;
      sc.rank = rank;
      read_costs(costs, &sc, order + i, end - i);
      for (UInt k = 0; k < sc.sb->n_instrs; k++)
         if (sc.instrs[k] != NONE)
            add_cost(costs, sc.instrs[k], sc.executed[k]);
      if (costs->jumps != NULL)
         add_jumps(costs->jumps, &sc);
   }
}

static void take_calls(Costs* costs, UInt rank)
{
   for (UInt x = costs->ranked_calls.start[rank];
        x < costs->ranked_calls.start[rank + 1]; x++) {
      UInt       i  = costs->ranked_calls.order[x];
      CostedCall cc = { costs->call_instr[i], costs->calls[i] };
      if (cc.call->to == NULL && cc.instr != NONE)
         add_cost(costs, cc.instr, cc.call->cost);
      if (cc.call->sys != NULL
          || (cc.call->cost > 0
              && (cc.call->to != NULL || cc.instr == NONE)))
         VG_(addToXA)(costs->now_calls, &cc);
   }
}

Bool DCFG_(next_costs)(Costs* costs, ContextCosts* cc)
{
   UInt rank = costs->next;

   if (rank == costs->n_ranks)
      return False;
   costs->next++;
   VG_(dropTailXA)(costs->now_costs, VG_(sizeXA)(costs->now_costs));
   VG_(dropTailXA)(costs->now_calls, VG_(sizeXA)(costs->now_calls));
   take_counts(costs, rank);
   take_calls(costs, rank);
   merge_costs(costs->now_costs);
   VG_(sortXA)(costs->now_calls);
   cc->context = costs->contexts[rank];
   cc->n_costs = VG_(sizeXA)(costs->now_costs);
   cc->costs   = cc->n_costs ? VG_(indexXA)(costs->now_costs, 0) : NULL;
   cc->n_calls = VG_(sizeXA)(costs->now_calls);
   cc->calls   = cc->n_calls ? VG_(indexXA)(costs->now_calls, 0) : NULL;
   cc->n_jumps = 0;
   cc->jumps   = NULL;
   if (costs->jumps != NULL)
      cc->jumps = take_jumps(costs->jumps, cc->costs, &cc->n_jumps);
   return True;
}

/*--- All together                                         ---*/

static void sum_up(Costs* costs, UInt n_counts, UInt n_calls)
{
   for (UInt i = 0; i < n_counts; i++) {
      const ContextCount* cc = costs->counts[i];
      UInt  from, end = extent_of(cc, &from);
      ULong n = (end - from) * cc->count;
      costs->total += cc->faults ? -n : n;
      if (!cc->faults && cc->place == 0)
         costs->n_runs += cc->count;
   }
   for (UInt i = 0; i < n_calls; i++)
      if (costs->calls[i]->to == NULL) {
         costs->total += costs->calls[i]->cost;
         for (UInt e = 0; e < N_SYS_EVENTS && costs->calls[i]->sys; e++)
            costs->sys[e] += costs->calls[i]->sys[e];
      }
}

/* Tell the jumps of contexts in the order of ranks.  If two contexts ran a
   superblock equally often, the choice must not depend on a hash table's
   order. */
static void note_runs(Costs* costs)
{
   for (UInt x = 0; x < costs->ranked_counts.n; x++) {
      const ContextCount* cc = costs->counts[costs->ranked_counts.order[x]];
      if (!cc->faults && cc->place == 0)
         note_owner(costs->jumps, cc->sb, costs->rank[cc->context], cc->count);
   }
}

Costs* DCFG_(take_costs)(const Gathered* gathered, const CallProfile* cp,
                         UInt thread, Bool with_jumps)
{
   Costs* c = VG_(calloc)("dcfg.costs", 1, sizeof(Costs));
   UInt   n_counts, n_calls;

   c->p           = gathered;
   c->first_instr = find_first_instrs(gathered);
   c->counts      = (ContextCount**)VG_(HT_to_array)(cp->contexts, &n_counts);
   c->calls       = (Call**)VG_(HT_to_array)(cp->calls, &n_calls);
   c->call_instr  = VG_(malloc)("dcfg.costs.calls",
                                (n_calls + 1) * sizeof(UInt));
   for (UInt i = 0; i < n_calls; i++)
      c->call_instr[i] = instr_of_call(c, c->calls[i]);
   c->places    = find_places(c);
   c->now_costs = DCFG_NEW_ARRAY("dcfg.costs.now", Cost);
   c->now_calls = DCFG_NEW_ARRAY("dcfg.costs.now", CostedCall);
   VG_(setCmpFnXA)(c->now_costs, cmp_costs);
   VG_(setCmpFnXA)(c->now_calls, cmp_costed_calls);
   rank_contexts(c, n_counts, n_calls);
   rank_things(c, &c->ranked_counts, n_counts, rank_of_count);
   rank_things(c, &c->ranked_calls, n_calls, rank_of_call);
   sum_up(c, n_counts, n_calls);
   if (with_jumps) {
      c->jumps = new_jumps(gathered, c->places, thread);
      note_runs(c);
   }
   return c;
}

void DCFG_(delete_costs)(Costs* costs)
{
   DCFG_FREE_ALL(costs->first_instr, costs->rank, costs->contexts,
                 costs->counts, costs->calls, costs->call_instr);
   delete_ranking(&costs->ranked_counts);
   delete_ranking(&costs->ranked_calls);
   VG_(free)(costs->places);
   if (costs->jumps != NULL)
      delete_jumps(costs->jumps);
   VG_(deleteXA)(costs->now_costs);
   VG_(deleteXA)(costs->now_calls);
   VG_(free)(costs);
}

ULong DCFG_(total_cost)(const Costs* costs)
{
   return costs->total;
}

const ULong* DCFG_(total_sys)(const Costs* costs)
{
   return costs->sys;
}

ULong DCFG_(total_runs)(const Costs* costs)
{
   return costs->n_runs;
}
