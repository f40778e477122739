/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The core's events of threads. */

/* Owns: all control flow that generated code cannot count: begin and end of
   signal handlers, restarted system calls, faults, gaps.  Handed: the core's
   events.  Taken by: run/thread.c, run/position.c and run/gap.c, which it
   calls; run/region.c, which waits for threads to leave generated code.

   The core reports when a thread starts and stops running generated code.  If
   the instruction pointer changes in between, that is a diversion, whatever
   part of the core did it.  The counters already have the step that the
   diverted superblock meant to take; run/flow.c takes it back. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "arch/guest.h"
#include "dcfg_output.h"
#include "run/event.h"
#include "run/gap.h"
#include "run/generation.h"
#include "run/inside.h"
#include "run/thread.h"

static void (*code_is_left)(void);     // called when code is left; or NULL

static void on_create(ThreadId parent, ThreadId tid)
{
   Thread* t = DCFG_(new_thread)(tid);

   t->off = !DCFG_(is_collecting)();
   DCFG_(collect_thread)(t->index, DCFG_(is_collected_at_start)());
}

/* T begins at IP, or continues there in a new part of the run. */
static void begin(Thread* t, Addr ip)
{
   if (t->signalled || t->sigreturn || ip != t->stop_ip) {
      t->seam_diverted = True;
      t->seam_kind     = t->signalled ? DivertSignal
                         : t->sigreturn ? DivertSigreturn : DivertRestart;
   }
   DCFG_(end_gap)(t, ip);
   if (t->sigreturn && !t->signalled)
      DCFG_(end_interruption)(t, ip, VG_(get_SP)(t->tid));
}

/* T starts at IP, or goes on there, and is collected. */
static void go_on(Thread* t, Addr ip)
{
   if (!t->entered) {
      begin(t, ip);
   } else if (is_away(t)) {
      if (t->sigreturn)
         DCFG_(end_interruption)(t, ip, VG_(get_SP)(t->tid));
   } else if (t->signalled) {
      DCFG_(divert)(t, t->signal_ip, DivertSignal, ip);
   } else if (ip != t->stop_ip || t->sigreturn) {
      DCFG_(divert)(t, t->stop_ip,
                    t->sigreturn ? DivertSigreturn : DivertRestart, ip);
      if (t->sigreturn)
         DCFG_(end_interruption)(t, ip, VG_(get_SP)(t->tid));
   }
}

static void on_start(ThreadId tid, ULong blocks)
{
   Thread* t  = DCFG_(thread_of)(tid);
   Addr    ip = VG_(get_IP)(tid);
   Addr    sp = VG_(get_SP)(tid);

   /* The watchers may end calls here, which may end the thread's collection. */
   if (DCFG_(is_collecting)())
      DCFG_EACH_WATCHER(w, resume)
         DCFG_(watchers)[w]->resume(t->states[w], ip, sp);

   /* Set the base always: the array may have moved, or the thread may have got
      a copy of its creator's shadow state, or a signal frame's. */
   DCFG_(set_base)(t);
   t->start_blocks = blocks;

   if (t->off && t->sigreturn)
      DCFG_(end_interruption)(t, ip, sp);
   if (!DCFG_(is_collecting)()) {
      t->off_ran = t->unseen = True;
   } else if (t->idle) {
      t->off_ran = True;
      t->unseen  = False;
   } else if (t->off && t->off_ran) {
      DCFG_(end_gap)(t, ip);
   } else {
      go_on(t, ip);
      t->off = t->unseen = False;
   }
   t->started   = True;
   t->signalled = False;
   t->sigreturn = False;
   t->running   = True;
   t->fresh     = True;
}

/* The core counts superblocks, except those that are entered by a forward jump,
   and preempts a thread after 100,000 of them.  So no counter was added to more
   often than the core has counted, and a thread comes back here in time. */
#define CARRY_AFTER (1u << (DCFG_HALF_BITS - 1))

static void carry_if_due(Thread* t, ULong blocks)
{
   t->uncarried += blocks - t->start_blocks;
   if (!DCFG_COUNTS_IN_HALVES || t->uncarried < CARRY_AFTER)
      return;
   DCFG_(flush_branch_caches)(t->branches);
   DCFG_(carry_counters)(t->cells);
   t->uncarried = 0;
}

static void on_stop(ThreadId tid, ULong blocks)
{
   Thread* t = DCFG_(thread_of)(tid);

   carry_if_due(t, blocks);
   t->stop_ip = VG_(get_IP)(tid);
   if (!t->signalled)
      DCFG_(tell_left)(t, t->stop_ip);
   DCFG_EACH_WATCHER(w, pause)
      DCFG_(watchers)[w]->pause(t->states[w]);
   t->running = False;
   DCFG_(tend_branch_caches)(t->branches);
   if (t->idle_branches != NULL)
      DCFG_(tend_branch_caches)(t->idle_branches);
   if (code_is_left != NULL)
      code_is_left();
}

