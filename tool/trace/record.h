/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The rule of what an instruction records. */
/* JOINED from record.h: */
/* The record of the order of execution. */
/* JOINED from ir_record.h: */
/* Generated code that records a trace. */

#ifndef __DCFG_RECORD_H
#define __DCFG_RECORD_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "tool/dcfg_output.h"
#include "tool/files/stream.h"
#include "tool/run/cells.h"

/* InsnRecord: what an execution of an instruction adds to the record. */
typedef
   enum {
      RecordNothing,     // its target is known
      RecordBit,
      RecordTarget       // the target's address
   }
   InsnRecord;

/* Return what each execution of SB's instruction K adds to the record.  The
   result is the same for all superblocks with that instruction. */
InsnRecord DCFG_(recorded)(const Superblock* sb, UInt k);

/* Return the bit that an instruction of this KIND at ADDR, LEN bytes long,
   records when it goes to TARGET.  For a branch: is it not the next
   instruction? For REP: is it repeated?  Other instructions always record 1. */
Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target);

/* The bits in a full word.  A leading 1 shows their number. */
#define DCFG_WORD_BITS 63

/* Return the number of bits below WORD's leading 1. */
static inline UInt DCFG_(bits_in_word)(ULong word)
{
   UInt n = 0;

   while (word >> n > 1)
      n++;
   return n;
}

/* RecordPlace: a place in a record: the numbers of bits and targets before
   it. */
typedef
   struct {
      ULong bits;
      ULong targets;
   }
   RecordPlace;

/* EventKind: what bits and targets do not tell. */
typedef
   enum {
      EventDivert,    // control went to .to, not to .from.target
      EventExit,      // an exit was taken that hardly ever is
      EventLanding    // a jump to .to's address runs .to from now on
   }
   EventKind;

typedef
   struct {
      RecordPlace place;
      EventKind   kind;
      Position    from;
      Target      to;
   }
   RecordEvent;

/* Guesser: guesses the next target's number from those before it.  Recording
   and replay make the same guesses, so only wrong ones take space. */
#define DCFG_N_GUESSES 4096u
typedef
   struct {
      UInt history;
      UInt guesses[DCFG_N_GUESSES];
   }
   Guesser;

/* Return the history after HISTORY and target NUMBER. */
static inline UInt DCFG_(next_history)(UInt history, UInt number)
{
   return ((history << 2) ^ (number * 0x9E3779B1u >> 20)) % DCFG_N_GUESSES;
}

/* Units of the stream: a count of right guesses plus DCFG_RIGHT_GUESSES; or a
   number; or DCFG_LONG_TARGET and the lower and upper half of a number. */
#define DCFG_RIGHT_GUESSES 0x8000
#define DCFG_LONG_TARGET   0x7FFF

/* Landmark: a place from which the record can be read without the data before
   it.  It is behind the last instruction of superblock SB, where a full word
   has just been recorded. */
typedef
   struct {
      UInt        sb;
      Bool        bit;           // the last recorded bit
      RecordPlace place;
      ULong       words_at;      // offsets in the streams, in bytes
      ULong       targets_at;
      ULong       events_at;
      Guesser     guesser;
   }
   Landmark;

/* Recording: all that one thread recorded. */
typedef
   struct {
      const Stream* words;      // ULong, with DCFG_WORD_BITS bits each
      ULong         last_word;  // the bits behind them, below a leading 1
      const Stream* targets;    // UShort units, see below
      const Stream* events;     // RecordEvent
      RecordPlace   end;
      UInt          n_landings; // changes before its first event
      UInt          n_landmarks;
      Landmark* const* landmarks;   // at roughly equal distances
   }
   Recording;

/* Recorder: records one thread. */
typedef struct _Recorder Recorder;

/* Slots in each thread's array, from DCFG_(first_record_slot) on. */
enum {
   SlotBits,           // recorded bits, below a leading 1
   SlotTargets,        // address for the next target
   SlotTargetsEnd,     // end of the buffer of targets
   SlotRecorder,       // the thread's Recorder
   N_RECORD_SLOTS
};
extern CellNo DCFG_(first_record_slot);

/* Start recording, before the program runs.  THREADS is "all" or a list of
   thread indices with commas.  WATCHER is the number of the watcher whose
   states are the recorders.  Return False if THREADS has another form. */
Bool DCFG_(turn_on_records)(const HChar* threads, UInt watcher);

/* Return whether threads are to be traced whose number is N or above, by a list
   of numbers. */
Bool DCFG_(chooses_from)(UInt n);

/* Return whether thread number INDEX is traced. */
Bool DCFG_(is_traced)(UInt index);

/* Hooks of tool/trace/record.c's Watcher: see tool/dcfg_output.h. */
void* DCFG_(new_recorder)(CellArray* ca, UInt index);
void  DCFG_(delete_recorder)(void* r);
void* DCFG_(restart_recorder)(void* r, CellArray* ca, UInt index,
                                Restart why);
void  DCFG_(have_idle_recorder)(void* r, CellArray* ca);
void  DCFG_(finish_recorder)(void* r);
void  DCFG_(record_divert)(void* r, Position from, Target to);
void  DCFG_(record_redirect)(void* r, Target to);
void  DCFG_(record_landing)(Target t);
void  DCFG_(record_landing_for)(void* r, Position from, Target t);

/* Return the place where R's record ends now. */
RecordPlace DCFG_(record_place)(const Recorder* r);

/* Called by generated code, with the base of the thread's cell array: the word
   of bits is full; the buffer of targets is full; exit number EXIT of
   superblock ID is taken. */
void DCFG_(record_word)(ULong* base);
void DCFG_(record_targets)(ULong* base);
void DCFG_(record_exit)(ULong* base, UWord id, UWord exit);

/* For readers of records. */
Recorder* DCFG_(recorder_of_thread)(UInt thread);
void   DCFG_(recording)(Recorder* r, /*OUT*/Recording* rec);
UInt   DCFG_(n_landings)(void);
Target DCFG_(changed_landing)(UInt i);

/* Targets are numbered from 0 in the order of their first occurrence. */
UInt DCFG_(n_target_numbers)(void);
Addr DCFG_(target_of_number)(UInt number);

/* The watcher that records threads; its state of a thread is a Recorder. */
extern const Watcher DCFG_(recording_watcher);

#endif
