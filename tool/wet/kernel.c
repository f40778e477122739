/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The kernel's part: marks of what it did to the program. */

/* Owns: marks of system calls, signals, mappings and threads that end.  Handed:
   these events by tool/run/event.c and tool/run/image.c.

   Readers of the tape know what each instruction did, and must learn what
   changed the program's memory and registers besides.  The core announces most
   memory that a system call reads and writes.  But it does so for Memcheck,
   which does not need all of it.  What is missing is found in three ways:

   - Replaced values: some calls read a length and write another one to the same
     place, as accept().  These calls are known one by one.
   - Calls with many commands, such as fcntl(), prctl() and ioctl(): the results
     that the core does not report, or not as long as they are, are known by
     command.
   - Copies: memory is compared before the call and after it.  This finds results
     that the core announces too short, too early, or not at all, but only if they
     differ from what was there.

   Two kinds of memory are compared.  The core tells before the call what it
   was given for results (offered memory).  And each argument may be an address:
   then the bytes behind it are copied, too.  Other threads that run during the
   call may store there, so these bytes say something only if none ran. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "format/port.h"
#include "format/wet_records.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/wet/closure.h"
#include "tool/wet/coding.h"
#include "tool/wet/hooks.h"
#include "tool/wet/tape.h"

/*--- Accesses to report                                   ---*/

/* TellMemory: takes an access; ARG was given together with the function. */
typedef void (*TellMemory)(void* arg, Addr a, SizeT len);

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

   if (c->args[0] != VG_(getpid)())
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

