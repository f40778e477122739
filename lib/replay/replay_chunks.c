/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Decoded chunks of a trace that is replayed. */

/* Owns: the last decoded chunks, the times of their instructions, the
   filters of their steps.  Handed: a trace that has an index. */

#include "lib/replay/replay_chunks.h"

#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/*--- Making                                               ---*/

/* Set .sb_defs: the granules that each superblock may define. */
static void find_defs(DcfgReplay* r)
{
   for (uint32_t id = 1; id < r->w->sbs.n; id++) {
      const Span s = ELEM(r->w->sbs, WetSb, id).instrs;
      for (uint32_t k = 0; k < s.n; k++) {
         const Plan* p = &r->w->plans[r->w->places[s.first + k].instr];
         for (uint32_t i = 0; i < p->n_defs; i++) {
            uint8_t g = ELEM(r->w->defs, Def, p->defs + i).granule;
            r->sb_defs[id][g / 64] |= UINT64_C(1) << g % 64;
         }
      }
   }
}

static void free_chunk(DcfgReplay* r, KeptChunk* c)
{
   wet_free_steps(&r->w->job, &c->steps);
   job_free(&r->job, c->times, c->max_times * sizeof(*c->times));
   job_free(&r->job, c->filters, c->max_filters * sizeof(*c->filters));
   *c = (KeptChunk){ 0 };
}

DcfgReplay* dcfg_replay_new(DcfgWet* w, DcfgError* err)
{
   DcfgReplay* r;

   if (w->index == NULL) {
      set_error(err, DCFG_ERROR_ARGUMENT, w->path, NULL, 0,
                "it has no index");
      return NULL;
   }
   r = job_object(sizeof(*r), offsetof(DcfgReplay, job), w->path, &w->options,
                  err);
   if (r == NULL)
      return NULL;
   r->of = w;
   r->ix = w->index;
   r->w  = wet_open_again(w, err);
   if (r->w != NULL)
      job_read(&r->job, r->w->file_size, r->w->file_size);
   r->sb_defs = job_calloc(&r->job, w->sbs.n + 1, sizeof(*r->sb_defs));
   r->words   = job_calloc(&r->job, N_REMEMBERED, sizeof(*r->words));
   r->writers = job_calloc(&r->job, N_KNOWN_THREADS * N_TOLD,
                           sizeof(*r->writers));
   r->known_words = job_calloc(&r->job, N_KNOWN_WORDS,
                               sizeof(*r->known_words));
   if (r->w != NULL && r->sb_defs != NULL && r->words != NULL
       && r->writers != NULL && r->known_words != NULL
       && r->w->sbs.n == w->sbs.n) {
      find_defs(r);
      return r;
   }
   if (r->w != NULL)
      job_tell(&r->job, err);
   dcfg_replay_free(r);
   return NULL;
}

void dcfg_replay_free(DcfgReplay* r)
{
   if (r == NULL)
      return;
   if (r->w != NULL)
      dcfg_replay_forget(r);
   free(r->sb_defs);
   job_free(&r->job, r->tops.tops, r->tops.room);
   free(r->words);
   free(r->writers);
   free(r->known_words);
   dcfg_wet_close(r->w);
   free(r);
}

void dcfg_replay_forget(DcfgReplay* r)
{
   for (unsigned i = 0; i < KEPT_CHUNKS; i++)
      free_chunk(r, &r->kept[i]);
   r->has_last = false;
}

uint64_t dcfg_replay_end(const DcfgReplay* r)
{
   return r->ix->n_instrs;
}

void dcfg_replay_listen(DcfgReplay* r, bool (*stop)(void* arg), void* arg)
{
   r->stop     = stop;
   r->stop_arg = arg;
}

void dcfg_replay_error(const DcfgReplay* r, DcfgError* err)
{
   job_tell(r->job.err.status != DCFG_OK ? &r->job : &r->w->job, err);
}

/*--- Filters                                              ---*/

/* Return the bit of the line of memory that has ADDR, a hash. */
static inline unsigned bit_of_line(uint64_t addr)
{
   return (unsigned)((addr >> LINE_SHIFT) * UINT64_C(0x9E3779B97F4A7C15)
                     >> 55);
}

