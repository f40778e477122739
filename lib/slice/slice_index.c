/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: making an index in one pass, and giving it to a trace.  Threads' states
   at the begins of chunks, to an index and from it.  The pass for questions that
   an index does not answer.  Handed: a trace.

   An index that slices make for themselves is in memory: a file without a name
   that needs no disk. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE                     // memfd_create()
#endif

#include "lib/slice/slice_index.h"
#include "format/order.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* References to an activation of an index: it is never freed. */
#define FOR_EVER (1u << 30)

/* Limit of memory, in bytes, for a slice of a large file without an option:
   about 20 million instances, if they are kept. */
#define MEMORY_AT_MOST (4ULL << 30)

WetCursor* slice_tape(DcfgWet* w, Job* job, DcfgError* err)
{
   WetCursor* c;

   if (!wet_can_reread(w)) {
      set_error(err, DCFG_ERROR_FILE, w->path, NULL, 0,
                "a slice needs a file that can be read twice, not a pipe: "
                "write the trace to a file first");
      return NULL;
   }
   if (!wet_unpack(w)) {
      job_tell(&w->job, err);
      return NULL;
   }
   c = wet_cursor_new(w, err);
   if (c == NULL)
      return NULL;
   job_start(job, w->path, &w->options);
   job->most = MEMORY_AT_MOST;
   job_read(job, c->job.n_file, c->job.n_text);
   return c;
}

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
                        .call = a.is.call, .born = chunk, .thread = thread,
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

/* Put what is known of the stack that THREAD is on at the begin of CHUNK, if it
   is more than that it is its own. */
static bool put_thread(IndexMaker* m, const ActThread* t, uint32_t thread,
                       uint32_t chunk)
{
   IndexStack* to;

   if (t->on.top == 0 && t->load.to == 0 && t->held.to == 0 && t->maybe == 0)
      return true;
   to = array_add(m->job, &m->stacks, sizeof(*to));
   if (to == NULL)
      return false;
   *to = (IndexStack){ .start = t->on.start, .top = t->on.top,
                       .from = t->load.from, .to = t->load.to,
                       .held_from = t->held.from, .held_to = t->held.to,
                       .chunk = chunk, .thread = thread,
                       .handlers = t->handlers, .held_at = t->held_at,
                       .shift = t->shift, .before = t->before,
                       .maybe = t->maybe, .maybe_sp = t->maybe_sp };
   return true;
}

/* Put the stacks at the begin of chunk C. */
static bool put_stacks(Numbers* n, uint32_t c)
{
   const Snapshot* s = &ELEM(n->acts->snapshots, Snapshot, c);

   for (uint32_t t = 0; t < n->acts->code->w->threads.n; t++)
      if (!number_acts(n, s->threads[t].at.act, t, c)
          || !put_thread(n->m, &s->threads[t].at, t, c))
         return false;
   for (size_t i = 0; i < s->left.n; i++) {
      const LeftStack* left = &ELEM(s->left, LeftStack, i);
      IndexStack*      to;
      if (!number_acts(n, left->act, 0, c)
          || (to = array_add(n->m->job, &n->m->stacks, sizeof(*to))) == NULL)
         return false;
      *to = (IndexStack){ .low = left->span.low, .start = left->span.start,
                          .top = left->span.top, .shift = left->shift,
                          .chunk = c,
                          .act = n->of[left->act] };
   }
   return true;
}

bool states_put(const Acts* acts, IndexMaker* m)
{
   Numbers n = { .acts = acts, .m = m };
   bool    ok;

   n.of = job_calloc(m->job, acts->tree.acts.n + 1, sizeof(uint32_t));
   ok   = n.of != NULL;
   for (uint32_t c = 0; ok && c < acts->snapshots.n; c++)
      ok = put_stacks(&n, c);
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
                           from->call, from->handler != 0 } };
   }
   for (size_t i = 0; i < ix->n_returned; i++)
      returned[i] = ix->returned[i] != 0;
   acts->tree.keeps = true;
   return true;
}

/* Load the stacks at the begin of CHUNK. */
static bool load_stacks(Acts* acts, const WetIndex* ix, uint32_t chunk,
                        Snapshot* s)
{
   size_t low = 0;

   BISECT(low, ix->n_stacks, middle, ix->stacks[middle].chunk < chunk);
   for (; low < ix->n_stacks && ix->stacks[low].chunk == chunk; low++) {
      const IndexStack* from = &ix->stacks[low];
      const StackSpan   span = { from->low, from->start, from->top };
      ActThread*        t = &s->threads[from->thread].at;
      LeftStack*        left;
      if (from->act == 0) {
         *t = (ActThread){ .act = t->act, .handlers = from->handlers,
                           .entering = t->entering,
                           .load = { from->from, from->to },
                           .held = { from->held_from, from->held_to },
                           .held_at = from->held_at, .on = span,
                           .shift = from->shift, .before = from->before,
                           .maybe = from->maybe, .maybe_sp = from->maybe_sp };
         continue;
      }
      left = array_add(acts->job, &s->left, sizeof(*left));
      if (left == NULL)
         return false;
      *left = (LeftStack){ span, from->shift, from->act, NULL };
   }
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
      p->at  = (ActThread){ .act = t->act, .entering = t->entering != 0 };
      p->top = t->top;
      for (uint32_t k = 0; k < t->n_interrupted; k++) {
         const IndexInterrupted* from = &ix->interrupted[t->interrupted + k];
         Interrupted* to = array_add(acts->job, &p->interrupted, sizeof(*to));
         if (to == NULL)
            return false;
         *to = (Interrupted){ from->number, (uint8_t)from->top };
      }
   }
   return load_stacks(acts, ix, chunk, s);
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
             || act_of(acts, is)->is.call != ix->acts[was - 1].call)
            return false;
   }
   return true;
}

