
/*--------------------------------------------------------------------*/
/*--- The record that a trace is made from.         trace/record.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef __DCFG_RECORD_H
#define __DCFG_RECORD_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "run/cells.h"
#include "base/stream.h"

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

/* Is anything to be recorded at all?  Yes from the second function on;
   THREADS, a list of thread indexes with commas, or "all", says of whom.
   Returns False if it is not of that form. */
Bool DCFG_(records)(void);
Bool DCFG_(turn_on_records)(const HChar* threads);

/* Is thread number INDEX one of those? */
Bool DCFG_(is_traced)(UInt index);

/* A recorder that is reached from CA's fixed slots.  Unless KEEP, what it
   is given is thrown away. */
Recorder* DCFG_(new_recorder)(CellArray* ca, Bool keep);
void      DCFG_(delete_recorder)(Recorder* r);

/* The thread has ended, but its cells are still there. */
void DCFG_(finish_recorder)(Recorder* r);

/* How much it has recorded. */
RecordPlace DCFG_(record_place)(const Recorder* r);

/* Control goes to TO in place of FROM.target.  If the thread's mark says
   that it has not run since it was last diverted, that never led anywhere
   and is forgotten. */
void DCFG_(record_divert)(Recorder* r, Position from, Target to);

/* It goes to TO in place of where it was last diverted to. */
void DCFG_(record_retarget)(Recorder* r, Target to);

/* From now on T says what a jump to its address runs.  To be told once,
   for threads that are created later ... */
void DCFG_(record_landing)(Target t);

/* ... and for each thread, which stands at FROM. */
void DCFG_(record_landing_for)(Recorder* r, Position from, Target t);

/* Called by generated code, with the base of the thread's cell array:
   when the word of bits is full, when there is no more room for targets,
   when exit number EXIT of superblock ID is taken. */
void DCFG_(record_word)(ULong* base);
void DCFG_(record_targets)(ULong* base);
void DCFG_(record_exit)(ULong* base, UWord id, UWord exit);

/* For readers. */
void   DCFG_(recording)(Recorder* r, /*OUT*/Recording* rec);
UInt   DCFG_(n_landings)(void);
Target DCFG_(changed_landing)(UInt i);

/* Targets are numbered from 0 up in the order in which they were met. */
UInt DCFG_(n_target_numbers)(void);
Addr DCFG_(target_of_number)(UInt number);

#endif /* __DCFG_RECORD_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
