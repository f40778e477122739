/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory accesses of system calls that the core does not report. */

/* Owns: memory that system calls read or write, but that the core does not
   report, because Memcheck does not need it: values that replace other
   values.  Handed: system calls. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/wet/syscalls.h"

static Bool is_readable(Addr a, SizeT n)
{
   return VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ);
}

/*--- Sockets                                              ---*/

enum {
   SockAccept = VKI_SYS_ACCEPT, SockName = VKI_SYS_GETSOCKNAME,
   SockPeer = VKI_SYS_GETPEERNAME, SockReceiveFrom = VKI_SYS_RECVFROM,
   SockOption = VKI_SYS_GETSOCKOPT, SockReceive = VKI_SYS_RECVMSG,
   SockAccept4 = 18, SockReceiveMany = 19, SockNone = 0
};

/* Return which socket call it is, by the numbers of socketcall(), and its
   arguments. */
static UInt socket_call(const Syscall* c, const UWord** args)
{
   *args = c->args;
   switch (c->sysno) {
#if defined(__NR_socketcall)
      case __NR_socketcall:
         *args = (const UWord*)c->args[1];
         return is_readable(c->args[1], 6 * sizeof(UWord)) ? c->args[0]
                                                           : SockNone;
#endif
#if defined(__NR_accept)
      case __NR_accept:
         return SockAccept;
#endif
      case __NR_accept4:
         return SockAccept4;
      case __NR_getsockname:
         return SockName;
      case __NR_getpeername:
         return SockPeer;
      case __NR_recvfrom:
         return SockReceiveFrom;
      case __NR_getsockopt:
         return SockOption;
      case __NR_recvmsg:
         return SockReceive;
      case __NR_recvmmsg:
#if defined(__NR_recvmmsg_time64)
      case __NR_recvmmsg_time64:
#endif
         return SockReceiveMany;
      default:
         return SockNone;
   }
}

static void tell_header(const Syscall* c, const struct vki_msghdr* h)
{
   if (!is_readable((Addr)h, sizeof(*h)))
      return;
   if (h->msg_name != NULL)
      tell(c, (Addr)&h->msg_namelen, sizeof(h->msg_namelen));
   tell(c, (Addr)&h->msg_controllen, sizeof(h->msg_controllen));
}

/* Report the lengths that replace the room that was given. */
static void socket_writes(const Syscall* c, UWord result)
{
   const UWord*              args;
   const struct vki_mmsghdr* many;

   switch (socket_call(c, &args)) {
      case SockAccept: case SockAccept4:
         if (args[1] != 0)
            tell(c, args[2], sizeof(UInt));
         break;
      case SockName: case SockPeer:
         tell(c, args[2], sizeof(UInt));
         break;
      case SockOption:
         tell(c, args[4], sizeof(UInt));
         break;
      case SockReceiveFrom:
         if (args[4] != 0)
            tell(c, args[5], sizeof(UInt));
         break;
      case SockReceive:
         tell_header(c, (const struct vki_msghdr*)args[1]);
         break;
      case SockReceiveMany:
         many = (const struct vki_mmsghdr*)args[1];
         for (UWord i = 0; i < result; i++)
            tell_header(c, &many[i].msg_hdr);
         break;
      default:
         break;
   }
}

/*--- Waiting                                              ---*/

static Bool is_select(UInt sysno)
{
   switch (sysno) {
#if defined(__NR__newselect)
      case __NR__newselect:
#elif defined(__NR_select)
      case __NR_select:
#endif
#if defined(__NR_pselect6_time64)
      case __NR_pselect6_time64:
#endif
      case __NR_pselect6:
         return True;
      default:
         return False;
   }
}

/* Report sets of descriptors, as many as the first argument says, in whole
   words. */
static void tell_sets(const Syscall* c)
{
   const UWord bits = 8 * sizeof(UWord);

   for (UInt i = 1; i <= 3; i++)
      tell(c, c->args[i], (c->args[0] + bits - 1) / bits * sizeof(UWord));
}

/* Report the time left, SIZE bytes at A, unless the call did not wait. */
static void tell_rest(const Syscall* c, Addr a, SizeT size)
{
   for (SizeT i = 0; a != 0 && is_readable(a, size) && i < size; i++)
      if (((const UChar*)a)[i] != 0) {
         tell(c, a, size);
         return;
      }
}

/* A call that a signal ended (FAILED) has written the time, but no sets. */
static void wait_writes(const Syscall* c, Bool failed)
{
   if (is_select(c->sysno) && !failed)
      tell_sets(c);
   switch (c->sysno) {
#if defined(__NR_ppoll_time64)
      case __NR_ppoll_time64:
         tell_rest(c, c->args[2], 2 * sizeof(ULong));
         break;
      case __NR_pselect6_time64:
         tell_rest(c, c->args[4], 2 * sizeof(ULong));
         break;
#endif
      case __NR_ppoll:
         tell_rest(c, c->args[2], 2 * sizeof(UWord));
         break;
      default:
         if (is_select(c->sysno))
            tell_rest(c, c->args[4], 2 * sizeof(UWord));
         break;
   }
}

