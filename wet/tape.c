/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape: addresses, values and turns. */

/* Owns: the tape, its marks, and the order in which threads took turns. Handed:
   headers and addresses by generated code (wet/ir_tape.c), the rest by
   run/thread.c.  Taken by: wet/output_wet.c, in the code of wet/squeeze.h.

   There is one tape for all threads, because only one thread runs at a time.
   So the tape has all events in their order.

   A superblock that was left in the middle has written addresses, but neither a
   header nor the move of its row: as if it had not begun.  This file adds how
   far it came, before anything else is added. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "dcfg_bb.h"
#include "run/cells.h"
#include "run/gap.h"
#include "wet/closure.h"
#include "wet/journal.h"
#include "wet/slots.h"
#include "wet/squeeze.h"
#include "wet/syscalls.h"
#include "wet/tape.h"
#include "wet/x87_top.h"

/* Headers, marks and rows are coded while they are in the processor's cache:
   after N_HEADERS headers, or fewer if rows have been long. */
#define N_HEADERS  (1u << 14)
#define MIN_HEADERS 1024u
#define GOOD_WORDS  49152u

/* Turn: a thread. */
typedef
   struct {
      UInt index;
   }
   Turn;

Tape*          DCFG_(tape);
static ULong*  words;
static ULong*  first;          // the first word that is not coded
static Turn*   running;        // NULL: none yet
static Coder*  coder;
static Bool    away;           // is nothing collected now?
static Bool    late;           // did code run before the tape?
static Bool    has_gaps;       // or in its middle?
static UInt    n_turns;        // threads so far
static UInt    newborn;        // the thread that a system call is creating; 0:
                               // none

void DCFG_(load_tape)(void)
{
   words   = VG_(malloc)("dcfg.tape", (N_HEADERS + 2 * DCFG_TAPE_SLACK)
                                      * sizeof(ULong));
   coder   = DCFG_(new_coder)();
   DCFG_(tape) = VG_(calloc)("dcfg.tape", 1, sizeof(Tape));
   DCFG_(tape)->cursor = first = words;
   DCFG_(tape)->limit  = words + N_HEADERS;
}

void DCFG_(keep_tape)(ULong size)
{
   DCFG_(keep_chunks)(coder, size);
}

ULong DCFG_(tape_begin)(void)
{
   return DCFG_(first_chunk)(coder);
}

static void code_tape(void)
{
   ULong* end = DCFG_(tape)->cursor;
   ULong  n   = end - first;
   ULong  n_words = DCFG_(squeeze_words)(coder, first, end,
                                         DCFG_(tape)->stack);

   /* As many headers as will probably have GOOD_WORDS words. */
   n = n_words <= GOOD_WORDS * n / N_HEADERS ? N_HEADERS
       : GOOD_WORDS * n / n_words;
   n = n < MIN_HEADERS ? MIN_HEADERS : n;
   DCFG_(tape)->cursor = first = DCFG_(tape)->limit - n;
   if (DCFG_(room_for_rows)() > DCFG_MUCH_ROOM)
      DCFG_(empty_rows)(True);
   if (late || has_gaps)
      DCFG_(end_journal)(False);
   else if (DCFG_(begins_chunk)(coder))
      DCFG_(save_tape)(DCFG_(end_chunk)(coder), n_turns);
}

/* Write a mark with x87's top, if it is not 0.  A chunk can be read without
   those before it, so it needs one; so does a thread that goes on behind a
   handler, or as a copy of its creator. */
static void tell_top(void)
{
   UInt top = DCFG_(x87_top)();

   if (top == 0)
      return;
   DCFG_(tape)->cursor[0] = MarkTop;
   DCFG_(tape)->cursor[1] = top;
   DCFG_(tape)->cursor   += 2;
}

/* Code the tape: what was recorded so far is behind the running thread. */
void DCFG_(tape_is_full)(void)
{
   code_tape();
   if (DCFG_(begins_chunk)(coder))
      tell_top();
}

/* Make room for ROWS.  Coding the tape removes all rows, and perhaps their
   memory. */
void DCFG_(rows_are_full)(Rows* rows)
{
   if (!DCFG_(grow_rows)(rows)) {
      DCFG_(tape_is_full)();
      if (rows->next == rows->end)
         DCFG_(grow_rows)(rows);
   }
}

const Stream* DCFG_(coded_tape)(void)
{
   code_tape();
   return DCFG_(end_chunk)(coder);
}

ULong DCFG_(whole_tape)(ULong n)
{
   return DCFG_(whole_chunks)(coder, DCFG_(tape_begin)(), n);
}

void DCFG_(drop_tape)(ULong n)
{
   DCFG_(drop_chunks)(coder, n);
}

/*--- Marks                                                ---*/

static void add_long_mark(UInt mark, ULong w0, ULong w1, ULong w2)
{
   UInt   n  = wet_words_of_mark(mark);
   ULong* at = DCFG_(tape)->cursor;

   at[0] = mark;
   if (n > 0)
      at[1] = w0;
   if (n > 1)
      at[2] = w1;
   if (n > 2)
      at[3] = w2;
   DCFG_(tape)->cursor = at + 1 + n;
   if (DCFG_(tape)->cursor > DCFG_(tape)->limit)
      code_tape();
}

static void add_mark(UInt mark, ULong w0, ULong w1)
{
   add_long_mark(mark, w0, w1, 0);
}

/* Begin T's turn, if it is not running. */
static void turn_to(Turn* t)
{
   if (t == running)
      return;
   running = t;
   add_mark(MarkThread, t->index, 0);
}

/*--- Threads                                              ---*/

