/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices, from a query to the result. */

/* Owns: a slice from its query to its result, and the choice of its kind.
   Handed: a trace and a query. */

#include "lib/slice/slice_back.h"
#include "lib/slice/slice_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const SliceKind* kind_of(const DcfgSliceQuery* q, const DcfgWet* w)
{
   if (q->forward)
      return q->sums ? &slice_forward_sums : &slice_forward;
   return q->sums && !dcfg_wet_is_window(w) ? &slice_sums : &slice_keep;
}

/* Slicer: the parts of a slice; each has a file that writes it. */
typedef
   struct {
      SliceCode    code;
      Callbacks    callbacks;
      Executions   executions;
      ControlGraph graph;
      Acts         acts;
      Passes       passes;
      Live         live;
      BranchJoins  joins;
      Found        found;
   }
   Slicer;

static bool start(Slicer* z, Job* job, DcfgWet* w, const DcfgSliceQuery* q)
{
   Found* f = &z->found;

   executions_start(&z->executions, &z->code);
   if (!slice_code_start(&z->code, job, w, q)
       || !callbacks_start(&z->callbacks, &z->code)
       || !acts_start(&z->acts, &z->code, NULL, &z->callbacks, NULL)
       || !live_start(&z->live, job, w)
       || !joins_start(&z->joins, job, &z->graph))
      return false;
   return found_start(f)
          && (f->kind->start == NULL || f->kind->start(f, &z->live));
}

/* Find which execution of the line is asked for, unless the slice GOES_ON, and which
   functions call back.
   A pass forward finds all executions, and who calls back if the index has those
   of other code. */