static inline void filter_add(uint64_t* words, uint64_t addr, uint64_t size)
{
   unsigned first = bit_of_line(addr), last = bit_of_line(addr + size - 1);

   words[first / 64] |= UINT64_C(1) << first % 64;
   words[last / 64]  |= UINT64_C(1) << last % 64;
}

/* The greatest access, in bytes, that filters have bits for.  A greater one
   sets .any. */
#define FILTERED 64u

/* Add step S of chunk C to filter F. */
static void filter_step(DcfgReplay* r, const KeptChunk* c, const WetStep* s,
                        StepFilter* f)
{
   const WetAccess* a;

   if (s->sb == 0) {
      f->any   |= replay_mark_writes(s) || s->mark == MarkRead
                  || s->mark == MarkMapped;
      f->turns |= s->mark == MarkHandler || s->mark == MarkReturn
                  || s->mark == MarkCreated || s->mark == MarkRegisters;
      return;
   }
   f->defs[0] |= r->sb_defs[s->sb][0];
   f->defs[1] |= r->sb_defs[s->sb][1];
   a = replay_slots(r, s);
   for (uint32_t i = 0; i < s->n_slots; i++) {
      uint64_t addr = c->steps.addrs[s->first + i];
      if (!(a[i].what & (AccessLoad | AccessStore)) || a[i].size == 0)
         continue;
      f->any |= a[i].size > FILTERED;
      if (a[i].what & AccessStore)
         filter_add(f->stores, addr, a[i].size);
      if (a[i].what & AccessLoad)
         filter_add(f->loads, addr, a[i].size);
   }
}

bool filter_has(const StepFilter* f, uint64_t addr, uint64_t size,
                uint32_t kind)
{
   uint64_t last = (addr + size - 1) >> LINE_SHIFT;

   if (f->any)
      return true;
   for (uint64_t line = addr >> LINE_SHIFT; line <= last; line++) {
      unsigned bit = bit_of_line(line << LINE_SHIFT);
      if (((kind & DCFG_REPLAY_STORE) && f->stores[bit / 64] >> bit % 64 & 1)
          || ((kind & DCFG_REPLAY_LOAD) && f->loads[bit / 64] >> bit % 64 & 1))
         return true;
   }
   return false;
}

/*--- Chunks                                               ---*/

/* Make room for the times and filters of C's steps.  Return false if memory is
   short. */
static bool make_room(DcfgReplay* r, KeptChunk* c)
{
   size_t n = c->steps.n_steps + 1, n_filters = n / FILTER_STEPS + 1;
   void*  more;

   if (n > c->max_times) {
      more = job_realloc(&r->job, c->times, c->max_times * sizeof(*c->times),
                         n * sizeof(*c->times));
      if (more == NULL)
         return false;
      c->times     = more;
      c->max_times = n;
   }
   if (n_filters > c->max_filters) {
      more = job_realloc(&r->job, c->filters,
                         c->max_filters * sizeof(*c->filters),
                         n_filters * sizeof(*c->filters));
      if (more == NULL)
         return false;
      c->filters     = more;
      c->max_filters = n_filters;
   }
   memset(c->filters, 0, n_filters * sizeof(*c->filters));
   return true;
}

/* Decode chunk NUMBER to C, in place of the one there.  Return false after an
   error. */