/*--- System calls                                         ---*/

/* Report the offsets that copies between files read and advance. */
static void tell_offsets(const Syscall* c)
{
   switch (c->sysno) {
      case __NR_splice:
#if defined(__NR_copy_file_range)
      case __NR_copy_file_range:
#endif
         tell(c, c->args[1], sizeof(ULong));
         tell(c, c->args[3], sizeof(ULong));
         break;
      default:
         break;
   }
}

static void tell_futex(const Syscall* c)
{
   if (c->sysno == __NR_futex
       && (c->args[1] & ~VKI_FUTEX_PRIVATE_FLAG) == VKI_FUTEX_WAKE_OP)
      tell(c, c->args[4], sizeof(UInt));
}

void DCFG_(untold_reads)(UInt sysno, const UWord* args, TellMemory to,
                         void* arg)
{
   Syscall c = { sysno, args, to, arg };

   tell_offsets(&c);
   tell_futex(&c);
   if (is_select(sysno))
      tell_sets(&c);
   else if (sysno == __NR_epoll_ctl && args[1] != VKI_EPOLL_CTL_DEL)
      tell(&c, args[3], sizeof(struct vki_epoll_event));
#if defined(__NR_sendfile)
   else if (sysno == __NR_sendfile)
      tell(&c, args[2], sizeof(UWord));
#endif
#if defined(__NR_sendfile64)
   else if (sysno == __NR_sendfile64)
      tell(&c, args[2], sizeof(ULong));
#endif
}

void DCFG_(untold_writes)(UInt sysno, const UWord* args, SysRes res,
                          TellMemory to, void* arg)
{
   Syscall c = { sysno, args, to, arg };

   if (!sr_isError(res) || sr_Err(res) == VKI_EINTR)
      wait_writes(&c, sr_isError(res));
   if (sr_isError(res))
      return;
   tell_offsets(&c);
   tell_futex(&c);
   socket_writes(&c, sr_Res(res));
   DCFG_(tell_results)(&c, sr_Res(res));
}

/*--- What the core says                                   ---*/

static Bool is_futex(UInt sysno)
{
#if defined(__NR_futex_time64)
   if (sysno == __NR_futex_time64)
      return True;
#endif
   return sysno == __NR_futex;
}

Bool DCFG_(writes_nothing)(UInt sysno, const UWord* args)
{
   if (is_futex(sysno))
      switch (args[1] & ~(VKI_FUTEX_PRIVATE_FLAG | VKI_FUTEX_CLOCK_REALTIME)) {
         case VKI_FUTEX_WAIT: case VKI_FUTEX_WAIT_BITSET:
         case VKI_FUTEX_WAKE: case VKI_FUTEX_WAKE_BITSET:
         case VKI_FUTEX_WAKE_OP: case VKI_FUTEX_REQUEUE:
         case VKI_FUTEX_CMP_REQUEUE:
            return True;
         default:
            return False;
      }
   return sysno == __NR_sched_setparam
          || (sysno == __NR_ioctl && args[1] == VKI_TIOCSPGRP);
}

/* Bytes behind an argument that may be results. */
#define RESULT_BYTES 256

/* Calls that write nothing behind their arguments, or that change mappings
   there, which is told elsewhere.  Others store to a futex during the call. */
static const UInt not_watched[] = {
   __NR_munmap, __NR_mremap, __NR_mprotect, __NR_brk, __NR_madvise,
   __NR_write, __NR_writev, __NR_pwrite64, __NR_sendmsg, __NR_sendto,
   __NR_clone, __NR_execve, __NR_futex, __NR_rt_sigreturn,
#if defined(__NR_mmap)
   __NR_mmap,
#endif
#if defined(__NR_mmap2)
   __NR_mmap2,
#endif
#if defined(__NR_shmat)
   __NR_shmat, __NR_shmdt,
#endif
#if defined(__NR_ipc)
   __NR_ipc,
#endif
#if defined(__NR_sigreturn)
   __NR_sigreturn,
#endif
#if defined(__NR_futex_time64)
   __NR_futex_time64,
#endif
#if defined(__NR_clone3)
   __NR_clone3,
#endif
};

void DCFG_(places_to_watch)(UInt sysno, const UWord* args, TellMemory to,
                            void* arg)
{
   Syscall      c = { sysno, args, to, arg };
   const UWord* inner;

   for (UInt i = 0; i < sizeof(not_watched) / sizeof(not_watched[0]); i++)
      if (not_watched[i] == sysno)
         return;
   for (UInt i = 0; i < 6; i++)
      tell(&c, args[i], RESULT_BYTES);
   if (socket_call(&c, &inner) == SockNone || inner == args)
      return;
   for (UInt i = 0; i < 6; i++)
      tell(&c, inner[i], RESULT_BYTES);
}
