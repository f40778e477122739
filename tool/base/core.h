/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The interface to Valgrind's core. */

/* This file has what most files take from the core, so files that include it do
   not name these headers again.  It alone has what the tool takes beyond the
   pub_tool_*.h headers, and all differences between the supported versions,
   3.19.0 to 3.27.1. */

#ifndef __DCFG_CORE_H
#define __DCFG_CORE_H

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_oset.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"
#include "config.h"                        // VERSION, which is Valgrind's
#include "format/port.h"

/* The core's headers that follow are here for tasks without a tool-level
   interface:
   - an object's symbol table, the form of C++ names, redirections of functions,
     the program's entry point,
   - the text of an error number, system calls, descriptors that are hidden from
     the program, the environment,
   - sets of signals, and discarding translations. */
#include "coregrind/pub_core_clientstate.h" // VG_(client_auxv) and others
#include "coregrind/pub_core_threadstate.h" // VG_(threads)
#include "coregrind/pub_core_debuginfo.h"  // VG_(DebugInfo_syms_getidx)
#include "coregrind/pub_core_aspacemgr.h"  // VG_(am_munmap_client) and others
#include "coregrind/pub_core_demangle.h"   // VG_(demangle)
#include "coregrind/pub_core_initimg.h"    // VG_(ii_create_image)
#include "coregrind/pub_core_libcfile.h"   // VG_(safe_fd)
#include "coregrind/pub_core_libcprint.h"  // VG_(log_output_sink)
#include "coregrind/pub_core_libcproc.h"   // VG_(env_clone)
#include "coregrind/pub_core_libcsignal.h" // VG_(sigfillset)
#include "coregrind/pub_core_gdbserver.h"  // VG_(gdbserver_exit)
#include "coregrind/pub_core_scheduler.h"  // VG_(release_BigLock)
#include "coregrind/pub_core_signals.h"    // VG_(kill_self)
#include "coregrind/pub_core_options.h"    // VG_(should_we_trace_this_child)
#include "coregrind/pub_core_redir.h"      // VG_(redir_do_lookup)
#include "coregrind/pub_core_syscall.h"    // VG_(strerror), VG_(do_syscall5)
#include "coregrind/pub_core_tooliface.h"  // VG_(tdict)

/* A tool may call this only at certain times.  Beyond these, a call while a
   superblock is being translated is safe: the core looks up the superblock that
   it is about to chain or run once more after a translation. */
extern void VG_(discard_translations) ( Addr start, ULong len,
                                        const HChar* who );

/* Return a new XArray of elements of TYPE. */
#define DCFG_NEW_ARRAY(what, type)                                      \
   VG_(newXA)(VG_(malloc), (what), VG_(free), sizeof(type))

/* Return a new text: FORMAT, printed.  The caller frees it. */
static inline HChar* DCFG_(printed) ( const HChar* format, ... )
   PRINTF_CHECK(1, 2);
static inline HChar* DCFG_(printed) ( const HChar* format, ... )
{
   HChar* text = NULL;
   UInt   n, room = 64;
   do {
      va_list args;
      room *= 2;
      text  = VG_(realloc)("dcfg.text", text, room);
      va_start(args, format);
      n = VG_(vsnprintf)(text, room, format, args);
      va_end(args);
   } while (n >= room);
   return text;
}

/* Send all further messages to the standard output, as --help does. */
static inline void DCFG_(print_to_stdout) ( void )
{
   VG_(log_output_sink).fd   = 1;
   VG_(log_output_sink).type = VgLogTo_Fd;
}

/* Limit the next superblocks to N instructions; 0: to the user's own limit. VEX
   reads the limit at each translation. */
extern VexControl vex_control;
static inline void DCFG_(limit_superblocks) ( UInt n )
{
   vex_control.guest_max_insns
      = n == 0 ? VG_(clo_vex_control).guest_max_insns : (Int)n;
}

/* Make the core read an object's debug information.  Newer versions read it
   only when somebody asks about an address in the object.  Before that, the
   core has only the symbols that the dynamic linker needs, or none. */
static inline void DCFG_(read_debug_info) ( const DebugInfo* di )
{
   const HChar* name;
   VG_(get_fnname)(VG_(current_DiEpoch)(), VG_(DebugInfo_get_text_avma)(di),
                   &name);
}

/* Rename a file with FLAGS, as Linux can from 3.15 on.  Return 0 or an errno:
   EINVAL or ENOSYS if the file system or the kernel cannot do it. */
