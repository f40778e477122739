/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices, from a query to the result. */

/* Owns: a slice from its query to its result, and what has to be known of
   superblocks before.  Handed: a trace and a query.  Taken by: users. */

#include "lib/slice/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a slice may take by itself, of a large file: some 20 million instances,
   where they are kept. */
#define MEMORY_AT_MOST (4ULL << 30)

/*------------------------------------------------------------*/
/*--- Superblocks                                          ---*/
/*------------------------------------------------------------*/

static void describe_instr(Slicer* z, uint32_t i)
{
   const DcfgWet*   w = z->w;
   const Plan*      p = &w->plans[i];
   const Def*       d = &ELEM(w->defs, Def, p->defs);
   const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses);
   InstrInfo*       info = &z->infos[i];

   for (uint32_t k = 0; k < p->n_defs; k++) {
      unsigned g = d[k].granule;
      if (g < G_X87)
         info->defs[g / 64] |= UINT64_C(1) << g % 64;
      else
         info->defs[G_X87 / 64] |= (uint64_t)0xFF << G_X87 % 64;
   }
   info->more = z->q->instrs[i] || p->kind == InsnSyscall;
   for (uint32_t k = 0; k < p->n_accesses; k++)
      info->stores |= (a[k].what & AccessStore) != 0;
}

/* Are all stores of the instruction at AT slots of their own? */
static bool has_odd_stores(const DcfgWet* w, const Place* at)
{
   const Plan*      p = &w->plans[at->instr];
   const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses);

   for (uint32_t j = 0; j < p->n_accesses && !at->plain; j++)
      if (a[j].what & AccessStore)
         return true;
   return false;
}

static bool describe_superblock(Slicer* z, uint32_t id, uint32_t* n_stores)
{
   const DcfgWet*   w = z->w;
   const WetSb*     from = &ELEM(w->sbs, WetSb, id);
   const WetAccess* slots = &ELEM(w->accesses, WetAccess, from->slots.first);
   SbInfo*          sb = &z->sbs[id];

   sb->first  = from->instrs.first;
   sb->stores = *n_stores;
   sb->x87    = from->moves_top;
   for (uint32_t k = 0; k < from->instrs.n; k++) {
      const Place* at = &w->places[sb->first + k];
      sb->defs[0]    |= z->infos[at->instr].defs[0];
      sb->defs[1]    |= z->infos[at->instr].defs[1];
      sb->criterion  |= z->q->instrs[at->instr];
      sb->odd_stores |= has_odd_stores(w, at);
   }
   for (uint32_t i = 0; i < from->slots.n; i++)
      if (slots[i].what & AccessStore && slots[i].what < AccessStack) {
         z->stores[(*n_stores)++] = (StoreSlot){ (uint16_t)i, slots[i].size };
         sb->n_stores++;
      }
   return true;
}

/* Where each instruction occurs. */
static bool find_occurrences(Slicer* z)
{
   DcfgWet* w = z->w;
   uint32_t n = (uint32_t)w->instrs.n, sum = 0;

   z->occurs      = job_calloc(z->job, n + (size_t)2, sizeof(uint32_t));
   z->occurrences = job_calloc(z->job, w->sb_instrs.n + 1, sizeof(uint32_t));
   z->sb_of       = job_calloc(z->job, w->sb_instrs.n + 1, sizeof(uint32_t));
   if (z->occurs == NULL || z->occurrences == NULL || z->sb_of == NULL)
      return false;
   for (size_t k = 0; k < w->sb_instrs.n; k++)
      z->occurs[ELEM(w->sb_instrs, uint32_t, k) + 1]++;
   for (uint32_t i = 0; i <= n; i++) {
      uint32_t here = z->occurs[i];
      z->occurs[i] = sum += here;
   }
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const Span s = ELEM(w->sbs, WetSb, id).instrs;
      for (uint32_t k = s.first; k < s.first + s.n; k++) {
         uint32_t at = z->occurs[ELEM(w->sb_instrs, uint32_t, k)]++;
         z->occurrences[at] = k;
         z->sb_of[at]       = id;
      }
   }
   memmove(z->occurs + 1, z->occurs, (n + (size_t)1) * sizeof(uint32_t));
   z->occurs[0] = 0;
   return true;
}

