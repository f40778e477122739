/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a stream, and the tables that are made of them. */

/* Private to blocks/. */

#ifndef DCFG_STREAMS_H
#define DCFG_STREAMS_H

#include "lib/dcfg_blocks.h"

#include "lib/base/hash.h"
#include "lib/base/input.h"
#include "lib/base/job.h"

/*--- Passages: straight runs of code, counted             ---*/

/* Passage: control came to the code FROM, ran straight on to the end of the
   code AT, and went on to TO.  The user defines the numbers.  If FROM and AT
   are DCFG_NONE, a sequence began at TO.  If TO is DCFG_NONE, a sequence ended,
   perhaps inside AT. */
typedef
   struct {
      uint32_t from, at, to;
      uint64_t count;
   }
   Passage;

/* Standing: the present place in a sequence: the leader it came from, and the
   present code.  They are numbers as in Passage. */
typedef
   struct {
      uint32_t from, at;
   }
   Standing;

typedef
   struct {
      Array     all;            // Passage; by first occurrence
      uint32_t* buckets;        // indices in .all + 1; the size is a power of
                                // two
      uint32_t  n_buckets;
      HashKey   hash;
   }
   Passages;

/* Return the index of a passage, which is added with count 0 if it is new;
   DCFG_NONE without memory. */
uint32_t passage_index(Job* job, Passages* passages, uint32_t from, uint32_t at,
                       uint32_t to);

static inline Passage* passage(const Passages* passages, uint32_t i)
{
   return &ELEM(passages->all, Passage, i);
}

/* Add COUNT to a passage. */
static inline bool passage_count(Job* job, Passages* passages, uint32_t from,
                                 uint32_t at, uint32_t to, uint64_t count)
{
   uint32_t i = passage_index(job, passages, from, at, to);

   if (i == DCFG_NONE)
      return false;
   passage(passages, i)->count = add_capped(passage(passages, i)->count, count);
   return true;
}

/* Free the hash table: no more lookups; free everything. */
void passages_seal(Job* job, Passages* passages);
void passages_free(Job* job, Passages* passages);

/*--- Pieces and tables                                    ---*/

/* Piece: straight code that was only entered at its begin, and left at its
   end. */
typedef
   struct {
      uint64_t addr, last;      // addresses of first and last instruction
      uint64_t end;             // the address behind it; 0: the end of all
                                // addresses
      uint32_t order;           // its order among pieces with the same address
      uint32_t n_instrs;
      uint32_t next;            // the piece that followed without a jump, at a
                                // higher address; or DCFG_NONE
      bool     jumps;           // does it jump at its end?
   }
   Piece;

/* Tally: a DcfgBlockTable and its arrays. */
typedef
   struct {
      DcfgBlockTable shown;
      Array          blocks;    // DcfgStreamBlock
      Array          edges;     // DcfgStreamEdge
      uint32_t*      of_piece;  // for each piece: the block that begins with
                                // it, or DCFG_NONE
      uint32_t       n_pieces;
      uint64_t       instrs;    // executed, for complete executions of pieces
   }
   Tally;

/* Make the tables of N PIECES and the PASSAGES between them, whose numbers are
   pieces; PASSAGES is changed.  If DYNAMICS is NULL, passages may lead from one
   piece's end to the next only. */
bool tally(Job* job, const Piece* pieces, uint32_t n, Array* passages,
           Tally* statics, Tally* dynamics);

void tally_free(Job* job, Tally* tally);

/*--- Streams of instructions                              ---*/

