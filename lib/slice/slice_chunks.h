/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The chunks to which a backward slice goes. */

#ifndef DCFG_LIB_SLICE_CHUNKS_H
#define DCFG_LIB_SLICE_CHUNKS_H

#include "lib/slice/slice_index.h"
#include "lib/slice/slice_wants.h"

/* Skip: written by slice_chunks.c alone. */
typedef
   struct {
      Job*               job;
      WetIndex*          ix;
      const SliceCode*   code;
      const Acts*        acts;
      Live*              live;
      const BranchJoins* joins;
      uint64_t           end;   // .order of the last instance of the execution
                                // asked for, if it has a number
      const Array*       begins;        // uint64_t: .order of instances from
                                        // which the slice goes on; or NULL
      uint8_t*           criteria;      // by chunk: it may have a criterion, or
                                        // one of these
      uint64_t*          counts;        // by chunk
      NumberMap          groups;        // keys: groups; values: index in
                                        // .branches, + 1
      Array              branches;      // uint8_t*: by chunk: it may have a
                                        // branch of the group
      Array              words; // uint64_t: words of memory that are wanted
      Array              moves; // WantMove
   }
   Skip;

/* SkipSearch: the state of the search for the criterion. */
typedef
   struct {
      bool     looking;         // its last instance is not found yet
      uint32_t act;             // look at all instances of this activation; or
                                // 0
   }
   SkipSearch;

/* Prepare the other members of S; .ix to .end are set. */
bool skip_start(Skip* s);
void skip_free(Skip* s);

/* Set *CHUNK to the latest chunk before it that may matter.  Return false if
   there is none, and on errors, with the job's error set. */
bool skip_back(Skip* s, const SkipSearch* search, uint32_t* chunk);

/* Return when THREAD began, as in DcfgSlice, if all chunks from CHUNK on were
   visited or skipped; return when it ended. */
uint64_t skip_thread_begin(const Skip* s, uint32_t thread, uint32_t chunk);
uint64_t skip_thread_end(const Skip* s, uint32_t thread, uint32_t chunk);

/* Passes: written by slice_chunks.c alone. */
typedef
   struct {
      Job*      job;            // the slice's
      DcfgWet*  w;
      WetCursor* tape;          // reads the tape, with a job of its own
      WetIndex* ix;
      bool      all;            // each chunk before one that was read is read,
                                // too
      WetAhead* ahead;          // uses it in another thread; or NULL
      Array     chunks;         // WetChunkInfo
      uint32_t  chunk;          // the present one
      WetPart   own;            // the present one, if not read ahead; then, or
                                // before, the one that an earlier slice left
      const WetSteps* steps;    // steps of the present chunk
      UnseenWrite* unseen;      // those of the present chunk, by time
      size_t    n_unseen;
   }
   Passes;

/* Begin behind the last chunk: take counts of superblocks, activations and the
   graph from the index, and store them in CODE, ACTS and G. */
bool passes_start(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g);

/* Read CHUNK, which is before the present one. */
bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk);
void passes_close(Passes* p);
void passes_free(Passes* p);

/* Set .n and .end of X, whose query has a number, from the index and the chunks
   in which the execution ran, or those up to it.  Behind the last chunk, as
   before. */
bool executions_find(Executions* x, Passes* p, Acts* acts,
                     const ControlGraph* graph);

#endif /* DCFG_LIB_SLICE_CHUNKS_H */