static bool decode(DcfgReplay* r, KeptChunk* c, uint32_t number)
{
   const IndexChunk* of = &r->ix->chunks[number];
   WetChunkInfo      info = { of->offset, of->before, of->n_instrs,
                              of->n_records, of->thread };
   uint64_t          time = 0;
   uint32_t          handlers = 0;

   if (!wet_read_chunk(r->w, &info, SLOTS_OF_ALL, &c->steps)) {
      job_adopt(&r->job, &r->w->job.err);
      return job_fail(&r->job, DCFG_ERROR_FORMAT, "tape",
                      "a chunk is not where the index says");
   }
   if (!make_room(r, c))
      return false;
   for (size_t i = 0; i < c->steps.n_steps; i++) {
      const WetStep* s = &c->steps.steps[i];
      c->times[i] = time;
      time       += s->sb == 0 ? 0 : s->n_instrs;
      if (i % FILTER_STEPS == 0)
         c->filters[i / FILTER_STEPS].handlers = handlers;
      handlers += s->sb == 0 && s->mark == MarkHandler;
      filter_step(r, c, s, &c->filters[i / FILTER_STEPS]);
   }
   c->times[c->steps.n_steps] = time;
   wet_trim_steps(&r->w->job, &c->steps);
   if (c->steps.n_steps % FILTER_STEPS == 0)
      c->filters[c->steps.n_steps / FILTER_STEPS].handlers = handlers;
   return time == of->n_instrs
          || job_fail(&r->job, DCFG_ERROR_FORMAT, "tape",
                      "a chunk differs from the index");
}

static size_t bytes_of(const KeptChunk* c)
{
   return wet_size_of_steps(&c->steps) + c->max_times * sizeof(*c->times)
          + c->max_filters * sizeof(*c->filters);
}

/* Return how many bytes chunk NUMBER will take when it is decoded. */
static size_t bytes_for(const DcfgReplay* r, uint32_t number)
{
   const IndexChunk* c = &r->ix->chunks[number];

   return c->n_records * (sizeof(WetStep) + sizeof(uint32_t)
                          + sizeof(uint64_t)
                          + sizeof(StepFilter) / FILTER_STEPS)
          + c->n_slots * sizeof(uint64_t);
}

/* Return where to decode chunk NUMBER: a new one if there is room, else in place
   of the one that was used longest ago.  Chunks differ in size: free others if
   all together would be too large. */
static KeptChunk* choose(DcfgReplay* r, uint32_t number)
{
   KeptChunk* unused = NULL;
   KeptChunk* oldest = NULL;
   unsigned   n = 0;
   size_t     all = bytes_for(r, number);

   for (unsigned i = 0; i < KEPT_CHUNKS; i++) {
      KeptChunk* c = &r->kept[i];
      size_t     size = bytes_of(c);
      if (size == 0) {
         unused = c;
         continue;
      }
      n++;
      all += size;
      if (oldest == NULL || c->used < oldest->used)
         oldest = c;
   }
   if (unused != NULL && (n < LEAST_KEPT || all <= MOST_KEPT))
      return unused;
   if (n <= LEAST_KEPT || all - bytes_of(oldest) <= MOST_KEPT)
      return oldest;
   free_chunk(r, oldest);
   return choose(r, number);
}

KeptChunk* replay_kept(DcfgReplay* r, uint32_t number)
{
   for (unsigned i = 0; i < KEPT_CHUNKS; i++) {
      KeptChunk* c = &r->kept[i];
      if (c->there && c->number == number) {
         c->used = ++r->clock;
         return c;
      }
   }
   return NULL;
}

KeptChunk* replay_chunk(DcfgReplay* r, uint32_t number)
{
   KeptChunk* c = replay_kept(r, number);

   if (c != NULL)
      return c;
   c         = choose(r, number);
   c->there  = decode(r, c, number);
   c->number = number;
   c->used   = c->there ? ++r->clock : 0;
   return c->there ? c : NULL;
}

uint32_t replay_chunk_of(const DcfgReplay* r, uint64_t t)
{
   uint32_t chunk = 0;

   BISECT(chunk, (uint32_t)r->ix->n_chunks, middle,
          r->ix->chunks[middle].before + r->ix->chunks[middle].n_instrs <= t);
   return chunk;
}

