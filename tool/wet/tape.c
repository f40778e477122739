/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape: everything that happened, in its order. */

/* Owns: the tape, the order in which threads took turns, the state of the
   process at the tape's begin, and a copy of the registers that readers know.
   Handed: headers and addresses by generated code (tool/wet/ir_tape.c), marks
   by tool/wet/kernel.c, the rest by tool/run/thread.c.

   There is one tape for all threads, because only one thread runs at a time.
   So the tape has all events in their order.

   A superblock that was left in the middle has written addresses, but neither a
   header nor the move of its row: as if it had not begun.  This file adds how
   far it came, before anything else is added.

   Readers follow the registers from superblock to
   superblock (tool/wet/terms.c).  They know nothing at the begin of a chunk,
   after a turn of threads, and behind a superblock that was left inside.  All
   that changes registers besides, such as system calls and handlers, does so
   while the thread does not run.  So the registers are compared when the thread
   ceases to run and goes on. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

#include "dcfg_bb.h"
#include "tool/base/core.h"
#include "tool/run/cells.h"
#include "tool/run/event.h"
#include "tool/run/this_run.h"
#include "tool/wet/closure.h"
#include "tool/wet/coding.h"
#include "tool/wet/hooks.h"
#include "tool/wet/mirror.h"
#include "tool/wet/tables.h"
#include "tool/wet/slots.h"
#include "tool/wet/tape.h"
#include "tool/wet/terms.h"
#include "tool/wet/x87_top.h"

/*--- Registers as readers know them                       ---*/

static struct {
   Bool  known;
   ULong registers[WET_REGISTERS];
   Bool  top;                    // x87's
} told;

void DCFG_(forget_general)(void)
{
   told.known = told.top = False;
}

void DCFG_(forget_top)(void)
{
   told.top = False;
}

/* Return whether readers know the registers of the running thread. */
static Bool knows_general(void)
{
   return told.known;
}

/* The running thread stands at the end of a superblock: readers know its
   registers if they did when it began to run. */
static void keep_general(void)
{
   if (told.known)
      DCFG_(read_registers_told)(told.registers);
}

static void add_piece(Bytes* b, UInt r, ULong number)
{
   UChar piece[1 + sizeof(ULong)] = { r };

   for (UInt i = 0; i < sizeof(ULong); i++)
      piece[1 + i] = number >> 8 * i;
   DCFG_(add_bytes)(b, piece, sizeof(piece));
}

/* Add to B, for the mark MarkGeneral, the registers of the running thread that
   readers do not know, and note that they know them. */
static void add_general(Bytes* b)
{
   ULong now[WET_REGISTERS];

   DCFG_(read_registers_told)(now);
   if (!told.known) {
      VG_(memset)(told.registers, 0, sizeof(told.registers));
      add_piece(b, WET_ALL_ZERO, 0);
   }
   for (UInt r = 0; r < WET_REGISTERS; r++)
      if (now[r] != told.registers[r])
         add_piece(b, r, now[r]);
   VG_(memcpy)(told.registers, now, sizeof(now));
   told.known = True;
}

/*--- The tape                                             ---*/

/* Headers, marks and rows are coded while they are in the processor's cache:
   after N_HEADERS headers, or fewer if rows have been long. */
#define N_HEADERS  (1u << 14)
#define MIN_HEADERS 1024u
#define GOOD_WORDS  49152u

/* Records for which a journal is kept, if they are not as long as a chunk may
   be: making the journal's file takes longer than fewer records do. */
#define MANY_RECORDS (1u << 20)

/* The most bytes of a thread's stack in a state, unless the program begins. */
#define MOST_STACK (64u << 10)

/* ChunkState: the state of the process at the begin of a chunk. */
typedef
   struct {
      ULong at;            // the chunk's begin
      Bytes state;
   }
   ChunkState;

