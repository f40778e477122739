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

/* Make V empty, with room for the nodes of PROCESS. */
static void vector_open(BlockVector* v, const DcfgProcess* process)
{
   v->instrs  = zalloc(process->n_nodes, sizeof(*v->instrs));
   v->nodes   = zalloc(process->n_nodes, sizeof(*v->nodes));
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
static void vector_put(FILE* out, const BlockVector* v,
                       const DcfgProcess* process, uint64_t add)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      bb_put_share(out, process->nodes[v->nodes[i]].id + add,
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

RunSlices* slices_new(const Program* program, FILE* out, uint64_t size,
                   const bool* heads, bool from_begin, uint32_t thread)
{
   RunSlices* s = zalloc(1, sizeof(*s));

   s->g = program;
   s->p = program->p;
   s->out = out;
   s->size = size;
   s->heads = heads;
   s->from_begin = from_begin;
   vector_open(&s->vector, s->p);
   s->executions = zalloc(s->p->n_nodes, sizeof(*s->executions));
   bb_put_header(out, program, thread);
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

LoopSlices* loop_slices_new(const Program* program, const LoopRules* rules,
                            FILE* global, FILE* concatenated, FILE** threads)
{
   LoopSlices* s = zalloc(1, sizeof(*s));

   s->g = program;
   s->p = program->p;
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
   bb_put_header(global, program, DCFG_ALL_THREADS);
   bb_put_header(concatenated, program, DCFG_ALL_THREADS);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      bb_put_header(threads[t], program, t);
   return s;
}

/* Write to OUT, one of the two global files, the end of the slice and its
   vector of all threads. */
static void put_global(LoopSlices* slices, FILE* out)
{
   fprintf(out, "# Slice ending at global %" PRIu64 "\n# Unfiltered count  %"
           PRIu64 "\nT", slices->all.filtered, slices->all.unfiltered);
   if (out != slices->concatenated)
      vector_put(out, &slices->all.vector, slices->p, 0);
   else
      for (uint32_t t = 0; t < slices->p->n_threads; t++)
         vector_put(out, &slices->threads[t].vector, slices->p,
                    (uint64_t)t * slices->max_id);
   putc('\n', out);
}

/* Write the present slice to all files, and begin the next one. */
static void put_slice(LoopSlices* slices)
{
   vector_sort(&slices->all.vector);
   for (uint32_t t = 0; t < slices->p->n_threads; t++) {
      CountedWork* v = &slices->threads[t];
      vector_sort(&v->vector);
      fprintf(slices->files[t], "# Slice ending at %" PRIu64 " global %" PRIu64
              "\n# Unfiltered count %" PRIu64 " global %" PRIu64 "\nT",
              v->filtered, slices->all.filtered, v->unfiltered,
              slices->all.unfiltered);
      vector_put(slices->files[t], &v->vector, slices->p, 0);
      fputs(v->vector.n_nodes == 0 ? " \n" : "\n", slices->files[t]);
   }
   put_global(slices, slices->global);
   put_global(slices, slices->concatenated);
   vector_clear(&slices->all.vector);
   for (uint32_t t = 0; t < slices->p->n_threads; t++)
      vector_clear(&slices->threads[t].vector);
   slices->n_slices++;
   slices->instrs = 0;
}

/* Write to both global files that a slice begins at execution COUNT of NODE. */
static void put_marker(LoopSlices* slices, uint32_t node, uint64_t count)
{
   need_one_field(image_path(slices->g, slices->p->nodes[node].image));
   bb_put_marker(slices->global, slices->g, node, count);
   bb_put_marker(slices->concatenated, slices->g, node, count);
}

/* Write the marker of the first slice, which begins at NODE. */
static void begin_first(LoopSlices* slices, uint32_t node)
{
   if (!slices->rules->from_begin) {
      bb_put_since(slices->global, slices->g, node);
      bb_put_since(slices->concatenated, slices->g, node);
   }
   put_marker(slices, node, 1);
}

/* Add INSTRS instructions of NODE to V. */
static void add(CountedWork* v, uint32_t node, uint32_t instrs)
{
   vector_add(&v->vector, node, instrs);
   v->filtered += instrs;
}

void loop_slices_block(LoopSlices* slices, uint32_t thread, uint32_t node)
{
   const DcfgNode* n = &slices->p->nodes[node];
   CountedWork*    v = &slices->threads[thread];

   if (v->vector.instrs == NULL)
      vector_open(&v->vector, slices->p);
   if (slices->all.unfiltered == 0)
      begin_first(slices, node);
   if (slices->rules->heads[node] && slices->instrs >= slices->rules->size) {
      put_slice(slices);
      put_marker(slices, node, slices->executions[node] + 1);
   }
   v->unfiltered += n->n_instrs;
   slices->all.unfiltered += n->n_instrs;
   if (slices->rules->skipped[node])
      return;
   add(v, node, n->n_instrs);
   add(&slices->all, node, n->n_instrs);
   slices->instrs += n->n_instrs;
   slices->executions[node]++;
   if (slices->rules->own[node])
      slices->last = node;
}

uint64_t loop_slices_end(LoopSlices* slices)
{
   uint64_t n;
   uint32_t max_id = 0;

   for (uint32_t i = 0; i < slices->p->n_blocks; i++)
      if (slices->executions[i] > 0 && slices->p->nodes[i].id > max_id)
         max_id = slices->p->nodes[i].id;
   if (slices->last == DCFG_NONE || max_id != slices->max_id)
      die("the trace has not the blocks of the DCFG: do the files belong "
          "together?");
   put_slice(slices);
   put_marker(slices, slices->last, slices->executions[slices->last]);
   n = slices->n_slices;
   bb_put_table(slices->global, slices->g, slices->all.filtered,
                slices->rules->size, slices->executions);
   bb_put_table(slices->concatenated, slices->g, slices->all.filtered,
                slices->rules->size, slices->executions);
   for (uint32_t t = 0; t < slices->p->n_threads; t++)
      vector_close(&slices->threads[t].vector);
   vector_close(&slices->all.vector);
   free(slices->threads);
   free(slices->executions);
   free(slices);
   return n;
}
