/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Chunks of a whole execution trace, in any order. */

/* Owns: where the chunks are, reading one of them, and a thread that decodes parts
   ahead of their use.  Handed: a cursor, which nobody else uses meanwhile.

   Parts are in a ring buffer.  N_TAKEN of them have been taken, of which the
   last is in use; N_READ have been decoded.  The thread touches only the
   cursor, the index, and parts that are neither taken nor ready.  If there can
   be no thread, each part is decoded when it is asked for: the results are the
   same. */

#include "lib/wet/wet_chunks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*--- The index                                            ---*/

static void count_instances(const DcfgWet* w, const uint64_t* runs,
                            uint64_t* ran)
{
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const Span s = ELEM(w->sbs, WetSb, id).instrs;
      uint64_t   n = 0;
      for (uint32_t k = s.first + s.n; k-- > s.first; ) {
         n += runs[k];
         ran[ELEM(w->sb_instrs, uint32_t, k)] += n;
      }
   }
}

bool wet_count_instances(WetCursor* c, uint64_t* ran)
{
   size_t n_runs = c->w->sb_instrs.n + 1;

   c->runs = job_calloc(&c->job, n_runs, sizeof(*c->runs));
   if (c->runs == NULL)
      return false;
   while ((c->n_records > 0 || wet_next_chunk(c)) && wet_read_block(c, NULL))
      ;
   count_instances(c->w, c->runs, ran);
   job_free(&c->job, c->runs, n_runs * sizeof(*c->runs));
   c->runs = NULL;
   return c->job.err.status == DCFG_OK;
}

/*--- A chunk                                              ---*/

/* Make room in TO, which is empty, for all slots of CHUNK at once, and some more
   than the last chunk needed.  A number that takes too much memory is not
   believed. */
static bool expect_slots(Job* job, const WetChunkInfo* chunk, WetSteps* to)
{
   size_t n = chunk->n_slots + chunk->n_slots / 64 + (size_t)1024;

   if (chunk->n_slots == 0 || to->max_addrs >= n
       || n * sizeof(*to->addrs) > (job->max - job->used) / 2)
      return true;
   if (n < to->max_addrs + to->max_addrs / 8)
      n = to->max_addrs + to->max_addrs / 8;
   job_free(job, to->addrs, to->max_addrs * sizeof(*to->addrs));
   to->max_addrs = 0;
   to->addrs     = job_realloc(job, NULL, 0, n * sizeof(*to->addrs));
   if (to->addrs != NULL)
      to->max_addrs = n;
   return to->addrs != NULL;
}

bool wet_read_chunk(WetCursor* c, const WetChunkInfo* chunk, WetSteps* to)
{
   c->tape_left = UINT64_MAX;
   c->offset    = chunk->offset;
   if (!input_seek(c->in, chunk->offset) || !wet_next_chunk(c))
      return false;
   c->thread = chunk->thread;
   c->whole  = true;
   wet_forget_steps(to);
   if (!expect_slots(&c->job, chunk, to))
      return false;
   while (c->n_records > 0)
      if (!wet_read_block(c, to))
         return false;
   return true;
}

/* The trace keeps the steps.  Its job does not count them. */
void wet_leave_chunk(DcfgWet* w, Job* job, WetSteps* steps, uint64_t offset)
{
   if (w->left_offset != 0 || offset == 0) {
      wet_free_steps(job, steps);
      return;
   }
   job_take(job, wet_size_of_steps(steps), 0);
   w->left_steps  = *steps;
   w->left_offset = offset;
   *steps = (WetSteps){ 0 };
}

uint64_t wet_take_chunk(DcfgWet* w, Job* job, WetSteps* steps)
{
   uint64_t offset = w->left_offset;

   if (offset == 0)
      return 0;
   *steps = w->left_steps;
   w->left_steps  = (WetSteps){ 0 };
   w->left_offset = 0;
   job_take(job, 0, wet_size_of_steps(steps));
   if (job->used <= job->max)
      return offset;
   wet_free_steps(job, steps);
   return 0;
}

#define MAX_PARTS 4
#define MAX_WHOLE 2             // parts that are whole chunks, and large

struct WetAhead {
   Job*            job;         // the taker's, which gets the errors
   WetCursor*      c;
   Array*          index;
   bool            back;
   uint32_t        next_back;   // chunks still to be read, backward
   uint64_t        n_back;      // chunks behind those
   WetPart         parts[MAX_PARTS];
   unsigned        n_parts;
   uint64_t        n_before;    // bytes of the file read before
   uint64_t        n_tape;      // bytes of the tape
   bool            threaded;
   pthread_t       thread;
   pthread_mutex_t lock;        // for the members below
   pthread_cond_t  changed;
   uint64_t        n_read, n_taken;
   bool            ended;       // nothing more will be read
   bool            closing;
};

/*--- Reading                                              ---*/

/* Begin the next chunk, and add it to the index.  Return false at the end, and on
   errors. */
static bool begin_chunk(WetCursor* c, Array* index)
{
   uint64_t      offset = c->offset;
   WetChunkInfo* info;

   if (!wet_next_chunk(c)
       || (info = array_add(&c->job, index, sizeof(*info))) == NULL)
      return false;
   *info = (WetChunkInfo){ .offset = offset, .thread = c->thread,
                           .n_records = c->n_records };
   if (index->n > 1)
      info->before = info[-1].before + info[-1].n_instrs;
   return true;
}