/* AddressStream: the head of address_stream.c explains its members. */
typedef
   struct {
      Job*           job;
      uint8_t*       code;
      uint64_t*      addrs;
      uint32_t       n, cap;    // for .code and .addrs; there is always room
                                // for one more
      uint32_t*      buckets;   // hash table: place of an instruction + 1
      uint32_t       n_buckets, n_instrs;
      HashKey        hash;
      Passages       passages;
      uint64_t       executed;  // without those since AHEAD was set
      /* The present sequence: the leader it came from, and the last instruction
         when AHEAD was set.  From then on, AHEAD is at the next instruction if
         everything goes straight on, and EXPECT is its address. */
      uint32_t       from, at;
      const uint8_t* ahead;
      const uint8_t* ahead_set;
      uint64_t       expect;
      uint32_t       sequence;
      Array          others;    // Standing, for all sequences
      /* After the first pass: */
      uint64_t*      starts;    // one bit for each place: does a piece begin?
      uint32_t*      before;    // number of pieces that begin before each 64
                                // places
      void         (*visit)(void* arg, uint32_t block);
      void*          visit_arg;
      const Tally*   dynamics;
   }
   AddressStream;

/* Sizes from here on are in .addrs. */
#define LONG_SIZE 127U

bool stream_start(AddressStream* stream, Job* job);
void stream_end(AddressStream* stream);

/* Do the unusual cases of stream_add(). */
bool stream_step(AddressStream* stream, uint64_t addr, uint32_t size);

/* Add the next instruction. */
static inline bool stream_add(AddressStream* stream, uint64_t addr,
                              uint32_t size)
{
   if (addr == stream->expect && size == *stream->ahead
       && size - 1 < LONG_SIZE - 1) {
      stream->ahead++;
      stream->expect += size;
      return true;
   }
   return stream_step(stream, addr, size);
}

/* End the present sequence; switch to another one. */
bool stream_stop(AddressStream* stream);
bool stream_switch(AddressStream* stream, uint32_t sequence);

uint64_t stream_executed(const AddressStream* stream);

/* Make the tables.  Afterwards the stream can be visited. */
bool stream_tally(AddressStream* stream, Tally* statics, Tally* dynamics);
void stream_visit(AddressStream* stream,
                  void (*visit)(void* arg, uint32_t block),
                  void* arg, const Tally* dynamics);

/* Add all instructions of IN to STREAM. */
bool lackey_read(Job* job, Input* in, AddressStream* stream);

/*--- Streams of a DCFG's edges                            ---*/

/* BlockArc: an edge, in a small form: there are many, and most steps need
   nothing else. */
typedef
   struct {
      uint32_t source, target;  // nodes
      uint32_t from;            // the leader that it was counted for last; or
                                // see edge_stream.c
      uint32_t pending;         // counted, but not in the passages yet
   }
   BlockArc;

typedef
   struct {
      Job*               job;
      const DcfgProcess* p;
      BlockArc*          arcs;
      uint8_t*           kinds; // for each arc
      uint64_t           pending;       // the sum of .pending is at most this
      uint32_t           n_arcs;
      bool               dense; // are arcs indexed by id?
      uint32_t*          next;  // for each node: its successor
      uint8_t*           jumps; // for each node
      uint32_t*          pieces;        // for each node; after the first pass
      uint32_t           n_pieces;
      Passages           passages;
      uint64_t           edges_left;    // counted by the graph, and not met yet
      Standing           here;
      Array              interrupted;   // Standing; the innermost last
      void             (*visit)(void* arg, uint32_t block);
      void*              visit_arg;
      const Tally*       dynamics;
   }
   EdgeStream;

bool edges_start(EdgeStream* stream, Job* job, const DcfgProcess* p);
void edges_end(EdgeStream* stream);

/* Follow all further edges of TRACE. */
bool edges_follow(EdgeStream* stream, DcfgTrace* trace);

/* Make the tables; DYNAMICS may be NULL.  Afterwards the stream can be
   visited. */
bool edges_tally(EdgeStream* stream, Tally* statics, Tally* dynamics);
void edges_visit(EdgeStream* stream, void (*visit)(void* arg, uint32_t block),
                 void* arg, const Tally* dynamics);

/* Count the edges of STREAM's process for THREAD; see dcfg_blocks_graph(). */
bool edges_sum(EdgeStream* stream, uint32_t thread, uint64_t* unknown);

#endif /* DCFG_STREAMS_H */
