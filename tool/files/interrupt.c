/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: what signals do while files are written, and how bytes get to a
   descriptor in spite of them.  Handed: signals, by the kernel; bytes.

   While the tool's code runs, the core blocks all signals and looks for them
   later.  SIGTERM, SIGINT and SIGHUP are let through to a handler that only
   notes them.  The first one is sent again at the end.  The kernel may give
   them to another thread of the program, inside a system call.  That call is
   restarted, and finds the signal when it is sent again.

   One case is different: to write files, vgdb uses ptrace on a process that
   waits in a system call.  There the core blocks nothing, and vgdb would keep
   each signal that is not blocked.  So all signals are blocked, and pending
   ones are looked for.

   SIGXFSZ and SIGPIPE come from writing itself.  They are about the tool's
   file, so the program must not get them. */

#include "tool/base/core.h"
#include "tool/files/interrupt.h"

/*--- Signals from outside                                 ---*/

typedef
   struct {
      Int  number;
      Bool is_held;
      vki_sigaction_fromK_t before;
   }
   Held;

static Held held[] = { { VKI_SIGHUP }, { VKI_SIGINT }, { VKI_SIGTERM } };
#define N_HELD (sizeof(held) / sizeof(held[0]))

static vki_sigset_t  mask_before;
static UInt volatile n_came;
static vki_siginfo_t first;
static Bool          by_vgdb;       // look for pending signals
static Bool          given_up;

static void note_signal(Int number, vki_siginfo_t* info, void* context)
{
   if (__sync_add_and_fetch(&n_came, 1) == 1) {
      first          = *info;
      first.si_signo = number;
   }
}

static void look_for_signals(void)
{
   vki_sigset_t  set;
   vki_siginfo_t info;
   Int           number;

   VG_(sigemptyset)(&set);
   for (UInt i = 0; i < N_HELD; i++)
      if (held[i].is_held)
         VG_(sigaddset)(&set, held[i].number);
   while ((number = VG_(sigtimedwait_zero)(&set, &info)) > 0)
      note_signal(number, &info, NULL);
}

void DCFG_(hold_signals)(void)
{
   vki_sigset_t set;

   n_came = 0;
   DCFG_(block_signals)(&mask_before);
   by_vgdb = !VG_(sigismember)(&mask_before, VKI_SIGTERM)
             || !VG_(sigismember)(&mask_before, VKI_SIGUSR1);
   VG_(sigemptyset)(&set);
   for (UInt i = 0; i < N_HELD; i++) {
      Held* h = &held[i];
      vki_sigaction_toK_t act;
      VG_(sigaction)(h->number, NULL, &h->before);
      h->is_held = h->before.ksa_handler != VKI_SIG_IGN;
      if (!h->is_held)
         continue;
      /* The core's handler has the address to return from a handler. */
      VG_(convert_sigaction_fromK_to_toK)(&h->before, &act);
      act.ksa_handler = (void*)note_signal;
      act.sa_flags   |= VKI_SA_SIGINFO | VKI_SA_RESTART;
      VG_(sigfillset)(&act.sa_mask);
      VG_(sigaction)(h->number, &act, NULL);
      VG_(sigaddset)(&set, h->number);
   }
   if (!by_vgdb)
      VG_(sigprocmask)(VKI_SIG_UNBLOCK, &set, NULL);
}

Bool DCFG_(is_abandoned)(void)
{
   if (by_vgdb)
      look_for_signals();
   return n_came >= 2;
}

Bool DCFG_(was_given_up)(void)
{
   return given_up;
}

/* The wait between two looks: signals that come during it, or just before, are
   seen soon enough. */
#define MAX_WAIT 20      // ms

void DCFG_(wait_to_write)(Int fd)
{
   struct vki_pollfd p = { fd, DCFG_POLLOUT, 0 };

   while (!DCFG_(is_abandoned)()) {
      SysRes sres = VG_(poll)(&p, 1, MAX_WAIT);
      if (sr_isError(sres) ? sr_Err(sres) != VKI_EINTR : sr_Res(sres) > 0)
         return;
   }
}

