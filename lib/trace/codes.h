/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a trace, and the tables that all chunks of a process share. */

#ifndef DCFG_CODES_H
#define DCFG_CODES_H

#include "lib/base/hash.h"
#include "lib/base/input.h"
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

/* Add an entry to the dictionary, while the table is read. */
bool     table_add_entry(Job* job, Table* t, const char* key, size_t key_len,
                         const char* value, size_t value_len,
                         const char* place);

/* Compile TEXT to a sequence with references to T's entries.  The job owns its
   memory; sequence_free() frees it.  Return False if TEXT is not well-formed:
   *WHY is the reason and *AT the place.  *WHY is NULL if there is no memory. */
bool     sequence_compile(Job* job, const Table* t, const char* text,
                          size_t len, Sequence* to, const char** why,
                          size_t* at);
void     sequence_free(Job* job, Sequence* s);

Table*   table_new(Job* job);
void     table_keep(Table* t);
void     table_release(Table* t);

/* Stop counting the table's memory in the job that made it. */
void     table_disown(Job* job, const Table* t);

/* Add a row, while reading. */
bool     table_add_row(Job* job, Table* t, uint32_t edge, const char* code,
                       size_t code_len, const uint64_t* nexts, size_t n,
                       const char* place);

/* Finish, once, after all rows. */
bool     table_finish(Job* job, Table* t, const char* place);

uint32_t table_state(const Table* t, uint32_t edge);

/* Return the row of S whose code the 32 bits start with, or NO_CODE. */
uint32_t table_long_code(const Table* t, const State* s, uint32_t bits);

/*--- Chunks                                               ---*/

/* DcfgChunk: complete by itself; the table is shared and never changes. */
struct DcfgChunk {
   DcfgChunkInfo     info;
   struct DcfgChunk* next;      // in the trace's queue
   Table*            table;
   char              text[];    // info.size bytes and a zero byte
};

/* Chunks: reads the chunks of all threads. */
typedef struct Chunks Chunks;

Chunks*    chunks_start(Job* job, Input* in);   // frees IN, which may be NULL
void       chunks_end(Chunks* t);

/* Return the next chunk, or NULL at the end or after an error of the job.
   Chunks before an error are returned first. */
DcfgChunk* chunks_next(Chunks* t);

#endif /* DCFG_CODES_H */
