/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The record of the order of execution, as it is written and read. */

/* Private to trace/. */

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

/* Predictor: predicts the next target's number from those before it.  Recording
   and replay make the same predictions, so only wrong ones take space. */
#define DCFG_N_PREDICTIONS 4096u
typedef
   struct {
      UInt history;
      UInt predictions[DCFG_N_PREDICTIONS];
   }
   Predictor;

/* Checkpoint: a place from which the record can be read without the data before
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
      Predictor   predictor;
   }
   Checkpoint;

/* Recording: all that one thread recorded. */
typedef
   struct {
      const Stream* words;      // ULong, with DCFG_WORD_BITS bits each
      ULong         last_word;  // the bits behind them, below a leading 1
      const Stream* targets;    // UShort units, see below
      const Stream* events;     // RecordEvent
      RecordPlace   end;
      UInt          n_landings; // changes before its first event
      UInt          n_checkpoints;
      Checkpoint* const* checkpoints;  // at roughly equal distances
   }
   Recording;

/* Recorder: records one thread. */
typedef struct _Recorder Recorder;

/* Start recording, before the program runs.  THREADS is "all" or a list of
   thread indices with commas.  WATCHER is the number of the watcher whose
   states are the recorders.  Return False if THREADS has another form. */
Bool DCFG_(turn_on_records)(const HChar* threads, UInt watcher);

/* Return whether threads are to be traced whose number is N or above, by a list
   of numbers. */
Bool DCFG_(chooses_from)(UInt n);

/* Return whether thread number INDEX is traced. */
Bool DCFG_(is_traced)(UInt index);

/* For readers of records. */
Recorder* DCFG_(recorder_of_thread)(UInt thread);
void   DCFG_(recording)(Recorder* recorder, /*OUT*/Recording* rec);
UInt   DCFG_(n_landings)(void);
Target DCFG_(changed_landing)(UInt i);

/* Targets are numbered from 0 in the order of their first occurrence. */
UInt DCFG_(n_target_numbers)(void);
Addr DCFG_(target_of_number)(UInt number);

/*--- Reading bits and targets                             ---*/

#define DCFG_READER_WORDS 1024u
#define DCFG_READER_UNITS 4096u

/* RecordReader: reads the bits and targets of one record from some place on. */
typedef
   struct {
      const Recording* rec;
      Bool    failed;              // did the record end too early?
      /* Bits: the upper N_BITS of BITS are unread, and then the upper N_AHEAD
         of AHEAD.  N_BITS is less than 64. */
      ULong   bits;
      UInt    n_bits;
      ULong   ahead;
      UInt    n_ahead;
      ULong   bits_loaded;
      Bool    last_word_read;
      UInt    next_word, n_words;  // index in .words
      ULong   words_at;            // bytes read from the stream
      /* Targets: */
      ULong   targets_loaded;
      UInt    n_right;             // loaded right predictions, not read yet
      UInt    next_unit, n_units;  // index in .units
      ULong   units_at;            // bytes read from the stream
      Predictor predictor;
      UShort  next_history[DCFG_N_PREDICTIONS];   // for each history, if its
                                                  // prediction is right
      ULong   words[DCFG_READER_WORDS];
      UShort  units[DCFG_READER_UNITS];
   }
   RecordReader;

/* Start at the begin of REC, or at its checkpoint L. */
void DCFG_(read_from_start)(RecordReader* reader, const Recording* rec);
void DCFG_(read_from)(RecordReader* reader, const Recording* rec,
                      const Checkpoint* l);

/* Used by the functions below. */
void DCFG_(load_bits)(RecordReader* reader);
void DCFG_(load_ahead)(RecordReader* reader);
void DCFG_(load_targets)(RecordReader* reader);

/* Return the next bit. */
static inline UInt DCFG_(read_bit)(RecordReader* reader)
{
   if (reader->n_bits == 0)
      DCFG_(load_bits)(reader);
   UInt bit = reader->bits >> 63;
   reader->bits <<= 1;
   reader->n_bits--;
   return bit;
}

static inline void DCFG_(skip_bits)(RecordReader* reader, UInt n)
{
   while (n > reader->n_bits && !reader->failed) {
      n -= reader->n_bits;
      DCFG_(load_bits)(reader);
   }
   reader->bits  <<= n;       // n < DCFG_WORD_BITS, or all
   reader->n_bits -= n;
}

/* Have as many bits in .bits as fit there, or all that are left. */
static inline void DCFG_(top_up_bits)(RecordReader* reader)
{
   while (reader->n_bits < DCFG_WORD_BITS) {
      if (reader->n_ahead == 0)
         DCFG_(load_ahead)(reader);
      if (reader->n_ahead == 0)
         return;
      UInt room = DCFG_WORD_BITS - reader->n_bits;
      UInt n    = reader->n_ahead < room ? reader->n_ahead : room;
      reader->bits    |= reader->ahead >> reader->n_bits;
      reader->n_bits  += n;
      reader->ahead  <<= n;
      reader->n_ahead -= n;
   }
}

/* TargetPlace: what changes with each target.  The loop that takes most of a
   replay's time keeps it in registers. */
typedef
   struct {
      UInt n_right;                // right predictions still to come
      UInt history;                // the predictor's
   }
   TargetPlace;

static inline TargetPlace DCFG_(target_place)(const RecordReader* reader)
{
   TargetPlace at = { reader->n_right, reader->predictor.history };
   return at;
}

static inline void DCFG_(set_target_place)(RecordReader* reader, TargetPlace at)
{
   reader->n_right         = at.n_right;
   reader->predictor.history = at.history;
}

/* Return the number of the next target, at AT instead of READER's own place. */
static inline UInt DCFG_(read_target_at)(RecordReader* reader, TargetPlace* at)
{
   UInt n;

   if (at->n_right == 0) {
      DCFG_(set_target_place)(reader, *at);
      DCFG_(load_targets)(reader);
      *at = DCFG_(target_place)(reader);
   }
   at->n_right--;
   n           = reader->predictor.predictions[at->history];
   at->history = reader->next_history[at->history];
   return n;
}

/* Return the number of the next target. */
static inline UInt DCFG_(read_target)(RecordReader* reader)
{
   TargetPlace at = DCFG_(target_place)(reader);
   UInt        n  = DCFG_(read_target_at)(reader, &at);

   DCFG_(set_target_place)(reader, at);
   return n;
}

static inline void DCFG_(skip_targets)(RecordReader* reader, UInt n)
{
   for (; n > 0 && !reader->failed; n--)
      DCFG_(read_target)(reader);
}

/* Return whether the reader has come to PLACE. */
static inline Bool DCFG_(has_read_to)(const RecordReader* reader,
                                      const RecordPlace* place)
{
   return place->bits == reader->bits_loaded - reader->n_bits - reader->n_ahead
          && place->targets == reader->targets_loaded - reader->n_right;
}

/* The watcher that records threads; its state of a thread is a Recorder. */
extern const Watcher DCFG_(recording_watcher);

#endif
