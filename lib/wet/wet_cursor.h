/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A reader of the tape of a whole execution trace. */

#ifndef DCFG_LIB_WET_CURSOR_H
#define DCFG_LIB_WET_CURSOR_H

#include "lib/wet/wet.h"

/*--- What is decoded                                      ---*/

/* Column: the last value of a word, and the most frequent step. */
typedef
   struct {
      uint64_t last, step;
   }
   Column;

/* WrongLoad: a load that the mirror (format/wet_mirror.h) foretold wrongly. */
typedef
   struct {
      uint64_t error;           // how far the mirror was off
      uint32_t load;            // its number in the superblock
   }
   WrongLoad;

/* Rows: the rows of a segment in the present block. */
typedef
   struct {
      uint32_t n_words;         // as in WetSegment, and
      uint32_t columns;         // so is this: each record needs them
      uint32_t chunk;           // the chunk that the columns' values are from
      uint32_t n_rows;
      uint32_t at;              // next row, in the words of the block
   }
   Rows;

/* Bits: the rest of a part of a chunk, read bit by bit. */
typedef
   struct {
      ByteReader bytes;
      unsigned bit;
   }
   Bits;

/* The most records and words, together, that a block has. */
#define MAX_BLOCK WET_BLOCK_WORDS

/* Block: the present block of the tape. */
typedef
   struct {
      uint32_t ways[MAX_BLOCK];
      uint64_t extra[MAX_BLOCK];      // numbers of marks and stops, which have
                                      // no way
      uint64_t words[1 + MAX_BLOCK];  // rows of segments, from 1 on
      uint32_t segments[MAX_BLOCK];   // segments with rows, in .rows
      uint64_t steps[2][MAX_BLOCK];   // steps of two columns
      uint32_t met[MAX_BLOCK];        // ways not counted yet
      WrongLoad loads[MAX_BLOCK];
      uint32_t n_ways, n_extra, n_words, n_segments, n_met, n_loads;
      uint32_t n_slots;               // slots of all its records
      size_t   n_bytes;               // bytes of all its marks
      uint32_t at, next_load;         // next elements of .extra and .loads
   }
   Block;

/* WetCursor: a reader of W's tape, with all that changes while it is read. */
typedef
   struct {
      const DcfgWet* w;
      Job         job;
      Input*      in;
      uint64_t    offset;       // begin of the next chunk, when read in order
      uint64_t    tape_left;    // bytes
      bool        end_found;    // the section behind the tape was read
      Column*     columns;
      Rows*       rows;         // by segment
      uint32_t*   way_counts;   // by way: records in the present block
      uint64_t*   runs;         // by index in .sb_instrs: times that a record
                                // ended there; or NULL

      /* The present chunk has these parts. */
      uint8_t* data;
      size_t   room;            // size of .data
      uint32_t number;          // from 1
      uint32_t sum;             // wet_mirror_sum() at its end
      uint64_t at;              // its offset in the file
      uint32_t n_records;       // records still to be read
      uint64_t n_instrs;        // instructions so far
      bool     whole;           // its steps are kept together
      ByteReader control, numbers;
      Bits     bits;
      bool     tells;           // its records are told, not only counted
      uint32_t thread;
      uint32_t last_thread;     // the greatest number of a thread so far
      uint32_t history;
      uint64_t next[N_HISTORIES];   // by history: the way predicted first, + 1,
                                    // or 0; in the high half its hash;
                                    // or a wrong load (wet_cursor.c)
      uint64_t other[N_HISTORIES];  // the way predicted second
      uint32_t loads;           // hash of the wrong loads so far of the next
                                // superblock
      uint64_t words[1 + MAX_ACCESSES];   // words of several segments
      uint64_t computed[1 + WET_REGISTERS + MAX_ACCESSES];   // see wet_terms.h
      uint64_t errors[1 + MAX_ACCESSES];  // by load, from 1 on, of the next
                                // superblock; from .n_errors on, all are 0
      uint32_t n_errors;
      uint8_t* mirror;          // (format/wet_mirror.h); NULL: no words were read
      Block    block;
   }
   WetCursor;

/*--- In order                                             ---*/

/* Return a cursor at the begin of W's tape; NULL, and *ERR, on errors.  The first
   one reads what was opened to read the tables.  Another one opens the file
   again; it fails if the file can be read only once. */
WetCursor* wet_cursor_new(DcfgWet* w, DcfgError* err);
void       wet_cursor_free(WetCursor* c);

/* Go to the next chunk: false at the end, and on errors.  Read the chunk's next
   block, behind what TO has; there is one while .n_records is not 0.  TO is NULL
   for all blocks of a chunk, or for none: then .block has the ways alone. */
bool wet_next_chunk(WetCursor* c);
bool wet_read_block(WetCursor* c, WetSteps* to);

/* Read the next block that is not empty, in place of what TO has. */
bool wet_next_block(WetCursor* c, WetSteps* to);

#endif /* DCFG_LIB_WET_CURSOR_H */