static Turn* new_turn(UInt index)
{
   Turn* t = VG_(calloc)("dcfg.tape.turn", 1, sizeof(Turn));

   away     = away || !DCFG_(is_collecting)();
   has_gaps = has_gaps || !DCFG_(is_collected_at_start)();
   t->index = index;
   n_turns  = index >= n_turns ? index + 1 : n_turns;
   return t;
}

void* DCFG_(tape_thread_new)(CellArray* cells, UInt index)
{
   newborn = index;
   return new_turn(index);
}

void DCFG_(tape_thread_free)(void* s)
{
   newborn = 0;
   if (running == s)
      running = NULL;
   VG_(free)(s);
}

void* DCFG_(tape_restart)(void* s, CellArray* cells, UInt index, Restart why)
{
   DCFG_(end_journal)(why == RestartForked);
   has_gaps = False;
   late     = True;
   DCFG_(empty_rows)(False);
   DCFG_(tape)->cursor = first = words;
   running = NULL;
   DCFG_(restart_coder)(coder, DCFG_(tape)->stack);
   DCFG_(forget_closed_code)();
   VG_(free)(s);
   newborn = 0;
   return new_turn(index);
}

void DCFG_(tape_come_back)(void* s, UInt last, UInt sb, Addr sp)
{
   has_gaps = True;
}

void DCFG_(tape_suspend)(void* s)
{
   away = True;
}

void DCFG_(tape_turn)(void* s, Bool on)
{
   has_gaps = True;
}

Bool DCFG_(has_tape_gaps)(void)
{
   return has_gaps;
}

Bool DCFG_(begins_late)(void)
{
   return late || DCFG_(tape_begin)() > 0;
}

void DCFG_(tape_left)(void* s, UInt sb, UInt k)
{
   SlotList*    list = DCFG_(slots_of)(DCFG_(superblock)(sb));
   const ULong* row  = list->rows.next;
   ULong*       to   = DCFG_(tape)->cursor;
   UInt         n, n_segments, at = 0;

   n     = DCFG_(words_before)(list, k, &n_segments);
   *to++ = TapeStopped;
   *to++ = sb;
   *to++ = k;
   for (UInt i = 0; at < n; i++) {
      if (list->slots[i].from == WhereStack)
         DCFG_(tape)->stack += row[at];
      at += list->slots[i].from <= WhereStack;
   }
   for (UInt i = DCFG_(segment_begin)(list, n_segments); i < n; i++)
      *to++ = row[i];
   if (n_segments > 0)
      list->rows.next += list->rows.size;
   DCFG_(tape)->cursor = to;
}

/* Note that collecting begins again; the tape may be empty. */
static void come_home(void)
{
   away = False;
   if (DCFG_(tape)->cursor == first && DCFG_(n_coded_records)(coder) == 0)
      late = True;
   else
      has_gaps = True;
}

void DCFG_(tape_resume)(void* s, Addr ip, Addr sp)
{
   if (!DCFG_(is_collecting)())
      return;
   if (away)
      come_home();
   turn_to(s);
   tell_top();
}

/*--- The kernel                                           ---*/

void DCFG_(tape_handler)(void* s)
{
   if (away)
      return;
   turn_to(s);
   add_mark(MarkHandler, 0, 0);
}

void DCFG_(tape_syscall)(void* s, UInt sysno, const UWord* args)
{
   Bool sigreturn = False;

#if defined(__NR_rt_sigreturn)
   sigreturn = sigreturn || sysno == __NR_rt_sigreturn;
#endif
#if defined(__NR_sigreturn)
   sigreturn = sigreturn || sysno == __NR_sigreturn;
#endif
   if (sigreturn && !away) {
      turn_to(s);
      add_mark(MarkReturn, 0, 0);
   }
   if (sysno == __NR_munmap)
      DCFG_(close_code)(args[0], args[1]);
   DCFG_(untold_reads)(sysno, args, DCFG_(tape_memory_read), s);
}

/* Write a mark if the system call has created a thread, which has not run. The
   thread begins with the registers of its creator S. */
static void tell_newborn(Turn* s, UInt sysno, const UWord* args)
{
   UWord stack = sysno != __NR_clone ? StackFromCall
                 : args[1] != 0 ? StackFromArgument : StackOfCreator;

   if (newborn != 0 && !away) {
      turn_to(s);
      add_mark(MarkCreated, newborn, stack);
   }
   newborn = 0;
}

static void note_written(void* s, Addr a, SizeT len)
{
   DCFG_(tape_memory_written)(s, True, a, len);
}

void DCFG_(tape_syscall_done)(void* s, UInt sysno, const UWord* args,
                              SysRes res)
{
   if (sr_isError(res)) {
      newborn = 0;
      return;
   }
   DCFG_(untold_writes)(sysno, args, sr_Res(res), note_written, s);
   tell_newborn(s, sysno, args);
}

void DCFG_(tape_memory_read)(void* s, Addr a, SizeT len)
{
   if (len == 0 || away)
      return;
   turn_to(s);
   add_mark(MarkRead, a, len);
}

void DCFG_(tape_memory_written)(void* s, Bool by_syscall, Addr a, SizeT len)
{
   if (len == 0 || away)
      return;
   turn_to(s);
   add_mark(by_syscall ? MarkWritten : MarkFresh, a, len);
}

void DCFG_(tape_moved)(Addr from, Addr to, SizeT len)
{
   if (running == NULL || len == 0 || away)
      return;
   add_long_mark(MarkMoved, to, len, from);
}

void DCFG_(tape_unmapped)(Addr a, SizeT len)
{
   if (running == NULL || len == 0 || away)
      return;
   add_mark(MarkFresh, a, len);
}