Int DCFG_(wait_for_child)(Int pid)
{
   Bool killed = False;
   Int  status;

   for (Int ms = 1; !DCFG_(has_ended)(pid, &status);
        ms = ms < MAX_WAIT ? ms + 1 : MAX_WAIT) {
      if (!killed && DCFG_(is_abandoned)()) {
         VG_(kill)(pid, VKI_SIGKILL);
         killed = True;
      }
      VG_(poll)(NULL, 0, ms);
   }
   return status;
}

void DCFG_(release_signals)(Bool at_end)
{
   vki_sigset_t set;

   DCFG_(block_signals)(&set);
   for (UInt i = 0; i < N_HELD; i++) {
      vki_sigaction_toK_t act;
      if (!held[i].is_held)
         continue;
      VG_(convert_sigaction_fromK_to_toK)(&held[i].before, &act);
      VG_(sigaction)(held[i].number, &act, NULL);
   }
   if (n_came > 0 && at_end && DCFG_(ends_process)(first.si_signo))
      DCFG_(end_by_signal)(first.si_signo);
   if (n_came > 0 && !at_end) {
      given_up = n_came >= 2 && DCFG_(ends_process)(first.si_signo);
      DCFG_(send_again)(&first);
   }
   DCFG_(restore_signals)(&mask_before);
}

/*--- Writing                                              ---*/

void DCFG_(raise_file_limit)(ULong before[2])
{
   struct vki_rlimit r;

   VG_(getrlimit)(DCFG_RLIMIT_FSIZE, &r);
   before[0]  = r.rlim_cur;
   before[1]  = r.rlim_max;
   r.rlim_cur = ~0UL;
   r.rlim_max = ~0UL;
   if (VG_(setrlimit)(DCFG_RLIMIT_FSIZE, &r) == 0)
      return;
   r.rlim_cur = before[1];
   r.rlim_max = before[1];
   VG_(setrlimit)(DCFG_RLIMIT_FSIZE, &r);
}

static void restore_file_limit(const ULong before[2])
{
   struct vki_rlimit r;

   r.rlim_cur = before[0];
   r.rlim_max = before[1];
   VG_(setrlimit)(DCFG_RLIMIT_FSIZE, &r);
}

ULong DCFG_(largest_file)(void)
{
   struct vki_rlimit r;
   ULong             before[2];

   DCFG_(raise_file_limit)(before);
   VG_(getrlimit)(DCFG_RLIMIT_FSIZE, &r);
   restore_file_limit(before);
   return r.rlim_cur == ~0UL ? ~0ULL : r.rlim_cur;
}

/* Remove a pending SIGNAL.  All signals are blocked while the tool's code runs,
   so this one would wait for the program, but it is about the tool's file. */
static void take_back(Int signal)
{
   vki_sigset_t  set;
   vki_siginfo_t info;

   VG_(sigemptyset)(&set);
   VG_(sigaddset)(&set, signal);
   VG_(sigtimedwait_zero)(&set, &info);
}

Int DCFG_(write_all)(Int fd, const void* data, SizeT n)
{
   const HChar* from   = data;
   Bool         raised = False;
   ULong        before[2];
   Int          error  = 0;

   while (n > 0 && error == 0) {
      Int done = VG_(write)(fd, from, n > 1 << 30 ? 1 << 30 : (Int)n);
      if (done > 0) {
         from += done;
         n    -= done;
      } else if (done == -VKI_EFBIG) {
         take_back(VKI_SIGXFSZ);
         if (raised)
            error = VKI_EFBIG;
         else
            DCFG_(raise_file_limit)(before);
         raised = True;
      } else if (done == -VKI_EPIPE) {
         take_back(VKI_SIGPIPE);
         error = VKI_EPIPE;
      } else if (done != -VKI_EINTR) {
         error = done == 0 ? VKI_EIO : -done;
      }
   }
   if (raised)
      restore_file_limit(before);
   return error;
}
