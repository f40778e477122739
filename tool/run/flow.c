/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the reading of counters, and steps that are resolved before a counter
   changes its meaning.  Handed: superblocks, cells, diversions.

   For each thread and superblock, the cells tell how often each exit was taken
   (see tool/run/instrument.c).  Diversions correct this: the step that a
   diverted superblock meant to take is taken back here, and tool/run/gather.c
   adds the step that it took instead.  The end of a thread is handled like a
   diversion to END.

   A cell counts steps to an address.  The code there may change: another
   object is mapped, or a JIT compiler overwrites its code.  Then the steps so
   far are resolved: noted as steps to the old code.  This happens when the new
   code is translated, for every superblock that leads there. */

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

#include "format/order.h"
#include "tool/run/flow.h"
#include "tool/run/image.h"
#include "tool/run/landing.h"

/* Resolved: steps to one version of their target, which was the current one
   then; or, with ALL_VERSIONS, the sum over all versions.  The sum exists for
   code that changes a million times.

   FLOW is the number of an exit; .n_exits for a direct end; for a pair its cell
   with INDIRECT_FLOW. */
#define INDIRECT_FLOW 0x80000000u
#define ALL_VERSIONS  0xFFFFFFFFu
typedef
   struct {
      UInt  thread;
      UInt  sb;
      UInt  flow;
      UInt  version;
      ULong count;
   }
   Resolved;

static OSet* resolved;

static Word cmp_resolved(const void* va, const void* vb)
{
   const Resolved* x = va;
   const Resolved* y = vb;

   return UP(thread) ?: UP(sb) ?: UP(flow) ?: UP(version);
}

/*--- Counting                                             ---*/

static SbDiversion* new_sb_diversion(SbRun* run, Position from, ULong count)
{
   if (run->n_diversions == run->room) {
      run->room    = run->room ? 2 * run->room : 16;
      run->diversions = VG_(realloc)("dcfg.flow.diversions",
                                     run->diversions,
                                     run->room * sizeof(SbDiversion));
   }
   SbDiversion* d = &run->diversions[run->n_diversions++];
   VG_(memset)(d, 0, sizeof(SbDiversion));
   d->from    = from;
   d->count   = count;
   d->to_undo = from.n_done == 0 ? count : 0;
   d->left_at = run->sb == NULL ? 0 : run->sb->n_instrs - 1;
   return d;
}

typedef
   struct {
      SbRun*            run;
      const ThreadInfo* info;
   }
   Collector;

static void collect(void* arg, const Diversion* d)
{
   const Collector* c = arg;
   ULong   count  = d->count - (d == c->info->undone ? 1 : 0);
   SbDiversion* diversion = new_sb_diversion(c->run, d->from, count);
   diversion->kind = d->kind;
   diversion->to   = d->to;
}

static ULong counted(const SbRun* run, CellNo no)
{
   return DCFG_(count_of_cell)(run->cells[no]);
}

/* Return how often exit E was taken.  NOW is how often control came to its
   instruction and passed all exits before. */
static ULong times_taken(const SbRun* run, const SbExit* e, ULong now)
{
   return e->counting == ExitBefore ? counted(run, e->cell)
                                    : now - counted(run, e->cell);
}

/* Return how often the superblock was entered and its first instruction
   completed. */
static ULong times_entered(const SbRun* run)
{
   const Superblock* sb = run->sb;
   ULong n = 0;

   if (sb->started != 0) {
      n = counted(run, sb->started);
   } else {
      /* Executions that came to the end, and those that faulted before. */
      for (const Pair* p = sb->branch->first_pair; p != NULL; p = p->next)
         n += counted(run, p->cell);
      for (UInt k = 0; k < sb->n_instrs; k++)
         n += run->faulted[k];
   }
   /* Exits that are counted before they are taken, if they are of the first
      instruction: .started does not include them. */
   for (UInt i = 0; i < sb->n_exits; i++)
      if (sb->exits[i].counting == ExitBefore
          && (sb->exits[i].instr == 0 || sb->started == 0))
         n += counted(run, sb->exits[i].cell);
   return n;
}