static bool look_forward(Slicer* z, const DcfgSliceQuery* q, bool goes_on)
{
   WetIndex* ix = z->passes.ix;
   bool      numbered = executions_asked(q) && !goes_on;
   bool      foreign = q->callbacks && !index_is_outside(ix, q->no_control_of);
   bool      every = q->instance == DCFG_SLICE_EVERY;

   if (numbered && !every && !foreign
       && !executions_find(&z->executions, &z->passes, &z->acts, &z->graph))
      return false;
   if ((foreign || (numbered && every))
       && !slice_look_forward(&z->code, z->passes.tape, &z->callbacks,
                              numbered ? &z->executions : NULL))
      return false;
   if (foreign
       && !index_take_callbacks(ix, q->no_control_of, z->callbacks.calls))
      return job_fail(z->code.job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   callbacks_take(&z->callbacks, ix->callbacks);
   return true;
}

/* Set .execution of the criteria. */
static void number_criteria(DcfgSlice* s, const Executions* x)
{
   for (uint32_t i = 0; x->all.n > 0 && i < s->n_criteria; i++) {
      DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      n->execution = executions_of(x, n->order);
   }
}

static bool find(Slicer* z, Job* job, DcfgWet* w, const DcfgSliceQuery* q)
{
   if (!start(z, job, w, q)
       || !passes_start(&z->passes, &z->code, &z->acts, &z->graph)
       || !look_forward(z, q, z->found.earlier != NULL))
      return false;
   if (z->found.earlier != NULL)
      z->executions.n = z->found.earlier->slice.n_executions;
   slice_code_count(&z->code, z->found.result->totals);
   if (!slice_backward(&z->passes, &z->code, &z->acts, &z->live, &z->joins,
                       &z->executions, &z->found)
       || !z->found.kind->finish(&z->found))
      return false;
   number_criteria(z->found.result, &z->executions);
   return true;
}

static void free_parts(Slicer* z)
{
   if (z->found.own != NULL)
      z->found.kind->free(&z->found);
   found_free(&z->found);
   joins_free(&z->joins);
   live_free(&z->live);
   passes_free(&z->passes);
   acts_free(&z->acts);
   graph_free(&z->graph);
   callbacks_free(&z->callbacks);
   executions_free(&z->executions);
   slice_code_free(&z->code);
}

/* Add to an error about memory how many instances were to be kept. */
static void say_how_many(const Found* f, DcfgError* err)
{
   size_t n = strlen(err->reason);

   if (err->status == DCFG_ERROR_LIMIT && f->n_met > 0)
      snprintf(err->reason + n, sizeof(err->reason) - n, "; %llu instances met "
               "the criterion so far, and %llu are kept",
               (unsigned long long)f->n_met, (unsigned long long)f->nodes.n);
}

/* Make the slice of Q, or let EARLIER go on if that is not NULL.  W has an index. */
static DcfgSlice* make_slice(DcfgWet* w, const DcfgSliceQuery* q,
                             KeptSlice* earlier, DcfgError* err)
{
   Job        job;
   Slicer     z = { 0 };
   WetCursor* tape;
   bool       ok;
   DcfgSlice* result = calloc(1, sizeof(KeptSlice));

   if (result == NULL) {
      set_error(err, DCFG_ERROR_MEMORY, w->path, NULL, 0, "out of memory");
      return NULL;
   }
   tape = slice_tape(w, &job, err);
   if (tape == NULL) {
      dcfg_slice_free(result);
      return NULL;
   }
   z.passes = (Passes){ .job = &job, .w = w, .tape = tape, .ix = w->index,
                        .all = q->steps == 0 && !q->only_criteria };
   z.found  = (Found){ .job = &job, .code = &z.code, .callbacks = &z.callbacks,
                       .kind = kind_of(q, w), .result = result,
                       .earlier = earlier, .chunk = UINT32_MAX };
   ok = find(&z, &job, w, q);
   say_how_many(&z.found, &job.err);
   job_tell(&job, err);
   free_parts(&z);
   wet_cursor_free(tape);
   if (ok)
      return result;
   dcfg_slice_free(result);
   return NULL;
}

DcfgSlice* dcfg_slice_new(DcfgWet* w, const DcfgSliceQuery* q, DcfgError* err)
{
   const bool* outside = q->callbacks ? q->no_control_of : NULL;
   DcfgError   own;
   DcfgSlice*  s;

   err = err == NULL ? &own : err;
   if (!slice_find_index(w, outside, err))
      return NULL;
   s = make_slice(w, q, NULL, err);
   if (w->index->own
       || !(index_is_bad(w->index)
            || (s == NULL && err->status == DCFG_ERROR_FORMAT)))
      return s;
   /* The file of the index may be damaged. */
   dcfg_slice_free(s);
   return slice_make_own_index(w, outside, err) ? make_slice(w, q, NULL, err) : NULL;
}

DcfgSlice* dcfg_slice_go_on(DcfgWet* w, DcfgSlice* s, const DcfgSliceQuery* q,
                            DcfgError* err)
{
   KeptSlice* earlier = (KeptSlice*)s;
   DcfgSlice* next = NULL;
   DcfgError  own;

   err = err == NULL ? &own : err;
   *err = (DcfgError){ .status = DCFG_OK };
   if (w->index != NULL && keep_may_go_on(earlier, q))
      next = make_slice(w, q, earlier, err);
   dcfg_slice_free(s);
   return next != NULL || err->status == DCFG_ERROR_LIMIT ? next
          : dcfg_slice_new(w, q, err);
}

bool dcfg_slice_calls(DcfgWet* w, DcfgSliceCall** calls, size_t* n,
                      DcfgError* err)
{
   if (!slice_find_index(w, NULL, err))
      return false;
   if (index_calls(w->index, calls, n))
      return true;
   /* The file of the index may be damaged. */
   if (!w->index->own && !slice_make_own_index(w, NULL, err))
      return false;
   if (index_calls(w->index, calls, n))
      return true;
   set_error(err, DCFG_ERROR_MEMORY, w->path, "index", 0, "out of memory");
   return false;
}

void dcfg_slice_free(DcfgSlice* s)
{
   if (s == NULL)
      return;
   free(s->nodes);
   free(s->criteria);
   free(s->reads);
   free(s->inputs);
   free(s->values);
   free(s->totals);
   free(s->crossings);
   free(s->unseen);
   free(s->thread_begins);
   free(s->thread_ends);
   free(((KeptSlice*)s)->states.data);
   free(((KeptSlice*)s)->edges.data);
   free(s);
}
