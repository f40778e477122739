/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The next and the last instance of something. */

/* Owns: searches forward and backward for instances of a thread, of a set of
   instructions, with an access to some memory; for signals that have a handler;
   and the numbers of instances.  Handed: chunks by cursor_chunks.c, the chunks
   that can have a match by the index. */

#include "lib/cursor/cursor_parts.h"

#include <stdlib.h>

/* Search: what a search looks for.  Its functions narrow it down, from chunks
   to steps to instructions. */
typedef struct Search Search;
struct Search {
   DcfgCursor* r;
   /* Return whether chunk NUMBER may have a match. */
   bool      (*chunk)(Search* f, uint32_t number);
   /* Return whether the steps of FILTER have no match.  NULL: never. */
   bool      (*filtered)(const Search* f, const StepFilter* filter);
   /* Return whether step S may have a match; a mark for which this is true
      is one. */
   bool      (*step)(Search* f, const KeptChunk* c, const WetStep* s);
   /* Return whether instruction K of step S matches.  NULL: each does. */
   bool      (*place)(Search* f, const KeptChunk* c, const WetStep* s,
                      uint32_t k);
   bool        marks;           // a mark that matches is the instance before it
   uint32_t    thread;
   const DcfgCursorSet* set;
   uint64_t    addr, size;
   uint32_t    kind;
};

struct DcfgCursorSet {
   bool*    instrs;             // by instruction: it is in the set
   bool*    sbs;                // by superblock: it has one of the set
   uint8_t* chunks;             // a bit for each chunk that may have run one
   size_t   n_instrs, n_sbs, n_chunks;
};

/*--- The search                                           ---*/

/* Return the first match among instructions FROM to N of step S, or the last
   one if BACK; UINT32_MAX: there is none. */
static uint32_t match(Search* f, const KeptChunk* c, const WetStep* s,
                      uint32_t from, uint32_t n, bool back)
{
   for (uint32_t i = from; i < n; i++) {
      uint32_t k = back ? n - 1 - (i - from) : i;
      if (f->place == NULL || f->place(f, c, s, k))
         return k;
   }
   return UINT32_MAX;
}

/* Search chunk C forward from step FROM on, without the first PLACE
   instructions of that step.  Set *AT to the match's time in the chunk.  Return
   false if there is none. */
static bool forward(Search* f, const KeptChunk* c, size_t from, uint32_t place,
                    uint64_t* at)
{
   for (size_t i = from; i < c->steps.n_steps; i++, place = 0) {
      const WetStep* s = &c->steps.steps[i];
      uint32_t       k;
      if (f->filtered != NULL && i % FILTER_STEPS == 0
          && f->filtered(f, &c->filters[i / FILTER_STEPS])) {
         i += FILTER_STEPS - 1;
         continue;
      }
      if (!f->step(f, c, s))
         continue;
      if (s->sb == 0) {
         *at = c->times[i] - 1;
         return true;
      }
      k = match(f, c, s, place, s->n_instrs, false);
      if (k != UINT32_MAX) {
         *at = c->times[i] + k;
         return true;
      }
   }
   return false;
}

/* Search chunk C backward from before instruction PLACE of step FROM, as
   forward() does. */
static bool backward(Search* f, const KeptChunk* c, size_t from,
                     uint32_t place, uint64_t* at)
{
   for (size_t i = from + (place > 0); i-- > 0; ) {
      const WetStep* s = &c->steps.steps[i];
      uint32_t       k, n = i == from && place > 0 ? place : s->n_instrs;
      if (f->filtered != NULL && i % FILTER_STEPS == FILTER_STEPS - 1
          && f->filtered(f, &c->filters[i / FILTER_STEPS])) {
         i -= FILTER_STEPS - 1;
         continue;
      }
      if (!f->step(f, c, s))
         continue;
      if (s->sb == 0) {
         *at = c->times[i] - 1;
         return true;
      }
      k = match(f, c, s, 0, n, true);
      if (k != UINT32_MAX) {
         *at = c->times[i] + k;
         return true;
      }
   }
   return false;
}

/* Set *T to the first match from time FROM on; if BACK, to the last one before
   FROM. */