UInt DCFG_(read_run)(SbRun* run, UInt thread, const ThreadInfo* info,
                     const ULong* cells, const Superblock* sb)
{
   Collector c = { run, info };
   UInt  id    = sb == NULL ? 0 : sb->id;
   UInt  e = 0, i, k, n_ran = 0;
   ULong now;                       // how often control came to instruction k

   run->thread    = thread;
   run->sb        = sb;
   run->cells     = cells;
   run->n_diversions = 0;
   if (sb == NULL || sb->diverted)
      DCFG_(each_diversion)(thread, id, collect, &c);
   if (sb == NULL)
      return 0;
   if (id == info->last.sb)
      new_sb_diversion(run, info->last, 1)->ends = True;

   for (k = 0; k < sb->n_instrs; k++)
      run->faulted[k] = 0;
   for (i = 0; i < run->n_diversions; i++)
      if (run->diversions[i].from.n_done > 0)
         run->faulted[run->diversions[i].from.n_done]
            += run->diversions[i].count;
   now = times_entered(run);
   for (k = 0; k < sb->n_instrs; k++) {
      now -= run->faulted[k];
      run->executed[k] = now;
      if (now > 0)
         n_ran = k + 1;
      for (; e < sb->n_exits && sb->exits[e].instr == k; e++)
         now -= times_taken(run, &sb->exits[e], now);
   }
   run->at_end = now;
   return n_ran;
}

/*--- Flows                                                ---*/

/* RawFn: a flow as the cells have it, without regard to versions. */
typedef void (*RawFn)(void* arg, SbRun* run, UInt flow, UInt k, Addr target,
                      ULong count);

static void each_raw_flow(SbRun* run, RawFn do_it, void* arg)
{
   const Superblock* sb   = run->sb;
   UInt              last = sb->n_instrs - 1;
   UInt              k    = 0;
   ULong             now  = run->executed[0];

   for (UInt i = 0; i < sb->n_exits; i++) {
      const SbExit* e = &sb->exits[i];
      if (e->instr != k) {
         k   = e->instr;
         now = run->executed[k];
      }
      ULong taken = times_taken(run, e, now);
      if (taken > 0)
         do_it(arg, run, i, k, e->target, taken);
      now -= taken;
   }
   if (sb->end == EndDirect) {
      if (run->at_end > 0)
         do_it(arg, run, sb->n_exits, last, sb->next, run->at_end);
   } else {
      for (const Pair* p = sb->branch->first_pair; p != NULL; p = p->next)
         if (counted(run, p->cell) > 0)
            do_it(arg, run, INDIRECT_FLOW | p->cell, last, p->target,
                  counted(run, p->cell));
   }
}

typedef
   struct {
      FlowFn do_it;
      void*  arg;
   }
   FlowCall;

/* Pass the flow on, less the steps that diversions take back. */
static void pass_on(const FlowCall* call, SbRun* run, UInt k, Target target,
                    ULong count)
{
   for (UInt i = 0; i < run->n_diversions && count > 0; i++) {
      SbDiversion* d = &run->diversions[i];
      if (d->to_undo == 0 || d->from.target.addr != target.addr
          || d->from.target.version != target.version
          || d->from.target.unredirected != target.unredirected)
         continue;
      ULong n = d->to_undo < count ? d->to_undo : count;
      d->to_undo -= n;
      count      -= n;
      d->left_at  = k;
   }
   if (count > 0)
      call->do_it(call->arg, run, k, target, count);
}

/* Only the end of a superblock can jump past redirections. */
static Bool is_unredirected(const Superblock* sb, UInt flow)
{
   return sb->unredirected && flow >= sb->n_exits;
}

