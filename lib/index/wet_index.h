/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The index of a whole execution trace. */

#ifndef DCFG_LIB_INDEX_H
#define DCFG_LIB_INDEX_H

#include "lib/index/index_file.h"
#include "lib/index/index_lines.h"
#include "lib/index/index_registers.h"
#include "lib/index/index_unseen.h"
#include "lib/index/index_words.h"
#include "lib/wet/wet_chunks.h"

/* docs/dev/index-file.md describes the file.  Numbers are checked when the
   index is opened, so all those below are in range. */

/* IndexChunk: a part of the tape that can be read by itself. */
typedef
   struct {
      uint64_t  offset;         // in the trace
      uint64_t  before;         // instructions in earlier chunks
      uint64_t  n_instrs;
      uint64_t  lines;          // begin of its lines, in their section; its
                                // last writers and words follow them
      LinesHead head;           // the lines' head
      uint32_t  unseen;         // bytes of the unseen writes that its loads
                                // tell; they follow the words
      WordsHead words;          // the words' head
      uint32_t  writers;        // bytes of last writers
      uint32_t  n_records;
      uint32_t  thread;         // thread that runs at its begin
      uint32_t  n_handlers;     // in earlier chunks
      uint32_t  flags;
      uint32_t  n_slots;        // slots of its records, at most UINT32_MAX
   }
   IndexChunk;

enum {
   INDEX_MOVES = 1,             // a mark moves memory
   INDEX_LEADS = 2,             // begins with marks of what the kernel read
   INDEX_LOADS = 4              // loads that told something new count as writes
};

/* IndexTurn: the part of a chunk that a thread ran: registers that it may
   define, and the state of the thread at the end of the chunk. */
typedef
   struct {
      uint64_t defs[2];         // granules of registers that it may define, as
                                // in SbInfo of slice_code.h
      uint32_t chunk;
      uint32_t act;             // its activation at the end
      uint32_t low;             // the innermost activation that it had at the
                                // begin and still has, or 0
      uint32_t interrupted;     // first of .n_interrupted
      uint32_t n_interrupted;
      uint32_t writers;         // begin of the code of its last writers, among
                                // the chunk's
      uint32_t n_writers;       // bytes of that code; 0: the chunk tells
      uint8_t  top;             // top of x87's stack
      uint8_t  entering;        // a handler's frame is being written
      uint8_t  handlers;        // a handler began or returned
      uint8_t  zero;
   }
   IndexTurn;

/* IndexThread: index of its first turn; .order of its last instance, or
   UINT64_MAX if it has none.  One more, behind all threads, ends the last one's
   turns. */
typedef
   struct {
      uint64_t turns;
      uint64_t end;
   }
   IndexThread;

/* IndexAct: an activation that outlived a chunk, numbered from 1.  Its caller
   has a lower number. */