static DcfgCursorFound find(Search* f, uint64_t from, bool back, uint64_t* t)
{
   DcfgCursor* r = f->r;
   CursorPlace    p;
   uint32_t    end = back ? 0 : (uint32_t)r->ix->n_chunks;
   uint64_t    at;

   if (r->ix->n_chunks == 0)
      return DCFG_CURSOR_NONE;
   if (!cursor_position(r, from < r->ix->n_instrs ? from : r->ix->n_instrs,
                        &p))
      return DCFG_CURSOR_FAILED;
   for (uint32_t n = p.chunk; ; n += back ? UINT32_MAX : 1) {
      if (f->chunk(f, n)) {
         const KeptChunk* c;
         bool             here = n == p.chunk;
         /* If nothing is found, the user goes on with the chunk in which the
            search began: keep it. */
         if (cursor_chunk(r, p.chunk) == NULL
             || (c = cursor_chunk(r, n)) == NULL)
            return DCFG_CURSOR_FAILED;
         if (!here && cursor_stopped(r))
            return DCFG_CURSOR_STOPPED;
         if (back ? backward(f, c, here ? p.step : c->steps.n_steps,
                             here ? p.place : 0, &at)
                  : forward(f, c, here ? p.step : 0, here ? p.place : 0,
                            &at)) {
            *t = r->ix->chunks[n].before + at;
            /* A mark before the first instruction of the trace has no
               instruction that it belongs to. */
            if (*t == UINT64_MAX)
               return DCFG_CURSOR_NONE;
            return DCFG_CURSOR_FOUND;
         }
      }
      if (back ? n == 0 : n + 1 == end)
         return DCFG_CURSOR_NONE;
      if (cursor_stopped(r))
         return DCFG_CURSOR_STOPPED;
   }
}

/*--- Threads                                              ---*/

static bool thread_chunk(Search* f, uint32_t number)
{
   const IndexTurn* t = index_turn_before(f->r->ix, f->thread, number + 1);

   return t != NULL && t->chunk == number;
}

static bool thread_step(Search* f, const KeptChunk* c, const WetStep* s)
{
   (void)c;
   return s->sb != 0 && s->thread == f->thread;
}

DcfgCursorFound dcfg_cursor_find_thread(DcfgCursor* r, uint32_t thread,
                                        uint64_t from, bool back, uint64_t* t)
{
   Search f = { .r = r, .chunk = thread_chunk, .step = thread_step,
                .thread = thread };

   return thread >= r->w->threads.n ? DCFG_CURSOR_NONE
          : find(&f, from, back, t);
}

DcfgCursorFound dcfg_cursor_before(DcfgCursor* r, uint32_t thread,
                                   uint64_t from, uint64_t* t, uint32_t* instr)
{
   CursorPlace         p = r->last;
   const KeptChunk* c;
   DcfgCursorFound  found;

   if (!r->has_last || r->last_time != from) {
      if (!cursor_position(r, from, &p))
         return DCFG_CURSOR_FAILED;
   }
   r->has_last = false;
   c = r->ix->n_chunks == 0 ? NULL : cursor_chunk(r, p.chunk);
   for (; c != NULL && (p.place > 0 || p.step > 0); p.place--) {
      const WetStep* s;
      while (p.place == 0 && p.step > 0) {
         s       = &c->steps.steps[--p.step];
         p.place = s->sb != 0 && s->thread == thread ? s->n_instrs : 0;
      }
      if (p.place == 0)
         break;
      s = &c->steps.steps[p.step];
      if (s->thread != thread) {
         p.place = 1;
         continue;
      }
      p.place--;
      *t     = r->ix->chunks[p.chunk].before + c->times[p.step] + p.place;
      *instr = cursor_place(r, s, p.place)->instr;
      r->last      = p;
      r->last_time = *t;
      r->has_last  = true;
      return DCFG_CURSOR_FOUND;
   }
   /* The thread's last instruction is in an earlier chunk. */
   if (c == NULL || p.chunk == 0)
      return c == NULL && r->ix->n_chunks > 0 ? DCFG_CURSOR_FAILED
             : DCFG_CURSOR_NONE;
   found = dcfg_cursor_find_thread(r, thread, r->ix->chunks[p.chunk].before,
                                   true, t);
   if (found == DCFG_CURSOR_FOUND) {
      const DcfgCursorInstr* at = dcfg_cursor_instr(r, *t);
      if (at == NULL)
         return DCFG_CURSOR_FAILED;
      *instr = at->instr;
   }
   return found;
}

