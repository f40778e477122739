/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a thread's record. */

/* Owns: the reading of bits and targets.  Handed: tool/trace/record.c's streams.
   Taken by: tool/trace/replay.c and tool/trace/parse.c, which know their meaning. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

#include "tool/trace/reader.h"

/* Load the next word of bits, or the rest in the last word, into .ahead, which
   is empty.  Leave it empty at the end. */
void DCFG_(load_ahead)(RecordReader* r)
{
   ULong last = r->rec->last_word;

   if (r->next_word == r->n_words) {
      UInt got = DCFG_(read_stream)(r->rec->words, r->words_at, r->words,
                                    sizeof(r->words));
      r->words_at += got;
      r->n_words   = got / sizeof(ULong);
      r->next_word = 0;
   }
   if (r->next_word < r->n_words) {
      r->ahead   = r->words[r->next_word++] << 1;
      r->n_ahead = DCFG_WORD_BITS;
   } else if (!r->last_word_read && last > 1) {
      r->n_ahead = DCFG_(bits_in_word)(last);
      r->ahead   = last << (64 - r->n_ahead);
      r->last_word_read = True;
   }
   r->bits_loaded += r->n_ahead;
}

/* Load the next bits.  Those in .bits have been read, or are passed over. */
void DCFG_(load_bits)(RecordReader* r)
{
   if (r->n_ahead == 0)
      DCFG_(load_ahead)(r);
   r->bits    = r->ahead;
   r->n_bits  = r->n_ahead;
   r->n_ahead = 0;
   if (r->n_bits == 0) {
      r->failed = True;
      r->bits   = 0;
      r->n_bits = DCFG_WORD_BITS;
      r->bits_loaded += DCFG_WORD_BITS;
   }
}

static UInt read_unit(RecordReader* r)
{
   if (r->next_unit == r->n_units) {
      UInt got = DCFG_(read_stream)(r->rec->targets, r->units_at, r->units,
                                    sizeof(r->units));
      r->units_at += got;
      r->n_units   = got / sizeof(UShort);
      r->next_unit = 0;
      if (r->n_units == 0) {
         r->failed = True;
         return 0;
      }
   }
   return r->units[r->next_unit++];
}

/* Make NUMBER the guess after HISTORY. */
static void set_guess(RecordReader* r, UInt history, UInt number)
{
   r->guesser.guesses[history] = number;
   r->next_history[history]    = DCFG_(next_history)(history, number);
}

/* Load the next right guesses; or one that was wrong, which is corrected. */
void DCFG_(load_targets)(RecordReader* r)
{
   UInt n = read_unit(r);

   r->n_right = n > DCFG_RIGHT_GUESSES ? n - DCFG_RIGHT_GUESSES : 1;
   r->targets_loaded += r->n_right;
   if (n > DCFG_RIGHT_GUESSES)
      return;
   if (n == DCFG_LONG_TARGET) {
      n  = read_unit(r);
      n |= read_unit(r) << 16;
   }
   set_guess(r, r->guesser.history, n);
}

static void start_guesser(RecordReader* r, const Guesser* g)
{
   r->guesser.history = g != NULL ? g->history : 0;
   for (UInt i = 0; i < DCFG_N_GUESSES; i++)
      set_guess(r, i, g != NULL ? g->guesses[i] : 0);
}

void DCFG_(read_from_start)(RecordReader* r, const Recording* rec)
{
   VG_(memset)(r, 0, offsetof(RecordReader, guesser));
   r->rec = rec;
   start_guesser(r, NULL);
}

void DCFG_(read_from)(RecordReader* r, const Recording* rec,
                      const Landmark* l)
{
   DCFG_(read_from_start)(r, rec);
   r->words_at       = l->words_at;
   r->bits_loaded    = l->place.bits;
   r->units_at       = l->targets_at;
   r->targets_loaded = l->place.targets;
   start_guesser(r, &l->guesser);
}
