
/*--------------------------------------------------------------------*/
/*--- Threads, and how their control flow is diverted.             ---*/
/*---                                                 run/thread.c ---*/
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

/* Owns: the threads from their creation to their end, with their cell arrays
   and what watchers keep of each (dcfg_output.h), which are freed here; and
   all control flow that generated code cannot count: entering and leaving
   signal handlers, system calls made again, faults.  Handed: the core's
   events.  Taken by: run/flow.c, run/gather.c.

   The core tells when a thread starts and stops running generated code.
   Whatever changes the instruction pointer in between is a diversion, no
   matter what in the core did it.  The counters already hold the step
   that the diverted superblock meant to take; run/flow.c takes it
   back. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "dcfg_bb.h"
#include "dcfg_output.h"
#include "run/branch.h"
#include "run/thread.h"

/* A diversion that is followed by another before any instruction has
   completed never led anywhere: it is taken back, and the second one
   starts where the first did.  DCFG_MARK_DIVERTED, which the next
   superblock's mark overwrites, tells. */

/* A handler that has been entered and not left. */
typedef
   struct {
      Position from;
      Addr     sp;       // the interrupted stack pointer, to know it by
   }
   Interruption;

typedef
   struct {
      UInt       index;
      ThreadId   tid;
      Bool       started;     // has been in generated code
      Bool       running;     // is there now
      Target     entry;
      Addr       stop_ip;     // where it last left generated code
      Bool       signalled;   // a handler was entered since then ...
      Addr       signal_ip;   // ... in place of this address
      Bool       sigreturn;   // the last system call was sigreturn
      Diversion* diverted;    // the last one, if the mark says so
      Bool       live;
      Position   last;        // unless live
      CellArray* cells;
      BranchCaches* branches;     // if live
      void*      states[DCFG_MAX_WATCHERS];   // of those that watch
      XArray*    interruptions;   // Interruption, innermost last
   }
   Thread;

static XArray*  threads;                   // Thread*, by index
static Thread** by_tid;                    // the live ones
static OSet*    diversions;                // Diversion

/*------------------------------------------------------------*/
/*--- Positions and diversions                             ---*/
/*------------------------------------------------------------*/

static Word cmp_addr(Addr a, Addr b)
{
   return a < b ? -1 : a > b ? 1 : 0;
}

static Word cmp_targets(Target a, Target b)
{
   Word r;

   if ((r = cmp_addr(a.addr,    b.addr))    != 0) return r;
   if ((r = cmp_addr(a.version, b.version)) != 0) return r;
   return cmp_addr(a.unredirected, b.unredirected);
}

static Word cmp_diversions(const void* va, const void* vb)
{
   const Diversion* a = va;
   const Diversion* b = vb;
   Word r;

   if ((r = cmp_addr(a->thread,      b->thread))      != 0) return r;
   if ((r = cmp_addr(a->from.sb,     b->from.sb))     != 0) return r;
   if ((r = cmp_addr(a->from.n_done, b->from.n_done)) != 0) return r;
   if ((r = cmp_targets(a->from.target, b->from.target)) != 0) return r;
   if ((r = cmp_addr(a->kind,        b->kind))        != 0) return r;
   return cmp_targets(a->to, b->to);
}

static UWord* mark_of(const Thread* t)
{
   return (UWord*)(DCFG_(cell_base)(t->cells) + CellMark);
}

/* Where T stands, given that its instruction pointer is ADDR.  See "The
   mark" in run/instrument.c. */
static Position position(const Thread* t, Addr addr)
{
   UWord    mark = *mark_of(t);
   Position p    = { DCFG_MARK_ID(mark), 0, { 0, 0, False } };

   if (mark & DCFG_MARK_DIVERTED)
      return t->diverted->from;
   const Superblock* sb = p.sb == 0 ? NULL : DCFG_(superblock)(p.sb);
   p.target = DCFG_(target_now)(addr, sb != NULL && sb->unredirected);
   if (sb != NULL && !(mark & DCFG_MARK_DONE))
      p.n_done = DCFG_(inner_instr)(sb, addr);
   return p;
}

/* Where T was going when it left generated code.  (A breakpoint's
   debugger looks at a thread that is still there.) */
