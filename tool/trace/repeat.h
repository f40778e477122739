/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a trace: characters, repetitions, dictionary; tables of pairs. */

#ifndef __DCFG_REPEAT_H
#define __DCFG_REPEAT_H

#include "format/port.h"

typedef
   struct {
      UInt left, right;
      UInt count;
      UInt rule;         // 0: none so far
   }
   SymbolPair;

/* PairTable: pairs by first occurrence, and by their numbers. */
typedef
   struct {
      SymbolPair* list;
      UInt        n, room;
      UInt*       slots;     // hash table: index in .list + 1
      UInt        n_slots;   // a power of two
   }
   PairTable;

/* Get slots for at most N pairs, which clear_pairs() must still clear; free
   all. */
void DCFG_(begin_pairs)(PairTable* table, UInt n);
void DCFG_(delete_pairs)(PairTable* table);

/* Remove all pairs, and clear slots for N; N is no more than begin_pairs() got.
   If more pairs come, they get more slots.  Fewer slots are faster to clear, and
   more of them are in the processor's cache. */
void DCFG_(clear_pairs)(PairTable* table, UInt n);

/* Use twice as many slots; begin_pairs() got these. */
void DCFG_(use_more_slots)(PairTable* table);

/* Append a pair.  Return its index. */
UInt DCFG_(add_pair)(PairTable* table, UInt left, UInt right);

static inline UInt DCFG_(slot_of)(const PairTable* table, ULong key)
{
   return (UInt)(key * 0x9E3779B97F4A7C15ULL >> 32) & (table->n_slots - 1);
}

static inline UInt DCFG_(hash_of_pair)(UInt left, UInt right)
{
   return (UInt)(((ULong)left << 32 | right) * 0x9E3779B97F4A7C15ULL >> 32);
}

static inline UInt DCFG_(slot_of_pair)(const PairTable* table, UInt left,
                                       UInt right)
{
   return DCFG_(hash_of_pair)(left, right) & (table->n_slots - 1);
}

/* Return the slot of a pair, or the free slot for it. */
static inline UInt* DCFG_(find_slot)(const PairTable* table, UInt left,
                                     UInt right)
{
   UInt slot = DCFG_(slot_of_pair)(table, left, right);

   for (; table->slots[slot] != 0; slot = (slot + 1) & (table->n_slots - 1)) {
      const SymbolPair* p = &table->list[table->slots[slot] - 1];
      if (p->left == left && p->right == right)
         break;
   }
   return &table->slots[slot];
}

/* Return the index of a pair, which is added if it is not there. */
static inline UInt DCFG_(intern_pair)(PairTable* table, UInt left, UInt right)
{
   UInt* slot = DCFG_(find_slot)(table, left, right);
   UInt  p;

   if (*slot != 0)
      return *slot - 1;
   p     = DCFG_(add_pair)(table, left, right);
   *slot = p + 1;
   if (2 * table->n > table->n_slots)
      DCFG_(use_more_slots)(table);
   return p;
}

/* Fetch the slot of a pair, or the pair in a slot that has been fetched, into
   the processor's cache. */
static inline void DCFG_(fetch_slot)(const PairTable* table, UInt left,
                                     UInt right)
{
   __builtin_prefetch(&table->slots[DCFG_(slot_of_pair)(table, left, right)]);
}

static inline void DCFG_(fetch_pair)(const PairTable* table, UInt left,
                                     UInt right)
{
   UInt p = table->slots[DCFG_(slot_of_pair)(table, left, right)];

   if (p != 0)
      __builtin_prefetch(&table->list[p - 1]);
}

/* TextSink: takes the text: the sequences, each with a line feed after it, and
   the rows of the dictionary without the braces around them. */
typedef
   struct {
      void  (*sequences)(void* arg, const HChar* text, UInt n);
      void  (*dictionary)(void* arg, const HChar* text, UInt n);
      void* arg;
   }
   TextSink;

typedef struct _TextCoder TextCoder;

/* Begin a text.  BLOCK is the number of characters that are compressed
   together. */
TextCoder* DCFG_(new_text)(const TextSink* sink, UInt block);

/* Append the N_BITS low bits of BITS; end a sequence. */
void DCFG_(text_bits)(TextCoder* coder, UInt bits, UInt n_bits);
void DCFG_(text_end)(TextCoder* coder);

/* Write the rest, and free CODER. */
void DCFG_(finish_text)(TextCoder* coder);

#endif
