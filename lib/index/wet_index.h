/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The index of a whole execution trace. */

#ifndef DCFG_LIB_INDEX_H
#define DCFG_LIB_INDEX_H

#include "lib/index/index_file.h"
#include "lib/index/index_lines.h"
#include "lib/wet/wet_chunks.h"

/* docs/dev/index-file.md tells the layout of the file.  What stands there is
   checked when it is opened, so that numbers below are in their ranges. */

/* IndexChunk: a part of the tape that can be read by itself. */
typedef
   struct {
      uint64_t  offset;         // in the trace
      uint64_t  before;         // instructions executed in earlier ones
      uint64_t  n_instrs;
      uint64_t  lines;          // begin of its lines, in their section
      LinesHead head;           // their head
      uint32_t  n_records;
      uint32_t  thread;         // the one that runs at its begin
      uint32_t  n_handlers;     // in earlier ones
      uint32_t  flags;
   }
   IndexChunk;

enum {
   INDEX_MOVES = 1,             // a mark says that memory was moved
   INDEX_LEADS = 2              // marks of what the kernel read come first
};

/* IndexTurn: what a thread did in a chunk, and where it is behind that. */
typedef
   struct {
      uint64_t defs[2];         // granules of registers that it may define, as
                                // SbInfo of slice_code.h has them
      uint32_t chunk;
      uint32_t act;             // its activation behind the chunk
      uint32_t low;             // the innermost one that was there before and
                                // is there behind the chunk, or 0
      uint32_t interrupted;     // the first of .n_interrupted
      uint32_t n_interrupted;
      uint8_t  top;             // x87's stack
      uint8_t  entering;        // a handler: its frame is being written
      uint8_t  handlers;        // some began or returned
      uint8_t  zero;
   }
   IndexTurn;

/* IndexThread: the first of its turns; .order of its last instance, UINT64_MAX
   if it has none.  One more stands behind all threads. */
typedef
   struct {
      uint64_t turns;
      uint64_t end;
   }
   IndexThread;

/* IndexAct: an activation that outlived a chunk.  They are numbered from 1; who
   called one has a lower number. */
typedef
   struct {
      uint64_t place;           // its return address's, as Act has it
      uint32_t up;
      uint32_t call;            // or DCFG_NONE
      uint32_t born;            // the first chunk at whose begin it is there
      uint32_t thread;
      uint32_t handler;         // a signal began it
      uint32_t zero;
   }
   IndexAct;

/* IndexInterrupted: a handler that may return, and the top of x87's stack
   before it. */
typedef
   struct {
      uint32_t number, top;
   }
   IndexInterrupted;

/* IndexCreated: where a thread was made. */
typedef
   struct {
      uint64_t order;           // the next instance's
      uint32_t chunk;
      uint32_t thread;          // the new one
   }
   IndexCreated;

/* IndexSpan: much memory that a mark writes. */
typedef
   struct {
      uint64_t low, last;       // its first and last word, by address / 8
      uint64_t chunk;
   }
   IndexSpan;

/* Marks of more bytes are spans. */
#define INDEX_SPAN (64u << 10)

/* WetIndex: written by wet_index.c alone. */
typedef
   struct WetIndex {
      IndexFile         file;
      const DcfgWet*    w;
      const IndexChunk* chunks;
      const IndexTurn*  turns;
      const IndexThread* threads;
      const IndexAct*   acts;           // the first is number 1
      const IndexInterrupted* interrupted;
      const uint8_t*    returned;       // by handler
      const IndexCreated* created;
      const IndexSpan*  spans;
      const uint32_t*   places;         // by place: where its runs begin
      const uint64_t*   arcs;           // as WetGraph has them
      const uint8_t*    outside;        // a bit for each instruction
      const uint8_t*    callbacks;
      size_t   n_chunks, n_turns, n_acts, n_returned, n_created, n_spans,
               n_arcs;
      uint64_t n_instrs;                // executed in all
   }
   WetIndex;

/* Can an index of W be made, and used?  Not of what is compressed, or read only
   once. */
bool index_is_possible(const DcfgWet* w);

/* The index that FD has, if it is of W: FD is the index's own from now on, closed
   if it fails.  NULL: *WHY says what is wrong. */
WetIndex* index_open(const DcfgWet* w, int fd, const char** why);

/* IX may be NULL. */
void index_close(WetIndex* ix);

/* Was something found to be wrong later on?  Nothing that IX said counts
   then. */
static inline bool index_is_bad(const WetIndex* ix)
{
   return ix->file.bad;
}

/* Did CHUNK perhaps write the word of memory with that number? */
bool index_wrote(WetIndex* ix, uint32_t chunk, uint64_t word);

/* The latest turn of THREAD in a chunk before CHUNK, or NULL. */
const IndexTurn* index_turn_before(const WetIndex* ix, uint32_t thread,
                                   uint32_t chunk);

/* IndexRuns: how often a place was the last one of a record, chunk by
   chunk. */
typedef
   struct {
      Bytes    bytes;
      uint32_t chunk;           // .count of it
      uint32_t count;
      uint32_t next;            // at least this chunk comes next
   }
   IndexRuns;

IndexRuns index_runs(WetIndex* ix, uint32_t place);
bool      index_next_run(WetIndex* ix, IndexRuns* r);

/* How often each place was the last one of a record, to RUNS.  False if the
   index is wrong. */
bool index_totals(WetIndex* ix, uint64_t* runs);

/* The trace of W, whose chunks CHUNKS has, to ID; false if it cannot be
   read. */
bool index_identify(const DcfgWet* w, const IndexChunk* chunks, size_t n,
                    IndexIdentity* id);

#endif /* DCFG_LIB_INDEX_H */
