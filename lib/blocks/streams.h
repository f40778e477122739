/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream of code, and the tables that are made of it. */

/* Private to blocks/. */

#ifndef DCFG_STREAMS_H
#define DCFG_STREAMS_H

#include "lib/dcfg_blocks.h"

#include "lib/base/hash.h"
#include "lib/base/job.h"

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

/* BlockArc: an edge of a DCFG, in a small form: there are many, and most steps
   need nothing else.  .from is the leader that it was counted for last, with
   the number of its passage; or else a kind, see edge_stream.c. */
typedef
   struct {
      uint32_t source, target;  // nodes
      uint32_t from;
      uint32_t passage;
   }
   BlockArc;

/* Buckets: a hash table of indices + 1 in an array; the room is a power of
   two. */
typedef
   struct {
      uint32_t* at;
      uint32_t  room;
      HashKey   hash;
   }
   Buckets;

struct DcfgBlocks {
   Job             job;
   bool            finished;
   bool            has_dynamics;        // not for a graph alone
   Array           units;       // Unit
   Array           passages;    // Passage; by first occurrence
   Buckets         passage_at;
   uint32_t        counted;     // the passage that was counted last
   Standing        here;
   Array           waiting;     // Standing: of all sequences; or of those that
                                // signals have interrupted, the innermost last
   uint64_t        instrs;      // executed, for complete executions of units
   /* A stream of instructions: */
   Buckets         instr_at;
   uint32_t        sequence;    // the present one
   uint64_t        executed;
   /* A stream of a DCFG's edges, else NULL: */
   const DcfgProcess* p;
   BlockArc*       arcs;
   uint32_t        n_arcs;
   bool            dense;       // are arcs indexed by id?
   uint64_t        edges;       // counted by the graph
   /* After dcfg_blocks_finish(): */
   DcfgBlockTable  statics, dynamics;
   Array           tables[4];   // their blocks and edges
   uint32_t*       dynamic_at;  // by unit: the block that begins there
   /* In the second pass: */
   void          (*visit)(void* arg, uint32_t block);
   void*           visit_arg;
};

static inline Unit* unit(const DcfgBlocks* blocks, uint32_t i)
{
   return &ELEM(blocks->units, Unit, i);
}

/* Return the address behind unit I; 0: the end of all addresses. */
static inline uint64_t unit_end(const DcfgBlocks* blocks, uint32_t i)
{
   return unit(blocks, i)->addr + unit(blocks, i)->size;
}

/*--- tally.c: passages, and the order of calls            ---*/

/* Return whether more may be added: before finishing, or in the second pass. */
bool stream_is_open(DcfgBlocks* blocks);

/* Fail, as WHAT was not to be called.  Return false. */
bool stream_argument(DcfgBlocks* blocks, const char* what);

/* Copy the error to the caller's if not OK.  Return OK. */
bool stream_told(DcfgBlocks* blocks, bool ok, DcfgError* err);

/* Return whether BUCKETS has room for one more of N elements: at most three
   quarters are used. */
static inline bool has_room(const Buckets* buckets, size_t n)
{
   return n < buckets->room / 4 * 3;
}

/* Enlarge BUCKETS, which has N elements; TOO_MANY of them are an error.  HASH
   returns the hash of element I. */
bool stream_enlarge(DcfgBlocks* blocks, Buckets* buckets, size_t n,
                    uint64_t (*hash)(const DcfgBlocks* blocks, uint32_t i),
                    const char* too_many);

/* Fail if this is the second pass: then everything is known. */
bool stream_is_new(DcfgBlocks* blocks);

/* Add N to a passage; in the second pass, visit the block at TO instead. */
bool stream_count(DcfgBlocks* blocks, uint32_t from, uint32_t at, uint32_t to,
                  uint64_t n);

/* Visit the block at TO, or DCFG_NONE, in the second pass. */
static inline bool stream_visit(DcfgBlocks* blocks, uint32_t to)
{
   uint32_t block = to == DCFG_NONE ? DCFG_NONE : blocks->dynamic_at[to];

   if (block == DCFG_NONE && to != DCFG_NONE)
      return stream_is_new(blocks);
   blocks->visit(blocks->visit_arg, block);
   return true;
}

/* Begin at TO, after a jump from AT of leader FROM; begin a sequence. */
bool stream_jump(DcfgBlocks* blocks, uint32_t from, uint32_t at, uint32_t to);
bool stream_begin(DcfgBlocks* blocks, uint32_t to);

/* End the sequence at PLACE; end it and all that wait. */
bool stream_end(DcfgBlocks* blocks, Standing place);
bool stream_end_all(DcfgBlocks* blocks);

/* Return whether AT goes straight on to TO, which becomes its successor if it
   has none. */
bool stream_straight(DcfgBlocks* blocks, uint32_t at, uint32_t to);

#endif /* DCFG_STREAMS_H */
