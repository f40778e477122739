/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The kernel's part: marks of what it did to the program. */

/* Owns: marks of system calls, signals, mappings and threads that end.  Handed:
   these events by tool/run/event.c and tool/run/image.c.

   Readers of the tape know what each instruction did, and must learn what
   changed the program's memory and registers besides.  The core announces most
   memory that a system call reads and writes.  What is missing is found in two
   ways:

   - tool/wet/syscalls.c knows calls one by one, and commands of calls.
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
#include "tool/base/memory.h"
#include "tool/wet/closure.h"
#include "tool/wet/coding.h"
#include "tool/wet/copies.h"
#include "tool/wet/hooks.h"
#include "tool/wet/syscalls.h"
#include "tool/wet/tape.h"

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
      DCFG_(copy_memory)(&((Turn*)s)->copies, a, len, True);
}

void DCFG_(tape_memory_written)(void* s, Bool by_syscall, Addr a, SizeT len)
{
   Turn* t = s;

   if (len == 0 || DCFG_(is_tape_away)() || (by_syscall && t->deaf))
      return;
   DCFG_(renew_copies)(&t->copies, a, len);
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

void DCFG_(tape_handler)(void* s, Int signal, Addr sp,
                         const vki_stack_t* alternate)
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
   DCFG_(forget_top)();
   DCFG_(forget_registers)(t);
   t->set = True;
}

void DCFG_(tape_diverted)(void* s, Addr from, Addr to, Addr sp, Bool is_call)
{
   if (!is_call || DCFG_(is_tape_away)())
      return;
   DCFG_(turn_to)(s);
   DCFG_(add_mark)(MarkCalled, sp, 0, 0);
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
   DCFG_(copy_memory)(&((Turn*)s)->copies, a, len, False);
}

void DCFG_(tape_syscall)(void* s, UInt sysno, const UWord* args)
{
   Turn* t = s;

   DCFG_(empty_bytes)(&t->copies);
   t->called_at = DCFG_(turns)();
   t->deaf      = DCFG_(writes_nothing)(sysno, args);
   if (!DCFG_(is_tape_away)())
      DCFG_(places_to_watch)(sysno, args, copy_argument, s);
   if (is_sigreturn(sysno) && !DCFG_(is_tape_away)())
      end_handler(s);
   if (sysno == __NR_munmap)
      DCFG_(close_code)(args[0], args[1]);
   DCFG_(untold_reads)(sysno, args, DCFG_(tape_memory_read), s);
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

/* Write a mark of the result, which is in a register of thread TID from now on.
   A thread that must end does not go on with it, and the call may never have
   returned. */
static void tell_result(Turn* s, ThreadId tid, UInt sysno, SysRes res)
{
   ULong result = sr_isError(res) ? -(ULong)sr_Err(res) : (ULong)sr_Res(res);

   if (DCFG_(is_tape_away)() || is_sigreturn(sysno) || DCFG_(must_end)(tid))
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
   DCFG_(untold_writes)(sysno, args, res, note_written, s);
   DCFG_(tell_changes)(&t->copies, t->called_at == DCFG_(turns)(),
                       note_written, s);
   DCFG_(empty_bytes)(&t->copies);
   if (sr_isError(res)) {
      DCFG_(take_newborn)();
   } else {
      tell_emptied(sysno, args);
      tell_newborn(s, sysno, args);
   }
   tell_result(s, VG_(get_running_tid)(), sysno, res);
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
      to_clear = DCFG_NEW_ARRAY("dcfg.kernel.clear", Addr);
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