Tape*          DCFG_(tape);
static ULong*  words;
static ULong*  first;          // the first word that is not coded
static Turn*   running;        // NULL: none yet
static Chunks* chunks;
static Coder*  coder;          // puts its chunks there
static Bool    away;           // is nothing collected now?
static Bool    late;           // did code run before the tape?
static Bool    has_gaps;       // or in its middle?
static UInt    n_turns;        // threads so far
static ULong   turns;          // how often another thread began to run
static Bytes   extra;          // bytes of marks that are not coded
static Bool    is_ring;
static XArray* states;         // ChunkState: of the first chunk, or if there is
                               // a ring of all
static Bool    state_due;      // is there no state of the first chunk?
static Bool    any_state;      // has there ever been one?
static Turn*   newborn;        // the thread that a system call is creating, or
                               // NULL
static UInt    n_known;        // the state has all threads below this number

void DCFG_(load_tape)(void)
{
   words   = VG_(malloc)("dcfg.tape", (N_HEADERS + 2 * DCFG_TAPE_SLACK)
                                      * sizeof(ULong));
   chunks  = DCFG_(new_chunks)();
   coder   = DCFG_(new_coder)(chunks);
   DCFG_(tape) = VG_(calloc)("dcfg.tape", 1, sizeof(Tape));
   DCFG_(tape)->cursor = first = words;
   DCFG_(tape)->limit  = words + N_HEADERS;
   states    = DCFG_NEW_ARRAY("dcfg.tape.states", ChunkState);
   state_due = True;
}

void DCFG_(keep_tape)(ULong size)
{
   DCFG_(keep_chunks)(chunks, size);
   is_ring = True;
}

ULong DCFG_(tape_begin)(void)
{
   return DCFG_(first_chunk)(chunks);
}

/*--- States                                               ---*/

/* Forget the states of chunks before offset BEGIN. */
static void drop_states(ULong begin)
{
   while (VG_(sizeXA)(states) > 0) {
      ChunkState* s = VG_(indexXA)(states, 0);
      if (s->at >= begin)
         return;
      VG_(free)(s->state.bytes);
      VG_(removeIndexXA)(states, 0);
   }
}

/* Note the state of the process at the begin of the chunk that begins at AT,
   with at most MOST bytes of each stack.  AT_START: the program begins. */
static void note_state(ULong at, Bool at_start, SizeT most)
{
   ChunkState s = { at, { NULL, 0, 0 } };

   n_known = DCFG_(add_state)(&s.state, at_start, most);
   VG_(addToXA)(states, &s);
}

/* A chunk has ended: with a ring, the next one may become the first. */
static void note_next_state(void)
{
   if (!is_ring || state_due)
      return;
   drop_states(DCFG_(tape_begin)());
   note_state(DCFG_(next_chunk)(chunks), False,
              MOST_STACK / (n_known > 0 && n_known < 64 ? n_known : 64));
}

/* Note the state at the begin of the tape, which is empty or has only marks. */
static void note_first_state(void)
{
   Bool at_start = !any_state && !late;

   drop_states(~(ULong)0);
   note_state(0, at_start, at_start ? ~(SizeT)0 : MOST_STACK);
   state_due = False;
   any_state = True;
}

const Bytes* DCFG_(tape_state)(void)
{
   static const Bytes none = { NULL, 0, 0 };

   for (Word i = 0; i < VG_(sizeXA)(states); i++) {
      const ChunkState* s = VG_(indexXA)(states, i);
      if (s->at == DCFG_(tape_begin)())
         return &s->state;
   }
   return &none;
}

/*--- Coding                                               ---*/

/* Return whether the tape, whose last chunk has ended, is worth a journal. */
static Bool is_long(void)
{
   return DCFG_(n_coded_records)(coder) >= MANY_RECORDS
          || DCFG_(next_chunk)(chunks) >= DCFG_(chunk_bytes)(chunks);
}

/* Take back the loads of a superblock that was left within its first
   instruction: it is not on the tape. */
static void undo_unfinished(void)
{
   DCFG_(undo_missed)(DCFG_(tape)->cursor, 0);
}

