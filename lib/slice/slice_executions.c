/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Executions of a line. */

/* Owns: which instance ends the execution of a line that has the query's number,
   from an index.  Handed: a query, an index, and chunks by slice_chunks.c.

   slice_code.c has the rule for executions.  The index finds an execution by its
   number, if each instruction of the line begins an execution always or never.
   The arcs of the graph tell that: what can run before the instruction in its
   activation, back to an instruction of the line or to one that leaves the line.
   The index has how often each instruction ran in each chunk.  So it tells in
   which chunk the execution begins, and the walk forward reads that chunk.  It
   then reads the chunks in which the activation ran, until the execution is over.
   Where an instruction of the line does both, the walk forward begins with the
   first chunk in which the line ran.  It ends with the execution; or with the
   trace, if somebody asks how many executions there are. */

#include "lib/slice/slice_chunks.h"

#include <stdlib.h>
#include <string.h>

/*--- Which instructions begin executions                  ---*/

/* Begins: the search for what can run before instructions of the line. */
typedef
   struct {
      const SliceCode*    code;
      const ControlGraph* graph;
      ArcEnds             into; // by node: its predecessors
      uint32_t*           met;  // by node: the search that met it
      Array               stack;        // uint32_t: nodes still to be looked at
      bool                yes, no;      // the instruction begins executions; it
                                        // goes on with one
   }
   Begins;

/* Note that P runs before N, which leads to line instruction I of search
   NUMBER.  Return false if memory is exhausted. */
static bool meet_before(Begins* b, uint32_t p, uint32_t n, uint32_t i,
                        uint32_t number)
{
   bool      exit = p == b->graph->n - 1;
   uint32_t* to;

   if (!exit && b->code->q->instrs[p]) {
      bool begins = line_goes_back(b->code, p, i)
                    || (n != i && line_leaves(b->code, p));
      b->yes |= begins;
      b->no  |= !begins;
      return true;
   }
   if (exit || line_leaves(b->code, p)) {
      b->yes = true;
      return true;
   }
   if (b->met[p] == number)
      return true;
   b->met[p] = number;
   to = array_add(b->code->job, &b->stack, sizeof(*to));
   if (to != NULL)
      *to = p;
   return to != NULL;
}

/* Set .yes and .no for I, an instruction of the line that has run. */
static bool look_before(Begins* b, uint32_t i)
{
   bool ok = true;

   b->yes = b->no = false;
   for (uint32_t n = i; ok; ) {
      for (uint32_t k = b->into.first[n]; ok && k < b->into.first[n + 1]; k++)
         ok = meet_before(b, b->into.others[k], n, i, i + 1);
      if (b->stack.n == 0)
         break;
      n = ELEM(b->stack, uint32_t, array_pop(&b->stack));
   }
   return ok;
}

static void forget_begins(Executions* x)
{
   job_free(x->code->job, x->begins, x->code->w->instrs.n + 1);
   x->begins = NULL;
}

/* Set .begins of X.  Return false if memory is exhausted, or some instruction
   both begins executions and goes on with them; then .begins is NULL. */
static bool find_begins(Executions* x, const WetIndex* ix,
                        const ControlGraph* graph)
{
   const SliceCode* c = x->code;
   uint32_t         n = (uint32_t)c->w->instrs.n;
   Begins           b = { .code = c, .graph = graph };
   bool             ok;

   x->begins = job_calloc(c->job, n + (size_t)1, sizeof(bool));
   b.met     = job_calloc(c->job, graph->n, sizeof(uint32_t));
   ok = x->begins != NULL && b.met != NULL
        && ends_start(&b.into, c->job, graph->n, ix->arcs, ix->n_arcs, true);
   for (uint32_t i = 0; ok && i < n; i++)
      if (c->q->instrs[i]) {
         ok = look_before(&b, i) && !(b.yes && b.no);
         x->begins[i] = b.yes;
      }
   ends_free(&b.into, c->job, graph->n, ix->n_arcs);
   job_free(c->job, b.met, graph->n * sizeof(uint32_t));
   array_free(c->job, &b.stack, sizeof(uint32_t));
   if (!ok)
      forget_begins(x);
   return ok;
}

/*--- The execution that has a number                      ---*/

/* Set *CHUNK to the chunk in which the execution begins, .n of X to the number
   of those before that, and *ALL to that of all.  Return false if there is no
   such chunk. */
static bool find_chunk(Executions* x, WetIndex* ix, uint64_t* counts,
                       uint32_t* chunk, uint64_t* all)
{
   const SliceCode* c = x->code;
   bool             found = false;

   for (uint32_t i = 0; i < c->w->instrs.n; i++)
      if (x->begins[i])
         slice_code_chunks(c, ix, i, counts);
   *all = 0;
   for (uint32_t k = 0; k < ix->n_chunks; *all += counts[k++])
      if (!found && c->q->instance - *all < counts[k]) {
         found  = true;
         *chunk = k;
         x->n   = *all;
      }
   return found;
}

/* Return the activation in which the execution still goes on behind the present
   chunk, by its number in the index, and its *THREAD; 0 if it is over.  Give the
   activations that have other numbers there their states. */
