/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the Callgrind profile. */

/* Owns: the options of a profile; the order of the counts by context, and the
   jumps within one; the text of a profile, and the files, perhaps one for each
   thread.  Handed: the run and instructions by tool/run/gather.c, counts and
   calls by tool/calls/calls.c, the targets of indirect jumps by dcfg_bb.c.

   The format, and the meaning of the numbers, are Callgrind's (its manual,
   "Callgrind Format Specification").  Each context has cost lines by address.
   Calls and jumps stand among them, after the line that they come from.

   Jumps.  An exit was taken as often as its segment ran less the next segment.

   Targets of indirect jumps are not counted by context.  They are given to the
   context in which the superblock ran most often, which nearly always is the
   only one.

   Nor is it counted by context which of an instruction's several exits was
   taken.  REPNE SCAS, for example, has one for a count of 0 and one to begin
   again.  The exits that lead to the next instruction are given to the
   contexts in their order. */

#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "dcfg_bb.h"
#include "format/order.h"
#include "format/put.h"
#include "format/release.h"
#include "tool/arch/guest.h"
#include "tool/base/util.h"
#include "tool/calls/calls.h"
#include "tool/calls/context.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/graph/graph.h"
#include "tool/run/flow.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

/* Instructions are indices of Gathered.instrs. */

typedef
   struct {
      UInt  instr;
      ULong count;             // executions
   }
   Cost;

typedef
   struct {
      UInt  from, to;
      ULong count;
      ULong executed;          // executions of .from
      Bool  is_conditional;
   }
   Jump;

typedef
   struct {
      UInt        instr;       // index in Gathered.instrs
      const Call* call;
   }
   CostedCall;

/* ContextCosts: all of one context, by instruction. */
typedef
   struct {
      UInt              context;
      const Cost*       costs;
      UInt              n_costs;
      const CostedCall* calls;
      UInt              n_calls;
      const Jump*       jumps;
      UInt              n_jumps;
   }
   ContextCosts;

typedef struct _Costs Costs;

#define DCFG_ALL_THREADS 0xFFFFFFFFu

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
   js->indirect = VG_(newXA)(VG_(malloc), "dcfg.jumps.indirect", VG_(free),
                             sizeof(IndirectJump));
   js->now      = VG_(newXA)(VG_(malloc), "dcfg.jumps.now", VG_(free),
                             sizeof(Jump));
   VG_(setCmpFnXA)(js->indirect, cmp_indirect);
   VG_(setCmpFnXA)(js->now, cmp_jumps);
   find_jumps(js, thread);
   return js;
}

static void delete_jumps(Jumps* js)
{
   VG_(free)(js->owners);
   VG_(free)(js->led_on);
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
   VG_(free)(r->order);
   VG_(free)(r->start);
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

/* Return a place that describes an instruction: its own if anything ever jumped
   to it, else one in the same object and section. */
static const Place* place_of_instr(const Costs* costs, UInt instr)
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

/* Get the costs of the next context, by object, file and name.  Valid until the
   next call.  Return False if there is none. */
static Bool next_costs(Costs* costs, ContextCosts* cc)
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

/* Collect the costs in CP, of THREAD or DCFG_ALL_THREADS, for the run GATHERED.
   Both must live longer than the result. */
static Costs* take_costs(const Gathered* gathered, const CallProfile* cp,
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
      c->jumps = new_jumps(gathered, c->places, thread);
      note_runs(c);
   }
   return c;
}

static void delete_costs(Costs* costs)
{
   VG_(free)(costs->first_instr);
   VG_(free)(costs->rank);
   VG_(free)(costs->contexts);
   VG_(free)(costs->counts);
   VG_(free)(costs->calls);
   VG_(free)(costs->call_instr);
   delete_ranking(&costs->ranked_counts);
   delete_ranking(&costs->ranked_calls);
   VG_(free)(costs->places);
   if (costs->jumps != NULL)
      delete_jumps(costs->jumps);
   VG_(deleteXA)(costs->now_costs);
   VG_(deleteXA)(costs->now_calls);
   VG_(free)(costs);
}

