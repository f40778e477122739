/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which memory each system call reads and writes besides what the core
   announces.  Handed: numbers, arguments and results, by tool/wet/kernel.c and
   tool/record/call_log.c.

   The core announces accesses for Memcheck, which does not need all of them.
   Some calls read a length and write another one to the same place, as accept().
   Calls with many commands, such as fcntl(), prctl() and ioctl(), have results
   that depend on the command. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "format/port.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/run/this_run.h"
#include "tool/wet/syscalls.h"

/*--- Accesses to report                                   ---*/

/* Syscall: a system call, and the function to report its accesses to. */
typedef
   struct {
      UInt         sysno;
      const UWord* args;
      TellMemory   tell;
      void*        arg;
   }
   Syscall;

/* Report N bytes at A, unless A is 0. */
static inline void tell(const Syscall* c, Addr a, SizeT n)
{
   if (a != 0)
      c->tell(c->arg, a, n);
}

/*--- Locks, capabilities, attributes of processes         ---*/

#if defined(__NR_fcntl64)
#define SIZE_OF_LOCK64 sizeof(struct vki_flock64)
#else
#define SIZE_OF_LOCK64 sizeof(struct vki_flock)
#endif

/* The command F_GETLK64 of 32-bit systems. */
enum { GetLock64 = 12 };

static void tell_lock(const Syscall* c)
{
   if (c->args[1] == VKI_F_GETLK)
      tell(c, c->args[2], sizeof(struct vki_flock));
   else if (c->args[1] == VKI_F_OFD_GETLK
            || (VG_WORDSIZE == 4 && c->args[1] == GetLock64))
      tell(c, c->args[2], SIZE_OF_LOCK64);
}

/* The version of capget() that has one element; others have two. */
enum { OneElement = 0x19980330 };

static void tell_capabilities(const Syscall* c)
{
   const UInt* head = (const UInt*)c->args[0];

   if (VG_(am_is_valid_for_client)(c->args[0], sizeof(*head), VKI_PROT_READ))
      tell(c, c->args[1], (*head == OneElement ? 1 : 2)
                          * sizeof(struct __vki_user_cap_data_struct));
}

/* Commands of prctl() that newer kernels have. */
enum { GetSchedCore = 62, GetAuxv = 0x41555856 };

static void tell_attribute(const Syscall* c, UWord result)
{
   switch (c->args[0]) {
      case VKI_PR_GET_TSC:
      case VKI_PR_GET_CHILD_SUBREAPER:
         tell(c, c->args[1], sizeof(Int));
         break;
      case VKI_PR_GET_TID_ADDRESS:
         tell(c, c->args[1], sizeof(Addr));
         break;
      case GetAuxv:
         tell(c, c->args[1], result < c->args[2] ? result : c->args[2]);
         break;
      case GetSchedCore:
         if (c->args[1] == 0)
            tell(c, c->args[4], sizeof(ULong));
         break;
      default:
         break;
   }
}

/*--- Network devices                                      ---*/

/* Requests that the core does not know. */
enum {
   GetMemory = 0x891f, GetEncapsulation = 0x8925, GetSlave = 0x8929,
   GetExtraFlags = 0x8935, GetCount = 0x8938
};

/* Report the structure that the kernel copies back as a whole. */
static void tell_device(const Syscall* c)
{
   switch ((UInt)c->args[1]) {
      case VKI_SIOCGIFNAME: case VKI_SIOCGIFFLAGS: case VKI_SIOCGIFADDR:
      case VKI_SIOCGIFDSTADDR: case VKI_SIOCGIFBRDADDR:
      case VKI_SIOCGIFNETMASK: case VKI_SIOCGIFMETRIC: case VKI_SIOCGIFMTU:
      case VKI_SIOCGIFHWADDR: case VKI_SIOCGIFINDEX: case VKI_SIOCGIFTXQLEN:
      case VKI_SIOCGIFMAP: case GetMemory: case GetEncapsulation:
      case GetSlave: case GetExtraFlags: case GetCount:
         tell(c, c->args[2], sizeof(struct vki_ifreq));
         break;
      case VKI_SIOCGIFCONF:
         tell(c, c->args[2], sizeof(struct vki_ifconf));
         break;
      default:
         break;
   }
}

/*--- System V's communication                             ---*/

