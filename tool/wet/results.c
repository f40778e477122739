/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Results of system calls that have many commands. */

/* Owns: which memory fcntl(), prctl(), ioctl() and the like have written
   where the core does not report it, or only a part.  Handed: system calls
   that succeeded, by tool/wet/syscalls.c.

   tool/wet/copies.c finds most of these results, too, but only if they differ from
   what was there. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/wet/results.h"

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

   if (c->args[0] != VG_(getpid)())
      return;
   for (UWord i = 0; i < c->args[4] && left > 0; i++) {
      UWord n = to[i].iov_len < left ? to[i].iov_len : left;
      tell(c, (Addr)to[i].iov_base, n);
      left -= n;
   }
}

void DCFG_(tell_results)(const Syscall* c, UWord result)
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