/* Return the number of all instructions; return how often superblocks ran. */
static ULong total_cost(const Costs* costs)
{
   return costs->total;
}

static ULong total_runs(const Costs* costs)
{
   return costs->n_runs;
}

/*--- The format                                           ---*/

/* ProfileFormat: Callgrind's options of these names.  .dump_line or .dump_instr
   is set. */
typedef
   struct {
      Bool dump_line;
      Bool dump_instr;
      Bool compress_strings;
      Bool compress_pos;
      const HChar* time_unit;    // of system calls
   }
   ProfileFormat;

/* NameNumber: a name and its number in the file. */
typedef
   struct _NameNumber {
      struct _NameNumber* hash_next;
      UWord               hash_key;    // the name's address, or the context
      UInt                number;
      UInt                told;        // the part that has it, see Names
   }
   NameNumber;

/* Names: the numbers of names.  Each part of a combined file has the names of its
   numbers anew, and the numbers are the same in all. */
typedef
   struct {
      VgHashTable* objects;     // NameNumber
      VgHashTable* files;       // NameNumber
      VgHashTable* contexts;    // NameNumber
      UInt         part;        // counts what is written
   }
   Names;

/* Origin: where an instruction comes from. */
typedef
   struct {
      ULong        addr;          // address as linked
      const HChar* file;
      UInt         line;          // 0: not known
   }
   Origin;

/* ProfileWriter: the state of writing a file. */
typedef
   struct {
      const ProfileFormat* opts;
      const Gathered*  p;
      const Costs*     costs;
      const ImageInfo* images;
      Put*             out;
      Names*           names;
      const HChar*     object;      // the last one written
      const HChar*     file;
      Origin           last;        // the last position; zeros: none
   }
   ProfileWriter;

/*--- Names                                                ---*/

static void text(ProfileWriter* w, const HChar* s)
{
   DCFG_(put_text)(w->out, s);
}

static void number(ProfileWriter* w, ULong n)
{
   DCFG_(put_number)(w->out, n);
}

/* Write TAG=, and, if names have numbers, (NUMBER) of what has KEY.  Return
   whether the name follows: the first time, and without numbers. */
static Bool begin_name(ProfileWriter* w, const HChar* tag, VgHashTable* numbers,
                       UWord key)
{
   text(w, tag);
   if (!w->opts->compress_strings)
      return True;
   NameNumber* n = VG_(HT_lookup)(numbers, key);
   if (n == NULL) {
      n = VG_(calloc)("dcfg.callgrind.name", 1, sizeof(*n));
      n->hash_key = key;
      n->number   = VG_(HT_count_nodes)(numbers) + 1;
      VG_(HT_add_node)(numbers, n);
   }
   const Bool is_new = n->told != w->names->part;
   n->told = w->names->part;
   text(w, "(");
   number(w, n->number);
   text(w, is_new ? ") " : ")");
   return is_new;
}

static void name_line(ProfileWriter* w, const HChar* tag, VgHashTable* numbers,
                      const HChar* name)
{
   if (begin_name(w, tag, numbers, (UWord)name))
      text(w, name);
   text(w, "\n");
}

static void function_line(ProfileWriter* w, const HChar* tag, UInt context)
{
   const ContextName name = DCFG_(context_name)(context);

   if (begin_name(w, tag, w->names->contexts, context)) {
      text(w, DCFG_(function)(name.functions[0])->name);
      if (name.level > 1) {
         text(w, "'");
         number(w, name.level);
      }
      for (UInt i = 1; i < name.n; i++) {
         text(w, "'");
         text(w, DCFG_(function)(name.functions[i])->name);
      }
   }
   text(w, "\n");
}

static void object_line(ProfileWriter* w, const HChar* tag, const HChar* object)
{
   name_line(w, tag, w->names->objects, object);
}

static void file_line(ProfileWriter* w, const HChar* tag, const HChar* file)
{
   name_line(w, tag, w->names->files, file);
}

/*--- Positions                                            ---*/

