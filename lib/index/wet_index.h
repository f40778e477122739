/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The index of a whole execution trace. */

#ifndef DCFG_LIB_INDEX_H
#define DCFG_LIB_INDEX_H

#include "format/order.h"
#include "lib/dcfg_slice.h"
#include "lib/base/job.h"
#include "lib/index/index_image.h"
#include "lib/index/index_lines.h"
#include "lib/index/index_registers.h"
#include "lib/index/index_saved.h"
#include "lib/index/index_unseen.h"
#include "lib/wet/wet_chunks.h"

/*--- The file: sections of bytes                          ---*/

/* IndexSection: docs/dev/index-file.md describes the sections. */
typedef
   enum {
      INDEX_CHUNKS,
      INDEX_TURNS,              // IndexTurn, by thread and chunk
      INDEX_THREADS,            // IndexThread
      INDEX_ACTS,               // IndexAct
      INDEX_INTERRUPTED,        // IndexInterrupted
      INDEX_RETURNED,           // a byte for each handler
      INDEX_CREATED,            // IndexCreated
      INDEX_TOTALS,             // varints, by place
      INDEX_PLACES,             // by place: begin of its code in INDEX_TOTALS
      INDEX_RUNS,
      INDEX_ARCS,               // uint64_t: sorted keys of the graph
      INDEX_OUTSIDE,            // a bit for each instruction
      INDEX_CALLBACKS,          // a bit for each instruction
      INDEX_LINES,
      INDEX_SPANS,              // IndexSpan
      INDEX_MAPPINGS,           // mappings, and memory that others wrote
      INDEX_IPDOM,              // varints, by node of the graph
      INDEX_SAVED,              // registers that chunks saved and restored
      INDEX_STACKS,             // IndexStack, by chunk
      INDEX_CALLS,              // system calls
      INDEX_SECTIONS
   }
   IndexSection;

/* INDEX_BLOCK: bytes that have a checksum, and are read together when first
   needed. */
#define INDEX_BLOCK 4096u

/* IndexIdentity: the trace that an index belongs to. */
typedef
   struct {
      uint64_t size, seconds, nanoseconds;
      uint64_t hash;            // all before the tape, and the chunks' heads
   }
   IndexIdentity;

/* IndexWriter: written by wet_index.c alone. */
typedef
   struct {
      Job*     job;
      int      fd;
      uint64_t offset;          // bytes so far, with the present block's
      uint64_t begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      Array    sums;            // uint32_t: checksums, by block
      uint8_t  block[INDEX_BLOCK];
   }
   IndexWriter;

/* Begin a file on FD, which is empty. */
void index_write_start(IndexWriter* x, Job* job, int fd);

/* Begin SECTION, which was not begun before; append bytes to it. */
bool index_write_section(IndexWriter* x, IndexSection section);
bool index_write(IndexWriter* x, const void* data, size_t size);

/* End the file, which has all sections, as the index of the trace ID. */
bool index_write_end(IndexWriter* x, const IndexIdentity* id);
void index_write_free(IndexWriter* x);

/* IndexFile: written by wet_index.c alone. */
typedef
   struct {
      int       fd;
      uint64_t  size;
      uint8_t*  data;           // the file, where blocks are .known
      uint8_t*  known;          // by block: it was read, and its checksum is
                                // right
      uint32_t* sums;
      uint64_t  n_blocks;
      uint64_t  begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      IndexIdentity id;
      bool      bad;            // an error was found in it
   }
   IndexFile;

/* Open the index on FD, which F owns from now on and closes on failure.
   Then return false, and set *WHY to the reason. */
bool index_file_open(IndexFile* f, int fd, const char** why);
void index_file_close(IndexFile* f);

/* Return SIZE bytes of SECTION from AT on; NULL if they are not there, or
   wrong. */
const uint8_t* index_bytes(IndexFile* f, IndexSection section, uint64_t at,
                           uint64_t size);

/* Return all of SECTION, an array of *N elements of SIZE bytes. */
const void* index_elements(IndexFile* f, IndexSection section, size_t size,
                           size_t* n);

/*--- What is in them                                      ---*/

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

/* IndexStack: what is known of a stack at the begin of a chunk.  .act is 0: it is
   that of .thread, if anything is known.  Else the stack was left, and that is its
   innermost activation. */
typedef
   struct {
      uint64_t low, start, top; // a StackSpan
      uint64_t from, to;        // ActThread.load of .thread
      uint64_t held_from, held_to;      // its .held
      uint64_t shift, before, maybe, maybe_sp;
      uint32_t chunk;
      uint32_t act, thread;
      uint32_t handlers, held_at;
      uint32_t zero;
   }
   IndexStack;

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

/* KeptExecution: the execution of a line that was asked for last.  Slices of one
   question ask for the same one. */
typedef
   struct {
      bool*    instrs;          // by instruction: it is of the line; NULL: none
      uint64_t number;
      bool     uncounted;       // .n counts those up to it, at least
      uint64_t n, end;          // as in Executions
   }
   KeptExecution;