static bool prepare(Slicer* z)
{
   DcfgWet* w = z->w;
   uint32_t n_stores = 0;

   z->result->totals = job_calloc(z->job, w->instrs.n + 1,
                                  sizeof(DcfgSliceTotal));
   z->sbs    = job_calloc(z->job, w->sbs.n, sizeof(SbInfo));
   z->stores = job_calloc(z->job, w->accesses.n + 1, sizeof(StoreSlot));
   z->runs   = job_calloc(z->job, w->sb_instrs.n + 1, sizeof(uint64_t));
   z->kinds  = job_calloc(z->job, w->sb_instrs.n + 1, 1);
   z->infos  = job_calloc(z->job, w->instrs.n + 1, sizeof(InstrInfo));
   if (z->q->callbacks
       && (z->calls_back = job_calloc(z->job, w->instrs.n + 1,
                                      sizeof(bool))) == NULL)
      return false;
   if (z->result->totals == NULL || z->sbs == NULL || z->stores == NULL
       || z->runs == NULL || z->kinds == NULL || z->infos == NULL
       || !find_occurrences(z)
       || array_add(z->job, &z->acts, sizeof(Act)) == NULL)
      return false;
   slice_forget_sums(z);
   for (uint32_t i = 0; i < w->instrs.n; i++)
      describe_instr(z, i);
   for (uint32_t id = 1; id < w->sbs.n; id++)
      if (!describe_superblock(z, id, &n_stores))
         return false;
   for (size_t k = 0; k < w->sb_instrs.n; k++)
      z->kinds[k] = w->plans[w->places[k].instr].kind;
   return slice_start_live(z);
}

/* Will it do to know how often superblocks ran?  Code of the dynamic linker loads
   the top of x87's stack, but as it was, and so it is 0 where nothing else
   moves it: that is found out where it is told, on the way back. */
static bool is_plain(const Slicer* z)
{
   if (z->moved || !z->q->no_control || z->q->run
       || z->q->of == DCFG_SLICE_FRAME)
      return false;
   for (size_t k = 0; k < z->w->sb_instrs.n; k++)
      if (z->w->plans[z->w->places[k].instr].top != 0)
         return false;
   return true;
}

/* How often superblocks ran, and where the chunks are. */
static bool count_runs(Slicer* z)
{
   z->w->runs = z->runs;
   z->ahead   = wet_ahead_new(z->job, z->w, &z->index, SLOTS_OF_NONE);
   while (z->ahead != NULL && wet_ahead_next(z->ahead) != NULL)
      ;
   wet_ahead_close(z->ahead);
   z->ahead   = NULL;
   z->w->runs = NULL;
   return z->job->err.status == DCFG_OK;
}

/* One pass forward, over all or over the control flow only. */
static bool look_through(Slicer* z)
{
   z->plain = is_plain(z);
   if (z->plain) {
      if (!count_runs(z))
         return false;
      for (size_t c = 0; c < z->index.n; c++)
         z->plain &= !ELEM(z->index, WetChunkInfo, c).odd_marks;
      if (z->plain)
         return true;
      memset(z->runs, 0, z->w->sb_instrs.n * sizeof(*z->runs));
      z->index.n = 0;
      if (!wet_rewind(z->w))
         return job_fail(z->job, DCFG_ERROR_FILE, NULL, "it cannot be read");
   }
   return slice_scan(z) && slice_graph_index(z);
}

/* Where superblocks have branches is known when there is a graph. */
static void note_branches(Slicer* z)
{
   for (uint32_t i = 0; i < z->w->instrs.n; i++)
      z->infos[i].branch = z->graph.branches[i] != 0;
   for (uint32_t id = 1; id < z->w->sbs.n; id++) {
      const Span s = ELEM(z->w->sbs, WetSb, id).instrs;
      for (uint32_t k = s.first; k < s.first + s.n; k++)
         z->sbs[id].branches |= z->graph.branches[z->w->places[k].instr];
   }
}

static void count_executed(Slicer* z)
{
   for (uint32_t id = 1; id < z->w->sbs.n; id++) {
      const Span s = ELEM(z->w->sbs, WetSb, id).instrs;
      uint64_t   n = 0;
      for (uint32_t k = s.first + s.n; k-- > s.first; ) {
         n += z->runs[k];
         z->result->totals[z->w->places[k].instr].executed += n;
      }
   }
}