/*--- A pass                                               ---*/

/* Give all parts of TAPE, which is at its begin, to ACTS and, unless it is NULL,
   to MAKER; add its chunks to CHUNKS. */
static bool pass(Job* job, WetCursor* tape, Acts* acts, IndexMaker* maker,
                 Array* chunks)
{
   WetAhead*      ahead = wet_ahead_new(job, tape, chunks);
   const WetPart* part;
   bool           ok = true;

   while (ok && ahead != NULL && (part = wet_ahead_next(ahead)) != NULL)
      ok = (maker == NULL || index_make_part(maker, part))
           && acts_take_part(acts, part);
   wet_ahead_close(ahead);
   return ok && job->err.status == DCFG_OK && acts_end(acts);
}

bool slice_look_forward(const SliceCode* code, WetCursor* tape,
                        Callbacks* callbacks, Executions* x)
{
   WetGraph     graph = { .job = NULL };
   Acts         acts = { .code = NULL };
   Array        chunks = { 0 };
   bool         ok = wet_graph_new(code->job, code->w, &graph)
                     && acts_start(&acts, code, &graph, callbacks, x)
                     && pass(code->job, tape, &acts, NULL, &chunks);

   acts_free(&acts);
   wet_graph_free(&graph);
   array_free(&tape->job, &chunks, sizeof(WetChunkInfo));
   return ok;
}

/*--- Making an index                                      ---*/

/* Making: the data of the pass. */
typedef
   struct {
      Job            job;
      DcfgWet*       w;
      WetCursor*     tape;
      DcfgSliceQuery q;
      bool*          none;      // by instruction: false, no instruction is
                                // asked for
      SliceCode      code;
      Callbacks      callbacks;
      WetGraph       graph;
      Acts           acts;
      IndexMaker     maker;
      Array          chunks;    // WetChunkInfo
   }
   Making;

static bool start(Making* m, int fd, const bool* outside)
{
   m->none = job_calloc(&m->job, m->w->instrs.n + 1, sizeof(bool));
   m->q    = (DcfgSliceQuery){ .instrs = m->none, .no_control_of = outside,
                               .callbacks = outside != NULL };
   return m->none != NULL && slice_code_start(&m->code, &m->job, m->w, &m->q)
          && callbacks_start(&m->callbacks, &m->code)
          && wet_graph_new(&m->job, m->w, &m->graph)
          && acts_start(&m->acts, &m->code, &m->graph, &m->callbacks, NULL)
          && index_make_start(&m->maker, &m->job, m->w, fd);
}

static bool read_all(Making* m)
{
   bool ok;

   wet_count_runs(m->tape, m->code.runs);
   ok = pass(&m->job, m->tape, &m->acts, &m->maker, &m->chunks);
   wet_count_runs(m->tape, NULL);
   return ok;
}

static bool put_chunks(Making* m)
{
   size_t    n = m->chunks.n;
   uint32_t* handlers = job_calloc(&m->job, n + 1, sizeof(*handlers));
   bool      ok = handlers != NULL;

   for (size_t i = 0; ok && i < n; i++)
      handlers[i] = ELEM(m->acts.snapshots, Snapshot, i).n_handlers;
   ok = ok && index_make_chunks(&m->maker, &m->chunks, handlers);
   job_free(&m->job, handlers, (n + 1) * sizeof(*handlers));
   return ok;
}

/* Put the arcs from instructions, and those from the exit.  Nobody asks where code
   leads that was not executed. */
static bool put_arcs(Making* m)
{
   const WetGraph* g = &m->graph;
   size_t          n = g->arcs.n, first = n, behind = 0;

   while (behind < n && g->keys[behind] >> 32 <= m->w->instrs.n)
      behind++;
   while (first > behind && g->keys[first - 1] >> 32 > GRAPH_EXIT(g))
      first--;
   return index_make_section(&m->maker, INDEX_ARCS, g->keys,
                             behind * sizeof(uint64_t))
          && index_write(&m->maker.writer, g->keys + first,
                         (n - first) * sizeof(uint64_t));
}