static uint32_t goes_on(Acts* acts, uint32_t* thread)
{
   uint32_t id = 0;

   for (uint32_t t = 0; id == 0 && t < acts->code->w->threads.n; t++)
      for (id = acts->now[t].at.act; id != 0; id = act_of(acts, id)->is.up)
         if (act_of(acts, id)->line.wanted && act_of(acts, id)->line.last != 0) {
            *thread = t;
            break;
         }
   for (size_t i = 0; id == 0 && i < acts->tree.left.n; i++)
      for (id = ELEM(acts->tree.left, LeftStack, i).act;
           id != 0 && (!act_of(acts, id)->line.wanted
                       || act_of(acts, id)->line.last == 0); )
         id = act_of(acts, id)->is.up;
   for (size_t i = 0, found = id; i < acts->renamed.n; i++) {
      const Renamed r = ELEM(acts->renamed, Renamed, i);
      act_of(acts, r.then)->line = act_of(acts, r.now)->line;
      if (r.now == found)
         id = r.then;
   }
   return id;
}

/* Set *CHUNK to the next one behind it in which activation ACT of THREAD ran, or
   ended.  Return false if there is none. */
static bool next_chunk(const WetIndex* ix, uint32_t act, uint32_t thread,
                       uint32_t* chunk)
{
   const IndexTurn* end = ix->turns + ix->threads[thread + 1].turns;
   const IndexTurn* t = index_turn_before(ix, thread, *chunk + 1);

   if (ix->any_left)
      return ++*chunk < ix->n_chunks;
   for (t++; t < end; t++) {
      uint32_t low = t->low;
      while (low > act)
         low = ix->acts[low - 1].up;
      if (low != act || t->low == act) {
         *chunk = t->chunk;
         return true;
      }
   }
   return false;
}

/* Go forward from CHUNK, in which the execution begins, to its end. */
static bool find_end(Passes* p, Acts* acts, uint32_t chunk)
{
   uint32_t act, thread = 0;

   do {
      acts->n_ran = p->ix->chunks[chunk].before;
      if (!passes_chunk(p, acts, chunk))
         return false;
      act = goes_on(acts, &thread);
      acts_leave_chunk(acts);
   } while (act != 0 && next_chunk(p->ix, act, thread, &chunk));
   return true;
}

/* Find the execution by its number in COUNTS, by chunk, which are 0. */
static bool find_counted(Executions* x, Passes* p, Acts* acts, uint64_t* counts)
{
   uint64_t number;
   uint32_t chunk = 0;
   bool     ok = !find_chunk(x, p->ix, counts, &chunk, &number)
                 || find_end(p, acts, chunk);

   x->n = number;
   return ok;
}

/* Find the execution going forward over all chunks from the first one in which the
   line ran.  COUNTS are 0. */
static bool find_walking(Executions* x, Passes* p, Acts* acts, uint64_t* counts)
{
   const SliceCode* c = x->code;
   uint32_t         act = 0, thread = 0, chunk = 0;
   uint32_t         n = (uint32_t)p->ix->n_chunks;

   for (uint32_t i = 0; i < c->w->instrs.n; i++)
      if (c->q->instrs[i])
         slice_code_chunks(c, p->ix, i, counts);
   while (chunk < n && counts[chunk] == 0)
      chunk++;
   for (; chunk < n; chunk++) {
      job_progress(p->job, "reading", chunk, n);
      acts->n_ran = p->ix->chunks[chunk].before;
      if (!passes_chunk(p, acts, chunk))
         return false;
      act = goes_on(acts, &thread);
      acts_leave_chunk(acts);
      if (c->q->uncounted && x->end != UINT64_MAX && act == 0)
         break;
   }
   return true;
}

/* Take what an earlier slice found for the same question.  Return false if there
   was none. */
static bool take_kept(Executions* x, const KeptExecution* k)
{
   const DcfgSliceQuery* q = x->code->q;

   if (k->instrs == NULL || k->number != q->instance
       || (k->uncounted && !q->uncounted)
       || memcmp(k->instrs, q->instrs, x->code->w->instrs.n) != 0)
      return false;
   x->n   = k->n;
   x->end = k->end;
   return true;
}

/* Keep what was found for the next slice, if there is memory. */
static void keep(const Executions* x, KeptExecution* k)
{
   const DcfgSliceQuery* q = x->code->q;
   size_t                n = x->code->w->instrs.n;

   free(k->instrs);
   *k = (KeptExecution){ malloc(n + 1), q->instance, q->uncounted, x->n,
                         x->end };
   if (k->instrs != NULL)
      memcpy(k->instrs, q->instrs, n);
}

bool executions_find(Executions* x, Passes* p, Acts* acts,
                     const ControlGraph* graph)
{
   size_t    n = p->ix->n_chunks + 1;
   uint64_t* counts;
   bool      all = p->all, ok, known;

   if (take_kept(x, &p->ix->execution))
      return true;
   counts = job_calloc(p->job, n, sizeof(*counts));
   ok     = counts != NULL;
   known  = ok && find_begins(x, p->ix, graph);
   p->all = false;              // the chunks are few, or forward
   acts->executions = x;
   ok = ok && p->job->err.status == DCFG_OK
        && (known ? find_counted : find_walking)(x, p, acts, counts);
   acts->executions = NULL;
   p->all   = all;
   p->chunk = (uint32_t)p->chunks.n;
   job_free(p->job, counts, n * sizeof(*counts));
   forget_begins(x);
   if (ok)
      keep(x, &p->ix->execution);
   return ok;
}