/* A chunk begins: readers know nothing. */
static void forget_all(void)
{
   DCFG_(forget_general)();
   DCFG_(clear_mirror)();
}

static void code_tape(void)
{
   ULong* end = DCFG_(tape)->cursor;
   ULong  n   = end - first;
   ULong  n_words;

   undo_unfinished();
   n_words    = DCFG_(code_blocks)(coder, first, end, &extra);

   extra.used = 0;
   if (DCFG_(begins_chunk)(coder))
      forget_all();
   /* As many headers as will probably have GOOD_WORDS words. */
   n = n_words <= GOOD_WORDS * n / N_HEADERS ? N_HEADERS
       : GOOD_WORDS * n / n_words;
   n = n < MIN_HEADERS ? MIN_HEADERS : n;
   DCFG_(tape)->cursor = first = DCFG_(tape)->limit - n;
   if (DCFG_(room_for_rows)() > DCFG_MUCH_ROOM)
      DCFG_(empty_rows)(True);
   if (late || has_gaps)
      DCFG_(end_journal)(False);
   else if (DCFG_(begins_chunk)(coder) && is_long())
      DCFG_(save_tape)(DCFG_(end_chunk)(coder), n_turns, DCFG_(tape_state)());
   if (n > 0 && DCFG_(begins_chunk)(coder))
      note_next_state();
}

/* Write a mark with x87's top, if readers do not know it and it is not 0.  A chunk
   can be read without those before it, so it needs one; so does a thread that goes
   on behind a handler, or as a copy of its creator. */
