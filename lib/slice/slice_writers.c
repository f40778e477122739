/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote a register last. */

/* Owns: the last writer of a register before each instance of some
   instructions, in one pass over the control flow.  Handed: a trace.

   A backward slice of one step gives the same answer in three passes. */

#include "lib/dcfg_slice.h"
#include "lib/slice/slice_passes.h"

#include <string.h>

/*--- Threads                                              ---*/

typedef
   struct {
      uint32_t writer;          // last writer of the register so far, or
                                // DCFG_NONE
      Array    interrupted;     // uint32_t: last writers in interrupted code
   }
   ThreadWriter;

typedef
   struct {
      DcfgWet*    w;
      WetCursor*  tape;
      Job*        job;
      uint64_t*   instances;    // by instruction: so far
      const bool* instrs;
      bool*       asked;        // by superblock: it has one of .instrs
      unsigned    reg;
      Array       threads;      // ThreadWriter
      DcfgSliceTellWriter tell;
      void*       arg;
   }
   Pass;

static ThreadWriter* thread_of(Pass* p, uint32_t t)
{
   while (p->threads.n <= t) {
      ThreadWriter* new = array_add(p->job, &p->threads, sizeof(ThreadWriter));
      if (new == NULL)
         return NULL;
      new->writer = DCFG_NONE;
   }
   return &ELEM(p->threads, ThreadWriter, t);
}

/* Note a mark of a handler.  When a handler begins, nothing of the program is
   in the register; when it returns, all is as it was. */
static bool note_mark(Pass* p, ThreadWriter* t, uint32_t mark)
{
   uint32_t* before;

   if (mark == DCFG_WET_HANDLER) {
      before = array_add(p->job, &t->interrupted, sizeof(uint32_t));
      if (before == NULL)
         return false;
      *before   = t->writer;
      t->writer = DCFG_NONE;
   } else if (mark == DCFG_WET_RETURN && t->interrupted.n > 0) {
      t->writer = ELEM(t->interrupted, uint32_t, array_pop(&t->interrupted));
   }
   return true;
}

/*--- Superblocks                                          ---*/

/* Return whether instruction I writes the register's lowest byte. */
static bool writes(const Pass* p, uint32_t i)
{
   const Plan* plan = &p->w->plans[i];
   const Def*  d = &ELEM(p->w->defs, Def, plan->defs);

   for (uint32_t k = 0; k < plan->n_defs; k++)
      if (d[k].granule == p->reg && (d[k].mask & 1))
         return true;
   return false;
}

/* Return whether an execution of WAY can write the register.  WAY need not be
   of an .asked superblock. */
static bool way_writes(const Pass* p, const WetWay* way)
{
   const uint32_t first = ELEM(p->w->sbs, WetSb, way->sb).instrs.first;

   for (uint32_t k = 0; k < way->n_instrs; k++)
      if (writes(p, p->w->places[first + k].instr))
         return true;
   return false;
}

static bool describe_superblocks(Pass* p)
{
   const DcfgWet* w = p->w;
   uint8_t*       kept = job_calloc(&p->tape->job, w->n_ways + 1, 1);

   wet_keep_ways(p->tape, kept);
   p->asked     = job_calloc(p->job, w->sbs.n, sizeof(bool));
   p->instances = job_calloc(p->job, w->instrs.n + 1, sizeof(uint64_t));
   if (p->asked == NULL || p->instances == NULL || kept == NULL)
      return false;
   memcpy(p->instances, w->instances, w->instrs.n * sizeof(*p->instances));
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const Span s = ELEM(w->sbs, WetSb, id).instrs;
      for (uint32_t k = s.first; k < s.first + s.n; k++)
         p->asked[id] |= p->instrs[w->places[k].instr];
   }
   for (size_t i = 0; i < w->n_ways; i++) {
      const WetWay* way = &w->ways[i];
      kept[i] = p->asked[way->sb] ? KEPT_ALL
                : way_writes(p, way) ? KEPT_LAST : KEPT_NONE;
   }
   return true;
}

/* Go through N instructions of superblock ID one by one. */
static void go_through(Pass* p, ThreadWriter* t, uint32_t id, uint32_t n)
{
   const InstrPlan* at = &p->w->places[ELEM(p->w->sbs, WetSb, id).instrs.first];

   for (uint32_t k = 0; k < n; k++) {
      uint32_t i = at[k].instr;
      if (p->instrs[i])
         p->tell(p->arg, i, p->instances[i]++, t->writer);
      if (writes(p, i))
         t->writer = i;
   }
}

/*--- The pass                                             ---*/

/* Begin a thread with its creator's registers: WRITER wrote this one.  Nobody
   asks for the stack pointer. */
static bool create_thread(Pass* p, uint32_t writer, const uint64_t* words)
{
   ThreadWriter* t = words[0] < p->w->threads.n
                     ? thread_of(p, (uint32_t)words[0]) : NULL;

   if (t != NULL)
      t->writer = writer;
   return t != NULL || words[0] >= p->w->threads.n;
}

static bool take_part(Pass* p, const WetSteps* steps)
{
   for (size_t i = 0; i < steps->n_steps; i++) {
      const WetStep* r = &steps->steps[i];
      ThreadWriter*  t;
      t = thread_of(p, r->thread);
      if (t == NULL || (r->sb == 0 && !note_mark(p, t, r->mark)))
         return false;
      if (r->sb == 0 && r->mark == DCFG_WET_CREATED
          && !create_thread(p, t->writer, steps->addrs + r->first))
         return false;
      if (r->sb == 0)
         continue;
      go_through(p, t, r->sb, r->n_instrs);
   }
   return true;
}

static bool pass_through(Pass* p)
{
   Array          index = { 0 };
   size_t         n_runs = p->w->sb_instrs.n + 1;
   uint64_t*      runs = job_calloc(p->job, n_runs, sizeof(*runs));
   WetAhead*      ahead;
   const WetPart* part;
   bool           ok;

   wet_count_runs(p->tape, runs);
   ahead = runs == NULL ? NULL
           : wet_ahead_new(p->job, p->tape, &index, SLOTS_OF_NONE);
   ok    = ahead != NULL;
   while (ok && (part = wet_ahead_next(ahead)) != NULL)
      ok = take_part(p, &part->steps);
   wet_ahead_close(ahead);
   ok = ok && p->job->err.status == DCFG_OK;
   if (ok)
      wet_remember(p->w, &index, runs);
   wet_count_runs(p->tape, NULL);
   job_free(p->job, runs, n_runs * sizeof(*runs));
   array_free(&p->tape->job, &index, sizeof(WetChunkInfo));
   return ok;
}

bool dcfg_slice_writers(DcfgWet* w, const bool* instrs, unsigned reg,
                        DcfgSliceTellWriter tell, void* arg, DcfgError* err)
{
   Job  job;
   Pass p = { .w = w, .job = &job, .instrs = instrs, .reg = reg, .tell = tell,
              .arg = arg };
   bool ok;

   p.tape = slice_tape(w, &job, err);
   if (p.tape == NULL)
      return false;
   ok = describe_superblocks(&p) && pass_through(&p);
   job_tell(&job, err);
   for (size_t t = 0; t < p.threads.n; t++)
      array_free(&job, &ELEM(p.threads, ThreadWriter, t).interrupted,
                 sizeof(uint32_t));
   array_free(&job, &p.threads, sizeof(ThreadWriter));
   job_free(&job, p.asked, w->sbs.n * sizeof(*p.asked));
   job_free(&job, p.instances, (w->instrs.n + 1) * sizeof(*p.instances));
   wet_cursor_free(p.tape);
   return ok;
}