typedef
   struct {
      uint64_t place;           // address of its return address, as in Act
      uint32_t up;
      uint32_t call;            // instruction that called it, or DCFG_NONE
      uint32_t born;            // first chunk at whose begin it is active
      uint32_t thread;
      uint32_t handler;         // a signal's handler
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

/* IndexSpan: a large piece of memory that one mark wrote. */
typedef
   struct {
      uint64_t low, last;       // its first and last word: address / 8
      uint64_t chunk;
   }
   IndexSpan;

/* Marks of more bytes than this are spans. */
#define INDEX_SPAN (64u << 10)

/* KeptUnseen: the unseen writes of chunk .chunk - 1, decoded; 0: none. */
#define N_KEPT_UNSEEN 16u
typedef
   struct {
      uint32_t     chunk;
      UnseenWrite* writes;
      size_t       n;
   }
   KeptUnseen;

/* WetIndex: written by wet_index.c alone. */
typedef
   struct WetIndex {
      IndexFile         file;
      WordCache*        words;
      const DcfgWet*    w;
      const IndexChunk* chunks;
      const IndexTurn*  turns;
      const IndexThread* threads;
      const IndexAct*   acts;           // the first is number 1
      const IndexInterrupted* interrupted;
      const uint8_t*    returned;       // by handler
      const IndexCreated* created;
      const IndexSpan*  spans;
      const uint32_t*   places;         // by place: begin of its runs
      const uint64_t*   arcs;           // keys as in WetGraph
      const uint8_t*    outside;        // a bit for each instruction
      const uint8_t*    callbacks;
      size_t   n_chunks, n_turns, n_acts, n_returned, n_created, n_spans,
               n_arcs;
      uint64_t n_instrs;                // in the whole trace
      bool     any_unseen;              // a chunk has unseen writes
      bool     own;                     // a slice made the index in memory
      unsigned n_loads;                 // .n_loads of the trace when an own
                                        // index was made
      uint8_t* bits;                    // memory of .outside and .callbacks, if
                                        // the file has those of other code
      struct WetIndex* older;           // the index that was used before
      KeptUnseen unseen[N_KEPT_UNSEEN];
   }
   WetIndex;

/* Return whether the index of W can be a file.  That of a compressed trace
   cannot, nor of one in memory. */
bool index_may_be_file(const DcfgWet* w);

/* Open the index on FD, if it belongs to W; an OWN one was made of W.  The
   index owns FD, and closes it on failure.  Then return NULL, and set *WHY to
   the reason. */
WetIndex* index_open(const DcfgWet* w, int fd, bool own, const char** why);

/* Close IX, which may be NULL. */
void index_close(WetIndex* ix);

/* Return whether an error was found in it since it was opened.  Then no answer
   of IX counts. */
static inline bool index_is_bad(const WetIndex* ix)
{
   return ix->file.bad;
}

/* Return whether IX has the functions that call back of the code OUTSIDE, by
   instruction.  Let it have CALLS of OUTSIDE from now on; return false if
   memory is exhausted. */
bool index_is_outside(const WetIndex* ix, const bool* outside);
bool index_take_callbacks(WetIndex* ix, const bool* outside, const bool* calls);

/* Set a bit in TO, which is 0, for each of the N elements of IS. */
void index_set_bits(uint8_t* to, const bool* is, size_t n);

/* Return whether CHUNK may have written word number WORD of memory. */
bool index_wrote(WetIndex* ix, uint32_t chunk, uint64_t word);

/* Set *TO to word number WORD of memory as CHUNK left it; it is valid until the
   next call.  Return false if the index does not have it. */
bool index_word(WetIndex* ix, uint32_t chunk, uint64_t word, IndexWord* to);

/* Return the unseen writes that loads of CHUNK tell, as *N elements by word and time;
   NULL if it has none of words FIRST to LAST.  They are valid until the next
   call. */
const UnseenWrite* index_unseen(WetIndex* ix, uint32_t chunk, uint64_t first,
                                uint64_t last, size_t* n);

/* Set *CODE to the code of the last writers of turn T, for last_writer_next().
   Return false if the index does not have it. */
bool index_writers(WetIndex* ix, const IndexTurn* t, Bytes* code);

/* Return the latest turn of THREAD in a chunk before CHUNK, or NULL. */
const IndexTurn* index_turn_before(const WetIndex* ix, uint32_t thread,
                                   uint32_t chunk);

/* Return whether THREAD was made in CHUNK. */
bool index_creates(const WetIndex* ix, uint32_t thread, uint32_t chunk);

/* Return how many handlers, of any thread, began before CHUNK, which may be the
   number of chunks. */
static inline uint32_t index_handlers(const WetIndex* ix, uint32_t chunk)
{
   return chunk < ix->n_chunks ? ix->chunks[chunk].n_handlers
          : (uint32_t)ix->n_returned;
}

/* Return the code of all that mapped or renewed memory, in order.  For each there
   are varints: the time since the one before; address; length; and the number of
   bytes that follow, as in a MarkMapped.  No bytes: nobody that was executed wrote
   the memory. */
Bytes index_mappings(WetIndex* ix);

/* IndexRuns: reads how often records ended at a place, chunk by chunk. */
typedef
   struct {
      Bytes    bytes;
      uint32_t chunk;           // the chunk that .count is of
      uint32_t count;
      uint32_t next;            // the next chunk with a count is this one or
                                // later
   }
   IndexRuns;

IndexRuns index_runs(WetIndex* ix, uint32_t place);
bool      index_next_run(WetIndex* ix, IndexRuns* r);

/* Store how often records ended at each place in RUNS.  Return false if the
   index is wrong. */
bool index_totals(WetIndex* ix, uint64_t* runs);

/* Store the identity of W, with its CHUNKS, in ID.  Return false if W cannot be
   read. */
bool index_identify(const DcfgWet* w, const IndexChunk* chunks, size_t n,
                    IndexIdentity* id);

#endif /* DCFG_LIB_INDEX_H */