DcfgCursorFound dcfg_cursor_result(DcfgCursor* r, uint64_t t,
                                   uint64_t* result)
{
   CursorPlace         p;
   const KeptChunk* c;
   uint32_t         thread;

   if (t >= r->ix->n_instrs || !cursor_position(r, t, &p)
       || (c = cursor_chunk(r, p.chunk)) == NULL)
      return DCFG_CURSOR_FAILED;
   thread = c->steps.steps[p.step].thread;
   if (p.place + 1u < c->steps.steps[p.step].n_instrs)
      return DCFG_CURSOR_NONE;
   for (uint32_t n = p.chunk; ; ) {
      for (size_t i = n == p.chunk ? p.step + 1 : 0; i < c->steps.n_steps;
           i++) {
         const WetStep* s = &c->steps.steps[i];
         if (s->thread != thread)
            continue;
         if (s->sb != 0 && s->n_instrs > 0)
            return DCFG_CURSOR_NONE;
         if (s->sb == 0 && s->mark == MarkResult) {
            *result = difference_of(c->steps.addrs[s->first]);
            return DCFG_CURSOR_FOUND;
         }
      }
      if (++n == r->ix->n_chunks || cursor_stopped(r))
         return DCFG_CURSOR_NONE;
      c = cursor_chunk(r, n);
      if (c == NULL)
         return DCFG_CURSOR_FAILED;
   }
}

/*--- Instructions                                         ---*/

/* Note in S the chunks in which superblock SB was left at instruction FROM or
   later. */
static void note_chunks(DcfgCursor* r, DcfgCursorSet* s, const WetSb* sb,
                        uint32_t from)
{
   for (uint32_t k = from; k < sb->instrs.n; k++) {
      IndexRuns runs = index_runs(r->ix, sb->instrs.first + k);
      while (index_next_run(r->ix, &runs))
         s->chunks[runs.chunk / 8] |= (uint8_t)(1u << runs.chunk % 8);
   }
}

DcfgCursorSet* dcfg_cursor_set_new(DcfgCursor* r, const uint32_t* instrs,
                                   uint32_t n)
{
   DcfgCursorSet* s = job_calloc(&r->job, 1, sizeof(*s));

   if (s == NULL)
      return NULL;
   s->n_instrs = r->w->instrs.n + 1;
   s->n_sbs    = r->w->sbs.n + 1;
   s->n_chunks = r->ix->n_chunks / 8 + 1;
   s->instrs   = job_calloc(&r->job, s->n_instrs, sizeof(bool));
   s->sbs      = job_calloc(&r->job, s->n_sbs, sizeof(bool));
   s->chunks   = job_calloc(&r->job, s->n_chunks, 1);
   if (s->instrs == NULL || s->sbs == NULL || s->chunks == NULL) {
      dcfg_cursor_set_free(r, s);
      return NULL;
   }
   for (uint32_t i = 0; i < n; i++)
      if (instrs[i] < r->w->instrs.n)
         s->instrs[instrs[i]] = true;
   for (uint32_t id = 1; id < r->w->sbs.n; id++) {
      const WetSb* sb = &ELEM(r->w->sbs, WetSb, id);
      for (uint32_t k = 0; k < sb->instrs.n && !s->sbs[id]; k++)
         if (s->instrs[r->w->places[sb->instrs.first + k].instr]) {
            s->sbs[id] = true;
            note_chunks(r, s, sb, k);
         }
   }
   return s;
}

void dcfg_cursor_set_free(DcfgCursor* r, DcfgCursorSet* s)
{
   if (s == NULL)
      return;
   job_free(&r->job, s->instrs, s->n_instrs * sizeof(bool));
   job_free(&r->job, s->sbs, s->n_sbs * sizeof(bool));
   job_free(&r->job, s->chunks, s->n_chunks);
   job_free(&r->job, s, sizeof(*s));
}