/* Return the source line of the code at A, and its address as linked.  The file
   is HOME if debug information has none. */
static Origin origin_at(const ImageInfo* im, Addr a, const Place* at,
                        const HChar* home)
{
   const ImageLine* l = DCFG_(line_at)(im, a);

   if (l == NULL)
      return (Origin){ a - at->bias, home, 0 };
   return (Origin){ a - at->bias, DCFG_(source_file_name)(l->file), l->line };
}

static Origin origin_of(const ProfileWriter* w, UInt instr, const HChar* home)
{
   const Instr* in = &w->p->instrs[instr];

   return origin_at(&w->images[in->image], in->addr,
                    place_of_instr(w->costs, instr), home);
}

/* Write N, or its difference from LAST if that is short. */
static void subposition(ProfileWriter* w, ULong n, ULong last, Bool hex)
{
   Long  diff = n - last;
   HChar buf[32];

   if (!w->opts->compress_pos || last == 0 || diff <= -100 || diff >= 100)
      VG_(sprintf)(buf, hex ? "%#llx " : "%llu ", n);
   else if (diff == 0)
      VG_(sprintf)(buf, "* ");
   else
      VG_(sprintf)(buf, "%s%lld ", diff > 0 ? "+" : "", diff);
   text(w, buf);
}

static void position(ProfileWriter* w, const Origin* o)
{
   if (w->opts->dump_instr)
      subposition(w, o->addr, w->last.addr, True);
   if (w->opts->dump_line)
      subposition(w, o->line, w->last.line, False);
}

/* Write the file of the next lines, in a function from HOME, if it changes. */
static void switch_file(ProfileWriter* w, const HChar* file, const HChar* home)
{
   if (file == w->file)
      return;
   file_line(w, file == home ? "fe=" : "fi=", file);
   w->file = file;
}

/* Write N instructions, and system calls SYS if that is not NULL, without the
   zeros at the end. */
static void events(ProfileWriter* w, ULong n, const ULong* sys)
{
   UInt end = sys == NULL ? 0 : DCFG_(n_sys_events)();

   number(w, n);
   while (end > 0 && sys[end - 1] == 0)
      end--;
   for (UInt e = 0; e < end; e++) {
      text(w, " ");
      number(w, sys[e]);
   }
   text(w, "\n");
}

/* Write a cost line for N and SYS at O. */
static void cost_line(ProfileWriter* w, const Origin* o, ULong n,
                      const ULong* sys)
{
   position(w, o);
   events(w, n, sys);
   w->last = *o;
}

/*--- A context                                            ---*/

/* Return the origin of a call by an instruction that did not run in this part
   of the run. */
static Origin origin_of_earlier(const Call* call, const HChar* home)
{
   ImageInfo im;

   if (call->sb == NULL)
      return (Origin){ 0, home, 0 };
   DCFG_(image_info)(call->sb->image, True, &im);
   return origin_at(&im, DCFG_(instr_addr)(call->sb, call->instr),
                    DCFG_(call_fields)(call->sb)->place, home);
}

static void call_lines(ProfileWriter* w, const Function* fn,
                       const CostedCall* c)
{
   const Call*     call = c->call;
   Origin          from = c->instr == DCFG_NO_INSTR
                          ? origin_of_earlier(call, fn->file)
                          : origin_of(w, c->instr, fn->file);

   /* A stub, or system calls: the cost is the caller's own.  That of a stub is in
      the instruction's, if it has one. */
   if (call->to == NULL) {
      switch_file(w, from.file, fn->file);
      cost_line(w, &from, c->instr == DCFG_NO_INSTR ? call->cost : 0,
                call->sys);
      return;
   }
   const Function* to = DCFG_(function)(call->to->function);
   Origin          o  = { call->to->hash_key - call->to->bias, to->file,
                          call->to->line };
   if (call->sb == NULL) {
      from.addr = call->from->hash_key - call->from->bias;
      from.file = fn->file;
      from.line = call->from->line;
   }
   switch_file(w, from.file, fn->file);
   if (to->object != fn->object)
      object_line(w, "cob=", to->object);
   if (to->file != w->file)
      file_line(w, "cfi=", to->file);
   function_line(w, "cfn=", call->to_context);
   text(w, "calls=");
   number(w, call->count);
   text(w, " ");
   position(w, &o);
   text(w, "\n");
   cost_line(w, &from, call->cost, call->sys);
}

