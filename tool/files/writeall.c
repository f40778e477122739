/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writing to descriptors. */

/* Owns: how bytes are written to a descriptor.  Handed: bytes. */

#include "pub_tool_basics.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_vki.h"

#include "tool/base/core.h"
#include "tool/files/writeall.h"

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
