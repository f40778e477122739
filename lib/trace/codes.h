/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Data structures of a trace's codes and sequences. */

#ifndef DCFG_CODES_H
#define DCFG_CODES_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/*--- Sequences                                            ---*/

/* Operations in a sequence for the decoder: a byte below 64 is six bits; other
   bytes are operations.  No part of a sequence is empty when expanded. */
enum {
   OP_REPEAT = 64,      // followed by the number of repetitions, at least 1
   OP_END,              // end of a repetition
   OP_USE,              // followed by an entry of the dictionary
   OP_STOP              // end of the sequence
};

/* The limit of nested repetitions and dictionary entries. */
#define MAX_NESTING 500

typedef
   struct {
      uint8_t* code;
      size_t   size;
      uint32_t nesting;         // depth of nesting inside it
   }
   Sequence;

/* Read a number at *AT, 7 bits in a byte. */
static inline uint64_t sequence_number(const uint8_t** at)
{
   uint64_t n = 0;
   unsigned shift = 0;

   do
      n |= (uint64_t)(**at & 127) << shift, shift += 7;
   while (*(*at)++ & 128);
   return n;
}

/*--- The table of a process                               ---*/

/* TransitionRow: the edges that follow an edge if the next bits are its
   code. */
typedef
   struct {
      uint32_t first;           // index in Table.nexts; or the edge, if .n is 1
      uint32_t n;
      uint32_t state;           // state of the last edge, or NO_STATE
      uint32_t first_cell;      // copied from that state, which saves a load
      uint16_t bits;            // likewise
      uint16_t length;          // bits in the code
   }
   TransitionRow;

/* RawRow: a row as it is read. */
typedef
   struct {
      uint32_t edge;            // CURRENT_EDGE_ID
      uint32_t code;            // in bits
      uint32_t length;
      uint32_t first, n;        // range of Table.raw_nexts
   }
   RawRow;

#define NO_STATE UINT32_MAX

/* State: an edge with rows.  The next .bits bits choose one of the 2^.bits
   cells from .first_cell on.  A cell has a row whose code has at most .bits
   bits, or LONG_CODE: search the state's rows, which are sorted by code.  With
   0 bits there is one row, and .first_cell is that row. */
typedef
   struct {
      uint32_t first_cell;
      uint32_t bits;
      uint32_t first_row, n_rows;
   }
   State;

#define LONG_CODE (UINT32_MAX - 1)      // value of a cell
#define NO_CODE   UINT32_MAX

/* Entry: an entry of STRING_DICTIONARY. */
typedef
   struct {
      uint64_t key, key_len;    // offset in Table.texts; the value is behind it
      uint64_t value_len;
      uint32_t next;            // the next one with the same hash, or DCFG_NONE
      uint32_t work;            // state while entries are compiled
      size_t   at;              // likewise
      Sequence sequence;
   }
   Entry;

/* Table: shared by chunks, with a count of users; never changes when
   finished. */
typedef
   struct {
      _Atomic uint32_t users;
      bool             finished;
      char             file[256];       // for errors
      Array            raw_rows;        // RawRow; until finished
      Array            raw_nexts;       // uint32_t: edge ids; until finished
      Array            rows;    // TransitionRow
      Array            codes;   // uint32_t, for each row
      Array            nexts;   // uint32_t: edge ids
      Array            states;  // State
      Array            edges;   // uint32_t, for each state, ascending
      Array            cells;   // uint32_t
      Array            entries; // Entry
      Array            texts;   // char
      uint32_t*        buckets; // by hash of the key
      uint32_t         n_buckets;
      HashKey          hash_key;
      uint32_t*        by_edge; // from edge id to state, if ids are dense
      uint32_t         n_by_edge;
   }
   Table;

#endif /* DCFG_CODES_H */