static void jump_lines(ProfileWriter* w, const Function* fn, const Jump* j)
{
   Origin from = origin_of(w, j->from, fn->file);
   Origin to   = origin_of(w, j->to, from.file);

   /* Without instructions, and without a line of the callee, the target is
      unknown. */
   if (!w->opts->dump_instr && to.line == 0)
      return;
   switch_file(w, from.file, fn->file);
   if (to.file != w->file)
      file_line(w, "jfi=", to.file);
   text(w, j->is_conditional ? "jcnd=" : "jump=");
   number(w, j->count);
   if (j->is_conditional) {
      text(w, "/");
      number(w, j->executed);
   }
   text(w, " ");
   position(w, &to);
   text(w, "\n");
   position(w, &from);
   text(w, "\n");
   w->last = from;
}

/* Pending: costs of one position that are not written yet. */
typedef
   struct {
      Origin at;
      ULong  sum;      // 0: none
   }
   Pending;

static void write_pending(ProfileWriter* w, const Function* fn,
                          Pending* pending)
{
   if (pending->sum == 0)
      return;
   switch_file(w, pending->at.file, fn->file);
   cost_line(w, &pending->at, pending->sum, NULL);
   pending->sum = 0;
}

/* Write the costs of lines, or of instructions if these are wanted.  After
   each, write the calls and jumps from there. */
static void body(ProfileWriter* w, const Function* fn, const ContextCosts* cc)
{
   Pending pending = { { 0, NULL, 0 }, 0 };
   UInt    call = 0, jump = 0;

   for (UInt i = 0; i <= cc->n_costs; i++) {
      UInt instr = DCFG_NO_INSTR;
      if (i < cc->n_costs) {
         instr    = cc->costs[i].instr;
         Origin o = origin_of(w, instr, fn->file);
         if (w->opts->dump_instr || o.line != pending.at.line
             || o.file != pending.at.file)
            write_pending(w, fn, &pending);
         if (pending.sum == 0)
            pending.at = o;
         pending.sum += cc->costs[i].count;
      }
      if (i == cc->n_costs
          || (call < cc->n_calls && cc->calls[call].instr <= instr)
          || (jump < cc->n_jumps && cc->jumps[jump].from <= instr))
         write_pending(w, fn, &pending);
      for (; call < cc->n_calls && cc->calls[call].instr <= instr; call++)
         call_lines(w, fn, &cc->calls[call]);
      for (; jump < cc->n_jumps && cc->jumps[jump].from <= instr; jump++)
         jump_lines(w, fn, &cc->jumps[jump]);
   }
}

static void write_context(ProfileWriter* w, const ContextCosts* cc)
{
   const Function* fn
      = DCFG_(function)(function_of(cc->context));

   VG_(memset)(&w->last, 0, sizeof(w->last));
   if (fn->object != w->object)
      object_line(w, "ob=", fn->object);
   if (fn->file != w->file)
      file_line(w, "fl=", fn->file);
   w->object = fn->object;
   w->file   = fn->file;
   function_line(w, "fn=", cc->context);
   body(w, fn, cc);
   switch_file(w, fn->file, fn->file);
   text(w, "\n");
}

/*--- A file                                               ---*/

/* Write the program and its arguments in one line. */
static void command(ProfileWriter* w)
{
   text(w, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      const HChar* arg = *(HChar**)VG_(indexXA)(VG_(args_for_client), i);
      text(w, " ");
      for (; *arg != 0; arg++)
         if (*arg == '\n')
            text(w, "\\n");
         else if (*arg == '\\')
            text(w, "\\\\");
         else
            DCFG_(put_char)(w->out, *arg);
   }
}

