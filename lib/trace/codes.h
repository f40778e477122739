/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a trace's codes and sequences are. */

#ifndef DCFG_CODES_H
#define DCFG_CODES_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/*--- Sequences                                            ---*/

/* A sequence as a decoder wants it: bytes below 64 are six bits each; others
   say what to do.  Nothing in it expands to nothing. */
enum {
   OP_REPEAT = 64,      // with a number: how often, at least once
   OP_END,              // of what is repeated
   OP_USE,              // with a number: an entry of the dictionary
   OP_STOP              // the end
};

/* How deep repetitions and dictionary entries may be within each other. */
#define MAX_NESTING 500

typedef
   struct {
      uint8_t* code;
      size_t   size;
      uint32_t nesting;         // of what is in it
   }
   Sequence;

/* The number at *AT, 7 bits a byte. */
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

/* A row: what follows an edge if the next bits are its code. */
typedef
   struct {
      uint32_t first;           // in Table.nexts; or the edge, if N is 1
      uint32_t n;
      uint32_t state;           // of the last of them; or NO_STATE
      uint32_t first_cell;      // of that state: one thing less to wait for
      uint16_t bits;            // likewise
      uint16_t length;          // of the code, in bits
   }
   Row;

/* The same as it is read. */
typedef
   struct {
      uint32_t edge;            // CURRENT_EDGE_ID
      uint32_t code;            // first bit first, zeros behind
      uint32_t length;
      uint32_t first, n;        // in Table.raw_nexts
   }
   RawRow;

#define NO_STATE UINT32_MAX

/* An edge that is current in some row.  The next BITS bits choose one of the
   2^BITS cells from FIRST_CELL on; a cell has a row with a code of at most
   BITS bits, or LONG_CODE: look among the state's rows, which are in order
   of code.  With 0 bits there is one row, and FIRST_CELL is that. */
typedef
   struct {
      uint32_t first_cell;
      uint32_t bits;
      uint32_t first_row, n_rows;
   }
   State;

#define LONG_CODE (UINT32_MAX - 1)      // in a cell
#define NO_CODE   UINT32_MAX

/* An entry of STRING_DICTIONARY. */
typedef
   struct {
      uint64_t key, key_len;    // in Table.texts; the value comes behind
      uint64_t value_len;
      uint32_t next;            // with the same hash; or DCFG_NONE
      uint32_t work;            // while the entries are compiled
      size_t   at;              // ditto
      Sequence sequence;
   }
   Entry;

/* Shared by chunks, counted, and never changed once it is finished. */
typedef
   struct {
      _Atomic uint32_t users;
      bool             finished;
      char             file[256];       // for errors
      Array            raw_rows;        // RawRow; until it is finished
      Array            raw_nexts;       // uint32_t: edge ids; likewise
      Array            rows;    // Row
      Array            codes;   // uint32_t: of the rows
      Array            nexts;   // uint32_t: edge ids
      Array            states;  // State
      Array            edges;   // uint32_t: of the states, in order
      Array            cells;   // uint32_t
      Array            entries; // Entry
      Array            texts;   // char
      uint32_t*        buckets; // by hash of the key
      uint32_t         n_buckets;
      HashKey          hash_key;
      uint32_t*        by_edge; // edge id to state, if ids are dense
      uint32_t         n_by_edge;
   }
   Table;

#endif /* DCFG_CODES_H */
