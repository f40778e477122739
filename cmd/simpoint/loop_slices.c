/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   LoopPoint's vectors: slices of all threads, cut together. */

/* Owns: the ends of LoopPoint's slices.  Handed: blocks of all threads in their
   order.  Taken by: cmd_bbv.c.

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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Vector: the instructions that a thread, or all threads, executed. */
typedef
   struct {
      uint64_t* in_slice;       // for each node; NULL: the thread has done
                                // nothing yet
      uint32_t* nodes;          // nodes whose number is not 0
      uint32_t  n_nodes;
      uint64_t  filtered, unfiltered;   // instructions since the start
   }
   Vector;

struct LoopSlices {
   const Program*     g;
   const DcfgProcess* p;
   const LoopRules*   rules;
   FILE*              global;
   FILE*              concatenated;
   FILE**             files;        // a file for each thread
   Vector*            threads;
   Vector             all;
   uint64_t           n_slices;
   uint64_t           instrs;       // filtered ones in the present slice
   uint64_t*          executions;   // for each node that is not skipped
   uint32_t           max_id;       // the greatest id of a block in a vector
   uint32_t           last;         // the last block in .own, or DCFG_NONE
};

static void open_vector(const LoopSlices* s, Vector* v)
{
   v->in_slice = zalloc(s->p->n_nodes, sizeof(*v->in_slice));
   v->nodes = zalloc(s->p->n_nodes, sizeof(*v->nodes));
}

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
   open_vector(s, &s->all);
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

COMPARE(by_number, uint32_t, ORDER(*x, *y))

static void sort_nodes(Vector* v)
{
   if (v->n_nodes > 0)
      qsort(v->nodes, v->n_nodes, sizeof(*v->nodes), by_number);
}

/* Write the elements of V, with block ids higher by ADD. */
static void put_shares(const LoopSlices* s, FILE* out, const Vector* v,
                       uint64_t add)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      bb_put_share(out, s->p->nodes[v->nodes[i]].id + add,
                   v->in_slice[v->nodes[i]]);
}

static void clear(Vector* v)
{
   for (uint32_t i = 0; i < v->n_nodes; i++)
      v->in_slice[v->nodes[i]] = 0;
   v->n_nodes = 0;
}

/* Write to OUT, one of the two global files, the end of the slice and its
   vector of all threads. */
static void put_global(LoopSlices* s, FILE* out)
{
   fprintf(out, "# Slice ending at global %" PRIu64 "\n# Unfiltered count  %"
           PRIu64 "\nT", s->all.filtered, s->all.unfiltered);
   if (out != s->concatenated)
      put_shares(s, out, &s->all, 0);
   else
      for (uint32_t t = 0; t < s->p->n_threads; t++)
         put_shares(s, out, &s->threads[t], (uint64_t)t * s->max_id);
   putc('\n', out);
}

/* Write the present slice to all files, and begin the next one. */
static void put_slice(LoopSlices* s)
{
   sort_nodes(&s->all);
   for (uint32_t t = 0; t < s->p->n_threads; t++) {
      Vector* v = &s->threads[t];
      sort_nodes(v);
      fprintf(s->files[t], "# Slice ending at %" PRIu64 " global %" PRIu64
              "\n# Unfiltered count %" PRIu64 " global %" PRIu64 "\nT",
              v->filtered, s->all.filtered, v->unfiltered, s->all.unfiltered);
      put_shares(s, s->files[t], v, 0);
      fputs(v->n_nodes == 0 ? " \n" : "\n", s->files[t]);
   }
   put_global(s, s->global);
   put_global(s, s->concatenated);
   clear(&s->all);
   for (uint32_t t = 0; t < s->p->n_threads; t++)
      clear(&s->threads[t]);
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
static void add(Vector* v, uint32_t node, uint32_t instrs)
{
   if (v->in_slice[node] == 0 && instrs > 0)
      v->nodes[v->n_nodes++] = node;
   v->in_slice[node] += instrs;
   v->filtered += instrs;
}

void loop_slices_block(LoopSlices* s, uint32_t thread, uint32_t node)
{
   const DcfgNode* n = &s->p->nodes[node];
   Vector*         v = &s->threads[thread];

   if (v->in_slice == NULL)
      open_vector(s, v);
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

static void free_vector(Vector* v)
{
   free(v->in_slice);
   free(v->nodes);
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
      free_vector(&s->threads[t]);
   free_vector(&s->all);
   free(s->threads);
   free(s->executions);
   free(s);
   return n;
}