/* Write the events and the line SUMMARY. */
static void event_lines(ProfileWriter* w, const Costs* costs)
{
   static const HChar* const of_sys[N_SYS_EVENTS]
      = { " sysCount", " sysTime", " sysCpuTime" };
   const UInt n = DCFG_(n_sys_events)();

   if (n > SysTime) {
      text(w, "event: sysTime : sysTime (elapsed ");
      text(w, w->opts->time_unit);
      text(w, ")\n");
   }
   if (n > SysCpuTime)
      text(w, "event: sysCpuTime : sysCpuTime (system cpu ns)\n");
   text(w, "events: Ir");
   for (UInt e = 0; e < n; e++)
      text(w, of_sys[e]);
   text(w, "\nsummary: ");
   events(w, total_cost(costs), costs->sys);
}

/* Write the header, or, IS_LATER, what a later part of a file begins with.
   THREAD is counted from 1; 0: all threads. */
static void header(ProfileWriter* w, const Costs* costs, const HChar* trigger,
                   UInt thread, Bool is_later)
{
   HChar buf[128];

   if (!is_later) {
      text(w, "# callgrind format\nversion: 1\n");
      VG_(sprintf)(buf, "creator: dcfg-" DCFG_RELEASE "\npid: %d\ncmd:  ",
                   VG_(getpid)());
      text(w, buf);
      command(w);
   }
   VG_(sprintf)(buf, "\npart: %u\n", w->p->part);
   text(w, buf);
   if (thread > 0) {
      VG_(sprintf)(buf, "thread: %u\n", thread);
      text(w, buf);
   }
   VG_(sprintf)(buf, "\n\ndesc: Timerange: Basic block 0 - %llu\n"
                "desc: Trigger: ", total_runs(costs));
   text(w, is_later ? buf + 1 : buf);
   text(w, trigger);
   VG_(sprintf)(buf, "\n\npositions:%s%s\n",
                w->opts->dump_instr ? " instr" : "",
                w->opts->dump_line ? " line" : "");
   text(w, buf);
   event_lines(w, costs);
   text(w, "\n\n");
}

static void start_names(Names* names)
{
   if (names->part++ > 0)
      return;
   names->objects  = VG_(HT_construct)("dcfg.callgrind.objects");
   names->files    = VG_(HT_construct)("dcfg.callgrind.files");
   names->contexts = VG_(HT_construct)("dcfg.callgrind.contexts");
}

static void forget_names(Names* names)
{
   VG_(HT_destruct)(names->objects, VG_(free));
   VG_(HT_destruct)(names->files, VG_(free));
   VG_(HT_destruct)(names->contexts, VG_(free));
}

/* Write to OUT the costs COSTS of the run GATHERED with IMAGES.  TRIGGER is the
   reason for the dump.  THREAD is counted from 1; 0: all threads.  NAMES is not
   NULL if there are several parts in a file; IS_LATER: this is not the first. */
static void write_profile(Put* out, const ProfileFormat* format,
                          const Gathered* gathered, const ImageInfo* images,
                          Costs* costs, const HChar* trigger, UInt thread,
                          Names* names, Bool is_later)
{
   Names         own = { .part = 0 };
   ProfileWriter writer, *w = &writer;
   ContextCosts  cc;

   VG_(memset)(w, 0, sizeof(*w));
   w->out    = out;
   w->opts   = format;
   w->p      = gathered;
   w->images = images;
   w->costs  = costs;
   w->names  = names == NULL ? &own : names;
   start_names(w->names);
   header(w, costs, trigger, thread, is_later);
   while (next_costs(costs, &cc))
      write_context(w, &cc);
   text(w, "totals: ");
   events(w, total_cost(costs), costs->sys);
   DCFG_(put_flush)(w->out);
   if (names == NULL)
      forget_names(&own);
}

/*--- Options                                              ---*/

