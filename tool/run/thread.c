/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the threads from their creation to their end, with their cell arrays
   and the states of watchers (tool/dcfg_output.h), all of which are freed
   here.  Also parts of the run: all counts are forgotten here.  Handed: the
   events of threads by tool/run/event.c. */

#include "tool/base/core.h"
#include "tool/run/inside.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

static XArray*  threads;                   // Thread*, by index
static Thread** by_tid;                    // live threads
static ThreadId tids_end;                  // above all that there were

static void make_lists(void)
{
   threads = DCFG_NEW_ARRAY("dcfg.threads", Thread*);
   by_tid  = VG_(calloc)("dcfg.by_tid", VG_N_THREADS, sizeof(Thread*));
}

Word DCFG_(all_threads)(void)
{
   return threads == NULL ? 0 : VG_(sizeXA)(threads);
}

Thread* DCFG_(nth_thread)(Word i)
{
   return *(Thread**)VG_(indexXA)(threads, i);
}

Thread* DCFG_(thread_of)(ThreadId tid)
{
   return by_tid[tid];
}

/* --- Creation and end                                     --- */

void DCFG_(forget_routes)(Thread* thread)
{
   VG_(free)(thread->away.routes);
   thread->away.routes = NULL;
}

/* Make the watchers' states of THREAD, which is new. */
static void make_states(Thread* thread)
{
   DCFG_EACH_WATCHER(w, thread_new)
      thread->states[w] = DCFG_(watchers)[w]->thread_new(thread->cells,
                                                         thread->index);
}

static void restart_states(Thread* thread, Restart why)
{
   DCFG_EACH_WATCHER(w, restart)
      thread->states[w] = DCFG_(watchers)[w]->restart(thread->states[w],
                                                      thread->cells,
                                                      thread->index, why);
}

static void tell_idle_cells(Thread* thread)
{
   DCFG_EACH_WATCHER(w, idle_cells)
      DCFG_(watchers)[w]->idle_cells(thread->states[w], thread->idle.cells);
}

void DCFG_(have_idle_cells)(Thread* thread)
{
   if (thread->idle.cells != NULL)
      return;
   thread->idle.cells    = DCFG_(new_cell_array)();
   thread->idle.branches = DCFG_(new_branch_caches)(thread->idle.cells, True);
   tell_idle_cells(thread);
}

static void delete_idle_cells(Thread* thread)
{
   if (thread->idle.cells == NULL)
      return;
   DCFG_(delete_branch_caches)(thread->idle.branches);
   DCFG_(delete_cell_array)(thread->idle.cells);
   thread->idle.branches = NULL;
   thread->idle.cells    = NULL;
}

/* Free THREAD and all that belongs to it. */
static void delete_thread(Thread* thread)
{
   if (thread->live) {
      DCFG_(forget_routes)(thread);
      delete_idle_cells(thread);
      DCFG_(delete_branch_caches)(thread->branches);
      VG_(deleteXA)(thread->signal.interruptions);
   }
   DCFG_EACH_WATCHER(w, thread_free)
      DCFG_(watchers)[w]->thread_free(thread->states[w]);
   DCFG_(delete_cell_array)(thread->cells);
   VG_(free)(thread);
}

Thread* DCFG_(new_thread)(ThreadId tid)
{
   Thread* t = VG_(calloc)("dcfg.thread", 1, sizeof(Thread));

   if (threads == NULL)
      make_lists();
   t->index  = VG_(sizeXA)(threads);
   t->tid    = tid;
   t->live   = True;
   t->cells  = DCFG_(new_cell_array)();
   t->branches = DCFG_(new_branch_caches)(t->cells, False);
   t->signal.interruptions = DCFG_NEW_ARRAY("dcfg.thread.interruptions",
                                            Interruption);
   VG_(addToXA)(threads, &t);
   by_tid[tid] = t;
   if (tid >= tids_end)
      tids_end = tid + 1;
   make_states(t);
   return t;
}

void DCFG_(delete_last_thread)(Thread* thread)
{
   by_tid[thread->tid] = NULL;
   VG_(dropTailXA)(threads, 1);
   delete_thread(thread);
}