static Addr bound_for(const Thread* t)
{
   return t->signalled ? t->signal_ip
          : t->running ? VG_(get_IP)(t->tid) : t->stop_ip;
}

static Diversion* diversion(const Thread* t, Position from, DivertKind kind,
                            Addr to)
{
   Diversion  key = { t->index, from, kind,
                        DCFG_(target_now)(to, False), 0 };
   Diversion* d   = VG_(OSetGen_Lookup)(diversions, &key);

   if (d == NULL) {
      d  = VG_(OSetGen_AllocNode)(diversions, sizeof(Diversion));
      *d = key;
      VG_(OSetGen_Insert)(diversions, d);
      if (from.sb != 0)
         DCFG_(superblock)(from.sb)->diverted = True;
   }
   return d;
}

/* T, which was bound for ADDR, goes on at TO instead. */
static void divert(Thread* t, Addr addr, DivertKind kind, Addr to)
{
   Position from = position(t, addr);

   if (*mark_of(t) & DCFG_MARK_DIVERTED)
      t->diverted->count--;
   t->diverted = diversion(t, from, kind, to);
   t->diverted->count++;
   DCFG_EACH_WATCHER(w, divert)
      DCFG_(watchers)[w]->divert(t->states[w], from, t->diverted->to);
   *mark_of(t) |= DCFG_MARK_DIVERTED;
}

/* T will not go on from where it stands. */
static void tell_stop(const Thread* t)
{
   if (*mark_of(t) & DCFG_MARK_DIVERTED)
      return;
   Position p = position(t, bound_for(t));
   DCFG_EACH_WATCHER(w, stop)
      DCFG_(watchers)[w]->stop(t->states[w], p.sb, p.n_done);
}

/* T has left generated code when it was at ADDR. */
static void tell_left(const Thread* t, Addr addr)
{
   UWord mark = *mark_of(t);

   if ((mark & (DCFG_MARK_DONE | DCFG_MARK_DIVERTED | DCFG_MARK_LEFT)) != 0
       || DCFG_MARK_ID(mark) == 0)
      return;
   UInt k = DCFG_(inner_instr)(DCFG_(superblock)(DCFG_MARK_ID(mark)), addr);
   if (k == 0)
      return;
   *mark_of(t) |= DCFG_MARK_LEFT;
   DCFG_EACH_WATCHER(w, left)
      DCFG_(watchers)[w]->left(t->states[w], DCFG_MARK_ID(mark), k);
}

/* T's handler has returned to ADDR with the stack pointer SP: find what
   it had interrupted.  Handlers left by a jump are still on the list
   above it. */
static void end_interruption(Thread* t, Addr addr, Addr sp)
{
   for (Word i = VG_(sizeXA)(t->interruptions) - 1; i >= 0; i--) {
      const Interruption* in = VG_(indexXA)(t->interruptions, i);
      if (in->sp == sp) {
         diversion(t, in->from, DivertBypass, addr);
         VG_(dropTailXA)(t->interruptions,
                         VG_(sizeXA)(t->interruptions) - i);
         return;
      }
   }
}

/*------------------------------------------------------------*/
/*--- Events                                               ---*/
/*------------------------------------------------------------*/

static void set_base(ThreadId tid, const Thread* t)
{
   ULong* base = DCFG_(cell_base)(t->cells);
   VG_(set_shadow_regs_area)(tid, 1, DCFG_SHADOW_OFFSET, sizeof(base),
                             (const UChar*)&base);
}

/* The watchers' states of T, which is new or (again) forgotten. */
static void make_states(Thread* t)
{
   DCFG_EACH_WATCHER(w, thread_new)
      t->states[w] = DCFG_(watchers)[w]->thread_new(t->cells, t->index);
}

static void restart_states(Thread* t)
{
   DCFG_EACH_WATCHER(w, restart)
      t->states[w] = DCFG_(watchers)[w]->restart(t->states[w], t->cells,
                                                 t->index);
}