static struct {
   Bool          on;
   const HChar*  out_file;
   ProfileFormat format;
   Bool          collect_jumps;
   Bool          separate_threads;
   Bool          combine_dumps;
} opts = {
   .on               = False,
   .out_file         = "callgrind.out.%p",
   .format           = {
      .dump_line        = True,
      .dump_instr       = False,
      .compress_strings = True,
      .compress_pos     = True
   },
   .collect_jumps    = False,
   .separate_threads = False
};

static const HChar* for_profile;     // an option that needs a profile, or NULL
static HChar        no_effect[512];  // options of caches that were given

static void take_systime(const HChar* option, const HChar* value, Int what)
{
   static const struct {
      const HChar* word;
      SysTimeUnit  unit;
      const HChar* name;
   } all[] = {
      { "no", NoSysTime }, { "yes", SysTimeMsec, "ms" },
      { "msec", SysTimeMsec, "ms" }, { "usec", SysTimeUsec, "us" },
      { "nsec", SysTimeNsec, "ns" }
   };

   for_profile = option;
   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      if (VG_STREQ(value, all[i].word)) {
         DCFG_(time_syscalls)(all[i].unit);
         opts.format.time_unit = all[i].name;
         return;
      }
   VG_(fmsg)("%s=%s: give no, yes, msec, usec or nsec\n", option, value);
   VG_(exit)(1);
}

/* Note an option of Callgrind that only concerns caches and branches. */
static void ignore(const HChar* option, const HChar* value, Int takes_size)
{
   for_profile = option;
   if (!takes_size && !VG_STREQ(value, "yes") && !VG_STREQ(value, "no")) {
      VG_(fmsg)("%s=%s: give yes or no\n", option, value);
      VG_(exit)(1);
   }
   if (VG_STREQ(value, "no") || VG_(strstr)(no_effect, option) != NULL)
      return;
   VG_(strcat)(no_effect, no_effect[0] == 0 ? "" : ", ");
   VG_(strcat)(no_effect, option);
}

#define IGNORED(name) OPTION_CALL(name, ignore, False, "no|yes", NULL)
#define IGNORED_SIZE(name) OPTION_CALL(name, ignore, True, "<cache>", NULL)

static const Option options[] = {
   OPTION_BOOL("--callgrind", opts.on, "also write a Callgrind profile"),
   OPTION_TEXT("--callgrind-out-file", opts.out_file, "<file>",
               "write the profile to <file>"),
   OPTION_BOOL("--dump-line", opts.format.dump_line,
               "profile: add costs of source lines"),
   OPTION_BOOL("--dump-instr", opts.format.dump_instr,
               "profile: add costs of instructions"),
   OPTION_BOOL("--collect-jumps", opts.collect_jumps, "profile: add jumps"),
   OPTION_CALL("--collect-systime", take_systime, 0, "no|yes|msec|usec|nsec",
               "profile: add number and time of system calls [no]"),
   OPTION_BOOL("--compress-strings", opts.format.compress_strings,
               "profile: compress names"),
   OPTION_BOOL("--compress-pos", opts.format.compress_pos,
               "profile: compress positions"),
   OPTION_BOOL("--separate-threads", opts.separate_threads,
               "profile: write one file for each thread"),
   OPTION_BOOL("--combine-dumps", opts.combine_dumps,
               "profile: write all parts into one file"),
   /* The old name of --collect-jumps. */
   { .name = "--trace-jump", .value = "no|yes", .yes = &opts.collect_jumps },
   IGNORED("--cache-sim"), IGNORED("--simulate-cache"),
   IGNORED("--branch-sim"), IGNORED("--collect-bus"),
   IGNORED("--simulate-wb"), IGNORED("--simulate-hwpref"),
   IGNORED("--simulate-sectors"), IGNORED("--cacheuse"),
   IGNORED_SIZE("--I1"), IGNORED_SIZE("--D1"), IGNORED_SIZE("--LL")
};

/* Refuse options that would have an effect with a profile only. */
static void refuse_without_profile(void)
{
   if (opts.combine_dumps)
      for_profile = "--combine-dumps";
   if (DCFG_(dump_every) > 0)
      for_profile = "--dump-every-bb";
   if (DCFG_(context_option_given)() != NULL)
      for_profile = DCFG_(context_option_given)();
   if (for_profile == NULL)
      return;
   VG_(fmsg)("%s is an option of the profile: add --callgrind=yes, or leave it "
             "out\n", for_profile);
   VG_(exit)(1);
}