/* Bring all counts of THREAD up to date, to be read. */
static void flush(const Thread* thread)
{
   DCFG_(flush_branch_caches)(thread->branches);
   if (thread->idle.branches != NULL)
      DCFG_(flush_branch_caches)(thread->idle.branches);
   DCFG_EACH_WATCHER(w, flush)
      DCFG_(watchers)[w]->flush(thread->states[w]);
}

void DCFG_(end_thread)(Thread* thread)
{
   by_tid[thread->tid] = NULL;
   thread->live        = False;
   DCFG_(forget_routes)(thread);
   flush(thread);
   DCFG_(delete_branch_caches)(thread->branches);
   thread->branches = NULL;
   delete_idle_cells(thread);
   DCFG_EACH_WATCHER(w, thread_end)
      DCFG_(watchers)[w]->thread_end(thread->states[w]);
   DCFG_(retire_cell_array)(thread->cells);
   VG_(deleteXA)(thread->signal.interruptions);
   thread->signal.interruptions = NULL;
}

/*--- Parts of a run                                       ---*/

/* Forget all counts of THREAD, which goes on, or has ended if it is not
   .live. */
static void forget(Thread* thread, Restart why)
{
   thread->entered = False;
   DCFG_(forget_routes)(thread);
   if (thread->live) {
      DCFG_(clear_cell_array)(thread->cells);
      DCFG_(reset_branch_caches)(thread->branches);
      restart_states(thread, why);
      if (thread->idle.cells != NULL)
         tell_idle_cells(thread);
      if (why != RestartPart)
         VG_(dropTailXA)(thread->signal.interruptions,
                         VG_(sizeXA)(thread->signal.interruptions));
      return;
   }
   VG_(memset)(&thread->last, 0, sizeof(thread->last));
   DCFG_(delete_cell_array)(thread->cells);
   thread->cells = DCFG_(new_cell_array)();
   restart_states(thread, why);
   DCFG_EACH_WATCHER(w, thread_end)
      DCFG_(watchers)[w]->thread_end(thread->states[w]);
   DCFG_(retire_cell_array)(thread->cells);
}

void DCFG_(begin_part)(Restart why)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++)
      forget(DCFG_(nth_thread)(i), why);
   DCFG_(forget_diversions)();
}

void DCFG_(start_anew)(ThreadId tid)
{
   Thread* self = by_tid[tid];

   for (Word i = 0; i < VG_(sizeXA)(threads); i++)
      if (DCFG_(nth_thread)(i) != self)
         delete_thread(DCFG_(nth_thread)(i));
   VG_(memset)(by_tid, 0, VG_N_THREADS * sizeof(Thread*));
   VG_(dropTailXA)(threads, VG_(sizeXA)(threads));
   VG_(addToXA)(threads, &self);
   by_tid[tid]   = self;
   self->index          = 0;
   self->core.started   = False;
   self->boundary.behind.sb = 0;
   self->boundary.preceding = 0;
   forget(self, RestartForked);
   DCFG_(forget_diversions)();
}

/* --- Questions                                            --- */

void DCFG_(flush_threads)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (t->live)
         flush(t);
   }
}

UInt DCFG_(n_threads)(void)
{
   return DCFG_(all_threads)();
}

static Position standing(const Thread* thread)
{
   return DCFG_(position)(thread, DCFG_(bound_for)(thread));
}

UInt DCFG_(index_of_thread)(ThreadId tid)
{
   return by_tid[tid] == NULL ? DCFG_NO_THREAD : by_tid[tid]->index;
}

void DCFG_(thread_info)(UInt index, ThreadInfo* info)
{
   const Thread* t = DCFG_(nth_thread)(index);

   info->cells      = t->cells;
   info->idle_cells = t->idle.cells;
   info->idle_sb = t->live && t->idle.cells != NULL
                   ? DCFG_MARK_ID(*mark_in(t->idle.cells)) : 0;
   info->entry         = t->entry;
   info->undone        = t->live && is_diverted(t) ? t->diverted : NULL;
   info->last          = t->live ? standing(t) : t->last;
   info->ran           = t->entered && info->last.sb != 0;
   info->live          = t->live;
   info->fresh         = t->fresh;
   info->off           = t->gap.open;
   info->behind            = t->boundary.behind;
   info->boundary_diverted = t->boundary.diverted;
   info->boundary_kind     = t->boundary.kind;
   info->preceding         = t->boundary.preceding;
}

