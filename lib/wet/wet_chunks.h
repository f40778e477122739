/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a wet file, in any order. */

#ifndef DCFG_LIB_WET_CHUNKS_H
#define DCFG_LIB_WET_CHUNKS_H

#include "lib/wet/wet.h"

/* WetChunkInfo: a chunk without its addresses. */
typedef
   struct {
      uint64_t offset;          // in the file
      uint64_t before;          // instructions executed in earlier ones
      uint64_t n_instrs;        // and in this one
      uint32_t n_records;
      uint32_t thread;          // runs at the chunk's begin
      bool     odd_marks;       // a mark of a handler or of x87's top
   }
   WetChunkInfo;

/* All chunks of W, which is at its begin, to INDEX, of WetChunkInfo: one pass
   over the control flow.  If RAN is not NULL it has an element for each
   instruction: how many instances there are is added to it.  What was read
   this way has no events. */
bool wet_index_chunks(DcfgWet* w, Array* index, uint64_t* ran);

/* The next chunk of W, from its begin on, is begun: false at the end, too.  What
   is known of it goes to INDEX, which has those before. */
bool wet_begin_chunk(DcfgWet* w, Array* index);

/* The next part of it, while there is one, in place of what was in TO. */
static inline bool wet_has_part(const DcfgWet* w)
{
   return w->chunk->n_records > 0;
}
bool wet_read_part(DcfgWet* w, Array* index, WetWanted wanted, WetSteps* to);

/* From now on RUNS, or nothing if that is NULL, gets for each place, as
   .sb_instrs, how often it was the last one of a record. */
void wet_count_runs(DcfgWet* w, uint64_t* runs);

/* W has been read to its end: keep what INDEX and RUNS say, as W->runs has
   it, for all that read the same trace.  Add it to INDEX, which is empty, and
   RUNS; false if it is not known, or with an error if there is no memory. */
void wet_remember(DcfgWet* w, const Array* index, const uint64_t* runs);
bool wet_recall(DcfgWet* w, Array* index, uint64_t* runs);

/* That chunk, in place of what was in TO. */
bool wet_read_chunk(DcfgWet* w, const WetChunkInfo* chunk, WetWanted wanted,
                    WetSteps* to);

/* All chunks have been read: the first one is the next one again. */
bool wet_rewind(DcfgWet* w);

#endif /* DCFG_LIB_WET_CHUNKS_H */