static bool set_chunk(Search* f, uint32_t number)
{
   return (f->set->chunks[number / 8] >> number % 8 & 1)
          && (f->thread == DCFG_NONE || thread_chunk(f, number));
}

static bool set_step(Search* f, const KeptChunk* c, const WetStep* s)
{
   (void)c;
   return s->sb != 0 && f->set->sbs[s->sb]
          && (f->thread == DCFG_NONE || s->thread == f->thread);
}

static bool set_place(Search* f, const KeptChunk* c, const WetStep* s,
                      uint32_t k)
{
   (void)c;
   return f->set->instrs[cursor_place(f->r, s, k)->instr];
}

DcfgCursorFound dcfg_cursor_find_instr(DcfgCursor* r, const DcfgCursorSet* s,
                                       uint32_t thread, uint64_t from,
                                       bool back, uint64_t* t)
{
   Search f = { .r = r, .chunk = set_chunk, .step = set_step,
                .place = set_place, .thread = thread, .set = s };

   return thread != DCFG_NONE && thread >= r->w->threads.n ? DCFG_CURSOR_NONE
          : find(&f, from, back, t);
}

uint64_t dcfg_cursor_set_pause(const DcfgCursor* r, const DcfgCursorSet* s,
                               uint64_t t)
{
   uint32_t first = cursor_chunk_of(r, t);

   for (uint32_t i = first; i < r->ix->n_chunks; i++)
      if (s->chunks[i / 8] >> i % 8 & 1)
         return i == first ? t : r->ix->chunks[i].before;
   return UINT64_MAX;
}

/*--- Accesses                                             ---*/

static bool access_chunk(Search* f, uint32_t number)
{
   bool told = (f->kind & DCFG_CURSOR_FIRST)
               && (f->r->ix->chunks[number].flags & INDEX_LOADS);

   return ((f->kind & DCFG_CURSOR_LOAD) && !told)
          || cursor_wrote(f->r, number, f->addr, f->size);
}

static bool access_filtered(const Search* f, const StepFilter* filter)
{
   return f->size <= 4096 && !filter_has(filter, f->addr, f->size, f->kind);
}

static bool access_step(Search* f, const KeptChunk* c, const WetStep* s)
{
   const uint64_t*  addrs = c->steps.addrs + s->first;
   const WetAccess* a;

   if (s->sb == 0)
      return (((f->kind & DCFG_CURSOR_STORE) && cursor_mark_writes(s))
              || ((f->kind & DCFG_CURSOR_LOAD) && s->mark == MarkRead))
             && overlaps(addrs[0], addrs[1], f->addr, f->size);
   a = cursor_slots(f->r, s);
   for (uint32_t i = 0; i < s->n_slots; i++)
      if ((a[i].what & f->kind & (AccessLoad | AccessStore))
          && overlaps(addrs[i], a[i].size, f->addr, f->size))
         return true;
   return false;
}

static bool access_place(Search* f, const KeptChunk* c, const WetStep* s,
                         uint32_t k)
{
   const InstrPlan* at = cursor_place(f->r, s, k);
   DcfgCursorAccess a;

   for (uint32_t j = 0; j < at->n_slots; j++)
      if (cursor_access(f->r, c, s, at, j, &a) && (a.kind & f->kind)
          && overlaps(a.addr, a.size, f->addr, f->size))
         return true;
   return false;
}

DcfgCursorFound dcfg_cursor_find_access(DcfgCursor* r, uint64_t addr,
                                        uint64_t size, uint32_t kind,
                                        uint64_t from, bool back, uint64_t* t)
{
   Search f = { .r = r, .chunk = access_chunk, .filtered = access_filtered,
                .step = access_step, .place = access_place, .addr = addr,
                .size = size, .kind = kind };

   DcfgCursorFound found = size == 0 ? DCFG_CURSOR_NONE
                           : find(&f, from, back, t);
   uint64_t        at;

   if ((kind & DCFG_CURSOR_STORE)
       && (found == DCFG_CURSOR_FOUND || found == DCFG_CURSOR_NONE)
       && cursor_find_unseen(r, addr, size, from, back, &at)
       && (found == DCFG_CURSOR_NONE || (back ? at > *t : at < *t))) {
      *t    = at;
      found = DCFG_CURSOR_FOUND;
   }
   return found;
}