/* T is gone, with all that belongs to it. */
static void delete_thread(Thread* t)
{
   if (t->live) {
      DCFG_(delete_branch_caches)(t->branches);
      VG_(deleteXA)(t->interruptions);
   }
   DCFG_EACH_WATCHER(w, thread_free)
      DCFG_(watchers)[w]->thread_free(t->states[w]);
   DCFG_(delete_cell_array)(t->cells);
   VG_(free)(t);
}

static void on_create(ThreadId parent, ThreadId tid)
{
   Thread* t = VG_(calloc)("dcfg.thread", 1, sizeof(Thread));
   t->index  = VG_(sizeXA)(threads);
   t->tid    = tid;
   t->live   = True;
   t->cells  = DCFG_(new_cell_array)();
   t->branches = DCFG_(new_branch_caches)(t->cells);
   make_states(t);
   t->interruptions = VG_(newXA)(VG_(malloc), "dcfg.thread.interruptions",
                                 VG_(free), sizeof(Interruption));
   VG_(addToXA)(threads, &t);
   by_tid[tid] = t;
}

static void on_start(ThreadId tid, ULong blocks)
{
   Thread* t  = by_tid[tid];
   Addr    ip = VG_(get_IP)(tid);

   /* Always: the array may have moved, the thread may have got a copy of
      its creator's shadow state, or a signal frame's. */
   set_base(tid, t);

   if (!t->started) {
      t->started = True;
      t->entry   = DCFG_(target_now)(ip, False);
   } else if (t->signalled) {
      divert(t, t->signal_ip, DivertSignal, ip);
   } else if (ip != t->stop_ip || t->sigreturn) {
      divert(t, t->stop_ip,
             t->sigreturn ? DivertSigreturn : DivertRestart, ip);
      if (t->sigreturn)
         end_interruption(t, ip, VG_(get_SP)(tid));
   }
   DCFG_EACH_WATCHER(w, resume)
      DCFG_(watchers)[w]->resume(t->states[w], ip, VG_(get_SP)(tid));
   t->signalled = False;
   t->sigreturn = False;
   t->running   = True;
}

static void on_stop(ThreadId tid, ULong blocks)
{
   Thread* t  = by_tid[tid];

   t->stop_ip = VG_(get_IP)(tid);
   if (!t->signalled)
      tell_left(t, t->stop_ip);
   t->running = False;
   DCFG_(tend_branch_caches)(t->branches);
}

static void on_signal(ThreadId tid, Int sig, Bool alt_stack)
{
   Thread*      t = by_tid[tid];
   Interruption in;

   if (!t->signalled && t->running)
      tell_left(t, VG_(get_IP)(tid));
   if (!t->signalled)
      tell_stop(t);
   DCFG_EACH_WATCHER(w, enter_handler)
      DCFG_(watchers)[w]->enter_handler(t->states[w]);
   /* A second handler may be entered before the first has run. */
   if (t->signalled)
      return;
   t->signalled = True;
   /* A fault stops generated code where it is.  Otherwise the thread has
      left that before, and a system call that is to be made again may
      have moved the instruction pointer since. */
   t->signal_ip = t->running ? VG_(get_IP)(tid) : t->stop_ip;
   /* A handler that is entered just when another has returned interrupts
      what that one had interrupted; the list says so already. */
   if (!t->started || t->sigreturn)
      return;
   in.from = position(t, t->signal_ip);
   in.sp   = VG_(get_SP)(tid);
   VG_(addToXA)(t->interruptions, &in);
}

static void after_signal(ThreadId tid, Int sig)
{
   DCFG_EACH_WATCHER(w, leave_handler)
      DCFG_(watchers)[w]->leave_handler(by_tid[tid]->states[w]);
}

/* All that T has counted is about to be read. */
static void flush(const Thread* t)
{
   DCFG_(flush_branch_caches)(t->branches);
   DCFG_EACH_WATCHER(w, flush)
      DCFG_(watchers)[w]->flush(t->states[w]);
}