/* Report memory that system call SYSNO is about to read. */
static void untold_reads(UInt sysno, const UWord* args, TellMemory to,
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

/* Report memory that system call SYSNO has written. */
static void untold_writes(UInt sysno, const UWord* args, SysRes res,
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
}

/*--- Calls of which the core says too much                ---*/

/* Return whether the system call writes nothing that the core says it does. */
static Bool writes_nothing(UInt sysno, const UWord* args)
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

/* Report the places behind arguments that system call SYSNO may write. */
static void places_to_watch(UInt sysno, const UWord* args, TellMemory to,
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

/*--- Copies                                               ---*/

/* Bytes of one copy, and of all copies, at most. */
#define MOST_OF_ONE (64u << 10)
#define MOST_OF_ALL (1u << 20)

/* Copy: the head of a copy.  Its bytes follow, filled up to whole heads. */
typedef
   struct {
      Addr  a;
      UWord n;
      UWord offered;
   }
   Copy;

static UInt size_of(const Copy* c)
{
   return sizeof(Copy) + VG_ROUNDUP(c->n, sizeof(ULong));
}

static const UChar* bytes_of(const Copy* c)
{
   return (const UChar*)(c + 1);
}

/* Return the end of the memory in S that can be read.  Who reads a mapped file
   behind the page with its end gets SIGBUS. */
static Addr readable_end(const NSegment* s)
{
   const HChar*   name = VG_(am_get_filename)(s);
   struct vg_stat st;
   ULong          n;

   if (s->kind != SkFileC)
      return s->end + 1;
   if (name == NULL || sr_isError(VG_(stat)(name, &st)) || st.dev != s->dev
       || st.ino != s->ino || (ULong)st.size <= (ULong)s->offset)
      return s->start;
   n = VG_PGROUNDUP(st.size - s->offset);
   return n > s->end - s->start ? s->end + 1 : s->start + n;
}

/* Return how many of the N bytes at A can be read, and written by a call: those
   in the mapping there. */
static SizeT readable(Addr a, SizeT n)
{
   const NSegment* s = VG_(am_find_nsegment)(a);
   Addr            end;

   if (s == NULL || !s->hasR || !s->hasW
       || (s->kind != SkAnonC && s->kind != SkFileC && s->kind != SkShmC))
      return 0;
   end = readable_end(s);
   return end <= a ? 0 : n < end - a ? n : end - a;
}

/* Add a copy of the LEN bytes at A to COPIES, as far as they can be read, and
   up to a limit.  OFFERED: the call was given this memory for its results. */
static void copy_memory(Bytes* copies, Addr a, SizeT len, Bool offered)
{
   SizeT left = len < MOST_OF_ONE ? len : MOST_OF_ONE;

   while (a >= VKI_PAGE_SIZE && left > 0 && copies->used < MOST_OF_ALL) {
      Copy  c = { a, readable(a, left), offered };
      Copy* here;
      if (c.n == 0)
         return;
      here  = (Copy*)DCFG_(add_room)(copies, size_of(&c));
      *here = c;
      VG_(memcpy)(here + 1, (const void*)a, c.n);
      a    += c.n;
      left -= c.n;
   }
}

/* Copy once more what COPIES has of the LEN bytes at A. */
static void renew_copies(Bytes* copies, Addr a, SizeT len)
{
   Copy* c;

   for (UInt at = 0; at < copies->used; at += size_of(c)) {
      c = (Copy*)(copies->bytes + at);
      Addr begin = a > c->a ? a : c->a;
      Addr end   = a + len < c->a + c->n ? a + len : c->a + c->n;
      if (begin < end && readable(begin, end - begin) == end - begin)
         VG_(memcpy)((UChar*)(c + 1) + (begin - c->a), (const void*)begin,
                     end - begin);
   }
}

/* Return the offset in C of the first byte from I on that has changed (WANTED),
   or of the first aligned word of four bytes that has not. */
static UWord next(const Copy* c, UWord i, Bool wanted)
{
   const UChar* now = (const UChar*)c->a;
   const UChar* was = bytes_of(c);

   while (i < c->n) {
      UWord end = VG_ROUNDDN(c->a + i, 4) + 4 - c->a;
      end = end < c->n ? end : c->n;
      if ((VG_(memcmp)(now + i, was + i, end - i) != 0) == wanted)
         break;
      i = end;
   }
   return i;
}

/* Call TO with ARG for each piece of memory that is not as it was copied; of
   memory that was not offered only if ALONE. */
static void tell_changes(const Bytes* copies, Bool alone, TellMemory to,
                         void* arg)
{
   const Copy* c;

   for (UInt at = 0; at < copies->used; at += size_of(c)) {
      c = (const Copy*)(copies->bytes + at);
      if (!(c->offered || alone) || readable(c->a, c->n) < c->n)
         continue;
      for (UWord i = next(c, 0, True), end; i < c->n; i = next(c, end, True)) {
         end = next(c, i, False);
         to(arg, c->a + i, end - i);
      }
   }
}

/* Bytes in a mark, at most. */
#define MARK_BYTES (64u << 10)

/*--- Marks of memory                                      ---*/

/* Add the LEN bytes at A, which the kernel has written. */
static void add_contents(Addr a, SizeT len)
{
   while (len > 0) {
      UInt n = len < MARK_BYTES ? len : MARK_BYTES;
      if (VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ)) {
         DCFG_(add_mark_bytes)((const void*)a, n);
         DCFG_(add_mark)(MarkContents, a, n, 0);
      }
      a   += n;
      len -= n;
   }
}

void DCFG_(tape_memory_read)(void* s, Addr a, SizeT len)
{
   if (len == 0 || DCFG_(is_tape_away)())
      return;
   DCFG_(turn_to)(s);
   DCFG_(add_mark)(MarkRead, a, len, 0);
}

void DCFG_(tape_memory_offered)(void* s, Addr a, SizeT len)
{
   if (!DCFG_(is_tape_away)())
      copy_memory(&((Turn*)s)->copies, a, len, True);
}

void DCFG_(tape_memory_written)(void* s, Bool by_syscall, Addr a, SizeT len)
{
   Turn* t = s;

   if (len == 0 || DCFG_(is_tape_away)() || (by_syscall && t->deaf))
      return;
   renew_copies(&t->copies, a, len);
   DCFG_(turn_to)(t);
   DCFG_(add_mark)(by_syscall ? MarkWritten : MarkFresh, a, len, 0);
   add_contents(a, len);
}

void DCFG_(tape_framed)(void* s, Addr a, SizeT len)
{
   if (DCFG_(is_tape_away)())
      return;
   DCFG_(turn_to)(s);
   DCFG_(add_mark)(MarkFresh, a, len, 0);
}

void DCFG_(tape_moved)(Addr from, Addr to, SizeT len)
{
   if (DCFG_(has_turn)() && len > 0 && !DCFG_(is_tape_away)())
      DCFG_(add_mark)(MarkMoved, to, len, from);
}

void DCFG_(tape_unmapped)(Addr a, SizeT len)
{
   if (DCFG_(has_turn)() && len > 0 && !DCFG_(is_tape_away)())
      DCFG_(add_mark)(MarkFresh, a, len, 0);
}

static void add_mapping(Addr a, SizeT len, const Bytes* how)
{
   DCFG_(add_mark_bytes)(how->bytes, how->used);
   DCFG_(add_mark)(MarkMapped, a, len, how->used);
}

/* The heap ends within a page; that page stays as it is. */
void DCFG_(tape_mapped)(Addr a, SizeT len, MappingChange change)
{
   Addr begin = change == MappingChanged ? VG_PGROUNDDN(a) : VG_PGROUNDUP(a);
   Addr end   = VG_PGROUNDUP(a + len);

   if (DCFG_(has_turn)() && len > 0 && begin < end && !DCFG_(is_tape_away)())
      DCFG_(tell_mappings)(begin, end - begin, change, add_mapping);
}

/* Values of madvise() with which memory gets the contents of a new mapping. */
enum { AdviceDontNeed = 4, AdviceRemove = 9, AdviceDontNeedLocked = 24 };

/* Tell of memory that the system call has emptied. */
static void tell_emptied(UInt sysno, const UWord* args)
{
   if (sysno == __NR_madvise && (args[2] == AdviceDontNeed
                                 || args[2] == AdviceRemove
                                 || args[2] == AdviceDontNeedLocked))
      DCFG_(tape_mapped)(args[0], args[1], MappingNew);
}

/*--- Signals                                              ---*/

void DCFG_(tape_handler)(void* s, Int signal)
{
   Turn*    t   = s;
   ThreadId tid = VG_(get_running_tid)();

   if (DCFG_(is_tape_away)())
      return;
   DCFG_(turn_to)(t);
   DCFG_(forget_general)();
   DCFG_(add_mark)(MarkSignal, signal, 0, 0);
   DCFG_(add_mark)(MarkHandler, 0, 0, 0);
   if (!t->set && tid != VG_INVALID_THREADID)
      t->before = DCFG_(read_registers)(tid);
   t->set = True;
}

/* Return whether SYSNO ends a handler. */
static Bool is_sigreturn(UInt sysno)
{
   switch (sysno) {
#if defined(__NR_rt_sigreturn)
      case __NR_rt_sigreturn:
         return True;
#endif
#if defined(__NR_sigreturn)
      case __NR_sigreturn:
         return True;
#endif
      default:
         return False;
   }
}

/* Add a mark for the end of a handler.  The registers that the kernel restores
   may be any, so all of them are told. */
static void end_handler(Turn* t)
{
   DCFG_(turn_to)(t);
   DCFG_(add_mark)(MarkReturn, 0, 0, 0);
   DCFG_(forget_registers)(t);
   t->set = True;
}

/*--- Client requests                                      ---*/

void DCFG_(tape_register_written)(void* s, Int offset, SizeT size)
{
   Bytes b = { NULL, 0, 0 };

   if (DCFG_(is_tape_away)())
      return;
   DCFG_(add_register)(&b, VG_(get_running_tid)(), offset, size);
   DCFG_(turn_to)(s);
   DCFG_(add_mark_bytes)(b.bytes, b.used);
   DCFG_(add_mark)(MarkRegisters, b.used, 0, 0);
   VG_(free)(b.bytes);
}

/*--- System calls                                         ---*/

static void copy_argument(void* s, Addr a, SizeT len)
{
   copy_memory(&((Turn*)s)->copies, a, len, False);
}

void DCFG_(tape_syscall)(void* s, UInt sysno, const UWord* args)
{
   Turn* t = s;

   DCFG_(empty_bytes)(&t->copies);
   t->called_at = DCFG_(turns)();
   t->deaf      = writes_nothing(sysno, args);
   if (!DCFG_(is_tape_away)())
      places_to_watch(sysno, args, copy_argument, s);
   if (is_sigreturn(sysno) && !DCFG_(is_tape_away)())
      end_handler(s);
   if (sysno == __NR_munmap)
      DCFG_(close_code)(args[0], args[1]);
   untold_reads(sysno, args, DCFG_(tape_memory_read), s);
}

/* Flags and arguments of clone() and clone3(). */
enum { CloneClears = 0x00200000, CloneTidAt = 16 };

/* Return where the kernel clears the number of the thread that the call has
   created when the thread has ended; 0: nowhere. */
static Addr cleared_by(UInt sysno, const UWord* args)
{
   ULong flags, tid;

#if defined(__NR_clone3)
   if (sysno == __NR_clone3) {
      __builtin_memcpy(&flags, (const void*)args[0], sizeof(flags));
      __builtin_memcpy(&tid, (const UChar*)args[0] + CloneTidAt, sizeof(tid));
      return flags & CloneClears ? tid : 0;
   }
#endif
   flags = args[0];
   tid   = args[DCFG_(guest).clone_tid];
   return sysno == __NR_clone && flags & CloneClears ? tid : 0;
}

/* Write a mark if the system call has created a thread, which has not run. The
   thread begins with the registers of its creator S. */
static void tell_newborn(Turn* s, UInt sysno, const UWord* args)
{
   UWord stack = sysno != __NR_clone ? StackFromCall
                 : args[1] != 0 ? StackFromArgument : StackOfCreator;
   Turn* t     = DCFG_(take_newborn)();

   if (t == NULL)
      return;
   t->clears = cleared_by(sysno, args);
   if (DCFG_(is_tape_away)())
      return;
   DCFG_(turn_to)(s);
   DCFG_(add_mark)(MarkCreated, t->index, stack, 0);
}

static void note_written(void* s, Addr a, SizeT len)
{
   DCFG_(tape_memory_written)(s, True, a, len);
}

/* Write a mark of the result, which is in a register from now on. */
static void tell_result(Turn* s, UInt sysno, SysRes res)
{
   ULong result = sr_isError(res) ? -(ULong)sr_Err(res) : (ULong)sr_Res(res);

   if (DCFG_(is_tape_away)() || is_sigreturn(sysno))
      return;
   DCFG_(turn_to)(s);
   DCFG_(add_mark)(MarkResult, DCFG_(zigzag)(result), 0, 0);
}

void DCFG_(tape_syscall_done)(void* s, UInt sysno, const UWord* args,
                              SysRes res)
{
   Turn* t = s;

   t->deaf = False;
   if (sysno == __NR_set_tid_address)
      t->clears = args[0];
   untold_writes(sysno, args, res, note_written, s);
   tell_changes(&t->copies, t->called_at == DCFG_(turns)(),
                       note_written, s);
   DCFG_(empty_bytes)(&t->copies);
   if (sr_isError(res)) {
      DCFG_(take_newborn)();
   } else {
      tell_emptied(sysno, args);
      tell_newborn(s, sysno, args);
   }
   tell_result(s, sysno, res);
}

/*--- Threads                                              ---*/

/* Addr: where the kernel clears numbers of threads that have ended. It does so
   soon after the thread's end. */
static XArray* to_clear;

/* Tell of each number that has been cleared. */
static void tell_cleared(void)
{
   const UInt zero = 0;

   for (Word i = to_clear == NULL ? 0 : VG_(sizeXA)(to_clear); i-- > 0; ) {
      Addr a     = *(Addr*)VG_(indexXA)(to_clear, i);
      Bool there = VG_(am_is_valid_for_client)(a, sizeof(zero),
                                               VKI_PROT_READ);
      if (there && *(const UInt*)a != 0)
         continue;
      VG_(removeIndexXA)(to_clear, i);
      if (there && !DCFG_(is_tape_away)()) {
         DCFG_(add_mark_bytes)(&zero, sizeof(zero));
         DCFG_(add_mark)(MarkContents, a, sizeof(zero), 0);
      }
   }
}

void DCFG_(tape_resume)(void* s, Addr ip, Addr sp)
{
   DCFG_(tape_begin_turn)(s);
   tell_cleared();
   DCFG_(tell_general)();
}

static void note_to_clear(Addr a)
{
   if (a == 0)
      return;
   if (to_clear == NULL)
      to_clear = VG_(newXA)(VG_(malloc), "dcfg.kernel.clear", VG_(free),
                            sizeof(Addr));
   for (Word i = 0; i < VG_(sizeXA)(to_clear); i++)
      if (*(Addr*)VG_(indexXA)(to_clear, i) == a)
         return;
   VG_(addToXA)(to_clear, &a);
}

void DCFG_(tape_thread_end)(void* s)
{
   const Turn* t = s;

   if (!DCFG_(has_turn)() || DCFG_(is_tape_away)())
      return;
   DCFG_(add_mark)(MarkEnded, t->index, 0, 0);
   note_to_clear(t->clears);
}