/* WetIndex: written by wet_index.c alone, but for .execution. */
typedef
   struct WetIndex {
      IndexFile         file;
      WordCache*        words;
      const DcfgWet*    w;
      const IndexChunk* chunks;
      const IndexTurn*  turns;
      const IndexThread* threads;
      const IndexAct*   acts;           // the first is number 1
      const IndexStack* stacks;
      const IndexInterrupted* interrupted;
      const uint8_t*    returned;       // by handler
      const IndexCreated* created;
      const IndexSpan*  spans;
      const uint32_t*   places;         // by place: begin of its runs
      const uint64_t*   arcs;
      const uint8_t*    outside;        // a bit for each instruction
      const uint8_t*    callbacks;
      size_t   n_chunks, n_turns, n_acts, n_stacks, n_returned, n_created,
               n_spans, n_arcs;
      bool     any_left;                // threads have left stacks
      uint64_t n_instrs;                // in the whole trace
      bool     any_unseen;              // a chunk has unseen writes
      bool     own;                     // a slice made the index in memory
      unsigned n_loads;                 // .n_loads of the trace when an own
                                        // index was made
      uint8_t* bits;                    // memory of .outside and .callbacks, if
                                        // the file has those of other code
      struct WetIndex* older;           // the index that was used before
      KeptUnseen unseen[N_KEPT_UNSEEN];
      SavedSlot* saved;                 // those of all chunks; NULL: nobody
                                        // has asked for one
      uint32_t* saved_ends;             // by chunk: the end of its part
      KeptExecution execution;
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

/* Return where the values that places .addr have at the end of CHUNK, which are all
   different, were at its begin: *N elements.  A place is the number of a register of
   the only thread that ran there, or the address of a word. */
const SavedSlot* index_saved(WetIndex* ix, uint32_t chunk, size_t* n);

/* Set *CODE to the code of the last writers of turn T, for last_writer_next().
   Return false if the index does not have it. */
bool index_writers(WetIndex* ix, const IndexTurn* t, ByteReader* code);

/* Return the chunk that has the instance of order T; the number of chunks if none
   has. */
static inline uint32_t index_chunk_of(const WetIndex* ix, uint64_t t)
{
   uint32_t chunk = 0;

   BISECT(chunk, (uint32_t)ix->n_chunks, middle,
          ix->chunks[middle].before + ix->chunks[middle].n_instrs <= t);
   return chunk;
}

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
ByteReader index_mappings(WetIndex* ix);

/* Set *CALLS to all system calls in order, *N elements, which the caller frees.
   Return false if the index is wrong, or memory is exhausted. */
bool index_calls(WetIndex* ix, DcfgSliceCall** calls, size_t* n);

/* IndexRuns: reads how often records ended at a place, chunk by chunk. */
typedef
   struct {
      ByteReader bytes;
      uint32_t chunk;           // the chunk that .count is of
      uint32_t count;
      uint32_t next;            // the next chunk with a count is this one or
                                // later
   }
   IndexRuns;

IndexRuns index_runs(WetIndex* ix, uint32_t place);
bool      index_next_run(WetIndex* ix, IndexRuns* r);

/* Store the immediate post-dominator of each of the N nodes, or DCFG_NONE, in
   IPDOM.  Return false if the index is wrong. */
bool index_ipdom(WetIndex* ix, uint32_t* ipdom, uint32_t n);

/* Store how often records ended at each place in RUNS.  Return false if the
   index is wrong. */
bool index_totals(WetIndex* ix, uint64_t* runs);

/* Store the identity of W, with its CHUNKS, in ID.  Return false if W cannot be
   read. */
bool index_identify(const DcfgWet* w, const IndexChunk* chunks, size_t n,
                    IndexIdentity* id);

/*--- Making an index                                      ---*/

/* IndexRun: a place, and how often records of a chunk ended there. */
typedef
   struct {
      uint32_t place, count;
   }
   IndexRun;

/* CallSite: the registers of the last system call that an instruction made. */
typedef struct { uint64_t registers[CALL_REGISTERS]; } CallSite;

/* IndexMaker: the index so far.  Written by index_make.c; slice_index.c
   completes .turns, .acts, .stacks and .interrupted. */
typedef
   struct {
      Job*        job;
      const DcfgWet* w;
      IndexWriter writer;
      LineSet     lines;
      SavedRegisters saved;
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
      Array       calls;        // uint8_t: code of INDEX_CALLS
      Array       sites;        // CallSite
      uint32_t*   site_of;      // by instruction: index in .sites, + 1; or 0
      uint64_t    called;       // .order of the last call
      Array       acts;         // IndexAct
      Array       stacks;       // IndexStack
      Array       interrupted;  // IndexInterrupted
   }
   IndexMaker;

/* Begin an index of W on FD, which is empty. */
bool index_make_start(IndexMaker* m, Job* job, const DcfgWet* w, int fd);
void index_make_free(IndexMaker* m);

/* Free the tables, when they have been written. */
void index_make_free_tables(IndexMaker* m);

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

#endif /* DCFG_LIB_INDEX_H */
