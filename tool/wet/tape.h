/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape: addresses, values and turns. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_H
#define __DCFG_TAPE_H

#include "pub_tool_basics.h"
#include "tool/dcfg_output.h"
#include "tool/files/stream.h"
#include "tool/wet/coding.h"
#include "tool/wet/tables.h"
#include "tool/wet/slots.h"

/* Forget that readers know anything. */
void DCFG_(forget_general)(void);

/* Forget that they know x87's top. */
void DCFG_(forget_top)(void);

/* Tape: generated code writes the next header at .cursor.  At the begin of a
   superblock, it calls tape_is_full() if .cursor is behind .limit.  A mark, or
   the words behind a header, have at most DCFG_TAPE_SLACK words. */
typedef
   struct {
      ULong* cursor;
      ULong* limit;
   }
   Tape;
extern Tape* DCFG_(tape);

/* Make the tape, before the program runs. */
void DCFG_(load_tape)(void);

/* Keep the last SIZE bytes of the coded tape.  Called before the program runs,
   after load_tape(). */
void DCFG_(keep_tape)(ULong size);

/* Turn: a thread. */
typedef
   struct {
      UInt index;
      Bool met;            // has it run?
      Bool set;            // does the kernel set its registers before it runs?
      GuestRegisters* before;      // if .set: those before that; NULL: tell all
      Addr clears;         // the kernel clears 4 bytes there when it has ended
      Bytes copies;        // memory before its last system call
      ULong called_at;     // DCFG_(turns)() at that call
      Bool  deaf;          // does the core announce writes that it does not make?
   }
   Turn;

void DCFG_(tape_is_full)(void);
void DCFG_(rows_are_full)(Rows* rows);

/* Generated code has loaded NOW, which is not the number at AT in the mirror.
   WHAT is missed_load(). */
void DCFG_(load_missed)(UWord at, UWord what, ULong now);

/* Return what load_missed() is told of load number LOAD of a superblock, which
   has SIZE bytes.  MOVED: the cursor is behind the superblock's header. */
static inline UWord DCFG_(missed_load)(UInt load, UInt size, Bool moved)
{
   return (UWord)load << 5 | (UWord)moved << 4 | size;
}

/* Return the coded tape so far: chunks, each of which can be read alone.  The
   last chunk is ended. */
const Stream* DCFG_(coded_tape)(void);

/* Return the length of its whole chunks, up to N bytes. */
ULong DCFG_(whole_tape)(ULong n);

/* Drop all but the last N bytes in whole chunks, or the last chunk. */
void DCFG_(drop_tape)(ULong n);

/* Return the offset of the oldest chunk that is kept. */
ULong DCFG_(tape_begin)(void);

/* Return the state of the process at that offset; empty: it is not known. */
const Bytes* DCFG_(tape_state)(void);

/* Return whether the tape has gaps where nothing was collected; return whether
   anything ran before it. */
Bool DCFG_(has_tape_gaps)(void);
Bool DCFG_(begins_late)(void);

/* S, a Turn, is about to run, if anything is collected. */
void DCFG_(tape_begin_turn)(void* s);

/* Begin the turn of T, if it is not running.  Return whether any thread has had
   a turn. */
void DCFG_(turn_to)(Turn* t);
Bool DCFG_(has_turn)(void);

/* Return how many turns there have been. */
ULong DCFG_(turns)(void);

/* Add N bytes at BYTES for the next mark, at most 64 KB; add the mark. */
void DCFG_(add_mark_bytes)(const void* bytes, UInt n);
void DCFG_(add_mark)(UInt mark, ULong w0, ULong w1, ULong w2);

/* Tell readers the general registers of the running thread that they
   do not know.  Nothing may be added before it runs. */
void DCFG_(tell_general)(void);

/* Return whether nothing is collected now. */
Bool DCFG_(is_tape_away)(void);

/* Return the thread that the system call has created, or NULL, and forget it. */
Turn* DCFG_(take_newborn)(void);

/* Forget that the kernel sets registers of T. */
void DCFG_(forget_registers)(Turn* t);

#endif /* __DCFG_TAPE_H */
