/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of a run: where one ends, and its basic-block vector. */

/* Owns: vectors and the ends of slices.  Handed: blocks in their order.

   The vector of a slice has, for each block, the instructions that the slice
   executed there.  SimPoint clusters slices by their vectors.  All instructions of
   a block belong to the slice in which the block began.

   Slices of one thread, or of threads that are taken as one, end before the first
   block, or the first loop's head, that begins when the slice is long enough.  No
   slice begins at a REP instruction: see bb_repeats().

   LoopPoint cuts all threads together.  The method is that of A. Sabu, H. Patil,
   W. Heirman, T. E. Carlson, "LoopPoint", HPCA 2022.  It counts work in the
   program's loops, and skips the library of threads, where threads wait for a time
   that differs from run to run.  Filtered counts have the instructions of images
   that are not skipped; unfiltered counts have all.

   A concatenated vector has a thread's vector behind the other: ids of thread T
   are higher by T times the greatest id of a block in any vector.  The first vector
   is written before all blocks are known, so the greatest id comes from the
   DCFG. */

#include "cmd/simpoint/simpoint.h"
#include "lib/dcfg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*--- Vectors                                              ---*/

/* BlockVector: instructions that a slice executed in each block. */
typedef
   struct {
      uint64_t* instrs;         // for each node
      uint32_t* nodes;          // nodes whose number is not 0
      uint32_t  n_nodes;
   }
   BlockVector;

/* Make V empty, with room for the nodes of P. */
static void vector_open(BlockVector* v, const DcfgProcess* p)
{
   v->instrs  = zalloc(p->n_nodes, sizeof(*v->instrs));
   v->nodes   = zalloc(p->n_nodes, sizeof(*v->nodes));
   v->n_nodes = 0;
}

static void vector_close(BlockVector* v)
{
   free(v->instrs);
   free(v->nodes);
}

/* Add INSTRS instructions of NODE. */
static void vector_add(BlockVector* v, uint32_t node, uint32_t instrs)
{
   if (v->instrs[node] == 0 && instrs > 0)
      v->nodes[v->n_nodes++] = node;
   v->instrs[node] += instrs;
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Sort the elements by node. */
static void vector_sort(BlockVector* v)
{
   if (v->n_nodes > 0)
      qsort(v->nodes, v->n_nodes, sizeof(*v->nodes), by_number);
}

/* Write the elements, with block ids higher by ADD. */
static void vector_put(FILE* out, const BlockVector* v, const DcfgProcess* p,
                       uint64_t add)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      bb_put_share(out, p->nodes[v->nodes[i]].id + add,
                   v->instrs[v->nodes[i]]);
}

/* Set all numbers to 0. */
static void vector_clear(BlockVector* v)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      v->instrs[v->nodes[i]] = 0;
   v->n_nodes = 0;
}

/*--- Slices of one thread                                 ---*/

struct RunSlices {
   const Program*     g;
   const DcfgProcess* p;
   FILE*              out;
   uint64_t           size;
   const bool*        heads;
   bool               from_begin;
   uint64_t           n_slices;
   uint64_t           instrs;       // in the present slice
   uint64_t           all_instrs;
   BlockVector        vector;
   uint64_t*          executions;   // for each node
};

RunSlices* slices_new(const Program* g, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread)
{
   RunSlices* s = zalloc(1, sizeof(*s));

   s->g = g;
   s->p = g->p;
   s->out = out;
   s->size = size;
   s->heads = heads;
   s->from_begin = from_begin;
   vector_open(&s->vector, s->p);
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   bb_put_header(out, g, thread);
   return s;
}

/* Write the vector of the present slice, and begin the next one. */
static void put_vector(RunSlices* s)
{
   vector_sort(&s->vector);
   fprintf(s->out, "# Slice ending at %" PRIu64 "\nT", s->all_instrs);
   vector_put(s->out, &s->vector, s->p, 0);
   putc('\n', s->out);
   vector_clear(&s->vector);
   s->n_slices++;
   s->instrs = 0;
}

void slices_block(RunSlices* s, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];

   if (n->kind != DCFG_NODE_BLOCK)
      return;
   if (s->instrs >= s->size && (s->heads == NULL || s->heads[node])
       && !bb_repeats(s->p, node))
      put_vector(s);
   if (s->all_instrs == 0 && !s->from_begin)
      bb_put_since(s->out, s->g, node);
   if (s->instrs == 0 && s->vector.n_nodes == 0)
      bb_put_marker(s->out, s->g, node, s->executions[node] + 1);
   vector_add(&s->vector, node, n->n_instrs);
   s->instrs += n->n_instrs;
   s->all_instrs += n->n_instrs;
   s->executions[node]++;
}

uint64_t slices_end(RunSlices* s)
{
   uint64_t n;

   if (s->vector.n_nodes > 0)
      put_vector(s);
   n = s->n_slices;
   bb_put_table(s->out, s->g, s->all_instrs, s->size, s->executions);
   vector_close(&s->vector);
   free(s->executions);
   free(s);
   return n;
}

/*--- LoopPoint's slices                                   ---*/

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