static void on_exit(ThreadId tid)
{
   Thread* t = by_tid[tid];

   by_tid[tid] = NULL;
   if (!t->started && t->index == VG_(sizeXA)(threads) - 1) {
      /* clone failed: there never was a thread. */
      VG_(dropTailXA)(threads, 1);
      delete_thread(t);
      return;
   }
   t->last = position(t, bound_for(t));
   tell_stop(t);
   if (*mark_of(t) & DCFG_MARK_DIVERTED)
      t->diverted->count--;
   t->live = False;
   flush(t);
   DCFG_(delete_branch_caches)(t->branches);
   t->branches = NULL;
   DCFG_EACH_WATCHER(w, thread_end)
      DCFG_(watchers)[w]->thread_end(t->states[w]);
   DCFG_(retire_cell_array)(t->cells);
   VG_(deleteXA)(t->interruptions);
   t->interruptions = NULL;
}

void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args)
{
   Bool sigreturn = False;
#if defined(__NR_rt_sigreturn)
   sigreturn = sigreturn || sysno == __NR_rt_sigreturn;
#endif
#if defined(__NR_sigreturn)
   sigreturn = sigreturn || sysno == __NR_sigreturn;
#endif
   by_tid[tid]->sigreturn = sigreturn;
   DCFG_EACH_WATCHER(w, before_syscall)
      DCFG_(watchers)[w]->before_syscall(by_tid[tid]->states[w], sysno, args);
}

void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, SysRes res)
{
   DCFG_EACH_WATCHER(w, after_syscall)
      DCFG_(watchers)[w]->after_syscall(by_tid[tid]->states[w], sysno, res);
}

/*------------------------------------------------------------*/
/*--- Memory that the kernel uses                          ---*/
/*------------------------------------------------------------*/

static void on_read(CorePart part, ThreadId tid, const HChar* what, Addr a,
                    SizeT len)
{
   if (part != Vg_CoreSysCall || by_tid[tid] == NULL)
      return;
   DCFG_EACH_WATCHER(w, memory_read)
      DCFG_(watchers)[w]->memory_read(by_tid[tid]->states[w], a, len);
}

/* The text at A, as far as it can be read. */
static void on_read_text(CorePart part, ThreadId tid, const HChar* what,
                         Addr a)
{
   Addr end = a;

   if (part != Vg_CoreSysCall || DCFG_(n_watchers) == 0)
      return;
   do {
      if ((end == a || end % VKI_PAGE_SIZE == 0)
          && !VG_(am_is_valid_for_client)(end, 1, VKI_PROT_READ))
         break;
   } while (*(const UChar*)end++ != 0);
   on_read(part, tid, what, a, end - a);
}

static void on_write(CorePart part, ThreadId tid, Addr a, SizeT len)
{
   if (by_tid[tid] == NULL)
      return;
   DCFG_EACH_WATCHER(w, memory_written)
      DCFG_(watchers)[w]->memory_written(by_tid[tid]->states[w],
                                         part == Vg_CoreSysCall, a, len);
}

Bool DCFG_(jumps_unredirected)(ThreadId tid)
{
   UInt id = DCFG_MARK_ID(*mark_of(by_tid[tid]));
   return id != 0 && DCFG_(superblock)(id)->unredirected;
}

void DCFG_(start_anew)(ThreadId tid)
{
   Thread* self = by_tid[tid];

   for (Word i = 0; i < VG_(sizeXA)(threads); i++) {
      Thread* t = *(Thread**)VG_(indexXA)(threads, i);
      if (t != self)
         delete_thread(t);
   }
   VG_(memset)(by_tid, 0, VG_N_THREADS * sizeof(Thread*));
   VG_(dropTailXA)(threads, VG_(sizeXA)(threads));
   VG_(addToXA)(threads, &self);
   by_tid[tid]   = self;
   self->index   = 0;
   self->started = False;
   DCFG_(clear_cell_array)(self->cells);
   DCFG_(reset_branch_caches)(self->branches);
   restart_states(self);
   VG_(dropTailXA)(self->interruptions, VG_(sizeXA)(self->interruptions));

   VG_(OSetGen_Destroy)(diversions);
   diversions = VG_(OSetGen_Create)(0, cmp_diversions, VG_(malloc),
                                    "dcfg.diversions", VG_(free));
}