static void by_version(void* arg, SbRun* run, UInt flow, UInt k, Addr addr,
                       ULong count)
{
   Bool   unredirected = is_unredirected(run->sb, flow);
   Target target       = { addr, DCFG_PRESENT, unredirected };

   /* Only resolved steps and diversions have to be told from others. */
   if (resolved != NULL || run->n_diversions > 0)
      target = DCFG_(target_now)(addr, unredirected);
   if (resolved != NULL && DCFG_(has_versions)(addr, unredirected)) {
      Resolved        key = { run->thread, run->sb->id, flow, 0, 0 };
      const Resolved* s;
      VG_(OSetGen_ResetIterAt)(resolved, &key);
      while ((s = VG_(OSetGen_Next)(resolved)) != NULL
             && s->thread == key.thread && s->sb == key.sb
             && s->flow == flow && s->version != ALL_VERSIONS) {
         Target old = { addr, s->version, unredirected };
         pass_on(arg, run, k, old, s->count);
         count -= s->count;
      }
   }
   pass_on(arg, run, k, target, count);
}

void DCFG_(each_flow)(SbRun* run, FlowFn do_it, void* arg)
{
   FlowCall call = { do_it, arg };
   each_raw_flow(run, by_version, &call);

   /* A bypass begins where the interruption did. */
   for (UInt i = 0; i < run->n_diversions; i++) {
      SbDiversion* d = &run->diversions[i];
      for (UInt j = 0; j < run->n_diversions && d->kind == DivertBypass; j++) {
         const SbDiversion* by = &run->diversions[j];
         if (by->kind == DivertSignal && !by->ends
             && by->from.n_done == d->from.n_done
             && by->from.target.addr == d->from.target.addr)
            d->left_at = by->left_at;
      }
   }
}

void DCFG_(forget_flows)(void)
{
   if (resolved != NULL)
      VG_(OSetGen_Destroy)(resolved);
   resolved = NULL;
}

/*--- Changing code                                        ---*/

typedef
   struct {
      Target      old;
      UInt        n_threads;
      ThreadInfo* infos;      // for each thread
      SbRun       run;
      Bool        is_over;    // are all steps to .old.addr resolved?
   }
   Resolving;

/* Return the resolved steps of KEY, 0 if there are none so far. */
static Resolved* resolved_steps(const Resolved* key)
{
   Resolved* s = VG_(OSetGen_Lookup)(resolved, key);

   if (s == NULL) {
      s  = VG_(OSetGen_AllocNode)(resolved, sizeof(Resolved));
      *s = *key;
      VG_(OSetGen_Insert)(resolved, s);
   }
   return s;
}

static void resolve(void* arg, SbRun* run, UInt flow, UInt k, Addr addr,
                    ULong count)
{
   Resolving*      now = arg;
   Resolved        key = { run->thread, run->sb->id, flow, ALL_VERSIONS, 0 };
   const Resolved* all;

   DCFG_(n_looks)++;
   if (addr != now->old.addr)
      return;
   if (is_unredirected(run->sb, flow) != now->old.unredirected) {
      now->is_over = False;
      return;
   }
   all = VG_(OSetGen_Lookup)(resolved, &key);
   if (all != NULL)
      count -= all->count;
   /* A thread that stands before the address will run the new code. */
   if (count > 0 && DCFG_(is_bound_for)(run->thread, run->sb->id, addr)) {
      count--;
      now->is_over = False;
   }
   if (count == 0)
      return;
   resolved_steps(&key)->count += count;
   /* The count is not 0 if this version was current once before. */
   key.version = now->old.version;
   resolved_steps(&key)->count += count;
}

static Bool has_counted(void* arg, CellNo no)
{
   return DCFG_(count_in)(arg, no) != 0;
}

/* Return whether SB can lead to ADDR other than by its indirect branch. */
static Bool leads_directly(const Superblock* sb, Addr addr)
{
   for (UInt i = 0; i < sb->n_exits; i++)
      if (sb->exits[i].target == addr)
         return True;
   return sb->end == EndDirect && sb->next == addr;
}

