/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Making an index. */

#ifndef DCFG_LIB_INDEX_MAKE_H
#define DCFG_LIB_INDEX_MAKE_H

#include "lib/index/wet_index.h"
#include "lib/wet/wet_ahead.h"

/* IndexStore: a slot of a superblock that says where memory is written, with
   what was read there where both have one slot. */
typedef
   struct {
      uint16_t slot, size;
   }
   IndexStore;

/* IndexWay: what is known of all records that came a way. */
typedef
   struct {
      uint64_t defs[2];
      uint64_t turn;            // the last one that has these
      uint32_t place;           // the last instruction's
      uint32_t stores;          // the first in .stores
      uint32_t n_stores;
   }
   IndexWay;

/* IndexRun: in the chunk where it stands. */
typedef
   struct {
      uint32_t place, count;
   }
   IndexRun;

/* IndexMaker: what has been collected.  Written by index_make.c; .turns, .acts
   and .interrupted are completed by slice_index.c. */
typedef
   struct {
      Job*        job;
      DcfgWet*    w;
      IndexWriter writer;
      LineSet     lines;
      Array       code;         // uint8_t: of the chunk's lines
      uint64_t    n_lines;      // bytes of code so far
      IndexWay*   ways;         // those of the trace, and one for each
                                // superblock that was left within
      Array       stores;       // IndexStore
      uint32_t*   counts;       // by place, in this chunk
      Array       met;          // uint32_t: places that have one
      Array       runs;         // IndexRun
      Array       run_ends;     // uint32_t: by chunk, in .runs
      Array       chunks;       // IndexChunk: .lines and .head, .flags
      Array       turns;        // IndexTurn: by chunk
      Array       turn_threads; // uint32_t: of these
      uint32_t*   turn_of;      // by thread: its turn in this chunk, and 1
      uint64_t    turn_number;
      uint64_t*   ends;         // by thread: as IndexThread has it
      uint32_t    thread;       // the one of the record before
      uint64_t    n_instrs;     // so far
      bool        begins;       // no superblock of the chunk has come yet
      Array       created;      // IndexCreated
      Array       spans;        // IndexSpan
      Array       acts;         // IndexAct
      Array       interrupted;  // IndexInterrupted
   }
   IndexMaker;

/* Begin an index of W on FD, which is empty. */
bool index_make_start(IndexMaker* m, Job* job, DcfgWet* w, int fd);
void index_make_free(IndexMaker* m);

/* The next part of the trace. */
bool index_make_part(IndexMaker* m, const WetPart* part);

/* All parts came; CHUNKS has WetChunkInfo, of which number I had N_HANDLERS[I]
   before it. */
bool index_make_chunks(IndexMaker* m, const Array* chunks,
                       const uint32_t* n_handlers);

/* Write the tables of turns, activations and so on, which are complete now;
   TOTALS, by place. */
bool index_make_tables(IndexMaker* m, const uint64_t* totals);

/* A section of N bytes, that users of the index give it; the end. */
bool index_make_section(IndexMaker* m, IndexSection section, const void* data,
                        size_t n);
bool index_make_end(IndexMaker* m);

#endif /* DCFG_LIB_INDEX_MAKE_H */