void DCFG_(track_threads)(void)
{
   threads    = VG_(newXA)(VG_(malloc), "dcfg.threads", VG_(free),
                           sizeof(Thread*));
   by_tid     = VG_(calloc)("dcfg.by_tid", VG_N_THREADS, sizeof(Thread*));
   diversions = VG_(OSetGen_Create)(0, cmp_diversions, VG_(malloc),
                                    "dcfg.diversions", VG_(free));
   VG_(track_pre_thread_ll_create)(on_create);
   VG_(track_pre_thread_ll_exit)(on_exit);
   VG_(track_start_client_code)(on_start);
   VG_(track_stop_client_code)(on_stop);
   VG_(track_pre_deliver_signal)(on_signal);
   VG_(track_post_deliver_signal)(after_signal);
   VG_(track_pre_mem_read)(on_read);
   VG_(track_pre_mem_read_asciiz)(on_read_text);
   VG_(track_post_mem_write)(on_write);
}

/*------------------------------------------------------------*/
/*--- What happened                                        ---*/
/*------------------------------------------------------------*/

void DCFG_(flush_threads)(void)
{
   for (Word i = 0; i < VG_(sizeXA)(threads); i++) {
      Thread* t = *(Thread**)VG_(indexXA)(threads, i);
      if (t->live)
         flush(t);
   }
}

UInt DCFG_(n_threads)(void)
{
   return VG_(sizeXA)(threads);
}

void DCFG_(thread_info)(UInt index, ThreadInfo* info)
{
   const Thread* t = *(Thread**)VG_(indexXA)(threads, index);

   info->cells  = t->cells;
   info->entry  = t->entry;
   info->undone = t->live && (*mark_of(t) & DCFG_MARK_DIVERTED)
                  ? t->diverted : NULL;
   info->last   = t->live
                  ? position(t, bound_for(t))
                  : t->last;
   info->ran    = t->started && info->last.sb != 0;
   info->live   = t->live;
}

void* DCFG_(thread_state)(UInt index, UInt watcher)
{
   return (*(Thread**)VG_(indexXA)(threads, index))->states[watcher];
}

void DCFG_(each_diversion)(UInt thread, UInt sb,
                           void (*do_it)(void* arg, const Diversion* d),
                           void* arg)
{
   Diversion        key;
   const Diversion* d;

   if (VG_(OSetGen_Size)(diversions) == 0)
      return;
   VG_(memset)(&key, 0, sizeof(key));
   key.thread  = thread;
   key.from.sb = sb;
   VG_(OSetGen_ResetIterAt)(diversions, &key);
   while ((d = VG_(OSetGen_Next)(diversions)) != NULL
          && d->thread == thread && d->from.sb == sb)
      do_it(arg, d);
}

Bool DCFG_(is_bound_for)(UInt thread, UInt sb, Addr addr)
{
   const Thread* t = *(Thread**)VG_(indexXA)(threads, thread);

   if (!t->live || !t->started || bound_for(t) != addr
       || (*mark_of(t) & DCFG_MARK_DIVERTED))
      return False;
   Position p = position(t, addr);
   return p.sb == sb && p.n_done == 0;
}

void DCFG_(retarget_threads)(Target now)
{
   Position none = { 0, 0, { 0, 0, False } };

   DCFG_EACH_WATCHER(w, landing)
      DCFG_(watchers)[w]->landing(now);
   for (Word i = 0; i < VG_(sizeXA)(threads); i++) {
      Thread* t = *(Thread**)VG_(indexXA)(threads, i);
      if (!t->live)
         continue;
      DCFG_EACH_WATCHER(w, landing_for)
         DCFG_(watchers)[w]->landing_for(t->states[w],
                                         t->started
                                         ? position(t, bound_for(t)) : none,
                                         now);
      if (!t->started)
         continue;
      if ((*mark_of(t) & DCFG_MARK_DIVERTED)
          && t->diverted->to.addr == now.addr) {
         t->diverted->count--;
         t->diverted = diversion(t, t->diverted->from, t->diverted->kind,
                                 now.addr);
         t->diverted->count++;
         DCFG_EACH_WATCHER(w, redirect)
            DCFG_(watchers)[w]->redirect(t->states[w], t->diverted->to);
      } else if (*mark_of(t) == 0 && t->entry.addr == now.addr) {
         t->entry = DCFG_(target_now)(now.addr, False);
      }
   }
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
