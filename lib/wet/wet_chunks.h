/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a whole execution trace, in any order, also decoded ahead by a
   thread. */

#ifndef DCFG_LIB_WET_CHUNKS_H
#define DCFG_LIB_WET_CHUNKS_H

#include "lib/wet/wet_cursor.h"

/* WetChunkInfo: a chunk, without its records. */
typedef
   struct {
      uint64_t offset;          // in the file
      uint64_t before;          // instructions in earlier chunks
      uint64_t n_instrs;        // instructions in this one
      uint32_t n_records;
      uint32_t thread;          // thread that runs at its begin
      uint32_t n_slots;         // slots of its records; 0: not known
   }
   WetChunkInfo;

/* Count the instances of each instruction in RAN, in one pass over the control
   flow of C, which is at its begin. */
bool wet_count_instances(WetCursor* c, uint64_t* ran);

/* Count in RUNS, by index in .sb_instrs, from now on how many records end
   there; stop if RUNS is NULL. */
static inline void wet_count_runs(WetCursor* c, uint64_t* runs)
{
   c->runs = runs;
}

/* Read the chunk, in place of what TO has. */
bool wet_read_chunk(WetCursor* c, const WetChunkInfo* chunk, WetSteps* to);

/* Leave STEPS of the chunk at OFFSET in the file, which JOB owns, to the next
   reader of W, which is likely to read it, too.  Take what was left: return the
   chunk's offset, or 0 if there is none. */
void     wet_leave_chunk(DcfgWet* w, Job* job, WetSteps* steps,
                         uint64_t offset);
uint64_t wet_take_chunk(DcfgWet* w, Job* job, WetSteps* steps);

/*--- Ahead, by a thread                                   ---*/

/* WetPart: steps that are decoded at once: a part of a chunk, or all of it. */
typedef
   struct {
      WetSteps steps;
      bool     first;           // the first part of its chunk, which begins at
                                // .offset
      uint64_t offset;
      uint64_t n_file, n_text;  // bytes read up to here
   }
   WetPart;

typedef struct WetAhead WetAhead;

/* Decode all of C from its begin on, in parts, and add the chunks to INDEX; or
   decode the first N chunks of INDEX backward, whole.  The
   thread owns C and INDEX until wet_ahead_close().  Return NULL, and JOB's
   error, if memory is exhausted. */
WetAhead* wet_ahead_new(Job* job, WetCursor* c, Array* index);
WetAhead* wet_ahead_new_back(Job* job, WetCursor* c, Array* index,
                             uint32_t n);

/* Return the next part; the one before is no longer valid.  Return NULL at the
   end, and with JOB's error if decoding fails. */
const WetPart* wet_ahead_next(WetAhead* a);

/* Close A, which may be NULL. */
void wet_ahead_close(WetAhead* a);

#endif