/* Resolve all steps of SB in thread T that lead to the old code. */
static void resolve_run(Resolving* now, UInt t, const Superblock* sb)
{
   CellArray* array = now->infos[t].cells;

   if (DCFG_(any_counter)(sb, has_counted, array)
       && DCFG_(read_run)(&now->run, t, &now->infos[t],
                          DCFG_(cell_counts)(array), sb) > 0)
      each_raw_flow(&now->run, resolve, now);
}

/* Resolve the steps of pair P only, for an SB that leads there only by its
   indirect branch.  The branch may have thousands of pairs. */
static void resolve_pair(Resolving* now, UInt t, const Superblock* sb,
                         const Pair* p)
{
   ULong count = DCFG_(count_in)(now->infos[t].cells, p->cell);

   now->run.thread = t;
   now->run.sb     = sb;
   if (count > 0)
      resolve(now, &now->run, INDIRECT_FLOW | p->cell, sb->n_instrs - 1,
              p->target, count);
}

/* Return whether SB can never run again: its translations are gone, or each of
   them has been replaced by newer code. */
static Bool is_over(const Superblock* sb)
{
   if (sb->image == DCFG_NO_IMAGE)
      return False;
   return !DCFG_(image_can_run)(sb->image)
          || (DCFG_(image_is_over)(sb->image) && DCFG_(is_replaced)(sb));
}

/* Resolve the steps of SB in all threads.  If SB can never run again and
   everything is resolved, it need not be looked at again. */
static Leading resolve_runs(void* arg, const Superblock* sb)
{
   Resolving*  now    = arg;
   Bool        direct = leads_directly(sb, now->old.addr);
   const Pair* p      = sb->end == EndIndirect
                        ? DCFG_(find_pair)(sb, now->old.addr) : NULL;

   DCFG_(n_looks)++;
   /* Its past has taken over the pair.  It leads there again with a new one. */
   if (!direct && p == NULL)
      return LeadsNoMore;
   now->is_over = True;
   for (UInt t = 0; t < now->n_threads; t++)
      if (direct)
         resolve_run(now, t, sb);
      else if (p != NULL)
         resolve_pair(now, t, sb, p);
   if (!now->is_over || !is_over(sb))
      return LeadsStill;
   return DCFG_(image_is_over)(sb->image) ? LeadsNoMore : LeadsIfBack;
}

void DCFG_(resolve_flows)(const Target* olds, UInt n)
{
   Resolving now;

   if (resolved == NULL)
      resolved = VG_(OSetGen_Create_With_Pool)(0, cmp_resolved, VG_(malloc),
                                               "dcfg.flow.resolved", VG_(free),
                                               1000, sizeof(Resolved));
   DCFG_(flush_threads)();
   VG_(memset)(&now, 0, sizeof(now));
   now.n_threads = DCFG_(n_threads)();
   now.infos     = VG_(malloc)("dcfg.flow.infos",
                               (now.n_threads + 1) * sizeof(ThreadInfo));
   for (UInt t = 0; t < now.n_threads; t++) {
      DCFG_(thread_info)(t, &now.infos[t]);
      /* No thread ends now. */
      now.infos[t].last.sb = 0;
   }
   for (UInt i = 0; i < n; i++) {
      now.old = olds[i];
      DCFG_(each_leading_to)(now.old.addr, resolve_runs, &now);
   }
   DCFG_FREE_ALL(now.run.diversions, now.infos);
}

void DCFG_(move_resolved)(UInt thread, UInt from, UInt to)
{
   Resolved  key = { thread, from, 0, 0, 0 };
   Resolved* s;

   while (resolved != NULL) {
      VG_(OSetGen_ResetIterAt)(resolved, &key);
      s = VG_(OSetGen_Next)(resolved);
      if (s == NULL || s->thread != thread || s->sb != from)
         return;
      VG_(OSetGen_Remove)(resolved, s);
      s->sb = to;
      VG_(OSetGen_Insert)(resolved, s);
   }
}