/* Commands that are like MSG_STAT and so on, for anybody. */
enum { AnyMessages = 13, AnyMemory = 15, AnySemaphores = 20 };

/* Report what a command for queues, memory or semaphores writes to A: 64-bit
   systems have only the form that others call IPC_64. */
static void tell_status(const Syscall* c, UWord command, Addr a, UWord stat,
                        UWord any, SizeT size)
{
   UWord plain = command & ~(UWord)VKI_IPC_64;

   if ((VG_WORDSIZE == 8 || plain != command)
       && (plain == VKI_IPC_STAT || plain == stat || plain == any))
      tell(c, a, size);
}

static void tell_queue(const Syscall* c, UWord command, Addr a)
{
   tell_status(c, command, a, VKI_MSG_STAT, AnyMessages,
               sizeof(struct vki_msqid64_ds));
}

static void tell_shared(const Syscall* c, UWord command, Addr a)
{
   tell_status(c, command, a, VKI_SHM_STAT, AnyMemory,
               sizeof(struct vki_shmid64_ds));
}

static void tell_semaphores(const Syscall* c, UWord command, Addr a)
{
   tell_status(c, command, a, VKI_SEM_STAT, AnySemaphores,
               sizeof(struct vki_semid64_ds));
}

#if defined(__NR_ipc)
static void tell_ipc(const Syscall* c)
{
   const UWord* a = c->args;

   switch (a[0] & 0xFFFF) {
      case VKI_MSGCTL:
         tell_queue(c, a[2], a[4]);
         break;
      case VKI_SHMCTL:
         tell_shared(c, a[2], a[4]);
         break;
      case VKI_SEMCTL:
         if (VG_(am_is_valid_for_client)(a[4], sizeof(Addr), VKI_PROT_READ))
            tell_semaphores(c, a[3], *(const Addr*)a[4]);
         break;
      default:
         break;
   }
}
#endif

/*--- Memory of processes                                  ---*/

/* Report what a process has written into its own memory, LEFT bytes. */
static void tell_copied(const Syscall* c, UWord left)
{
   const struct vki_iovec* to = (const struct vki_iovec*)c->args[3];

   if (c->args[0] != (UWord)DCFG_(this_pid)())
      return;
   for (UWord i = 0; i < c->args[4] && left > 0; i++) {
      UWord n = to[i].iov_len < left ? to[i].iov_len : left;
      tell(c, (Addr)to[i].iov_base, n);
      left -= n;
   }
}

/* Report the results in memory that the core does not report, or not as long as
   they are.  RESULT is that of the call, no error. */
static void tell_results(const Syscall* c, UWord result)
{
   switch (c->sysno) {
      case __NR_fcntl:
#if defined(__NR_fcntl64)
      case __NR_fcntl64:
#endif
         tell_lock(c);
         break;
      case __NR_capget:
         tell_capabilities(c);
         break;
      case __NR_prctl:
         tell_attribute(c, result);
         break;
      case __NR_ioctl:
         tell_device(c);
         break;
#if defined(__NR_ipc)
      case __NR_ipc:
         tell_ipc(c);
         break;
#endif
#if defined(__NR_msgctl)
      case __NR_msgctl:
         tell_queue(c, c->args[1], c->args[2]);
         break;
      case __NR_shmctl:
         tell_shared(c, c->args[1], c->args[2]);
         break;
      case __NR_semctl:
         tell_semaphores(c, c->args[2], c->args[3]);
         break;
#endif
      case __NR_process_vm_writev:
         tell_copied(c, result);
         break;
      default:
         break;
   }
}

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

/*--- Accesses that the core leaves out                    ---*/

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

/* The kernel tells the child of a clone() its number. */
static void tell_child(const Syscall* c, UWord result)
{
   const UWord child_settid = 0x01000000;

   if (c->sysno == __NR_clone && result == 0 && c->args[0] & child_settid)
      tell(c, c->args[DCFG_(guest).clone_tid], sizeof(Int));
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
   tell_results(&c, sr_Res(res));
   tell_child(&c, sr_Res(res));
}

/*--- Calls of which the core says too much                ---*/

Bool DCFG_(writes_nothing)(UInt sysno, const UWord* args)
{
   if (DCFG_(is_futex)(sysno))
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