static void tell_top(void)
{
   UInt top = DCFG_(x87_top)();

   if (told.top)
      return;
   told.top = True;
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
      DCFG_(tell_general)();
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

void DCFG_(load_missed)(UWord at, UWord what, ULong now)
{
   Bool moved = (what & 16) != 0;

   DCFG_(add_missed)(DCFG_(tape)->cursor - moved, what >> 5, what & 15,
                     (UChar*)at, now);
}

const Stream* DCFG_(coded_tape)(void)
{
   code_tape();
   if (!DCFG_(begins_chunk)(coder)) {
      DCFG_(end_chunk)(coder);
      note_next_state();
   }
   forget_all();
   return DCFG_(end_chunk)(coder);
}

ULong DCFG_(whole_tape)(ULong n)
{
   return DCFG_(whole_chunks)(chunks, DCFG_(tape_begin)(), n);
}

void DCFG_(drop_tape)(ULong n)
{
   DCFG_(drop_chunks)(chunks, n);
}

/*--- Marks                                                ---*/

void DCFG_(add_mark)(UInt mark, ULong w0, ULong w1, ULong w2)
{
   UInt   n  = wet_words_of_mark(mark);
   ULong* at = DCFG_(tape)->cursor;

   undo_unfinished();
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

/* The size at which bytes of marks are coded. */
#define MUCH_EXTRA (1u << 20)

void DCFG_(add_mark_bytes)(const void* bytes, UInt n)
{
   if (extra.used > MUCH_EXTRA)
      code_tape();
   DCFG_(add_bytes)(&extra, bytes, n);
}

void DCFG_(turn_to)(Turn* t)
{
   if (t == running)
      return;
   running = t;
   turns++;
   DCFG_(forget_general)();
   DCFG_(add_mark)(MarkThread, t->index, 0, 0);
}

ULong DCFG_(turns)(void)
{
   return turns;
}

/* Adding the mark may end a chunk. */
void DCFG_(tell_general)(void)
{
   Bytes b = { NULL, 0, 0 };

   do {
      b.used = 0;
      tell_top();
      add_general(&b);
      if (b.used > 0) {
         DCFG_(add_mark_bytes)(b.bytes, b.used);
         DCFG_(add_mark)(MarkGeneral, b.used, 0, 0);
      }
   } while (!knows_general());
   VG_(free)(b.bytes);
}

Bool DCFG_(is_tape_away)(void)
{
   return away;
}

Bool DCFG_(has_turn)(void)
{
   return running != NULL;
}

/* Add the registers of the running thread: all, or those that changed since
   BEFORE. */
static void tell_registers(const GuestRegisters* before)
{
   ThreadId        tid = VG_(get_running_tid)();
   GuestRegisters* now = tid == VG_INVALID_THREADID ? NULL
                         : DCFG_(read_registers)(tid);
   Bytes           b   = { NULL, 0, 0 };

   if (now == NULL)
      return;
   DCFG_(add_registers)(&b, now, before);
   if (b.used > 0) {
      DCFG_(add_mark_bytes)(b.bytes, b.used);
      DCFG_(add_mark)(MarkRegisters, b.used, 0, 0);
   }
   DCFG_FREE_ALL(b.bytes, now);
}

void DCFG_(forget_registers)(Turn* t)
{
   VG_(free)(t->before);
   t->before = NULL;
   t->set    = False;
}

/* T is about to run: say what no instruction has told of it. */
static void tell_thread(Turn* t)
{
   Bool is_new = !t->met && t->index >= n_known;

   if (is_new)
      DCFG_(add_mark)(MarkIdentity, t->index,
                      DCFG_(this_thread)(VG_(get_running_tid)()), 0);
   if (is_new || t->set)
      tell_registers(t->before);
   t->met = True;
   DCFG_(forget_registers)(t);
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
   Turn* t = new_turn(index);

   DCFG_(keep_auxv)();
   newborn = index > 0 ? t : NULL;
   return t;
}

Turn* DCFG_(take_newborn)(void)
{
   Turn* t = newborn;

   newborn = NULL;
   return t;
}

static void free_turn(Turn* t)
{
   DCFG_(forget_registers)(t);
   DCFG_FREE_ALL(t->copies.bytes, t);
}

void DCFG_(tape_thread_free)(void* s)
{
   newborn = NULL;
   if (running == s)
      running = NULL;
   free_turn(s);
}

void* DCFG_(tape_restart)(void* s, CellArray* cells, UInt index, Restart why)
{
   DCFG_(end_journal)(why == RestartForked);
   has_gaps = False;
   late     = True;
   DCFG_(empty_rows)(False);
   DCFG_(tape)->cursor = first = words;
   DCFG_(forget_missed)();
   extra.used = 0;
   state_due  = True;
   running = NULL;
   forget_all();
   DCFG_(restart_coder)(coder);
   DCFG_(forget_closed_code)();
   Turn* t   = new_turn(index);
   t->clears = ((Turn*)s)->clears;
   free_turn(s);
   newborn = NULL;
   return t;
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
   UInt         n, n_segments;

   n     = DCFG_(words_before)(list, k, &n_segments);
   DCFG_(undo_missed)(to, DCFG_(loads_before)(list, k));
   DCFG_(forget_general)();
   *to++ = TapeStopped;
   *to++ = sb;
   *to++ = k;
   for (UInt i = DCFG_(segment_begin)(list, n_segments); i < n; i++)
      *to++ = row[i];
   if (n_segments > 0)
      list->rows.next += list->rows.size;
   DCFG_(tape)->cursor = to;
}

void DCFG_(tape_pause)(void* s)
{
   if (running == s)
      keep_general();
}

/* Note that collecting begins again; the tape may be empty. */
static void come_home(void)
{
   away = False;
   DCFG_(forget_general)();
   if (DCFG_(tape)->cursor == first && DCFG_(n_coded_records)(coder) == 0) {
      late = state_due = True;
      forget_all();
   } else {
      has_gaps = True;
   }
}

void DCFG_(tape_begin_turn)(void* s)
{
   if (!DCFG_(is_collecting)())
      return;
   undo_unfinished();
   if (away)
      come_home();
   if (state_due)
      note_first_state();
   DCFG_(turn_to)(s);
   tell_thread(s);
}