/*--- Numbers                                              ---*/

/* Return how often INSTR was executed in chunks before CHUNK.  If COUNTS is not
   NULL, add to it how often in each chunk. */
static uint64_t count_before(DcfgCursor* r, uint32_t instr, uint32_t chunk,
                             uint64_t* counts)
{
   uint64_t n = 0;

   for (uint32_t id = 1; id < r->w->sbs.n; id++) {
      const WetSb* sb = &ELEM(r->w->sbs, WetSb, id);
      uint64_t     times = 0;
      for (uint32_t k = 0; k < sb->instrs.n; k++) {
         IndexRuns runs;
         times += r->w->places[sb->instrs.first + k].instr == instr;
         if (times == 0)
            continue;
         runs = index_runs(r->ix, sb->instrs.first + k);
         while (index_next_run(r->ix, &runs) && runs.chunk < chunk) {
            n += times * runs.count;
            if (counts != NULL)
               counts[runs.chunk] += times * runs.count;
         }
      }
   }
   return n;
}

/* Return how often the first N instructions of step S are INSTR. */
static uint32_t count_in(const DcfgCursor* r, const WetStep* s, uint32_t n,
                         uint32_t instr)
{
   uint32_t found = 0;

   for (uint32_t k = 0; s->sb != 0 && k < n; k++)
      found += cursor_place(r, s, k)->instr == instr;
   return found;
}

bool dcfg_cursor_number(DcfgCursor* r, uint64_t t, uint64_t* instance)
{
   CursorPlace         p;
   const KeptChunk* c;
   uint32_t         instr;

   if (t >= r->ix->n_instrs || !cursor_position(r, t, &p)
       || (c = cursor_chunk(r, p.chunk)) == NULL)
      return false;
   instr     = cursor_place(r, &c->steps.steps[p.step], p.place)->instr;
   *instance = r->w->instances[instr] + count_before(r, instr, p.chunk, NULL)
               + count_in(r, &c->steps.steps[p.step], p.place, instr);
   for (size_t i = 0; i < p.step; i++)
      *instance += count_in(r, &c->steps.steps[i], c->steps.steps[i].n_instrs,
                            instr);
   return true;
}

DcfgCursorFound dcfg_cursor_time_of(DcfgCursor* r, uint32_t instr,
                                    uint64_t instance, uint64_t* t)
{
   size_t           n = r->ix->n_chunks;
   uint64_t*        counts = job_calloc(&r->job, n + 1, sizeof(*counts));
   const KeptChunk* c;
   uint32_t         chunk = 0;

   if (counts == NULL || instr >= r->w->instrs.n
       || instance < r->w->instances[instr]) {
      job_free(&r->job, counts, (n + 1) * sizeof(*counts));
      return counts == NULL ? DCFG_CURSOR_FAILED : DCFG_CURSOR_NONE;
   }
   instance -= r->w->instances[instr];
   count_before(r, instr, (uint32_t)n, counts);
   while (chunk < n && counts[chunk] <= instance)
      instance -= counts[chunk++];
   job_free(&r->job, counts, (n + 1) * sizeof(*counts));
   if (chunk == n)
      return DCFG_CURSOR_NONE;
   c = cursor_chunk(r, chunk);
   for (size_t i = 0; c != NULL && i < c->steps.n_steps; i++) {
      const WetStep* s = &c->steps.steps[i];
      uint32_t       here = count_in(r, s, s->n_instrs, instr);
      if (here <= instance) {
         instance -= here;
         continue;
      }
      for (uint32_t k = 0; k < s->n_instrs; k++)
         if (cursor_place(r, s, k)->instr == instr && instance-- == 0) {
            *t = r->ix->chunks[chunk].before + c->times[i] + k;
            return DCFG_CURSOR_FOUND;
         }
   }
   return DCFG_CURSOR_FAILED;
}

/*--- Signals                                              ---*/

