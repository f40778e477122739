/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a thread's record. */

/* Private to trace/. */

#ifndef __DCFG_READER_H
#define __DCFG_READER_H

#include "pub_tool_basics.h"
#include "tool/trace/record.h"

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
      UInt    n_right;             // loaded right guesses, not read yet
      UInt    next_unit, n_units;  // index in .units
      ULong   units_at;            // bytes read from the stream
      Guesser guesser;
      UShort  next_history[DCFG_N_GUESSES];   // for each history, if its guess
                                              // is right
      ULong   words[DCFG_READER_WORDS];
      UShort  units[DCFG_READER_UNITS];
   }
   RecordReader;

/* Start at the begin of REC, or at its landmark L. */
void DCFG_(read_from_start)(RecordReader* r, const Recording* rec);
void DCFG_(read_from)(RecordReader* r, const Recording* rec,
                      const Landmark* l);

/* Used by the functions below. */
void DCFG_(load_bits)(RecordReader* r);
void DCFG_(load_ahead)(RecordReader* r);
void DCFG_(load_targets)(RecordReader* r);

/* Return the next bit. */
static inline UInt DCFG_(read_bit)(RecordReader* r)
{
   if (r->n_bits == 0)
      DCFG_(load_bits)(r);
   UInt bit = r->bits >> 63;
   r->bits <<= 1;
   r->n_bits--;
   return bit;
}

static inline void DCFG_(skip_bits)(RecordReader* r, UInt n)
{
   while (n > r->n_bits && !r->failed) {
      n -= r->n_bits;
      DCFG_(load_bits)(r);
   }
   r->bits  <<= n;            // n < DCFG_WORD_BITS, or all
   r->n_bits -= n;
}

/* Have as many bits in .bits as fit there, or all that are left. */
static inline void DCFG_(top_up_bits)(RecordReader* r)
{
   while (r->n_bits < DCFG_WORD_BITS) {
      if (r->n_ahead == 0)
         DCFG_(load_ahead)(r);
      if (r->n_ahead == 0)
         return;
      UInt room = DCFG_WORD_BITS - r->n_bits;
      UInt n    = r->n_ahead < room ? r->n_ahead : room;
      r->bits    |= r->ahead >> r->n_bits;
      r->n_bits  += n;
      r->ahead  <<= n;
      r->n_ahead -= n;
   }
}

/* TargetPlace: what changes with each target.  The loop that takes most of a
   replay's time keeps it in registers. */
typedef
   struct {
      UInt n_right;                // right guesses still to come
      UInt history;                // the guesser's
   }
   TargetPlace;

static inline TargetPlace DCFG_(target_place)(const RecordReader* r)
{
   TargetPlace at = { r->n_right, r->guesser.history };
   return at;
}

static inline void DCFG_(set_target_place)(RecordReader* r, TargetPlace at)
{
   r->n_right         = at.n_right;
   r->guesser.history = at.history;
}

/* Return the number of the next target, at AT instead of R's own place. */
static inline UInt DCFG_(read_target_at)(RecordReader* r, TargetPlace* at)
{
   UInt n;

   if (at->n_right == 0) {
      DCFG_(set_target_place)(r, *at);
      DCFG_(load_targets)(r);
      *at = DCFG_(target_place)(r);
   }
   at->n_right--;
   n           = r->guesser.guesses[at->history];
   at->history = r->next_history[at->history];
   return n;
}

/* Return the number of the next target. */
static inline UInt DCFG_(read_target)(RecordReader* r)
{
   TargetPlace at = DCFG_(target_place)(r);
   UInt        n  = DCFG_(read_target_at)(r, &at);

   DCFG_(set_target_place)(r, at);
   return n;
}

static inline void DCFG_(skip_targets)(RecordReader* r, UInt n)
{
   for (; n > 0 && !r->failed; n--)
      DCFG_(read_target)(r);
}

/* Return whether the reader has come to PLACE. */
static inline Bool DCFG_(has_read_to)(const RecordReader* r,
                                      const RecordPlace* place)
{
   return place->bits == r->bits_loaded - r->n_bits - r->n_ahead
          && place->targets == r->targets_loaded - r->n_right;
}

#endif /* __DCFG_READER_H */