#define DCFG_RENAME_NOREPLACE 1
#define DCFG_RENAME_EXCHANGE  2
static inline Int DCFG_(rename2) ( const HChar* from, const HChar* to,
                                   UInt flags )
{
   const Long here = -100;    // AT_FDCWD
   SysRes sres = VG_(do_syscall5)(__NR_renameat2, here, (RegWord)(Addr)from,
                                  here, (RegWord)(Addr)to, flags);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Create a directory.  Return 0 or an errno. */
static inline Int DCFG_(make_directory) ( const HChar* name )
{
   const Long here = -100;    // AT_FDCWD
   SysRes sres = VG_(do_syscall3)(__NR_mkdirat, here, (RegWord)(Addr)name,
                                  0755);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Remove a directory.  Return 0 or an errno. */
static inline Int DCFG_(remove_directory) ( const HChar* name )
{
   const Long here = -100;    // AT_FDCWD
   const Long at_removedir = 0x200;
   SysRes sres = VG_(do_syscall3)(__NR_unlinkat, here, (RegWord)(Addr)name,
                                  at_removedir);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Cut the file FD to SIZE bytes.  Return 0 or an errno. */
static inline Int DCFG_(truncate) ( Int fd, ULong size )
{
#if VG_WORDSIZE == 4
   SysRes sres = VG_(do_syscall3)(__NR_ftruncate64, fd, (UInt)size,
                                  (UInt)(size >> 32));
#else
   SysRes sres = VG_(do_syscall2)(__NR_ftruncate, fd, size);
#endif
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Change the protection of pages without the core's knowledge.  The caller
   restores the old protection before the program runs.  Return 0 or an
   errno. */
static inline Int DCFG_(protect) ( Addr page, SizeT len, UInt prot )
{
   SysRes sres = VG_(do_syscall3)(__NR_mprotect, page, len, prot);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Put empty pages of the program's own where pages are, without the core's
   knowledge.  Return 0 or an errno. */
static inline Int DCFG_(replace_pages) ( Addr page, SizeT len, UInt prot )
{
#if defined(__NR_mmap2)
   const UInt number = __NR_mmap2;
#else
   const UInt number = __NR_mmap;
#endif
   SysRes sres = VG_(do_syscall6)(number, page, len, prot,
                                  VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS
                                  | VKI_MAP_FIXED, -1, 0);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* Block the signals that end a process, for a time when the core does not yet
   catch them and a file exists that must not be left behind. */
static inline void DCFG_(block_signals) ( /*OUT*/vki_sigset_t* before )
{
   vki_sigset_t all;
   VG_(sigfillset)(&all);
   /* Faults are the tool's own, and the core reports them. */
   VG_(sigdelset)(&all, VKI_SIGSEGV);
   VG_(sigdelset)(&all, VKI_SIGBUS);
   VG_(sigdelset)(&all, VKI_SIGFPE);
   VG_(sigdelset)(&all, VKI_SIGILL);
   VG_(sigprocmask)(VKI_SIG_SETMASK, &all, before);
}
static inline void DCFG_(restore_signals) ( const vki_sigset_t* before )
{
   VG_(sigprocmask)(VKI_SIG_SETMASK, before, NULL);
}

/* Errors of our own use: a request that was cancelled; the process that was
   asked has died. */
#define DCFG_ECANCELED  125
#define DCFG_EOWNERDEAD 130

/* Constants that no header of the oldest version defines. */
#define DCFG_RLIMIT_FSIZE              1
#define DCFG_POLLOUT                   4
#define DCFG_NR_LANDLOCK_RESTRICT_SELF 446

/* Return whether SIGNAL would end the process now.  It does not if the program
   handles or blocks the signal, or if another signal is ending the process. */
static inline Bool DCFG_(ends_process) ( Int signal )
{
   vki_sigaction_fromK_t act;
   ThreadId              tid = VG_(get_running_tid)();

   VG_(do_sys_sigaction)(signal, NULL, &act);
   return act.ksa_handler == VKI_SIG_DFL
          && VG_(threads)[tid].os_state.fatalsig == 0
          && !VG_(sigismember)(&VG_(threads)[tid].sig_mask, signal);
}

/* Let the process die by SIGNAL, with the core's own message, after all other
   work is done. */
static inline void DCFG_(end_by_signal) ( Int signal )
{
   ThreadId tid = VG_(get_running_tid)();

   VG_(threads)[tid].os_state.fatalsig = signal;
   VG_(message_flush)();
   VG_(gdbserver_exit)(tid, VgSrc_FatalSig);
   VG_(kill_self)(signal);
}

/* Return the signal that kills the process, which ends now, or 0; the status
   with which it exits. */
static inline Int DCFG_(fatal_signal) ( void )
{
   return VG_(threads)[VG_(get_running_tid)()].os_state.fatalsig;
}
static inline Int DCFG_(exit_status) ( void )
{
   return VG_(threads)[VG_(get_running_tid)()].os_state.exitcode & 0xFF;
}

/* Return the kernel's number of thread TID. */
static inline Int DCFG_(kernels_number) ( ThreadId tid )
{
   return VG_(threads)[tid].os_state.lwpid;
}

/* Send the signal of INFO to this process again. */
static inline void DCFG_(send_again) ( vki_siginfo_t* info )
{
   VG_(do_syscall3)(__NR_rt_sigqueueinfo, VG_(getpid)(), info->si_signo,
                    (RegWord)(Addr)info);
}

/* Return VG_(strerror)'s text, or one of a few that VG_(strerror) lacks. */
static inline const HChar* DCFG_(error_text) ( Int error )
{
   switch (error) {
      case 36:  return "File name too long";                // ENAMETOOLONG
      case 40:  return "Too many levels of symbolic links"; // ELOOP
      case 122: return "Disk quota exceeded";               // EDQUOT
      case DCFG_EOWNERDEAD:
         return "the process that was to write it is gone";
      default:  return VG_(strerror)(error);
   }
}

/* Fill TO with N unpredictable bytes, as Linux can from 3.17 on.  Return False
   if the kernel cannot. */
static inline Bool DCFG_(random_bytes) ( void* to, UInt n )
{
   SysRes sres = VG_(do_syscall3)(__NR_getrandom, (RegWord)(Addr)to, n, 0);
   return !sr_isError(sres) && sr_Res(sres) == n;
}

/* Fork, with SIGNAL as the signal that tells the child's end.  If SIGNAL is 0,
   wait() in the program does not find the child until the child calls execve,
   which changes the signal to SIGCHLD.  Return 0 in the child; in the parent
   the child's id or a negative errno. */
static inline Int DCFG_(fork_with) ( Int signal )
{
   SysRes sres = VG_(do_syscall5)(__NR_clone, signal, 0, 0, 0, 0);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}

/* End a child that fork_with() made.  VG_(exit) would also close what the
   parent shares with a debugger. */
static inline void DCFG_(exit_child) ( Int status )
{
   VG_(do_syscall1)(__NR_exit_group, status);
}

/* Move this process into a new session, with the root as its directory. */
static inline void DCFG_(new_session) ( void )
{
   VG_(do_syscall0)(__NR_setsid);
   VG_(do_syscall1)(__NR_chdir, (RegWord)(Addr)"/");
}

/* Close the descriptors FIRST to LAST. */
static inline void DCFG_(close_descriptors) ( Int first, Int last )
{
   const UInt close_range = 436;
   SysRes     sres        = VG_(do_syscall3)(close_range, first, last, 0);

   if (sr_isError(sres))
      for (Int fd = first; fd <= last; fd++)
         VG_(close)(fd);
}

/* Make two connected sockets.  Return 0 or an errno. */
static inline Int DCFG_(socket_pair) ( /*OUT*/Int ends[2] )
{
   const Int af_unix = 1, stream_cloexec = 02000001;
   SysRes sres = VG_(do_syscall4)(__NR_socketpair, af_unix, stream_cloexec,
                                  0, (RegWord)(Addr)ends);
   return sr_isError(sres) ? (Int)sr_Err(sres) : 0;
}

/* DcfgMessage: bytes and a descriptor to be sent over a socket. */
typedef
   struct {
      struct vki_iovec   text;
      struct vki_msghdr  header;
      struct {
         struct vki_cmsghdr header;
         Int fd;
      } attached __attribute__((aligned(sizeof(void*))));
   }
   DcfgMessage;

static inline void dcfg_message ( DcfgMessage* m, void* data, SizeT n )
{
   VG_(memset)(m, 0, sizeof(*m));
   m->text.iov_base         = data;
   m->text.iov_len          = n;
   m->header.msg_iov        = &m->text;
   m->header.msg_iovlen     = 1;
   m->header.msg_control    = &m->attached;
   m->header.msg_controllen = sizeof(m->attached);
   m->attached.header.cmsg_len   = sizeof(struct vki_cmsghdr) + sizeof(Int);
   m->attached.header.cmsg_level = 1;          // SOL_SOCKET
   m->attached.header.cmsg_type  = 1;          // SCM_RIGHTS
}

/* Send N bytes and FD over a socket.  Return False if that fails. */
static inline Bool DCFG_(send_with_fd) ( Int to, void* data, SizeT n, Int fd )
{
   const Int   no_signal = 0x4000;
   DcfgMessage m;

   dcfg_message(&m, data, n);
   m.attached.fd = fd;
   SysRes sres = VG_(do_syscall3)(__NR_sendmsg, to, (RegWord)(Addr)&m.header,
                                  no_signal);
   return !sr_isError(sres) && sr_Res(sres) == n;
}

/* Return the free bytes of FD's file system that users may take, and its size
   in bytes. */
static inline Bool DCFG_(file_system_room) ( Int fd, /*OUT*/ULong* avail,
                                             /*OUT*/ULong* size )
{
#if VG_WORDSIZE == 4
   UInt   b[21];
   SysRes sres = VG_(do_syscall3)(__NR_fstatfs64, fd, sizeof(b),
                                  (RegWord)(Addr)b);
   if (sr_isError(sres))
      return False;
   *size  = (b[2] | (ULong)b[3] << 32) * b[1];
   *avail = (b[6] | (ULong)b[7] << 32) * b[1];
#else
   ULong  b[16];
   SysRes sres = VG_(do_syscall2)(__NR_fstatfs, fd, (RegWord)(Addr)b);
   if (sr_isError(sres))
      return False;
   *size  = b[2] * b[1];
   *avail = b[4] * b[1];
#endif
   return True;
}

/* Receive N bytes, and a descriptor into *FD, or -1 if none came.  Return False
   at the end of the stream. */
static inline Bool DCFG_(receive_with_fd) ( Int from, void* data, SizeT n,
                                            /*OUT*/Int* fd )
{
   const Int   wait_all = 0x100, cloexec = 0x40000000;
   DcfgMessage m;

   dcfg_message(&m, data, n);
   m.attached.fd = -1;
   SysRes sres = VG_(do_syscall3)(__NR_recvmsg, from,
                                  (RegWord)(Addr)&m.header,
                                  wait_all | cloexec);
   *fd = m.header.msg_controllen >= m.attached.header.cmsg_len
         ? m.attached.fd : -1;
   return !sr_isError(sres) && sr_Res(sres) == n;
}

/* Have the kernel kill this process when its parent ends. */
static inline void DCFG_(die_with_parent) ( void )
{
   const Int set_death_signal = 1;
   VG_(do_syscall5)(__NR_prctl, set_death_signal, VKI_SIGKILL, 0, 0, 0);
}

/* Wait for the end of a child that fork_with() made.  Return its status in the
   form of wait(), or -1. */
static inline Int DCFG_(wait_for) ( Int pid )
{
   const Int wait_all = 0x40000000;    // __WALL
   Int       status   = -1;
   SysRes    sres;

   do {
      sres = VG_(do_syscall4)(__NR_wait4, pid, (RegWord)(Addr)&status,
                              wait_all, 0);
   } while (sr_isError(sres) && sr_Err(sres) == 4 /* EINTR */);
   return sr_isError(sres) ? -1 : status;
}

/* Return whether the child PID of fork_with() has ended.  *STATUS becomes its
   status in the form of wait(), or -1 if nothing is known. */
static inline Bool DCFG_(has_ended) ( Int pid, /*OUT*/Int* status )
{
   const Int all_no_hang = 0x40000001;    // __WALL, WNOHANG

   *status = -1;
   SysRes sres = VG_(do_syscall4)(__NR_wait4, pid, (RegWord)(Addr)status,
                                  all_no_hang, 0);
   return sr_isError(sres) || sr_Res(sres) == pid;
}

/* The version of Valgrind. */
#define DCFG_VALGRIND VERSION

/* Become the valgrind command with WORDS, before the program is mapped.  If that
   fails, return. */
static inline void DCFG_(launch) ( HChar** words, HChar** env )
{
   VG_(do_syscall3)(__NR_execve, (RegWord)(Addr)VG_(name_of_launcher),
                    (RegWord)(Addr)words, (RegWord)(Addr)env);
}

/* Return whether FD is a terminal. */
static inline Bool DCFG_(is_terminal) ( Int fd )
{
   const UInt tcgets = 0x5401;
   UChar      settings[256];
   return !sr_isError(VG_(do_syscall3)(__NR_ioctl, fd, tcgets,
                                       (RegWord)(Addr)settings));
}

/* Write the kernel's release to TO, which has room for N bytes. */
static inline void DCFG_(kernel_release) ( HChar* to, SizeT n )
{
   struct { HChar system[65], node[65], release[65], rest[3][65]; } names;
   to[0] = 0;
   if (!sr_isError(VG_(do_syscall1)(__NR_uname, (RegWord)(Addr)&names)))
      VG_(snprintf)(to, n, "%s", names.release);
}

/* Return a descriptor of a nameless file that is empty, or a negative number. */
static inline Int DCFG_(empty_file) ( void )
{
   SysRes sres = VG_(do_syscall2)(__NR_memfd_create,
                                  (RegWord)(Addr)"dcfg", 0);
   return sr_isError(sres) ? -1 : (Int)sr_Res(sres);
}

/* Return a descriptor of a nameless file with TEXT, or a negative number. */
static inline Int DCFG_(nameless_file) ( const HChar* text )
{
   const Int n  = VG_(strlen)(text);
   Int       fd = DCFG_(empty_file)();
   if (fd < 0 || (VG_(write)(fd, text, n) == n
                  && VG_(lseek)(fd, 0, VKI_SEEK_SET) == 0))
      return fd;
   VG_(close)(fd);
   return -1;
}

/* Return whether system call SYSNO is a futex call. */
static inline Bool DCFG_(is_futex) ( UInt sysno )
{
#if defined(__NR_futex_time64)
   if (sysno == __NR_futex_time64)
      return True;
#endif
   return sysno == __NR_futex;
}

/* Return whether system call SYSNO is fcntl(). */
static inline Bool DCFG_(is_fcntl) ( UInt sysno )
{
#if defined(__NR_fcntl64)
   if (sysno == __NR_fcntl64)
      return True;
#endif
   return sysno == __NR_fcntl;
}

/* Return whether system call SYSNO asks for limits.  The core first tells what the
   kernel has written, and then changes some. */
static inline Bool DCFG_(is_getrlimit) ( UInt sysno )
{
#if defined(__NR_ugetrlimit)
   if (sysno == __NR_ugetrlimit)
      return True;
#endif
   return sysno == __NR_getrlimit || sysno == __NR_prlimit64;
}

/* Return whether a handler with FLAGS returns by rt_sigreturn(). */
static inline Bool DCFG_(is_rt_frame) ( UInt flags )
{
#if defined(__NR_sigreturn)
   return (flags & VKI_SA_SIGINFO) != 0;
#else
   return True;
#endif
}

/* Let FD be another descriptor of what WITH is one of. */
static inline void DCFG_(replace_fd) ( Int fd, Int with, UInt flags )
{
   VG_(do_syscall3)(__NR_dup3, with, fd, flags);
}

/* Open NAME, which is relative to the directory DIR, for reading.  Return the
   descriptor or a negative errno. */
static inline Int DCFG_(open_at) ( Int dir, const HChar* name )
{
   SysRes sres = VG_(do_syscall4)(__NR_openat, dir, (RegWord)(Addr)name,
                                  VKI_O_RDONLY, 0);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}

/* Read the file NAME, which is relative to DIR, as text that fits into ROOM
   bytes at TO, with a 0 behind it.  Return its length or a negative errno. */
static inline Int DCFG_(read_text) ( Int dir, const HChar* name, HChar* to,
                                     SizeT room )
{
   Int fd = DCFG_(open_at)(dir, name);
   Int n  = fd < 0 ? fd : VG_(read)(fd, to, room - 1);

   if (fd >= 0)
      VG_(close)(fd);
   to[n < 0 ? 0 : n] = 0;
   return n;
}

/* Let other threads have the core's lock from now on; take it again.  The thread
   must not be about to run code, or in it. */
static inline void DCFG_(leave_core) ( ThreadId tid )
{
   VG_(release_BigLock)(tid, VgTs_Yielding, "dcfg");
}
static inline void DCFG_(enter_core) ( ThreadId tid )
{
   VG_(acquire_BigLock)(tid, "dcfg");
}

/* Return whether another thread ends the process, and TID with it. */
static inline Bool DCFG_(must_end) ( ThreadId tid )
{
   return *(volatile VgSchedReturnCode*)&VG_(threads)[tid].exitreason
          != VgSrc_None;
}

/* Wait until *WORD, which is 0, is set and told, but at most MICROSECONDS. */
static inline void DCFG_(wait_for_word) ( UInt* word, UInt microseconds )
{
   const UWord time[2] = { 0, microseconds * 1000 };
   const UInt  wait_private = 128;
   VG_(do_syscall4)(__NR_futex, (RegWord)(Addr)word, wait_private, 0,
                    (RegWord)(Addr)time);
}
static inline void DCFG_(tell_word) ( UInt* word )
{
   const UInt wake_private = 129;
   *word = 1;
   VG_(do_syscall3)(__NR_futex, (RegWord)(Addr)word, wake_private, 1);
}

/* Let another thread of the system have this processor, for MICROSECONDS or
   less. */
static inline void DCFG_(wait_a_little) ( UInt microseconds )
{
   const UWord time[2] = { 0, microseconds * 1000 };

   if (microseconds == 0)
      VG_(do_syscall0)(__NR_sched_yield);
   else
      VG_(do_syscall2)(__NR_nanosleep, (RegWord)(Addr)time, 0);
}

/* Return what poll() or epoll_wait() finds without waiting; 0 for an error. */
static inline UWord DCFG_(poll_now) ( void* fds, UWord n )
{
   SysRes sres = VG_(poll)(fds, n, 0);
   return sr_isError(sres) ? 0 : sr_Res(sres);
}
static inline UWord DCFG_(epoll_now) ( Int fd, void* events, Int n )
{
   SysRes sres = VG_(do_syscall6)(__NR_epoll_pwait, fd, (RegWord)(Addr)events,
                                  n, 0, 0, 8);
   return sr_isError(sres) ? 0 : sr_Res(sres);
}

/* Return how many superblocks TID may still run before the core takes a look at
   signals and other threads; set this, to less than it was.  The core reads the
   number before and after the code. */
static inline UInt DCFG_(superblocks_left) ( ThreadId tid )
{
   Int n = (Int)VG_(threads)[tid].arch.vex.host_EvC_COUNTER;
   return n < 0 ? 0 : n;
}
static inline void DCFG_(limit_run) ( ThreadId tid, UInt n )
{
   VG_(threads)[tid].arch.vex.host_EvC_COUNTER = n;
}

/* Return whether a thread that sleeps in system call SYSNO, whose first argument
   is ARG, waits for the core's lock. */
static inline Bool DCFG_(waits_for_core) ( UInt sysno, UWord arg )
{
   if (sysno == __NR_futex) {
      const NSegment* seg = VG_(am_find_nsegment)(arg);
      return seg == NULL || (seg->kind != SkAnonC && seg->kind != SkFileC
                             && seg->kind != SkShmC);
   }
   return sysno == __NR_read && (Int)arg >= VG_(fd_hard_limit);
}

/* Make a segment of System V's shared memory with N bytes, which goes away with
   its last mapping when it is marked.  Return its number or -1. */
static inline Int DCFG_(new_segment) ( SizeT n )
{
   const Int own = 0, mode = 0600;
#if defined(__NR_ipc)
   SysRes sres = VG_(do_syscall5)(__NR_ipc, VKI_SHMGET, own, n, mode, 0);
#else
   SysRes sres = VG_(do_syscall3)(__NR_shmget, own, n, mode);
#endif
   return sr_isError(sres) ? -1 : (Int)sr_Res(sres);
}
static inline void DCFG_(mark_segment) ( Int number )
{
   const Int remove = 0;
#if defined(__NR_ipc)
   VG_(do_syscall5)(__NR_ipc, VKI_SHMCTL, number, remove, 0, 0);
#else
   VG_(do_syscall3)(__NR_shmctl, number, remove, 0);
#endif
}

/* Return the guest state of thread TID. */
static inline UChar* DCFG_(guest_state) ( ThreadId tid )
{
   return (UChar*)&VG_(threads)[tid].arch.vex;
}

/* Set the guest state of thread TID to FROM, but for what the core itself keeps
   there. */
static inline void DCFG_(set_guest_state) ( ThreadId tid, void* from )
{
   VexGuestArchState* now  = &VG_(threads)[tid].arch.vex;
   VexGuestArchState* then = from;
   then->host_EvC_FAILADDR = now->host_EvC_FAILADDR;
   then->host_EvC_COUNTER  = now->host_EvC_COUNTER;
#if defined(VGA_x86)
   then->guest_LDT = now->guest_LDT;
   then->guest_GDT = now->guest_GDT;
#endif
   *now = *then;
}

/* Have CARRY put or set the sets of signals that thread TID blocks, and its other
   stack. */
static inline void DCFG_(carry_masks) ( ThreadId tid,
                                        void (*carry)(void* at, SizeT n) )
{
   ThreadState* t = &VG_(threads)[tid];
   carry(&t->sig_mask, sizeof(t->sig_mask));
   carry(&t->tmp_sig_mask, sizeof(t->tmp_sig_mask));
   carry(&t->altstack, sizeof(t->altstack));
}

/* Return the other stack of thread TID, for handlers. */
static inline const vki_stack_t* DCFG_(alternate_stack) ( ThreadId tid )
{
   return &VG_(threads)[tid].altstack;
}

/* Return the thread on whose stack of the core this function runs, or 0. */
static inline ThreadId DCFG_(thread_here) ( void )
{
   UChar here;
   Addr  at = (Addr)&here;

   for (ThreadId t = 1; t < VG_N_THREADS; t++) {
      Addr base = VG_(threads)[t].os_state.valgrind_stack_base;
      if (VG_(threads)[t].status != VgTs_Empty && base != 0 && at >= base
          && at - base < VG_(clo_valgrind_stacksize) + 2 * VG_STACK_GUARD_SZB)
         return t;
   }
   return 0;
}

/* Return the thread that has the core's lock, or is about to give it away, and
   note that it runs; 0: no thread does. */
static inline ThreadId DCFG_(resume_tid) ( void )
{
   if (VG_(running_tid) == VG_INVALID_THREADID)
      VG_(running_tid) = DCFG_(thread_here)();
   return VG_(running_tid);
}

/* Return a description of the place where thread TID is. */
static inline const HChar* DCFG_(text_of_ip) ( ThreadId tid )
{
   return VG_(describe_IP)(VG_(current_DiEpoch)(), VG_(get_IP)(tid), NULL);
}

/* Return the word at OFFSET of thread TID's guest state. */
static inline UWord* DCFG_(guest_word) ( ThreadId tid, Int offset )
{
   return (UWord*)(DCFG_(guest_state)(tid) + offset);
}

/* Have VEX translate pairs of a load-exclusive and a store-exclusive to code that
   compares values.  The processor's own instructions fail after an interrupt. */
static inline void DCFG_(compare_in_exclusives) ( void )
{
   VG_(clo_sim_hints) |= SimHint2S(SimHint_fallback_llsc);
}

/* Return whether this Valgrind has the tool for PLATFORM. */
static inline Bool DCFG_(has_platform) ( const HChar* platform )
{
   HChar name[VG_(strlen)(VG_(libdir)) + VG_(strlen)(platform) + 7];
   VG_(sprintf)(name, "%s/dcfg-%s", VG_(libdir), platform);
   return VG_(access)(name, False, False, True) == 0;
}

/* The begin and the end of the tool's own code.  A page of it is the program's: it
   has functions that stand in for some of the program's. */
extern const UChar __executable_start[], etext[];

/* The platform, as in names of Valgrind's files. */
#if defined(VGP_amd64_linux)
#  define VG_PLATFORM_NAME "amd64-linux"
#elif defined(VGP_x86_linux)
#  define VG_PLATFORM_NAME "x86-linux"
#elif defined(VGP_arm64_linux)
#  define VG_PLATFORM_NAME "arm64-linux"
#else
#  define VG_PLATFORM_NAME "other"
#endif

/* Functions of the core that the linker replaces: it calls DCFG_WRAP(F) in place
   of F, and F is DCFG_REAL(F) (Makefile.am: CORE_WRAPS). */
#define DCFG_PASTE_(a, b) a##b
#define DCFG_PASTE(a, b)  DCFG_PASTE_(a, b)
#define DCFG_WRAP(f)      DCFG_PASTE(__wrap_, f)
#define DCFG_REAL(f)      DCFG_PASTE(__real_, f)

#define DCFG_WRAPPED(type, f, args)                                     \
   extern type DCFG_REAL(f) args;                                       \
   extern type DCFG_WRAP(f) args

DCFG_WRAPPED(void, VG_(client_syscall), (ThreadId tid, UInt trc));
DCFG_WRAPPED(VgSchedReturnCode, VG_(scheduler), (ThreadId tid));
DCFG_WRAPPED(Addr, VG_(am_startup), (Addr sp));
DCFG_WRAPPED(void, VG_(discard_translations),
             (Addr start, ULong len, const HChar* who));
DCFG_WRAPPED(Int, VG_(sigtimedwait_zero),
             (const vki_sigset_t* set, vki_siginfo_t* info));
DCFG_WRAPPED(void, VG_(sigframe_create),
             (ThreadId tid, Bool alt_stack, Addr top,
              const vki_siginfo_t* info, const struct vki_ucontext* uc,
              void* handler, UInt flags, const vki_sigset_t* mask,
              void* restorer));
DCFG_WRAPPED(void, VG_(sigframe_destroy), (ThreadId tid, Bool is_rt));
DCFG_WRAPPED(IIFinaliseImageInfo, VG_(ii_create_image),
             (IICreateImageInfo info, const VexArchInfo* host));
DCFG_WRAPPED(SysRes, VG_(open), (const HChar* name, Int flags, Int mode));
DCFG_WRAPPED(SysRes, VG_(stat), (const HChar* name, struct vg_stat* to));
DCFG_WRAPPED(Bool, ML_(am_resolve_filename), (Int fd, HChar* name, Int size));
DCFG_WRAPPED(void, sanityCheckIRSB,
             (const IRSB* sb, const HChar* when, Bool is_flat, IRType word_ty));
DCFG_WRAPPED(void, do_deadcode_BB, (IRSB* sb));
DCFG_WRAPPED(IRSB*, cprop_BB, (IRSB* sb));
struct sched_lock;
DCFG_WRAPPED(void, ML_(acquire_sched_lock), (struct sched_lock* lock));
DCFG_WRAPPED(void, ML_(release_sched_lock), (struct sched_lock* lock));

/* VG_(am_shadow_alloc) returns a pointer in 3.19 and a SysRes in later
   versions.  _Generic picks the function that takes the type of this
   version. */
static inline void* dcfg_mapped_ptr ( void* p )
{
   return p;
}
static inline void* dcfg_mapped_sres ( SysRes sres )
{
   return sr_isError(sres) ? NULL : (void*)(Addr)sr_Res(sres);
}

/* Map N bytes of zeros, or return NULL.  The caller unmaps them with
   VG_(am_munmap_valgrind). */
static inline void* DCFG_(map_zeroed) ( SizeT n )
{
   return _Generic(VG_(am_shadow_alloc)(n),
                   void*:  dcfg_mapped_ptr,
                   SysRes: dcfg_mapped_sres)(VG_(am_shadow_alloc)(n));
}

/* VEX's settings.  To lift one instruction alone, the tool changes them while
   nothing is being translated. */
extern VexControl vex_control;

/* VEX has no table of its operations' properties, but lists operations in
   groups.  If the groups of a new version differ, these assertions stop the
   build: then check which of the new operations can fault. */
_Static_assert(Iop_Add8 == Iop_INVALID + 1
               && (Iop_Max32U - Iop_Add8 == 96         // up to 3.26
                   || Iop_Max32U - Iop_Add8 == 92),    // without Clz, Ctz
               "integer operations before division");
_Static_assert(Iop_Mul64 < Iop_Max32U && Iop_CmpNE64 < Iop_Max32U
               && Iop_CasCmpNE64 < Iop_Max32U && Iop_Max32U < Iop_DivU32,
               "what cannot fault stands before what can");
_Static_assert(Iop_ModS128 - Iop_DivU32 == 21
               && Iop_DivModS128to64 > Iop_DivU32
               && Iop_DivModU32to32 < Iop_ModS128
               && Iop_8Uto16 == Iop_ModS128 + 1,
               "integer divisions");

/* Return True if this operation on two integers can never fault; False in case
   of doubt. */
static inline Bool DCFG_(never_faults) ( IROp op )
{
   return op >= Iop_Add8 && op <= Iop_Max32U;
}

static inline Bool DCFG_(divides) ( IROp op )
{
   return op >= Iop_DivU32 && op <= Iop_ModS128;
}

#endif /* __DCFG_CORE_H */
