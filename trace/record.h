/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The record that a trace is made from. */

/* Private to trace/. */

#ifndef __DCFG_RECORD_H
#define __DCFG_RECORD_H

#include "pub_tool_basics.h"
#include "delivery/stream.h"
#include "dcfg_bb.h"
#include "run/cells.h"

/* Bits in a full word: a leading 1 shows how many there are. */
#define DCFG_WORD_BITS 63

/* Bits below WORD's leading 1. */
static inline UInt DCFG_(bits_in_word)(ULong word)
{
   UInt n = 0;

   while (word >> n > 1)
      n++;
   return n;
}

/* How much a thread had recorded at some time. */
typedef
   struct {
      ULong bits;
      ULong targets;
   }
   RecordPlace;

/* What the bits and targets do not tell. */
typedef
   enum {
      EventDivert,    // control went to .to in place of .from.target
      EventExit,      // an exit that is hardly ever taken was
      EventLanding    // from now on .to says what a jump there runs
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

/* A guess at the next target's number, from those before it.  Recording
   and replay keep the same one, so that only wrong guesses take space. */
#define DCFG_N_GUESSES 4096u
typedef
   struct {
      UInt history;
      UInt guesses[DCFG_N_GUESSES];
   }
   Guesser;

static inline UInt* DCFG_(guess)(Guesser* g)
{
   return &g->guesses[g->history];
}

static inline void DCFG_(note_target)(Guesser* g, UInt number)
{
   g->history = ((g->history << 2) ^ (number * 0x9E3779B1u >> 20))
                % DCFG_N_GUESSES;
}

/* The stream's units: a count of right guesses with DCFG_RIGHT_GUESSES
   added; a number; or DCFG_LONG_TARGET and the number's lower and upper
   half. */
#define DCFG_RIGHT_GUESSES 0x8000
#define DCFG_LONG_TARGET   0x7FFF

/* A place from which the record can be read without what is before it:
   behind the last instruction of superblock SB, with a full word just
   recorded. */
typedef
   struct {
      UInt        sb;
      Bool        bit;           // recorded last
      RecordPlace place;
      ULong       words_at;      // bytes of the streams
      ULong       targets_at;
      ULong       events_at;
      Guesser     guesser;
   }
   Landmark;

/* All that one thread recorded. */
typedef
   struct {
      const Stream* words;      // ULong, of DCFG_WORD_BITS each
      ULong         last_word;  // bits behind those, below a leading 1
      const Stream* targets;    // UShort units, see below
      const Stream* events;     // RecordEvent
      RecordPlace   end;
      UInt          n_landings; // that had changed before its first event
      UInt          n_landmarks;
      Landmark* const* landmarks;   // at about equal distances
   }
   Recording;

/* One thread's. */
typedef struct _Recorder Recorder;

/* In the fixed slots of each thread's array, from DCFG_(first_record_slot)
   on. */
enum {
   SlotBits,           // bits recorded, below a leading 1
   SlotTargets,        // where the next target is to be put ...
   SlotTargetsEnd,     // ... and where there is no more room
   SlotRecorder,       // the thread's Recorder
   N_RECORD_SLOTS
};
extern CellNo DCFG_(first_record_slot);

/* Before the program runs: get ready to record.  THREADS, a list of thread
   indexes with commas, or "all", says of whom; WATCHER is the number that
   has the recorders as its states.  Returns False if THREADS is not of
   that form. */
Bool DCFG_(turn_on_records)(const HChar* threads, UInt watcher);

/* Is thread number INDEX one of those? */
Bool DCFG_(is_traced)(UInt index);

/* Hooks of trace/ir_record.c's Watcher: see dcfg_output.h. */
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

/* How much it has recorded. */
RecordPlace DCFG_(record_place)(const Recorder* r);

/* Called by generated code, with the base of the thread's cell array:
   when the word of bits is full, when there is no more room for targets,
   when exit number EXIT of superblock ID is taken. */
void DCFG_(record_word)(ULong* base);
void DCFG_(record_targets)(ULong* base);
void DCFG_(record_exit)(ULong* base, UWord id, UWord exit);

/* For readers. */
Recorder* DCFG_(recorder_of_thread)(UInt thread);
void   DCFG_(recording)(Recorder* r, /*OUT*/Recording* rec);
UInt   DCFG_(n_landings)(void);
Target DCFG_(changed_landing)(UInt i);

/* Targets are numbered from 0 up in the order in which they were met. */
UInt DCFG_(n_target_numbers)(void);
Addr DCFG_(target_of_number)(UInt number);

#endif /* __DCFG_RECORD_H */
