/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The code of a trace that is sliced. */

#ifndef DCFG_LIB_SLICE_CODE_H
#define DCFG_LIB_SLICE_CODE_H

#include "lib/dcfg_slice.h"
#include "lib/index/wet_index.h"
#include "lib/wet/wet_ahead.h"

/* SbInfo: superblocks are passed over unless they may define something that is
   wanted. */
typedef
   struct {
      uint64_t defs[2];         // a bit for each granule, by number; those of
                                // x87 all together: G_X87 and G_STACK
      uint32_t first;           // place
      uint32_t stores;          // the first in .stores
      uint16_t n_stores;
      bool     branches;        // has any that others may depend on
      bool     x87;             // moves the top of the stack
      bool     criterion;       // has an instruction of it
      bool     odd_stores;      // some that are not slots of their own
   }
   SbInfo;

/* InstrInfo: instructions are passed over likewise. */
typedef
   struct {
      uint64_t defs[2];
      bool     stores, branch;
      bool     more;            // needs a look: a criterion, or a system call
   }
   InstrInfo;

/* StoreSlot: a slot where a superblock writes to memory. */
typedef
   struct {
      uint16_t slot, size;
   }
   StoreSlot;

/* SliceCode: written by slice_code.c alone. */
typedef
   struct {
      Job*       job;           // not the trace's: that is the reader's
      DcfgWet*   w;
      const DcfgSliceQuery* q;
      SbInfo*    sbs;
      StoreSlot* stores;
      uint8_t*   kinds;         // by place: of the instruction
      InstrInfo* infos;         // by instruction
      uint64_t*  runs;          // by place: how often that was the last one
                                // of a record, so far
      uint32_t*  occurs;        // by instruction: the first of those of it,
                                // and behind the last one that of all
      uint32_t*  occurrences;   // a place
      uint32_t*  sb_of;         // of which superblock

      /* If not NULL, chunks are passed over, and .runs are found when they are
         asked for: .at_chunk, by place, is .chunk if they are known up to the end
         of chunk .chunk - 1. */
      WetIndex*  index;
      uint32_t*  at_chunk;
      uint32_t   chunk;
   }
   SliceCode;

/* Spot: an instance, and where it is.  Written by slice_back.c alone. */
typedef
   struct {
      const WetSteps* steps;    // steps of the part in work
      const WetStep*  step;
      const InstrPlan*    at;
      const Array*    reads;    // DcfgSliceReading: of its thread's system call
      uint32_t place;           // in the superblock
      uint32_t instr;
      uint32_t act;
      uint32_t thread;
      uint32_t top;             // top of x87's stack
      uint64_t order;           // order of its superblock's first instruction
   }
   Spot;

bool slice_code_start(SliceCode* c, Job* job, DcfgWet* w,
                      const DcfgSliceQuery* q);
void slice_code_free(SliceCode* c);

/* Note which superblocks have branches.  BRANCHES tells it by instruction. */
void code_note_branches(SliceCode* c, const uint8_t* branches);

/* How often each instruction was executed, to TOTALS. */
void slice_code_count(const SliceCode* c, DcfgSliceTotal* totals);

/* Chunks are passed over, as IX allows; CHUNK is gone through next. */
bool slice_code_skip(SliceCode* c, WetIndex* ix);
void slice_code_at_chunk(SliceCode* c, uint32_t chunk);

/* Find how often PLACE was the last one up to the chunk in work. */
void slice_code_find_runs(const SliceCode* c, uint32_t place);

static inline uint64_t slice_code_runs(const SliceCode* c, uint32_t place)
{
   if (c->index != NULL && c->at_chunk[place] != c->chunk)
      slice_code_find_runs(c, place);
   return c->runs[place];
}

/* The record of N instructions of SB is one less, or nothing was run so far. */
static inline void slice_code_unrun(SliceCode* c, const SbInfo* sb, uint32_t n)
{
   if (c->index != NULL)
      slice_code_runs(c, sb->first + n - 1);
   c->runs[sb->first + n - 1]--;
}

void code_forget_runs(SliceCode* c);

/* How many instances instruction I had before SPOT; where an access was made
   there, or 0. */
uint64_t slice_code_instance(const SliceCode* c, const Spot* spot, uint32_t i);
uint64_t slice_code_address(const SliceCode* c, const Spot* spot,
                            uint32_t access);

/* The accesses of the instruction at AT, in step R of S: their addresses. */
static inline const uint64_t* slots_of(const WetSteps* s, const WetStep* r,
                                       const InstrPlan* at, uint32_t* n)
{
   uint32_t made = r->n_slots;

   *n = made >= (uint32_t)at->slot + at->n_slots ? at->n_slots
        : made > at->slot ? made - at->slot : 0;
   return s->addrs + r->first + at->slot;
}

/* Granule G, which may be counted from the top of x87's stack. */
static inline unsigned spot_granule(const Spot* spot, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + spot->top) & 7);
}

/* Return the plan of an instruction, which has its accesses. */
static inline const Plan* plan_of(const SliceCode* c, uint32_t i)
{
   return &c->w->plans[i];
}

static inline const WetAccess* accesses_of(const SliceCode* c, uint32_t i)
{
   return &ELEM(c->w->accesses, WetAccess, c->w->plans[i].accesses);
}

#endif /* DCFG_LIB_SLICE_CODE_H */
