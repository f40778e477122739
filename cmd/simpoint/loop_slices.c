/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   LoopPoint's vectors: slices of all threads, cut together. */

/* Owns: the ends of LoopPoint's slices.  Handed: blocks of all threads in
   their order.

   The method is that of A. Sabu, H. Patil, W. Heirman, T. E. Carlson,
   "LoopPoint", HPCA 2022.  It counts work in the program's loops, and skips the
   library of threads, where threads wait for a time that differs from run to
   run.  Filtered counts have the instructions of images that are not skipped;
   unfiltered counts have all.

   The ids in a concatenated vector depend on the greatest id of a block in any
   vector.  The first vector is written before all blocks are known, so the
   greatest id comes from the DCFG. */

#include "cmd/simpoint/loop_slices.h"

#include "cmd/simpoint/bb_text.h"
#include "cmd/simpoint/block_vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* CountedWork: the instructions that a thread, or all threads, executed. */
typedef
   struct {
      BlockVector vector;       // closed until the thread does something
      uint64_t    filtered, unfiltered; // instructions since the start
   }
   CountedWork;

struct LoopSlices {
   const Program*     g;
   const DcfgProcess* p;
   const LoopRules*   rules;
   FILE*              global;
   FILE*              concatenated;
   FILE**             files;        // a file for each thread
   CountedWork*       threads;
   CountedWork        all;
   uint64_t           n_slices;
   uint64_t           instrs;       // filtered ones in the present slice
   uint64_t*          executions;   // for each node that is not skipped
   uint32_t           max_id;       // the greatest id of a block in a vector
   uint32_t           last;         // the last block in .own, or DCFG_NONE
};

LoopSlices* loop_slices_new(const Program* g, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads)
{
   LoopSlices* s = zalloc(1, sizeof(*s));

   s->g = g;
   s->p = g->p;
   s->rules = rules;
   s->global = global;
   s->concatenated = concatenated;
   s->files = threads;
   s->threads = zalloc(s->p->n_threads, sizeof(*s->threads));
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   s->last = DCFG_NONE;
   vector_open(&s->all.vector, s->p);
   for (uint32_t i = 0; i < s->p->n_blocks; i++)
      if (!rules->skipped[i] && s->p->nodes[i].id > s->max_id
          && dcfg_node_executions(s->p, i, DCFG_ALL_THREADS) > 0)
         s->max_id = s->p->nodes[i].id;
   fprintf(concatenated, "#make-balanced-concat-vectors.py num_threads %" PRIu32
           "\n", s->p->n_threads);
   bb_put_header(global, g, DCFG_ALL_THREADS);
   bb_put_header(concatenated, g, DCFG_ALL_THREADS);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      bb_put_header(threads[t], g, t);
   return s;
}

/* Write to OUT, one of the two global files, the end of the slice and its
   vector of all threads. */
static void put_global(LoopSlices* s, FILE* out)
{
   fprintf(out, "# Slice ending at global %" PRIu64 "\n# Unfiltered count  %"
           PRIu64 "\nT", s->all.filtered, s->all.unfiltered);
   if (out != s->concatenated)
      vector_put(out, &s->all.vector, s->p, 0);
   else
      for (uint32_t t = 0; t < s->p->n_threads; t++)
         vector_put(out, &s->threads[t].vector, s->p, (uint64_t)t * s->max_id);
   putc('\n', out);
}

/* Write the present slice to all files, and begin the next one. */
static void put_slice(LoopSlices* s)
{
   vector_sort(&s->all.vector);
   for (uint32_t t = 0; t < s->p->n_threads; t++) {
      CountedWork* v = &s->threads[t];
      vector_sort(&v->vector);
      fprintf(s->files[t], "# Slice ending at %" PRIu64 " global %" PRIu64
              "\n# Unfiltered count %" PRIu64 " global %" PRIu64 "\nT",
              v->filtered, s->all.filtered, v->unfiltered, s->all.unfiltered);
      vector_put(s->files[t], &v->vector, s->p, 0);
      fputs(v->vector.n_nodes == 0 ? " \n" : "\n", s->files[t]);
   }
   put_global(s, s->global);
   put_global(s, s->concatenated);
   vector_clear(&s->all.vector);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      vector_clear(&s->threads[t].vector);
   s->n_slices++;
   s->instrs = 0;
}

/* Write to both global files that a slice begins at execution COUNT of NODE. */
static void put_marker(LoopSlices* s, uint32_t node, uint64_t count)
{
   need_one_field(image_path(s->g, s->p->nodes[node].image));
   bb_put_marker(s->global, s->g, node, count);
   bb_put_marker(s->concatenated, s->g, node, count);
}

/* Write the marker of the first slice, which begins at NODE. */
static void begin_first(LoopSlices* s, uint32_t node)
{
   if (!s->rules->from_begin) {
      bb_put_since(s->global, s->g, node);
      bb_put_since(s->concatenated, s->g, node);
   }
   put_marker(s, node, 1);
}

/* Add INSTRS instructions of NODE to V. */
static void add(CountedWork* v, uint32_t node, uint32_t instrs)
{
   vector_add(&v->vector, node, instrs);
   v->filtered += instrs;
}

void loop_slices_block(LoopSlices* s, uint32_t thread, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];
   CountedWork*    v = &s->threads[thread];

   if (v->vector.instrs == NULL)
      vector_open(&v->vector, s->p);
   if (s->all.unfiltered == 0)
      begin_first(s, node);
   if (s->rules->heads[node] && s->instrs >= s->rules->size) {
      put_slice(s);
      put_marker(s, node, s->executions[node] + 1);
   }
   v->unfiltered += n->n_instrs;
   s->all.unfiltered += n->n_instrs;
   if (s->rules->skipped[node])
      return;
   add(v, node, n->n_instrs);
   add(&s->all, node, n->n_instrs);
   s->instrs += n->n_instrs;
   s->executions[node]++;
   if (s->rules->own[node])
      s->last = node;
}

uint64_t loop_slices_end(LoopSlices* s)
{
   uint64_t n;
   uint32_t max_id = 0;

   for (uint32_t i = 0; i < s->p->n_blocks; i++)
      if (s->executions[i] > 0 && s->p->nodes[i].id > max_id)
         max_id = s->p->nodes[i].id;
   if (s->last == DCFG_NONE || max_id != s->max_id)
      die("the trace has not the blocks of the DCFG: do the files belong "
          "together?");
   put_slice(s);
   put_marker(s, s->last, s->executions[s->last]);
   n = s->n_slices;
   bb_put_table(s->global, s->g, s->all.filtered, s->rules->size,
                s->executions);
   bb_put_table(s->concatenated, s->g, s->all.filtered, s->rules->size,
                s->executions);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      vector_close(&s->threads[t].vector);
   vector_close(&s->all.vector);
   free(s->threads);
   free(s->executions);
   free(s);
   return n;
}