static void count_slice(const Slicer* z)
{
   DcfgSlice* s = z->result;

   for (uint32_t i = 0; i < s->n_nodes; i++) {
      DcfgSliceTotal* t = &s->totals[s->nodes[i].instr];
      t->in_slice++;
      if (s->nodes[i].distance < t->distance)
         t->distance = s->nodes[i].distance;
   }
}

static void free_slicer(Slicer* z)
{
   Job* job = z->job;

   slice_free_graph(z);
   slice_free_acts(z);
   slice_free_live(z);
   wet_ahead_close(z->ahead);
   array_free(&z->w->job, &z->index, sizeof(WetChunkInfo));
   array_free(job, &z->found, sizeof(DcfgSliceNode));
   array_free(job, &z->states, sizeof(NodeState));
   array_free(job, &z->edges, sizeof(Edge));
   array_free(job, &z->inputs, sizeof(DcfgSliceInput));
   array_free(job, &z->values, 1);
   array_free(job, &z->criteria, sizeof(uint32_t));
   array_free(job, &z->readings, sizeof(DcfgSliceReading));
   array_free(job, &z->deferred, sizeof(Want));
   free(z->sbs);
   free(z->stores);
   free(z->runs);
   free(z->kinds);
   free(z->infos);
   free(z->occurs);
   free(z->occurrences);
   free(z->sb_of);
   free(z->calls_back);
}

static bool find(Slicer* z)
{
   if (!prepare(z) || !look_through(z))
      return false;
   if (!z->plain)
      note_branches(z);
   count_executed(z);
   if (!slice_backward(z))
      return false;
   if (z->sums)
      return slice_hand_over(z);
   if (!slice_assemble(z) || (z->q->forward && !slice_forward(z)))
      return false;
   count_slice(z);
   return true;
}

DcfgWet* slice_reopen(DcfgWet* w, Job* job, DcfgError* err)
{
   DcfgWet* again;

   if (!wet_can_reread(w)) {
      set_error(err, DCFG_ERROR_FILE, w->path, NULL, 0,
                "for slices it has to be read twice, which a pipe cannot be");
      return NULL;
   }
   again = wet_unpack(w) ? wet_open_again(w, err) : NULL;
   if (again == NULL && w->job.err.status != DCFG_OK)
      job_tell(&w->job, err);
   if (again == NULL)
      return NULL;
   job_start(job, w->path, &w->options);
   job->most = MEMORY_AT_MOST;
   job_read(job, again->job.n_file, again->job.n_text);
   if (slice_same_trace(job, again, w))
      return again;
   job_tell(job, err);
   dcfg_wet_close(again);
   return NULL;
}

/* Where memory did not suffice, how much was to be kept. */
static void say_how_many(Slicer* z)
{
   DcfgError* err = &z->job->err;
   size_t     n = strlen(err->reason);

   if (err->status == DCFG_ERROR_LIMIT && z->n_met > 0)
      snprintf(err->reason + n, sizeof(err->reason) - n, "; %llu instances met "
               "the criterion so far, and %llu are kept",
               (unsigned long long)z->n_met, (unsigned long long)z->found.n);
}

/* If MOVED, the top of x87's stack is moved; else it is set if that is seen. */
static DcfgSlice* make_slice(DcfgWet* w, const DcfgSliceQuery* q, bool* moved,
                             DcfgError* err)
{
   Slicer z = { .q = q, .moved = *moved,
                .result = calloc(1, sizeof(DcfgSlice)) };
   Job    job;
   bool   ok = false;

   if (z.result == NULL) {
      set_error(err, DCFG_ERROR_MEMORY, w->path, NULL, 0, "out of memory");
      return NULL;
   }
   z.w = slice_reopen(w, &job, err);
   if (z.w != NULL) {
      z.job  = &job;
      z.sums = q->sums && !q->forward && !dcfg_wet_is_window(w);
      ok = find(&z);
      say_how_many(&z);
      job_tell(&job, err);
      free_slicer(&z);
      dcfg_wet_close(z.w);
   }
   *moved = z.moved;
   if (ok)
      return z.result;
   dcfg_slice_free(z.result);
   return NULL;
}

DcfgSlice* dcfg_slice_new(DcfgWet* w, const DcfgSliceQuery* q, DcfgError* err)
{
   bool       moved = false;
   DcfgSlice* s = make_slice(w, q, &moved, err);

   return moved ? make_slice(w, q, &moved, err) : s;
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
   free(s);
}