/* Put the distance of each node's immediate post-dominator; 0: it has none. */
static bool put_ipdom(Making* m)
{
   const WetGraph* g = &m->graph;

   if (!index_make_section(&m->maker, INDEX_IPDOM, NULL, 0))
      return false;
   for (uint32_t i = 0; i <= GRAPH_EXIT(g); i++) {
      uint8_t  code[10];
      uint8_t* at = code;
      write_varint(&at, difference_code(g->ipdom[i] == DCFG_NONE
                                        ? 0 : (uint64_t)g->ipdom[i] - i));
      if (!index_write(&m->maker.writer, code, (size_t)(at - code)))
         return false;
   }
   return true;
}

/* Put a bit for each instruction; none if IS is NULL. */
static bool put_bits(Making* m, IndexSection section, const bool* is)
{
   size_t   n = m->w->instrs.n, size = (n + 7) / 8;
   uint8_t* bits = job_calloc(&m->job, size + 1, 1);
   bool     ok = bits != NULL;

   if (ok && is != NULL)
      index_set_bits(bits, is, n);
   ok = ok && index_make_section(&m->maker, section, bits, size);
   job_free(&m->job, bits, size + 1);
   return ok;
}

/* Free what has been written: the graph's end needs much memory. */
static void free_tables(Making* m)
{
   index_make_free_tables(&m->maker);
   acts_free(&m->acts);
   m->acts = (Acts){ .code = NULL };
   slice_code_free(&m->code);
   m->code = (SliceCode){ 0 };
}

static bool write_tables(Making* m)
{
   bool ok = put_chunks(m) && states_put(&m->acts, &m->maker)
             && index_make_tables(&m->maker, m->code.runs)
             && index_make_section(&m->maker, INDEX_RETURNED,
                                   m->acts.returned.data, m->acts.returned.n);

   if (ok)
      free_tables(m);
   return ok;
}

static bool write_all(Making* m, const bool* outside)
{
   return write_tables(m) && wet_graph_finish(&m->graph) && put_arcs(m)
          && put_ipdom(m) && put_bits(m, INDEX_OUTSIDE, outside)
          && put_bits(m, INDEX_CALLBACKS, m->callbacks.calls)
          && index_make_end(&m->maker);
}

static bool make_index(DcfgWet* w, int fd, const bool* outside,
                       DcfgError* err)
{
   Making m = { .w = w };
   bool   ok;

   m.tape = slice_tape(w, &m.job, err);
   if (m.tape == NULL)
      return false;
   ok = start(&m, fd, outside) && read_all(&m) && write_all(&m, outside);
   job_tell(&m.job, err);
   if (m.maker.w != NULL)
      index_make_free(&m.maker);
   acts_free(&m.acts);
   if (m.graph.job != NULL)
      wet_graph_free(&m.graph);
   callbacks_free(&m.callbacks);
   slice_code_free(&m.code);
   array_free(&m.tape->job, &m.chunks, sizeof(WetChunkInfo));
   free(m.none);
   wet_cursor_free(m.tape);
   return ok;
}

static bool may_be_file(const DcfgWet* w, DcfgError* err)
{
   if (!index_may_be_file(w))
      set_error(err, DCFG_ERROR_ARGUMENT, w->path, NULL, 0,
                "an index needs a file that is not compressed");
   return index_may_be_file(w);
}

bool dcfg_slice_make_index(DcfgWet* w, int fd, const bool* outside,
                           DcfgError* err)
{
   return fd == -1 ? slice_make_own_index(w, outside, err)
          : may_be_file(w, err) && make_index(w, fd, outside, err);
}

/*--- Giving a trace an index                              ---*/

/* Let W use the index on FD, which is an OWN one or not.  Those who still read
   an earlier index keep it. */
static bool use_index(DcfgWet* w, int fd, bool own, DcfgError* err)
{
   const char* why;
   WetIndex*   ix = index_open(w, fd, own, &why);

   if (ix == NULL) {
      set_error(err, DCFG_ERROR_FORMAT, w->path, NULL, 0, "%s", why);
      return false;
   }
   ix->n_loads = w->n_loads;
   ix->older   = w->index;
   wet_put_index(w, ix, index_close);
   return true;
}

bool dcfg_slice_use_index(DcfgWet* w, int fd, DcfgError* err)
{
   wet_close_index(w);
   if (may_be_file(w, err))
      return use_index(w, fd, false, err);
   close(fd);
   return false;
}

static int anonymous_file(void)
{
   int   fd = memfd_create("index", MFD_CLOEXEC);
   FILE* f = fd >= 0 ? NULL : tmpfile();

   if (f == NULL)
      return fd;
   fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
   fclose(f);
   return fd;
}

bool slice_make_own_index(DcfgWet* w, const bool* outside, DcfgError* err)
{
   int fd = anonymous_file();

   if (fd < 0) {
      set_error(err, DCFG_ERROR_MEMORY, w->path, "index", 0, "out of memory");
      return false;
   }
   if (make_index(w, fd, outside, err))
      return use_index(w, fd, true, err);
   close(fd);
   return false;
}

bool slice_find_index(DcfgWet* w, const bool* outside, DcfgError* err)
{
   const WetIndex* ix = w->index;

   return (ix != NULL && (!ix->own || ix->n_loads == w->n_loads))
          || slice_make_own_index(w, outside, err);
}
