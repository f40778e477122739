/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's RLIMIT_AS. */

/* Owns: the limit of address space that the program has set for itself. Handed:
   system calls, by dcfg_main.c.  Taken by: dcfg_main.c.

   The kernel must not get this limit: it would limit the tool's memory, too,
   and nobody could raise a hard limit again.  So for the duration of the system
   call, the program's struct holds the limit that is in force already.  This
   works even if the program itself cannot write the struct's memory.
   Afterwards the program reads back the limit that it has set.  A program that
   execve starts gets the soft limit.

   No thread can see the struct change: these system calls do not block, so no
   other thread runs meanwhile. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/base/core.h"
#include "tool/base/spacelimit.h"

#define RLIMIT_SPACE 9

typedef struct { ULong cur, max; } Limit64;

static Bool              is_set;   // has the program set a limit?
static struct vki_rlimit limit;    // the limit that the program sees

static Bool              in_call;  // does the program's struct hold another
                                   // limit now?
static struct vki_rlimit wanted;   // the limit that the struct held

static Bool              is_passed;  // has the kernel got the program's limit,
                                     // for an execve?
static struct vki_rlimit passed;     // the kernel's limit before that

static Bool usable(UWord at, SizeT n, UInt prot)
{
   return at != 0 && VG_(am_is_valid_for_client)(at, n, prot);
}

/* Overwrite the N bytes at AT in the program's memory with those at FROM. */
static Bool change(UWord at, const void* from, SizeT n)
{
   const NSegment* seg  = VG_(am_find_nsegment)(at);
   Addr            page = VG_PGROUNDDN(at);
   SizeT           len  = VG_PGROUNDUP(at + n) - page;
   UInt            prot;

   if (seg == NULL || seg->end - at < n - 1)
      return False;
   prot = (seg->hasR ? VKI_PROT_READ : 0) | (seg->hasW ? VKI_PROT_WRITE : 0)
          | (seg->hasX ? VKI_PROT_EXEC : 0);
   if (!seg->hasW && DCFG_(protect)(page, len, prot | VKI_PROT_WRITE) != 0)
      return False;
   VG_(memcpy)((void*)at, from, n);
   if (!seg->hasW)
      DCFG_(protect)(page, len, prot);
   return True;
}

/* Return whether system call SYSNO sets or reads RLIMIT_AS.  *NEW and *OLD
   become the addresses of its structs, or 0 if there is none. */
static Bool is_about_space(UInt sysno, const UWord* args,
                           /*OUT*/UWord* new, /*OUT*/UWord* old,
                           /*OUT*/Bool* is_64)
{
   *new = *old = 0;
   *is_64 = sizeof(limit.rlim_cur) == 8;
   switch (sysno) {
#if defined(__NR_setrlimit)
      case __NR_setrlimit:
         *new = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
#if defined(__NR_getrlimit)
      case __NR_getrlimit:
         *old = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
#if defined(__NR_ugetrlimit)
      case __NR_ugetrlimit:
         *old = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
#if defined(__NR_prlimit64)
      case __NR_prlimit64:
         *new   = args[2];
         *old   = args[3];
         *is_64 = True;
         return args[1] == RLIMIT_SPACE
                && (args[0] == 0 || args[0] == (UWord)VG_(getpid)());
#endif
      default:
         return False;
   }
}

static struct vki_rlimit get(UWord at, Bool is_64)
{
   struct vki_rlimit r;
   if (!is_64)
      return *(struct vki_rlimit*)at;
   r.rlim_cur = ((Limit64*)at)->cur;
   r.rlim_max = ((Limit64*)at)->max;
   return r;
}

static Bool put(UWord at, Bool is_64, struct vki_rlimit r)
{
   /* A word of ones means "no limit" in both widths. */
   Bool    narrow = sizeof(r.rlim_cur) == 4;
   ULong   none   = ~0ULL;
   Limit64 wide   = { narrow && ~r.rlim_cur == 0 ? none : r.rlim_cur,
                      narrow && ~r.rlim_max == 0 ? none : r.rlim_max };

   return is_64 ? change(at, &wide, sizeof(wide)) : change(at, &r, sizeof(r));
}

static SizeT size(Bool is_64)
{
   return is_64 ? sizeof(Limit64) : sizeof(struct vki_rlimit);
}

void DCFG_(hold_space_limit)(UInt sysno, const UWord* args)
{
   UWord             new, old;
   Bool              is_64;
   struct vki_rlimit now;

   in_call = False;
   if (!is_about_space(sysno, args, &new, &old, &is_64)
       || !usable(new, size(is_64), VKI_PROT_READ))
      return;
   wanted = get(new, is_64);
   if (wanted.rlim_cur > wanted.rlim_max)
      return;                           // the kernel refuses it
   VG_(getrlimit)(RLIMIT_SPACE, &now);
   if (wanted.rlim_max > (is_set ? limit.rlim_max : now.rlim_max)
       && VG_(geteuid)() != 0) {
      now.rlim_cur = 1;                 // so that the kernel refuses it
      now.rlim_max = 0;
   }
   in_call = put(new, is_64, now);
}

void DCFG_(show_space_limit)(UInt sysno, const UWord* args, Bool failed)
{
   UWord             new, old;
   Bool              is_64, was_set = is_set;
   struct vki_rlimit before = limit;

   if (!is_about_space(sysno, args, &new, &old, &is_64))
      return;
   if (in_call) {
      put(new, is_64, wanted);
      if (!failed) {
         limit  = wanted;
         is_set = True;
      }
      in_call = False;
   }
   if (was_set && !failed && usable(old, size(is_64), VKI_PROT_WRITE))
      put(old, is_64, before);
}

/* The kernel gets the soft limit only: after a failed execve, nobody could
   raise a hard limit again. */
void DCFG_(pass_space_limit)(void)
{
   struct vki_rlimit soft;

   if (!is_set)
      return;
   VG_(getrlimit)(RLIMIT_SPACE, &passed);
   soft          = passed;
   soft.rlim_cur = limit.rlim_cur < passed.rlim_max ? limit.rlim_cur
                                                    : passed.rlim_max;
   VG_(setrlimit)(RLIMIT_SPACE, &soft);
   is_passed = True;
}

void DCFG_(take_back_space_limit)(void)
{
   if (is_passed)
      VG_(setrlimit)(RLIMIT_SPACE, &passed);
   is_passed = False;
}
