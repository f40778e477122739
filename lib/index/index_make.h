/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Making an index. */

#ifndef DCFG_LIB_INDEX_MAKE_H
#define DCFG_LIB_INDEX_MAKE_H

#include "lib/index/index_registers.h"
#include "lib/index/index_marks.h"
#include "lib/index/wet_index.h"
#include "lib/wet/wet_chunks.h"

/* IndexRun: a place, and how often records of a chunk ended there. */
typedef
   struct {
      uint32_t place, count;
   }
   IndexRun;

/* IndexMaker: the index so far.  Written by index_make.c; slice_index.c
   completes .turns, .acts and .interrupted. */
typedef
   struct {
      Job*        job;
      const DcfgWet* w;
      IndexWriter writer;
      LineSet     lines;
      Array       code;         // uint8_t: code of the chunk's lines, words or
                                // last writers
      uint64_t    n_lines;      // bytes of all code so far
      IndexWays   ways;
      MemoryImage image;
      WordCoder*  words;
      LastWriters* writers;
      uint32_t*   counts;       // by place, in this chunk
      Array       met;          // uint32_t: places with a count
      Array       runs;         // IndexRun
      Array       run_ends;     // uint32_t: by chunk, end in .runs
      Array       chunks;       // IndexChunk: .lines, .head and .flags are set
      Array       turns;        // IndexTurn: by chunk
      Array       turn_threads; // uint32_t: their threads
      uint32_t*   turn_of;      // by thread: its turn in this chunk, + 1
      uint64_t    turn_number;
      uint64_t*   ends;         // by thread: as in IndexThread
      uint32_t    thread;       // thread of the record before
      uint64_t    n_instrs;     // so far
      uint64_t    n_slots;      // slots of the chunk's records, so far
      bool        begins;       // the chunk had no superblock yet
      Array       created;      // IndexCreated
      Array       spans;        // IndexSpan
      Array       mappings;     // uint8_t: code of INDEX_MAPPINGS
      uint64_t    mapped;       // time of the last one
      uint64_t    moved[3];     // begin, size and time of memory that was moved
      Array       acts;         // IndexAct
      Array       interrupted;  // IndexInterrupted
   }
   IndexMaker;

/* Begin an index of W on FD, which is empty. */
bool index_make_start(IndexMaker* m, Job* job, const DcfgWet* w, int fd);
void index_make_free(IndexMaker* m);

/* Add the next part of the trace. */
bool index_make_part(IndexMaker* m, const WetPart* part);

/* Complete the chunks from CHUNKS, of WetChunkInfo: all parts were added.
   N_HANDLERS[I]: handlers before chunk I. */
bool index_make_chunks(IndexMaker* m, const Array* chunks,
                       const uint32_t* n_handlers);

/* Write the tables of turns, activations and so on, which are complete now.
   TOTALS: by place. */
bool index_make_tables(IndexMaker* m, const uint64_t* totals);

/* Write a section of N bytes that the caller made; end the file. */
bool index_make_section(IndexMaker* m, IndexSection section, const void* data,
                        size_t n);
bool index_make_end(IndexMaker* m);

#endif /* DCFG_LIB_INDEX_MAKE_H */