static bool read_forward(WetAhead* a, WetPart* p)
{
   WetChunkInfo* info;

   p->first = a->c->n_records == 0;
   if (p->first && !begin_chunk(a->c, a->index))
      return false;
   info      = &ELEM(*a->index, WetChunkInfo, a->index->n - 1);
   p->offset = info->offset;
   wet_forget_steps(&p->steps);
   if (!wet_read_block(a->c, &p->steps))
      return false;
   info->n_instrs = a->c->n_instrs;
   return true;
}

static bool read_back(WetAhead* a, WetPart* p)
{
   p->first = true;
   return a->next_back > 0
          && wet_read_chunk(a->c, &ELEM(*a->index, WetChunkInfo,
                                        --a->next_back), &p->steps);
}

static bool read_part(WetAhead* a, WetPart* p)
{
   bool ok = a->back ? read_back(a, p) : read_forward(a, p);

   p->n_file = a->c->job.n_file;
   p->n_text = a->c->job.n_text;
   return ok;
}

static void* read_all(void* arg)
{
   WetAhead* a = arg;
   bool      ok = true;

   pthread_mutex_lock(&a->lock);
   while (ok && !a->closing) {
      WetPart* p = &a->parts[a->n_read % a->n_parts];
      /* The part taken last is in use. */
      if (a->n_read + (a->n_taken > 0) == a->n_taken + a->n_parts) {
         pthread_cond_wait(&a->changed, &a->lock);
         continue;
      }
      pthread_mutex_unlock(&a->lock);
      ok = read_part(a, p);
      pthread_mutex_lock(&a->lock);
      a->n_read += ok;
      a->ended   = !ok;
      pthread_cond_signal(&a->changed);
   }
   pthread_mutex_unlock(&a->lock);
   return NULL;
}

/*--- Taking                                               ---*/

/* Start the thread, with all signals blocked: they are for the program's own
   threads. */
static bool start_thread(WetAhead* a)
{
   sigset_t all, before;
   bool     ok;

   sigfillset(&all);
   if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
      return false;
   ok = pthread_create(&a->thread, NULL, read_all, a) == 0;
   pthread_sigmask(SIG_SETMASK, &before, NULL);
   return ok;
}

static WetAhead* begin(Job* job, WetAhead with)
{
   WetAhead* a = job_calloc(job, 1, sizeof(*a));

   if (a == NULL)
      return NULL;
   *a     = with;
   a->job = job;
   a->n_before = a->c->job.n_file;
   a->n_tape   = input_size(a->c->in) - a->c->w->tape;
   /* The thread that takes parts reports progress. */
   job_progress_as(&a->c->job, NULL);
   pthread_mutex_init(&a->lock, NULL);
   pthread_cond_init(&a->changed, NULL);
   a->threaded = start_thread(a);
   return a;
}

WetAhead* wet_ahead_new(Job* job, WetCursor* c, Array* index)
{
   return begin(job, (WetAhead){ .c = c, .index = index,
                                 .n_parts = MAX_PARTS });
}

WetAhead* wet_ahead_new_back(Job* job, WetCursor* c, Array* index,
                             uint32_t n)
{
   return begin(job, (WetAhead){ .c = c, .index = index,
                                 .back = true,
                                 .n_back = index->n - n,
                                 .next_back = n,
                                 .n_parts = MAX_WHOLE });
}

static void tell_progress(const WetAhead* a, const WetPart* p)
{
   if (a->back)
      job_progress(a->job, "slicing", a->n_back + a->n_taken, a->index->n);
   else
      job_progress(a->job, "reading", p->n_file - a->n_before, a->n_tape);
}

/* Wait until a part is ready.  Return false if there is none. */
static bool wait_for_part(WetAhead* a)
{
   bool ok;

   if (!a->threaded)
      return read_part(a, &a->parts[a->n_taken % a->n_parts]);
   pthread_mutex_lock(&a->lock);
   while (a->n_read == a->n_taken && !a->ended)
      pthread_cond_wait(&a->changed, &a->lock);
   ok = a->n_read > a->n_taken;
   pthread_mutex_unlock(&a->lock);
   return ok;
}

const WetPart* wet_ahead_next(WetAhead* a)
{
   const WetPart* p = &a->parts[a->n_taken % a->n_parts];

   if (!wait_for_part(a)) {
      job_adopt(a->job, &a->c->job.err);
      return NULL;
   }
   /* The limit of memory grows with what has been read. */
   if (p->n_file > a->job->n_file || p->n_text > a->job->n_text)
      job_read(a->job, p->n_file - a->job->n_file,
               p->n_text - a->job->n_text);
   tell_progress(a, p);
   if (a->threaded)
      pthread_mutex_lock(&a->lock);
   a->n_taken++;
   if (a->threaded) {
      pthread_cond_signal(&a->changed);
      pthread_mutex_unlock(&a->lock);
   }
   return p;
}

void wet_ahead_close(WetAhead* a)
{
   if (a == NULL)
      return;
   if (a->threaded) {
      pthread_mutex_lock(&a->lock);
      a->closing = true;
      pthread_cond_signal(&a->changed);
      pthread_mutex_unlock(&a->lock);
      pthread_join(a->thread, NULL);
   }
   job_progress_as(&a->c->job, a->job);
   pthread_cond_destroy(&a->changed);
   pthread_mutex_destroy(&a->lock);
   for (unsigned i = 0; i < a->n_parts; i++)
      wet_free_steps(&a->c->job, &a->parts[i].steps);
   job_free(a->job, a, sizeof(*a));
}
