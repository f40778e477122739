/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: registers that a chunk saved and restored. */

#ifndef DCFG_LIB_INDEX_SAVED_H
#define DCFG_LIB_INDEX_SAVED_H

#include "lib/index/index_lines.h"
#include "lib/wet/wet.h"

/* SavedWay: what a way does to registers.  .overwrites: those that it writes, a
   bit for each.  A way that saves or restores has the order in .steps. */
typedef
   struct {
      uint32_t first, n_steps;
      uint16_t overwrites;
   }
   SavedWay;

/* SavedSlot: a word of the stack that has the value of a register or word .from
   of the chunk's begin. */
typedef
   struct {
      uint64_t addr, from;
   }
   SavedSlot;

#define SAVED_REGISTERS 16u
#define SAVED_BITS      4096u

/* SavedRegisters: the present chunk so far.  Written by index_saved.c alone.  A
   place is the number of a register, or the address of a word. */
typedef
   struct {
      Job*           job;
      const DcfgWet* w;
      SavedWay*      ways;      // as in IndexWays
      Array          steps;     // SavedStep
      uint16_t       restored;  // registers that some instruction restores
      uint16_t       valid;     // restored ones whose values have a place in .from
      uint16_t       written;
      uint64_t       from[SAVED_REGISTERS];
      Array          slots;     // SavedSlot, the lowest address last
      uint64_t       bits[SAVED_BITS / 64];     // by word % SAVED_BITS: such a
                                                // word may be in .slots
      uint32_t       thread;    // the only one in the chunk, or DCFG_NONE
      bool           spoilt;    // only the chunk tells
      Array          code;      // uint8_t: of all chunks so far
      uint32_t       next;      // the chunk behind the last one there
   }
   SavedRegisters;

bool saved_start(SavedRegisters* x, Job* job, const DcfgWet* w);
void saved_free(SavedRegisters* x);

/* Note record R, whose slots are ADDRS.  LINES has all that the chunk wrote so
   far, with R. */
bool saved_run(SavedRegisters* x, const WetStep* r, const SavedWay* way,
               const uint64_t* addrs, LineSet* lines);

/* Note that the SIZE bytes at ADDR were written. */
void saved_write(SavedRegisters* x, uint64_t addr, uint64_t size);

static inline bool saved_may_be(const SavedRegisters* x, uint64_t addr,
                                uint64_t size)
{
   uint64_t first = addr / 8 % SAVED_BITS;
   uint64_t last = (addr + size - 1) / 8 % SAVED_BITS;

   return size > 16 || (x->bits[first / 64] >> first % 64 & 1)
          || (x->bits[last / 64] >> last % 64 & 1);
}

/* Return the way of record R. */
static inline const SavedWay* saved_way(const SavedRegisters* x,
                                        const WetStep* r)
{
   return &x->ways[r->way != DCFG_NONE ? r->way : x->w->n_ways + r->sb];
}

/* Note record R, which went WAY, if it only overwrites registers; its stores are
   noted by saved_write().  Return false if saved_run() has to. */
static inline bool saved_overwrites(SavedRegisters* x, const WetStep* r,
                                    const SavedWay* way)
{
   if (way->n_steps > 0 || r->thread != x->thread)
      return false;
   x->valid   &= (uint16_t)~way->overwrites;
   x->written |= way->overwrites;
   return true;
}

/* End CHUNK: add its code, and begin the next one. */
bool saved_end_chunk(SavedRegisters* x, uint32_t chunk);

#endif /* DCFG_LIB_INDEX_SAVED_H */