static Bool start(void)
{
   if (!opts.on) {
      refuse_without_profile();
      return False;
   }
   if (no_effect[0] != 0)
      DCFG_(remark)("dcfg: no effect here: %s; a profile has instructions, but no "
                    "caches and no branch prediction\n", no_effect);
   DCFG_(claim_out_file)("--callgrind-out-file", opts.out_file);
   if (!opts.format.dump_line && !opts.format.dump_instr) {
      DCFG_(remark)("dcfg: --dump-line=no is ignored: without lines, a profile "
                    "needs --dump-instr=yes\n");
      opts.format.dump_line = True;
   }
   DCFG_(follow_calls)(opts.separate_threads);
   if (opts.collect_jumps)
      DCFG_(count_last_exits)();
   return True;
}

/*--- Files                                                ---*/

/* Collected: the events of what was written. */
typedef
   struct {
      ULong n, sys[N_SYS_EVENTS];
   }
   Collected;

/* All that was written: of parts that are over, and of the last part. */
static Collected collected_before, collected_now;
static UInt      last_part;

static OutFile* open_file(const HChar* name)
{
   OutFile* file = DCFG_(open_out_file)("--callgrind-out-file", name, NULL);

   DCFG_(set_reader)(file, "callgrind_annotate", NULL);
   return file;
}

/*--- Parts in one file                                    ---*/

/* Combined: the text of all parts, for --combine-dumps.  The file is written
   anew when that has grown by an eighth, and at the end.  A part may be written
   again, if its file could not be written; so its text stays apart. */
static struct {
   Stream* earlier;        // parts that are over
   Stream* last;           // the part that was written last
   Names   names;
   ULong   n_written;      // bytes in the file
   ULong   n_instrs;
} combined;

static void append_text(void* arg, const HChar* bytes, UInt n)
{
   DCFG_(append_to_stream)(combined.last, bytes, n);
}

/* Call DO_IT for all bytes of STREAM. */
static void each_piece(const Stream* stream,
                       void (*do_it)(void* arg, const HChar* bytes, UInt n),
                       void* arg)
{
   HChar bytes[4096];
   ULong at = 0;
   UInt  n;

   while ((n = DCFG_(read_stream)(stream, at, bytes, sizeof(bytes))) > 0) {
      do_it(arg, bytes, n);
      at += n;
   }
}

static void put_piece(void* out, const HChar* bytes, UInt n)
{
   DCFG_(put_bytes)(out, bytes, n);
}

static void append_piece(void* stream, const HChar* bytes, UInt n)
{
   DCFG_(append_to_stream)(stream, bytes, n);
}

/* Begin the text of a part, which IS_NEW or takes the place of the last one. */
static void begin_combined(Bool is_new)
{
   if (combined.earlier == NULL)
      combined.earlier = DCFG_(new_stream)();
   if (combined.last != NULL) {
      if (is_new)
         each_piece(combined.last, append_piece, combined.earlier);
      DCFG_(delete_stream)(combined.last);
   }
   combined.last = DCFG_(new_stream)();
}

/* Write the file, if there is much to add or the run IS_OVER. */
static void write_combined(Bool is_over)
{
   const ULong n = DCFG_(stream_length)(combined.earlier)
                   + DCFG_(stream_length)(combined.last);

   if (!is_over && n < combined.n_written + combined.n_written / 8)
      return;
   OutFile* file = open_file(opts.out_file);
   each_piece(combined.earlier, put_piece, DCFG_(text_of_file)(file));
   each_piece(combined.last, put_piece, DCFG_(text_of_file)(file));
   combined.n_written = n;
   DCFG_(close_out_file)(file, "%'llu instructions",
                         collected_before.n + collected_now.n);
}