static void on_signal(ThreadId tid, Int sig, Bool alt_stack)
{
   Thread*      t = DCFG_(thread_of)(tid);
   Interruption in;

   /* A thread that nobody follows runs on to the handler. */
   if (!DCFG_(is_collecting)())
      t->off_ran = t->unseen = True;
   if (t->unseen)
      return;
   if (t->running)
      DCFG_(claim_tried)(VG_(get_IP)(tid));
   if (!t->signalled && t->running)
      DCFG_(tell_left)(t, VG_(get_IP)(tid));
   if (!t->signalled && !(t->off && t->off_ran))
      DCFG_(tell_stop)(t);
   DCFG_EACH_WATCHER(w, enter_handler)
      DCFG_(watchers)[w]->enter_handler(t->states[w], sig);
   /* A thread that was not collected, or not in its handler, runs on, too. */
   if (t->idle || (t->off && t->off_ran)) {
      t->off_ran = True;
      return;
   }
   /* A second handler may begin before the first has run. */
   if (t->signalled)
      return;
   t->signalled = True;
   /* A fault stops generated code at the faulting instruction.  Otherwise the
      thread has left the code before, and a system call to be restarted may
      have moved the instruction pointer since. */
   t->signal_ip = t->running ? VG_(get_IP)(tid) : t->stop_ip;
   /* If a handler begins at once when another has returned, it interrupts what
      the other one had interrupted, and the list has that already. */
   if ((!t->entered && t->behind.sb == 0) || t->sigreturn)
      return;
   in.from   = DCFG_(position)(t, t->signal_ip);
   in.site   = in.from.sb == 0 ? t->behind : (Site){ 0, 0 };
   in.sp     = VG_(get_SP)(tid);
   in.hidden = is_away(t);
   VG_(addToXA)(t->interruptions, &in);
}

static void after_signal(ThreadId tid, Int sig)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t->unseen || !DCFG_(is_collecting)())
      return;
   DCFG_EACH_WATCHER(w, leave_handler)
      DCFG_(watchers)[w]->leave_handler(t->states[w]);
}

static void on_exit(ThreadId tid)
{
   Thread* t = DCFG_(thread_of)(tid);

   /* clone failed: the thread never existed. */
   if (!t->started && t->index == DCFG_(all_threads)() - 1) {
      DCFG_(delete_last_thread)(t);
      return;
   }
   t->last = DCFG_(position)(t, DCFG_(bound_for)(t));
   if (!t->off)
      DCFG_(tell_stop)(t);
   if (is_diverted(t))
      t->diverted->count--;
   DCFG_(claim_superblocks)();
   DCFG_(end_thread)(t);
}

void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args)
{
   Thread* t         = DCFG_(thread_of)(tid);
   Bool    sigreturn = False;

#if defined(__NR_rt_sigreturn)
   sigreturn = sigreturn || sysno == __NR_rt_sigreturn;
#endif
#if defined(__NR_sigreturn)
   sigreturn = sigreturn || sysno == __NR_sigreturn;
#endif
   t->sigreturn = sigreturn;
   if (t->off)
      return;
   DCFG_EACH_WATCHER(w, before_syscall)
      DCFG_(watchers)[w]->before_syscall(t->states[w], sysno, args);
}

void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t->off)
      return;
   DCFG_EACH_WATCHER(w, after_syscall)
      DCFG_(watchers)[w]->after_syscall(t->states[w], sysno, args, res);
}

/* --- Memory that the kernel reads and writes              --- */

static void on_read(CorePart part, ThreadId tid, const HChar* what, Addr a,
                    SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreSysCall || t == NULL || t->off)
      return;
   DCFG_EACH_WATCHER(w, memory_read)
      DCFG_(watchers)[w]->memory_read(t->states[w], a, len);
}

/* The kernel reads the text at A, as far as it is mapped. */
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

static void on_offer(CorePart part, ThreadId tid, const HChar* what, Addr a,
                     SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreSysCall || t == NULL || t->off)
      return;
   DCFG_EACH_WATCHER(w, memory_offered)
      DCFG_(watchers)[w]->memory_offered(t->states[w], a, len);
}

static void on_write(CorePart part, ThreadId tid, Addr a, SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t == NULL || t->off)
      return;
   DCFG_EACH_WATCHER(w, memory_written)
      DCFG_(watchers)[w]->memory_written(t->states[w],
                                         part == Vg_CoreSysCall, a, len);
}

/* The core leaves out the red zone's size at the end of the frame, and adds it
   below. */
static void on_frame(Addr a, SizeT len, ThreadId tid)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t == NULL || t->off)
      return;
   DCFG_EACH_WATCHER(w, framed)
      DCFG_(watchers)[w]->framed(t->states[w], a + DCFG_(guest).redzone, len);
}

/* --- Registers that client requests write                  --- */

static void on_register(CorePart part, ThreadId tid, PtrdiffT offset,
                        SizeT size)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreClientReq || t == NULL || t->off)
      return;
   DCFG_EACH_WATCHER(w, register_written)
      DCFG_(watchers)[w]->register_written(t->states[w], offset, size);
}

/* The client request has called FN, natively. */
static void on_call_result(ThreadId tid, PtrdiffT offset, SizeT size, Addr fn)
{
   on_register(Vg_CoreClientReq, tid, offset, size);
}

void DCFG_(when_code_is_left)(void (*do_it)(void))
{
   code_is_left = do_it;
}

void DCFG_(track_threads)(void)
{
   VG_(track_pre_thread_ll_create)(on_create);
   VG_(track_pre_thread_ll_exit)(on_exit);
   VG_(track_start_client_code)(on_start);
   VG_(track_stop_client_code)(on_stop);
   VG_(track_pre_deliver_signal)(on_signal);
   VG_(track_post_deliver_signal)(after_signal);
   VG_(track_pre_mem_read)(on_read);
   VG_(track_pre_mem_read_asciiz)(on_read_text);
   VG_(track_pre_mem_write)(on_offer);
   VG_(track_post_mem_write)(on_write);
   VG_(track_new_mem_stack_signal)(on_frame);
   VG_(track_post_reg_write)(on_register);
   VG_(track_post_reg_write_clientcall_return)(on_call_result);
}