void DCFG_(forget_runs)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++)
      DCFG_(nth_thread)(i)->fresh = False;
}

void DCFG_(note_counted)(UInt index, ULong n_instrs)
{
   DCFG_(nth_thread)(index)->counted = n_instrs;
}

void* DCFG_(thread_state)(UInt index, UInt watcher)
{
   return DCFG_(nth_thread)(index)->states[watcher];
}

/* Return the superblock from which THREAD is going to ADDR, 0 if from none. */
static UInt bound_from(const Thread* thread, Addr addr)
{
   if (!thread->live || !thread->entered || is_away(thread)
       || DCFG_(bound_for)(thread) != addr || is_diverted(thread))
      return 0;
   Position p = DCFG_(position)(thread, addr);
   return p.n_done == 0 ? p.sb : 0;
}

Bool DCFG_(is_bound_for)(UInt thread, UInt sb, Addr addr)
{
   return bound_from(DCFG_(nth_thread)(thread), addr) == sb;
}

Bool DCFG_(fall_from_older)(Addr addr, UInt image)
{
   for (ThreadId tid = 1; tid < tids_end; tid++) {
      UInt id = by_tid[tid] == NULL ? 0 : bound_from(by_tid[tid], addr);
      if (id == 0)
         continue;
      const Superblock* sb = DCFG_(superblock)(id);
      if (sb->image != image
          && DCFG_(instr_addr)(sb, sb->n_instrs) == addr)
         return True;
   }
   return False;
}

Bool DCFG_(jumps_unredirected)(ThreadId tid, Addr entry)
{
   const Thread* t     = by_tid[tid];
   CellArray*    cells = t->idle.now ? t->idle.cells : t->cells;
   UInt          id    = DCFG_MARK_ID(*mark_in(cells));

   /* See the end of exclude_superblock() in tool/run/instrument.c. */
   if (DCFG_(cell_base)(cells)[CellAway] != 0)
      return DCFG_(cell_base)(cells)[CellAway] == entry;
   return id != 0 && DCFG_(superblock)(id)->unredirected;
}

void DCFG_(retarget_threads)(Target now)
{
   Position none = { 0, 0, { 0, 0, False } };

   DCFG_EACH_WATCHER(w, landing)
      DCFG_(watchers)[w]->landing(now);
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (!t->live)
         continue;
      DCFG_EACH_WATCHER(w, landing_for)
         DCFG_(watchers)[w]->landing_for(t->states[w],
                                         t->entered ? standing(t) : none,
                                         now);
      if (!t->entered)
         continue;
      if (is_diverted(t) && t->diverted->to.addr == now.addr) {
         DCFG_(divert_anew)(t);
      } else if (*mark_of(t) == 0 && t->entry.addr == now.addr) {
         t->entry = DCFG_(target_now)(now.addr, False);
      }
   }
}

/*--- Superblocks with another record                      ---*/

static void rename_in(UInt* sb, UInt (*renamed)(UInt id))
{
   if (*sb != 0)
      *sb = renamed(*sb);
}

static void rename_in_mark(UWord* mark, UInt (*renamed)(UInt id))
{
   UInt id = DCFG_MARK_ID(*mark);

   rename_in(&id, renamed);
   *mark = DCFG_MARK_OF(id) | (*mark & (DCFG_MARK_OF(1) - 1));
}

static void rename_in_thread(Thread* thread, UInt (*renamed)(UInt id))
{
   rename_in(&thread->boundary.behind.sb, renamed);
   if (!thread->live) {
      rename_in(&thread->last.sb, renamed);
      return;
   }
   rename_in_mark(mark_of(thread), renamed);
   if (thread->idle.cells != NULL)
      rename_in_mark(mark_in(thread->idle.cells), renamed);
   for (Word i = 0; i < VG_(sizeXA)(thread->signal.interruptions); i++) {
      Interruption* in = VG_(indexXA)(thread->signal.interruptions, i);
      rename_in(&in->from.sb, renamed);
      rename_in(&in->site.sb, renamed);
   }
}

void DCFG_(rename_superblocks)(UInt (*renamed)(UInt id))
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++)
      rename_in_thread(DCFG_(nth_thread)(i), renamed);
   DCFG_(rename_late_returns)(renamed);
}