bool replay_position(DcfgReplay* r, uint64_t t, ReplayPlace* p)
{
   uint32_t   chunk = replay_chunk_of(r, t);
   KeptChunk* c;
   size_t     step = 0;

   *p = (ReplayPlace){ 0, 0, 0 };
   if (r->ix->n_chunks == 0)
      return t == 0;
   if (chunk == r->ix->n_chunks) {
      c = replay_chunk(r, chunk - 1);
      if (c == NULL)
         return false;
      *p = (ReplayPlace){ chunk - 1, c->steps.n_steps, 0 };
      return true;
   }
   c = replay_chunk(r, chunk);
   if (c == NULL)
      return false;
   t -= r->ix->chunks[chunk].before;
   BISECT(step, c->steps.n_steps, middle, c->times[middle + 1] <= t);
   *p = (ReplayPlace){ chunk, step, (uint32_t)(t - c->times[step]) };
   return true;
}

/*--- Memory that chunks write                             ---*/

bool replay_wrote(DcfgReplay* r, uint32_t number, uint64_t addr,
                  uint64_t size)
{
   uint64_t first = addr >> 3, last = (addr + size - 1) >> 3;

   if (last - first > 1024)
      return true;
   for (uint64_t word = first; word <= last; word++)
      if (index_wrote(r->ix, number, word))
         return true;
   return false;
}

bool replay_wrote_before(DcfgReplay* r, uint32_t number, uint64_t word,
                         uint32_t* found)
{
   Remembered* m = &r->words[(word ^ word >> 15) % N_REMEMBERED];
   uint32_t    end = 0, at = number;

   /* If .chunk is later than NUMBER, its answer holds for NUMBER, too, unless
      NUMBER is before the chunk that was found.  If .chunk is earlier, search
      only the chunks from .chunk to NUMBER. */
   if (m->word == word + 1 && m->chunk >= number && m->found <= number)
      at = m->found;
   else {
      if (m->word == word + 1 && m->chunk < number)
         end = m->chunk;
      while (at > end && !index_wrote(r->ix, at - 1, word))
         at--;
      if (at == end && end > 0)
         at = m->found;
   }
   *m = (Remembered){ word + 1, number, at };
   *found = at - 1;
   return at != 0;
}

/*--- Instances                                            ---*/

uint32_t replay_value(const DcfgReplay* r, const KeptChunk* c,
                      const WetStep* s, const InstrPlan* at, uint8_t* to)
{
   return value_of(replay_slots(r, s), c->steps.addrs + s->first, s->n_slots,
                   at, to);
}

const DcfgWetThread* replay_begin_of(const DcfgReplay* r, uint32_t thread)
{
   const DcfgWetState* state = dcfg_wet_state(r->of);

   for (uint32_t i = 0; state != NULL && i < state->n_threads; i++)
      if (state->threads[i].thread == thread)
         return &state->threads[i];
   return NULL;
}

bool dcfg_replay_repeats(const DcfgReplay* r, uint32_t instr)
{
   return instr < r->w->instrs.n && r->w->plans[instr].kind == InsnRep;
}

bool dcfg_replay_last_address(DcfgReplay* r, uint64_t* addr)
{
   ReplayPlace       p;
   KeptChunk*     c;

   if (!replay_position(r, r->ix->n_instrs, &p) || r->ix->n_chunks == 0)
      return false;
   c = replay_chunk(r, p.chunk);
   for (size_t i = c == NULL ? 0 : c->steps.n_steps; i-- > 0; ) {
      const WetStep* s = &c->steps.steps[i];
      const WetSb*   sb;
      uint32_t       instr;
      if (s->sb == 0)
         continue;
      sb = &ELEM(r->w->sbs, WetSb, s->sb);
      /* After a fault, the next instruction is the one that was begun in this
         superblock.  Otherwise only a system call ends a trace, and the next
         instruction stands behind it. */
      if (s->way == DCFG_NONE && s->n_instrs < sb->instrs.n) {
         instr = replay_place(r, s, s->n_instrs)->instr;
         *addr = r->w->plans[instr].addr;
         return true;
      }
      if (s->n_instrs == 0)
         continue;
      instr = replay_place(r, s, s->n_instrs - 1u)->instr;
      *addr = r->w->plans[instr].addr + ELEM(r->w->instrs, WetInstr,
                                             instr).len;
      return r->w->plans[instr].kind == InsnSyscall
             || r->w->plans[instr].kind == InsnPlain;
   }
   return false;
}
