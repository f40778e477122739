/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The chunk, and the instance, at a time. */

/* Owns: the last decoded chunks with the times and filters of their steps, and
   what the trace has of the instance at a time.  Handed: a trace that has an
   index.

   The index says where each chunk stands and which times it has.  Chunks are
   decoded when a question needs them, and a few are kept. */

#include "lib/cursor/cursor_parts.h"

#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/*--- Making                                               ---*/

static void free_chunk(DcfgCursor* r, KeptChunk* c)
{
   wet_free_steps(&r->tape->job, &c->steps);
   job_free(&r->job, c->times, c->max_times * sizeof(*c->times));
   job_free(&r->job, c->filters, c->max_filters * sizeof(*c->filters));
   *c = (KeptChunk){ 0 };
}

DcfgCursor* dcfg_cursor_new(DcfgWet* w, DcfgError* err)
{
   DcfgCursor* r;

   if (w->index == NULL) {
      set_error(err, DCFG_ERROR_ARGUMENT, w->path, NULL, 0,
                "it has no index");
      return NULL;
   }
   r = job_object(sizeof(*r), offsetof(DcfgCursor, job), w->path, &w->options,
                  err);
   if (r == NULL)
      return NULL;
   r->w    = w;
   r->ix   = w->index;
   r->tape = wet_cursor_new(w, err);
   if (r->tape != NULL)
      job_read(&r->job, w->file_size, w->file_size);
   r->words   = job_calloc(&r->job, N_REMEMBERED, sizeof(*r->words));
   r->writers = job_calloc(&r->job, N_KNOWN_THREADS * N_TOLD,
                           sizeof(*r->writers));
   r->known_words = job_calloc(&r->job, N_KNOWN_WORDS,
                               sizeof(*r->known_words));
   if (r->tape != NULL && r->words != NULL
       && r->writers != NULL && r->known_words != NULL
       && cursor_load_mappings(r))
      return r;
   if (r->tape != NULL)
      job_tell(&r->job, err);
   dcfg_cursor_free(r);
   return NULL;
}

void dcfg_cursor_free(DcfgCursor* r)
{
   if (r == NULL)
      return;
   if (r->tape != NULL)
      dcfg_cursor_forget(r);
   job_free(&r->job, r->tops.tops, r->tops.room);
   free(r->words);
   free(r->writers);
   free(r->known_words);
   array_free(&r->job, &r->mappings, sizeof(DcfgCursorMapping));
   array_free(&r->job, &r->renewed, sizeof(Renewed));
   arena_free(&r->job, &r->names);
   wet_cursor_free(r->tape);
   free(r);
}

void dcfg_cursor_forget(DcfgCursor* r)
{
   for (unsigned i = 0; i < KEPT_CHUNKS; i++)
      free_chunk(r, &r->kept[i]);
   r->has_last = false;
}

uint64_t dcfg_cursor_end(const DcfgCursor* r)
{
   return r->ix->n_instrs;
}

void dcfg_cursor_listen(DcfgCursor* r, bool (*stop)(void* arg), void* arg)
{
   r->stop     = stop;
   r->stop_arg = arg;
}

void dcfg_cursor_error(const DcfgCursor* r, DcfgError* err)
{
   job_tell(r->job.err.status != DCFG_OK ? &r->job : &r->tape->job, err);
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
static void filter_step(DcfgCursor* r, const KeptChunk* c, const WetStep* s,
                        StepFilter* f)
{
   const WetAccess* a;
   const uint64_t*  defs;

   if (s->sb == 0) {
      f->any   |= cursor_mark_writes(s) || s->mark == MarkRead
                  || s->mark == MarkMapped;
      f->turns |= s->mark == MarkHandler || s->mark == MarkReturn
                  || s->mark == MarkCreated || s->mark == MarkRegisters;
      return;
   }
   defs = ELEM(r->w->sbs, WetSb, s->sb).defs;
   f->defs[0] |= defs[0];
   f->defs[1] |= defs[1];
   a = cursor_slots(r, s);
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
      if (((kind & DCFG_CURSOR_STORE) && f->stores[bit / 64] >> bit % 64 & 1)
          || ((kind & DCFG_CURSOR_LOAD) && f->loads[bit / 64] >> bit % 64 & 1))
         return true;
   }
   return false;
}

