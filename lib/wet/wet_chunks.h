/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a wet file, in any order. */

#ifndef DCFG_LIB_WET_CHUNKS_H
#define DCFG_LIB_WET_CHUNKS_H

#include "lib/wet/wet.h"

/* WetChunkInfo: a chunk, without its records. */
typedef
   struct {
      uint64_t offset;          // in the file
      uint64_t before;          // instructions in earlier chunks
      uint64_t n_instrs;        // instructions in this one
      uint32_t n_records;
      uint32_t thread;          // thread that runs at its begin
   }
   WetChunkInfo;

/* Add all chunks of W, which is at its begin, to INDEX, in one pass over the
   control flow.  RAN, by instruction, grows by the number of instances, unless
   it is NULL.  This pass gives no events. */
bool wet_index_chunks(DcfgWet* w, Array* index, uint64_t* ran);

/* Begin the next chunk of W, and add it to INDEX, which has all before it.
   Return false at the end, and on errors. */
bool wet_begin_chunk(DcfgWet* w, Array* index);

/* Return whether the chunk has another part; read it, in place of what TO
   has. */
static inline bool wet_has_part(const DcfgWet* w)
{
   return w->chunk->n_records > 0;
}
bool wet_read_part(DcfgWet* w, Array* index, WetWanted wanted, WetSteps* to);

/* Count in RUNS, by index in .sb_instrs, from now on how many records end
   there; stop if RUNS is NULL. */
void wet_count_runs(DcfgWet* w, uint64_t* runs);

/* Read the chunk, in place of what TO has. */
bool wet_read_chunk(DcfgWet* w, const WetChunkInfo* chunk, WetWanted wanted,
                    WetSteps* to);

/* Leave STEPS of the chunk at OFFSET in the file to the next reader of the
   trace, which is likely to read it, too.  Take what was left: return the
   chunk's offset, or 0 if there is none. */
void     wet_leave_chunk(DcfgWet* w, WetSteps* steps, uint64_t offset);
uint64_t wet_take_chunk(DcfgWet* w, WetSteps* steps);

#endif /* DCFG_LIB_WET_CHUNKS_H */