/* Return the number of the signal whose handler begins at step I of chunk C. */
static uint32_t signal_of(const KeptChunk* c, size_t i)
{
   const WetStep* s = &c->steps.steps[i];

   if (i == 0 || s[-1].sb != 0 || s[-1].mark != MarkSignal
       || s[-1].thread != s->thread)
      return 0;
   return (uint32_t)c->steps.addrs[s[-1].first];
}

/* Set *S to the first signal in chunk NUMBER with a time from FROM on; if BACK,
   to the last one with a time below FROM. */
static DcfgCursorFound find_in_chunk(DcfgCursor* r, uint32_t number,
                                     uint64_t from, bool back,
                                     DcfgCursorSignal* s)
{
   const KeptChunk* c = cursor_chunk(r, number);
   uint64_t         before = r->ix->chunks[number].before;

   if (c == NULL)
      return DCFG_CURSOR_FAILED;
   for (size_t k = 0; k < c->steps.n_steps; k++) {
      size_t         i = back ? c->steps.n_steps - 1 - k : k;
      const WetStep* step = &c->steps.steps[i];
      uint64_t       t = before + c->times[i];
      if (step->sb != 0 || step->mark != MarkHandler
          || (back ? t >= from : t < from))
         continue;
      *s = (DcfgCursorSignal){ t, step->thread, signal_of(c, i) };
      return DCFG_CURSOR_FOUND;
   }
   return DCFG_CURSOR_NONE;
}

DcfgCursorFound dcfg_cursor_find_signal(DcfgCursor* r, uint64_t from,
                                        bool back, DcfgCursorSignal* s)
{
   for (uint32_t k = 0; k < r->ix->n_chunks; k++) {
      uint32_t          i = back ? (uint32_t)r->ix->n_chunks - 1 - k : k;
      const IndexChunk* c = &r->ix->chunks[i];
      DcfgCursorFound   found;
      /* A mark behind the last instruction of a chunk has the time at which the
         next chunk begins. */
      if ((back ? c->before >= from : c->before + c->n_instrs < from)
          || index_handlers(r->ix, i) == index_handlers(r->ix, i + 1))
         continue;
      found = find_in_chunk(r, i, from, back, s);
      if (found != DCFG_CURSOR_NONE)
         return found;
      if (cursor_stopped(r))
         return DCFG_CURSOR_STOPPED;
   }
   return DCFG_CURSOR_NONE;
}

/*--- An instance                                          ---*/

/* Tell of the instance at time T of THREAD, with plan AT.  ACCESSES, SLOTS and
   N_SLOTS are as for access_of(). */
static const DcfgCursorInstr* tell(DcfgCursor* r, uint64_t t, uint32_t thread,
                                   const InstrPlan* at,
                                   const WetAccess* accesses,
                                   const uint64_t* slots, uint32_t n_slots)
{
   uint32_t n = 0;

   for (uint32_t j = 0; j < at->n_slots && n < MAX_ACCESSES; j++)
      n += access_of(accesses, slots, n_slots, at, j, &r->accesses[n]);
   r->told = (DcfgCursorInstr){
      .time = t, .thread = thread, .instr = at->instr,
      .rep = r->w->plans[at->instr].kind == InsnRep,
      .n_accesses = n, .accesses = r->accesses,
      .value_size = value_of(accesses, slots, n_slots, at, r->value),
      .value = r->value
   };
   return &r->told;
}

const DcfgCursorInstr* dcfg_cursor_instr(DcfgCursor* r, uint64_t t)
{
   CursorPlace      p;
   IndexedInstr     is;
   const KeptChunk* c;
   const WetStep*   s;

   if (t >= r->ix->n_instrs)
      return NULL;
   if (cursor_kept(r, cursor_chunk_of(r, t)) == NULL
       && cursor_index_instr(r, t, &is))
      return tell(r, t, is.thread, &is.at, is.accesses, is.slots, is.n_slots);
   if (!cursor_position(r, t, &p))
      return NULL;
   c = cursor_chunk(r, p.chunk);
   s = &c->steps.steps[p.step];
   return tell(r, t, s->thread, cursor_place(r, s, p.place), cursor_slots(r, s),
               c->steps.addrs + s->first, s->n_slots);
}