/*--- Chunks                                               ---*/

/* Make room for the times and filters of C's steps.  Return false if memory is
   short. */
static bool make_room(DcfgCursor* r, KeptChunk* c)
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
static bool decode(DcfgCursor* r, KeptChunk* c, uint32_t number)
{
   const IndexChunk* of = &r->ix->chunks[number];
   WetChunkInfo      info = { of->offset, of->before, of->n_instrs,
                              of->n_records, of->thread, of->n_slots };
   uint64_t          time = 0;
   uint32_t          handlers = 0;

   if (!wet_read_chunk(r->tape, &info, &c->steps)) {
      job_adopt(&r->job, &r->tape->job.err);
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
   wet_trim_steps(&r->tape->job, &c->steps);
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
static size_t bytes_for(const DcfgCursor* r, uint32_t number)
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
static KeptChunk* choose(DcfgCursor* r, uint32_t number)
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

KeptChunk* cursor_kept(DcfgCursor* r, uint32_t number)
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

KeptChunk* cursor_chunk(DcfgCursor* r, uint32_t number)
{
   KeptChunk* c = cursor_kept(r, number);

   if (c != NULL)
      return c;
   c         = choose(r, number);
   c->there  = decode(r, c, number);
   c->number = number;
   c->used   = c->there ? ++r->clock : 0;
   return c->there ? c : NULL;
}

bool cursor_position(DcfgCursor* r, uint64_t t, CursorPlace* p)
{
   uint32_t   chunk = cursor_chunk_of(r, t);
   KeptChunk* c;
   size_t     step = 0;

   *p = (CursorPlace){ 0, 0, 0 };
   if (r->ix->n_chunks == 0)
      return t == 0;
   if (chunk == r->ix->n_chunks) {
      c = cursor_chunk(r, chunk - 1);
      if (c == NULL)
         return false;
      *p = (CursorPlace){ chunk - 1, c->steps.n_steps, 0 };
      return true;
   }
   c = cursor_chunk(r, chunk);
   if (c == NULL)
      return false;
   t -= r->ix->chunks[chunk].before;
   BISECT(step, c->steps.n_steps, middle, c->times[middle + 1] <= t);
   *p = (CursorPlace){ chunk, step, (uint32_t)(t - c->times[step]) };
   return true;
}

/*--- Memory that chunks write                             ---*/

bool cursor_wrote(DcfgCursor* r, uint32_t number, uint64_t addr,
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

/*--- Instances                                            ---*/

bool dcfg_cursor_repeats(const DcfgCursor* r, uint32_t instr)
{
   return instr < r->w->instrs.n && r->w->plans[instr].kind == InsnRep;
}

bool dcfg_cursor_last_address(DcfgCursor* r, uint64_t* addr)
{
   CursorPlace p;
   KeptChunk*  c;

   if (!cursor_position(r, r->ix->n_instrs, &p) || r->ix->n_chunks == 0)
      return false;
   c = cursor_chunk(r, p.chunk);
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
         instr = cursor_place(r, s, s->n_instrs)->instr;
         *addr = r->w->plans[instr].addr;
         return true;
      }
      instr = cursor_place(r, s, s->n_instrs - 1u)->instr;
      *addr = r->w->plans[instr].addr + ELEM(r->w->instrs, WetInstr,
                                             instr).len;
      return r->w->plans[instr].kind == InsnSyscall
             || r->w->plans[instr].kind == InsnPlain;
   }
   return false;
}
