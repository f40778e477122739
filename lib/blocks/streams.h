/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams of code, and the tables that are made of them. */

/* Private to blocks/. */

#ifndef DCFG_STREAMS_H
#define DCFG_STREAMS_H

#include "lib/dcfg_blocks.h"

#include "lib/base/hash.h"
#include "lib/base/input.h"
#include "lib/base/job.h"

/*--- tally.c: units and passages                          ---*/

/* Unit: code that is only entered at its begin, and left at its end: an
   instruction, or a block of a DCFG.  .next is the first unit that followed
   without a jump, at a higher address; UNIT_NONE: none has.  UNIT_JUMPS is set
   from the time when anything else followed. */
typedef
   struct {
      uint64_t addr;
      uint32_t size;
      uint32_t next;
   }
   Unit;

#define UNIT_JUMPS 0x80000000u
#define UNIT_NONE  0x7fffffffu          // units have lower numbers

/* Passage: control came to the unit FROM, ran straight on to the end of the unit
   AT, and went on to TO.  If FROM and AT are DCFG_NONE, a sequence began at TO.
   If TO is DCFG_NONE, a sequence ended, perhaps inside a block. */
typedef
   struct {
      uint32_t from, at, to;
      uint64_t count;
   }
   Passage;

/* Standing: the present place in a sequence: the leader it came from, and the
   present unit; or DCFG_NONE, twice. */
typedef
   struct {
      uint32_t from, at;
   }
   Standing;

#define NOWHERE ((Standing){ DCFG_NONE, DCFG_NONE })

/* Stream: what both kinds of streams share. */
typedef
   struct {
      Job*            job;
      const DcfgNode* nodes;    // the units; NULL: units are instructions
      Array           units;    // Unit
      Array           passages; // Passage; by first occurrence
      uint32_t*       buckets;  // indices in .passages + 1; the size is a power
                                // of two
      uint32_t        n_buckets;
      HashKey         hash;
      Standing        here;
      /* After dcfg_blocks_finish(): */
      DcfgBlockTable  statics, dynamics;
      Array           tables[4];        // their blocks and edges
      uint32_t*       dynamic_at;       // by unit: the block that begins there
      uint64_t        instrs;   // executed, for complete executions of units
      /* In the second pass: */
      void          (*visit)(void* arg, uint32_t block);
      void*           visit_arg;
   }
   Stream;

static inline Unit* unit(const Stream* stream, uint32_t i)
{
   return &ELEM(stream->units, Unit, i);
}

/* Return the address behind unit I; 0: the end of all addresses. */
static inline uint64_t unit_end(const Stream* stream, uint32_t i)
{
   return unit(stream, i)->addr + unit(stream, i)->size;
}

/* Return the passage, which is added with count 0 if it is new; NULL without
   memory. */
Passage* stream_passage(Stream* stream, uint32_t from, uint32_t at,
                        uint32_t to);

/* Add N to a passage; in the second pass, visit the block at TO instead. */
bool stream_count(Stream* stream, uint32_t from, uint32_t at, uint32_t to,
                  uint64_t n);

/* Begin at TO, after a jump from AT of leader FROM; begin a sequence. */
bool stream_jump(Stream* stream, uint32_t from, uint32_t at, uint32_t to);
bool stream_begin(Stream* stream, uint32_t to);

/* End the sequence at PLACE. */
bool stream_end(Stream* stream, Standing place);

/* Return whether AT goes straight on to TO, which becomes its successor if it
   has none. */
bool stream_straight(Stream* stream, uint32_t at, uint32_t to);

/* Fail if this is the second pass: then everything is known. */
bool stream_is_new(Stream* stream);

/* Make the tables; WITH_DYNAMICS is false if passages lead from one unit's end
   to the next only. */
bool stream_tally(Stream* stream, bool with_dynamics);
void stream_free(Stream* stream);

/*--- address_stream.c                                     ---*/

typedef
   struct {
      Stream    s;
      uint32_t* buckets;        // hash table: instruction + 1
      uint32_t  n_buckets;
      HashKey   hash;
      uint64_t  executed;
      uint32_t  sequence;       // the present one
      Array     others;         // Standing, of all sequences
   }
   AddressStream;

/* Do the unusual cases of address_add(). */
bool address_step(AddressStream* stream, uint64_t addr, uint32_t size);

/* Add the next instruction. */
static inline bool address_add(AddressStream* stream, uint64_t addr,
                               uint32_t size)
{
   uint32_t at = stream->s.here.at;
   uint32_t next = at == DCFG_NONE ? UNIT_NONE : unit(&stream->s, at)->next;

   if (next < UNIT_NONE && unit(&stream->s, next)->addr == addr
       && unit(&stream->s, next)->size == size) {
      stream->executed++;
      stream->s.here.at = next;
      return true;
   }
   return address_step(stream, addr, size);
}

/* End the present sequence; switch to another one; end all of them. */
bool address_stop(AddressStream* stream);
bool address_switch(AddressStream* stream, uint32_t sequence);
bool address_stop_all(AddressStream* stream);
void address_free(AddressStream* stream);

/* Add all instructions of IN, which is Lackey's text. */
bool lackey_read(AddressStream* stream, Input* in);

/*--- edge_stream.c                                        ---*/

/* BlockArc: an edge, in a small form: there are many, and most steps need
   nothing else. */
typedef
   struct {
      uint32_t source, target;  // nodes
      uint32_t from;            // the leader that it was counted for last; or
                                // see edge_stream.c
      uint32_t passage;         // the index of its passage then
   }
   BlockArc;

typedef
   struct {
      Stream             s;
      const DcfgProcess* p;
      BlockArc*          arcs;
      uint8_t*           kinds; // for each arc
      uint32_t           n_arcs;
      bool               dense; // are arcs indexed by id?
      uint64_t           edges; // counted by the graph
      Array              interrupted;   // Standing; the innermost last
   }
   EdgeStream;

bool edges_start(EdgeStream* stream, const DcfgProcess* p);
void edges_free(EdgeStream* stream);

/* Follow all further edges of TRACE. */
bool edges_follow(EdgeStream* stream, DcfgTrace* trace);

/* Begin the second pass: from now on nothing is counted. */
void edges_again(EdgeStream* stream);

/* Count the edges of STREAM's process for THREAD; see dcfg_blocks_graph(). */
bool edges_sum(EdgeStream* stream, uint32_t thread, uint64_t* unknown);

#endif /* DCFG_STREAMS_H */
