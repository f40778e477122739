/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the ways of a trace's superblocks, for an index. */

#ifndef DCFG_LIB_INDEX_WAYS_H
#define DCFG_LIB_INDEX_WAYS_H

#include "lib/index/index_image.h"
#include "lib/index/index_lines.h"
#include "lib/index/index_stores.h"

/* IndexStore: a slot of a superblock with an address of written memory.  What
   was read there may share the slot. */
typedef
   struct {
      uint16_t slot, size;
   }
   IndexStore;

/* IndexWrite: an instruction of a superblock that stores, or a load whose bytes
   its value has: its index there.  If it stores or loads one value of .size
   bytes, which has one slot, .size is not 0. */
typedef
   struct {
      uint16_t place;
      uint16_t slot, value;     // the slots of the address and the value
      uint16_t size;
      bool     load;
   }
   IndexWrite;

/* IndexWay: the data that all records of a way share. */
typedef
   struct {
      uint64_t defs[2];
      uint64_t turn;            // the last turn that has these granules
      uint64_t time;            // the last time that the way was gone
      uint32_t step;            // and its step, in the part of the chunk
      uint32_t place;           // the last instruction's
      uint32_t stores;          // the first one's index in .stores
      uint32_t n_stores;
      uint32_t writes;          // the first one's index in .writes
      uint32_t n_writes;
   }
   IndexWay;

/* IndexWays: written by index_ways.c alone. */
typedef
   struct {
      Job*           job;
      const DcfgWet* w;
      IndexWay*      ways;      // the trace's ways, then one for the stops of
                                // each superblock
      Array          stores;    // IndexStore
      Array          writes;    // IndexWrite
      }
   IndexWays;

/* Describe the ways of W. */
bool ways_start(IndexWays* x, Job* job, const DcfgWet* w);
void ways_free(IndexWays* x);

/* Return the way of record R, an execution of a superblock. */
static inline IndexWay* way_of(const IndexWays* x, const WetStep* r)
{
   return &x->ways[r->way != DCFG_NONE ? r->way : x->w->n_ways + r->sb];
}

/* Return whether WAY is met for the first time in turn NUMBER. */
static inline bool way_turns(IndexWay* way, uint64_t number)
{
   bool first = way->turn != number;

   way->turn = number;
   return first;
}

/* Note in TO the values that record R stored and loaded; ADDRS has the record's
   slots, and its first instruction has TIME.  Add to NEWS, unless that is NULL,
   the loads that told something new. */
bool way_write(const IndexWays* x, const WetStep* r, const uint64_t* addrs,
               uint64_t time, MemoryImage* to, LineSet* news);

#endif /* DCFG_LIB_INDEX_WAYS_H */
