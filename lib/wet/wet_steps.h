/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Decoded records of a whole execution trace. */

#ifndef DCFG_LIB_WET_STEPS_H
#define DCFG_LIB_WET_STEPS_H

#include "lib/base/job.h"

/* WetStep: a record of the tape: an execution of a superblock, or a mark. */
typedef
   struct {
      uint32_t sb;              // 0 for a mark
      union {
         uint32_t way;          // DCFG_NONE: left between exits
         uint32_t mark;         // DcfgWetKind; a turn of threads is no step
      };
      uint32_t thread;
      uint32_t first;           // index in .addrs of its slots, or a mark's
                                // words
      uint16_t n_instrs;        // completed instructions
      uint16_t n_slots;         // slots that were filled; MARK_SLOTS for a mark
   }
   WetStep;

/* The slots of a mark: its words, and where its bytes are in .bytes of the
   steps, and how many. */
enum { MARK_BYTES_AT = 3, MARK_N_BYTES, MARK_SLOTS };

/* WetSteps: decoded records.  For SLOTS_OF_ALL, .turns has the indices of steps
   that are not easy, or that follow a mark or a turn of threads. */
typedef
   struct {
      WetStep*  steps;
      uint32_t* turns;
      size_t    n_steps, max_steps;
      size_t    n_turns, max_turns;
      uint64_t* addrs;
      size_t    n_addrs, max_addrs;
      uint8_t*  bytes;          // for SLOTS_OF_ALL: bytes of marks
      size_t    n_bytes, max_bytes;
   }
   WetSteps;

static inline void wet_forget_steps(WetSteps* s)
{
   s->n_steps = s->n_turns = s->n_addrs = s->n_bytes = 0;
}

/* WetStepsRoom: the elements of one block.  .n_all is the number of records of
   the chunk, if the steps of all its blocks will be kept together; else 0. */
typedef
   struct {
      size_t n_steps, n_addrs, n_turns, n_bytes;
      size_t n_all;
   }
   WetStepsRoom;

/* Make room in S for one block more.  Return false if memory is exhausted. */
bool wet_reserve_steps(Job* job, WetSteps* s, const WetStepsRoom* room);

/* Free memory that the records of S do not need, if there is much of it. */
void wet_trim_steps(Job* job, WetSteps* s);

/* Return the size of the memory of S, in bytes; free it. */
size_t wet_size_of_steps(const WetSteps* s);
void   wet_free_steps(Job* job, WetSteps* s);

#endif /* DCFG_LIB_WET_STEPS_H */