/* Add the profile of C to the text of the part. */
static void combine(const Gathered* g, const ImageInfo* images, Costs* c,
                    const HChar* trigger, UInt thread)
{
   Put* out = VG_(malloc)("dcfg.profile.put", sizeof(Put));

   DCFG_(start_put)(out, append_text, NULL);
   write_profile(out, &opts.format, g, images, c, trigger, thread,
                 &combined.names, DCFG_(stream_length)(combined.earlier) > 0
                                  || DCFG_(stream_length)(combined.last) > 0);
   VG_(free)(out);
}

/*--- All files                                            ---*/

/* Write the file of thread number THREAD - 1, or of all threads if THREAD is
   0. */
static void write_file(const Gathered* g, const ImageInfo* images,
                       const HChar* trigger, UInt thread)
{
   UInt     index = thread > 0 ? thread - 1 : 0;
   Costs*   c = take_costs(g, DCFG_(call_profile)(index),
                                  thread > 0 ? index : DCFG_ALL_THREADS,
                                  opts.collect_jumps);
   HChar    part[16];
   HChar*   name;
   OutFile* file;

   collected_now.n += total_cost(c);
   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      collected_now.sys[e] += c->sys[e];
   if (opts.combine_dumps) {
      combine(g, images, c, trigger, thread);
   } else {
      VG_(sprintf)(part, thread > 0 ? "-%02u" : "", thread);
      name = DCFG_(name_of_part)("--callgrind-out-file", opts.out_file, part);
      file = open_file(name);
      write_profile(DCFG_(text_of_file)(file), &opts.format, g, images,
                    c, trigger, thread, NULL, False);
      DCFG_(close_out_file)(file, "%'llu instructions", total_cost(c));
      VG_(free)(name);
   }
   delete_costs(c);
}

/* Begin to write part PART, perhaps once more. */
static void begin_part(UInt part)
{
   const Bool is_new = part != last_part;

   if (opts.combine_dumps)
      begin_combined(is_new);
   if (is_new) {
      collected_before.n += collected_now.n;
      for (UInt e = 0; e < N_SYS_EVENTS; e++)
         collected_before.sys[e] += collected_now.sys[e];
   }
   VG_(memset)(&collected_now, 0, sizeof(collected_now));
   last_part = part;
}

/* Tell the sums as Callgrind does, for programs that read them. */
static void tell_collected(void)
{
   static const HChar* const names[]
      = { "", " sysCount", " sysCount sysTime",
          " sysCount sysTime sysCpuTime" };
   const UInt n = DCFG_(n_sys_events)();
   HChar      line[128];
   Int        len = VG_(sprintf)(line, "%llu",
                                 collected_before.n + collected_now.n);

   for (UInt e = 0; e < n; e++)
      len += VG_(sprintf)(line + len, " %llu",
                          collected_before.sys[e] + collected_now.sys[e]);
   DCFG_(remark)("\n");
   DCFG_(remark)("Events    : Ir%s\n", names[n]);
   DCFG_(remark)("Collected : %s\n", line);
   DCFG_(remark)("\n");
   DCFG_(remark)("I   refs:      %'llu\n",
                 collected_before.n + collected_now.n);
}

static void write(const Gathered* g, const HChar* reason)
{
   const Bool is_over = g->end.kind == EndExit || g->end.kind == EndSignal;
   ImageInfo* images = VG_(calloc)("dcfg.profile.images", g->n_images + 1,
                                   sizeof(ImageInfo));

   for (UInt i = 0; i < g->n_images; i++)
      DCFG_(image_info)(g->images[i], True, &images[i]);
   begin_part(g->part);
   DCFG_(account_for_calls)();
   if (opts.separate_threads)
      for (UInt t = 0; t < DCFG_(n_threads)(); t++)
         write_file(g, images, reason, t + 1);
   else
      write_file(g, images, reason, 0);
   DCFG_(take_account_back)();
   VG_(free)(images);
   if (opts.combine_dumps)
      write_combined(g->end.kind != EndOpen);
   if (is_over)
      tell_collected();
}

const Output DCFG_(profile_output) = {
   .name    = "profile",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
