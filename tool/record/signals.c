/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals of a recorded run. */

/* Owns: which signals are in the log, and how a replay gets them.  Handed: frames
   of handlers that the core makes, and its questions to the kernel.

   Faults come again by themselves.  Other signals are put when their handler
   gets its frame, or when they kill the process, with their siginfo_t.  A replay
   answers the core's question for signals that wait: the one that is due here.
   Signals from outside that would end a program end the replay.

   The core keeps data of its own in a handler's frame, behind the part of which it
   tells: its counter, and addresses.  They differ from run to run, and a program
   could read them from unused stack, so they are cleared with the frame. */

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/record/recorded.h"
#include "tool/record/log.h"

static Bool may_be_fault(Int signo)
{
   return signo == VKI_SIGSEGV || signo == VKI_SIGBUS || signo == VKI_SIGFPE
          || signo == VKI_SIGILL || signo == VKI_SIGTRAP;
}

static void log_signal(ThreadId tid, const vki_siginfo_t* info)
{
   DCFG_(log_interrupted)(tid);
   DCFG_(log_event)(EvSignal, tid);
   DCFG_(log_bytes)(RecEvents, info, sizeof(*info));
   DCFG_(progress).signals++;
}

/* Return whether the thread has caused the signal itself, by an instruction. */
static Bool is_fault(const vki_siginfo_t* info)
{
   const Int by_kernel = 128;         // SI_KERNEL

   return may_be_fault(info->si_signo) && info->si_code > 0
          && info->si_code != by_kernel;
}

/* Frames of both kinds, of sigreturn() and rt_sigreturn(): the bytes that are the
   program's, and all bytes. */
static struct {
   SizeT told, size;
} frames[2];
static Addr  told_at;
static SizeT told;

static void (*then_write)(CorePart, ThreadId, Addr, SizeT);

static void on_write(CorePart part, ThreadId tid, Addr a, SizeT n)
{
   if (part == Vg_CoreSignal && (told == 0 || a != told_at + told)) {
      told_at = a;
      told    = n;
   } else if (part == Vg_CoreSignal) {
      told += n;
   }
   if (then_write != NULL)
      then_write(part, tid, a, n);
}

void DCFG_(carry_frames)(Carry carry)
{
   carry(&frames, sizeof(frames));
}

void DCFG_(start_signals)(void)
{
   then_write = VG_(tdict).track_post_mem_write;
   VG_(track_post_mem_write)(on_write);
}

/* Note the size of the frame at SP, below TOP.  A gap of a few bytes may be
   between both. */
static void measure_frame(Addr sp, Addr top, Bool is_rt)
{
   SizeT n = top - sp;

   if (sp != told_at || n < told)
      return;
   if (frames[is_rt].size == 0 || n < frames[is_rt].size)
      frames[is_rt].size = n;
   frames[is_rt].told = told;
}

void DCFG_WRAP(VG_(sigframe_destroy))(ThreadId tid, Bool is_rt)
{
   Addr  sp   = VG_(get_SP)(tid);
   SizeT from = frames[is_rt].told, n = frames[is_rt].size - from;

   DCFG_REAL(VG_(sigframe_destroy))(tid, is_rt);
   if (DCFG_(run_mode) != RunFree && DCFG_(usable)(sp + from, n, VKI_PROT_WRITE))
      VG_(memset)((void*)(sp + from), 0, n);
}

/* The context of a signal that is no fault has the numbers of the processor's
   last fault, which are nobody's: a replay has none. */
void DCFG_WRAP(VG_(sigframe_create))(ThreadId tid, Bool alt_stack, Addr top,
                                     const vki_siginfo_t* info,
                                     const struct vki_ucontext* uc,
                                     void* handler, UInt flags,
                                     const vki_sigset_t* mask, void* restorer)
{
   if (DCFG_(run_mode) == RunRecorded && !is_fault(info)) {
      log_signal(tid, info);
      uc = NULL;
   }
   told = 0;
   DCFG_REAL(VG_(sigframe_create))(tid, alt_stack, top, info, uc, handler,
                                   flags, mask, restorer);
   if (DCFG_(run_mode) != RunFree)
      measure_frame(VG_(get_SP)(tid), top, DCFG_(is_rt_frame)(flags));
}

void DCFG_(log_fatal)(ThreadId tid, Int signo)
{
   vki_siginfo_t info;

   if (may_be_fault(signo) && DCFG_(has_faulted)(tid)) {
      DCFG_(log_event)(EvEnd, tid);
      return;
   }
   VG_(memset)(&info, 0, sizeof(info));
   info.si_signo = signo;
   log_signal(tid, &info);
}

/* End the replay if a signal has come that ends programs. */
static void heed_outside(void)
{
   vki_sigset_t  set;
   vki_siginfo_t info;

   VG_(sigemptyset)(&set);
   VG_(sigaddset)(&set, VKI_SIGINT);
   VG_(sigaddset)(&set, VKI_SIGTERM);
   VG_(sigaddset)(&set, VKI_SIGHUP);
   Int signo = DCFG_REAL(VG_(sigtimedwait_zero))(&set, &info);
   if (signo <= 0)
      return;
   DCFG_(stop_by_signal)(signo);
}

Int DCFG_WRAP(VG_(sigtimedwait_zero))(const vki_sigset_t* set,
                                      vki_siginfo_t* info)
{
   if (DCFG_(run_mode) != RunReplayed)
      return DCFG_REAL(VG_(sigtimedwait_zero))(set, info);
   if (DCFG_(due)() != EvSignal) {
      heed_outside();
      return 0;
   }
   DCFG_(take_event)(EvSignal);
   DCFG_(take_bytes)(RecEvents, info, sizeof(*info));
   if (info->si_signo < 1 || info->si_signo > _VKI_NSIG)
      DCFG_(diverged)("the log has a signal %d", info->si_signo);
   DCFG_(progress).signals++;
   return info->si_signo;
}
