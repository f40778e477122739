/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations, to an index and out of one. */

/* Owns: threads' states at the begins of chunks, to an index and from it.
   Handed: activations by slice_acts.c. */

#include "lib/slice/slice_states.h"

/* References to an activation of an index: it is never freed. */
#define FOR_EVER (1u << 30)

/*--- To an index                                          ---*/

/* Numbers: the numbers of activations in the index. */
typedef
   struct {
      const Acts* acts;
      IndexMaker* m;
      uint32_t*   of;           // by activation; 0: not there yet
      Array       path;         // uint32_t: new activations
   }
   Numbers;

/* Number ACT and all activations of THREAD that called it, for the begin of
   CHUNK.  Callers get lower numbers. */
static bool number_acts(Numbers* n, uint32_t act, uint32_t thread,
                        uint32_t chunk)
{
   Job* job = n->m->job;

   array_cut(&n->path, 0);
   for (; act != 0 && n->of[act] == 0; act = act_of(n->acts, act)->is.up) {
      uint32_t* to = array_add(job, &n->path, sizeof(*to));
      if (to == NULL)
         return false;
      *to = act;
   }
   for (size_t i = n->path.n; i-- > 0; ) {
      uint32_t  id = ELEM(n->path, uint32_t, i);
      Act       a = *act_of(n->acts, id);
      IndexAct* to = array_add(job, &n->m->acts, sizeof(*to));
      if (to == NULL)
         return false;
      *to = (IndexAct){ .place = a.is.place, .up = n->of[a.is.up],
                        .call = a.call, .born = chunk, .thread = thread,
                        .handler = a.is.handler };
      n->of[id] = (uint32_t)n->m->acts.n;
   }
   return true;
}

/* Return the innermost activation common to A and B, which may be 0. */
static uint32_t common_act(const IndexMaker* m, uint32_t a, uint32_t b)
{
   while (a != b)
      if (a > b)
         a = ELEM(m->acts, IndexAct, a - 1).up;
      else
         b = ELEM(m->acts, IndexAct, b - 1).up;
   return a;
}

/* Complete turn I. */
static bool put_turn(const Numbers* n, size_t i)
{
   IndexMaker* m = n->m;
   IndexTurn*  t = &ELEM(m->turns, IndexTurn, i);
   uint32_t    thread = ELEM(m->turn_threads, uint32_t, i);
   const ThreadActs* before = &ELEM(n->acts->snapshots, Snapshot,
                                    t->chunk).threads[thread];
   const ThreadActs* behind = &ELEM(n->acts->snapshots, Snapshot,
                                    t->chunk + 1).threads[thread];

   if (behind->at.act == 0)
      return job_fail(m->job, DCFG_ERROR_FORMAT, "tape", "a thread is nowhere");
   t->act      = n->of[behind->at.act];
   t->low      = common_act(m, n->of[before->at.act], t->act);
   t->top      = (uint8_t)behind->top;
   t->entering = behind->at.entering;
   t->interrupted   = (uint32_t)m->interrupted.n;
   t->n_interrupted = (uint32_t)behind->interrupted.n;
   for (size_t k = 0; k < behind->interrupted.n; k++) {
      const Interrupted* from = &ELEM(behind->interrupted, Interrupted, k);
      IndexInterrupted*  to = array_add(m->job, &m->interrupted, sizeof(*to));
      if (to == NULL)
         return false;
      *to = (IndexInterrupted){ from->number, from->top };
   }
   return true;
}

bool states_put(const Acts* acts, IndexMaker* m)
{
   uint32_t threads = (uint32_t)acts->code->w->threads.n;
   Numbers  n = { .acts = acts, .m = m };
   bool     ok;

   n.of = job_calloc(m->job, acts->tree.acts.n + 1, sizeof(uint32_t));
   ok   = n.of != NULL;
   for (uint32_t c = 0; ok && c < acts->snapshots.n; c++)
      for (uint32_t t = 0; ok && t < threads; t++)
         ok = number_acts(&n, ELEM(acts->snapshots, Snapshot,
                                   c).threads[t].at.act, t, c);
   for (size_t i = 0; ok && i < m->turns.n; i++)
      ok = put_turn(&n, i);
   job_free(m->job, n.of, (acts->tree.acts.n + 1) * sizeof(uint32_t));
   array_free(m->job, &n.path, sizeof(uint32_t));
   return ok;
}

/*--- Out of an index                                      ---*/

bool states_start(Acts* acts, const WetIndex* ix)
{
   Act*  a = ix->n_acts == 0 ? NULL
             : array_add_n(acts->job, &acts->tree.acts, sizeof(*a), ix->n_acts);
   bool* returned = ix->n_returned == 0 ? NULL
                    : array_add_n(acts->job, &acts->returned, sizeof(bool),
                                  ix->n_returned);

   if ((ix->n_acts > 0 && a == NULL) || (ix->n_returned > 0 && returned == NULL)
       || array_add_n(acts->job, &acts->snapshots, sizeof(Snapshot),
                      ix->n_chunks + 1) == NULL)
      return false;
   for (size_t i = 0; i < ix->n_acts; i++) {
      const IndexAct* from = &ix->acts[i];
      a[i] = (Act){ .is = { from->place, from->up, FOR_EVER, DCFG_NONE,
                           from->handler != 0 }, .call = from->call };
   }
   for (size_t i = 0; i < ix->n_returned; i++)
      returned[i] = ix->returned[i] != 0;
   acts->tree.keeps = true;
   return true;
}

bool states_load(Acts* acts, const WetIndex* ix, uint32_t chunk)
{
   uint32_t  n = (uint32_t)acts->code->w->threads.n;
   Snapshot* s = &ELEM(acts->snapshots, Snapshot, chunk);

   if (s->threads != NULL)
      return true;
   s->n_handlers = index_handlers(ix, chunk);
   s->threads    = job_calloc(acts->job, n, sizeof(ThreadActs));
   if (s->threads == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++) {
      ThreadActs*      p = &s->threads[i];
      const IndexTurn* t = index_turn_before(ix, i, chunk);
      if (t == NULL)
         continue;
      p->at  = (ActThread){ t->act, t->entering != 0 };
      p->top = t->top;
      for (uint32_t k = 0; k < t->n_interrupted; k++) {
         const IndexInterrupted* from = &ix->interrupted[t->interrupted + k];
         Interrupted* to = array_add(acts->job, &p->interrupted, sizeof(*to));
         if (to == NULL)
            return false;
         *to = (Interrupted){ from->number, (uint8_t)from->top };
      }
   }
   return true;
}

bool states_agree(const Acts* acts, const WetIndex* ix, uint32_t chunk)
{
   for (uint32_t i = 0; i < acts->code->w->threads.n; i++) {
      const IndexTurn* t = index_turn_before(ix, i, chunk + 1);
      uint32_t         is = acts->now[i].at.act, was = t == NULL ? 0 : t->act;
      if (t != NULL && acts->now[i].top != t->top)
         return false;
      /* Marks tell later at which address a handler's frame is. */
      if (t != NULL && t->entering)
         continue;
      for (; is != was;
           is = act_of(acts, is)->is.up, was = ix->acts[was - 1].up)
         if (is == 0 || was == 0
             || act_of(acts, is)->is.place != ix->acts[was - 1].place
             || act_of(acts, is)->call != ix->acts[was - 1].call)
            return false;
   }
   return true;
}
