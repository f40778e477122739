/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the choice of the next chunk, and reading it with its activations and
   unseen writes.  Handed: wants, and an index.

   A chunk matters if it may define a register that a thread wants, or write a
   word that is wanted.  It also matters if an activation in which something
   waits was made there, or ran there and came to a branch on which that
   depends.  Each of these has a latest chunk; the latest of all is next.  The
   index may say more than happened, not less: the walk then finds nothing in a
   chunk.

   Copies are passed where .places of the query are told.  Then a chunk is skipped,
   too, that only saved and restored what is wanted of it: the wants go to where the
   values were at its begin.

   A slice that follows everything skips only what is behind its criterion.  It
   then goes through all chunks, and reads ahead.  Others read what they go to:
   which chunk is next is not known before. */

#include "lib/slice/slice_chunks.h"

#include <stdlib.h>
#include <string.h>

/* Words of memory that are asked for one by one.  A slice that wants more goes
   through all chunks. */
#define MOST_WORDS 4096u

/*--- Code                                                 ---*/

/* Set CHUNKS, by chunk, where instruction I was executed; with NUMBER, only
   where instance *NUMBER was. */
static void mark_chunks(const Skip* s, uint32_t i, const uint64_t* number,
                        uint8_t* chunks)
{
   uint64_t n = s->code->w->instances[i];

   memset(s->counts, 0, s->ix->n_chunks * sizeof(*s->counts));
   slice_code_chunks(s->code, s->ix, i, s->counts);
   for (size_t k = 0; k < s->ix->n_chunks; n += s->counts[k++])
      if (number == NULL ? s->counts[k] > 0
                         : *number >= n && *number - n < s->counts[k])
         chunks[k] = 1;
}

/* Do the same for the criterion's parts, which are sorted. */
static void mark_parts(Skip* s)
{
   const DcfgSlicePart* p = s->code->parts;
   size_t               k = s->ix->n_chunks;
   uint64_t             n = 0;

   for (const DcfgSlicePart* end = p + s->code->q->n_parts; p < end; p++) {
      if (p == s->code->parts || p->instr != p[-1].instr) {
         memset(s->counts, 0, s->ix->n_chunks * sizeof(*s->counts));
         slice_code_chunks(s->code, s->ix, p->instr, s->counts);
         n = s->code->w->instances[p->instr];
         k = 0;
      }
      while (k < s->ix->n_chunks && p->instance >= n + s->counts[k])
         n += s->counts[k++];
      if (k < s->ix->n_chunks && p->instance >= n)
         s->criteria[k] = 1;
   }
}

static void find_criteria(Skip* s)
{
   const DcfgSliceQuery* q = s->code->q;

   for (size_t i = 0; s->begins != NULL && i < s->begins->n; i++)
      s->criteria[index_chunk_of(s->ix, ELEM(*s->begins, uint64_t, i))] = 1;
   if (s->begins != NULL)
      return;
   if (q->run && q->instance < DCFG_SLICE_EVERY) {
      s->criteria[index_chunk_of(s->ix, s->end)] = 1;
      return;
   }
   mark_parts(s);
   for (uint32_t i = 0; i < s->code->w->instrs.n && q->n_parts == 0; i++)
      if (q->instrs[i])
         mark_chunks(s, i, q->instance < DCFG_SLICE_EVERY ? &q->instance : NULL,
                     s->criteria);
}

bool skip_start(Skip* s)
{
   size_t n = s->ix->n_chunks + 1;

   s->criteria = job_calloc(s->job, n, 1);
   s->counts   = job_calloc(s->job, n, sizeof(*s->counts));
   if (s->criteria == NULL || s->counts == NULL)
      return false;
   find_criteria(s);
   return true;
}

void skip_free(Skip* s)
{
   size_t n = s->ix->n_chunks + 1;

   job_free(s->job, s->criteria, n);
   job_free(s->job, s->counts, n * sizeof(*s->counts));
   for (size_t i = 0; i < s->branches.n; i++)
      job_free(s->job, ELEM(s->branches, uint8_t*, i), n);
   array_free(s->job, &s->branches, sizeof(uint8_t*));
   array_free(s->job, &s->words, sizeof(uint64_t));
   array_free(s->job, &s->moves, sizeof(WantMove));
   map_free(s->job, &s->groups);
}

/* Return, by chunk, whether it may have a branch on which INSTR, of GROUP,
   depends. */
static const uint8_t* branch_chunks(Skip* s, uint64_t group, uint32_t instr)
{
   uint32_t* at = map_add(s->job, &s->groups, group == 0 ? 1 : group);
   uint8_t** to;
   uint8_t*  chunks;

   if (at == NULL || *at != 0)
      return at == NULL ? NULL : ELEM(s->branches, uint8_t*, *at - 1);
   chunks = job_calloc(s->job, s->ix->n_chunks + 1, 1);
   to     = array_add(s->job, &s->branches, sizeof(*to));
   if (chunks == NULL || to == NULL)
      return NULL;
   *to = chunks;
   *at = (uint32_t)s->branches.n;
   for (uint32_t b = 0; b < s->code->w->instrs.n; b++)
      if (graph_is_branch(s->joins->graph, b)
          && graph_depends(s->joins->graph, instr, b))
         mark_chunks(s, b, NULL, chunks);
   return chunks;
}

/*--- What matters                                         ---*/

/* Keep the latest chunk in *BEST, + 1; 0 is none. */
static void offer(uint32_t* best, uint32_t chunk)
{
   if (chunk + 1 > *best)
      *best = chunk + 1;
}

/* Offer the chunks before CHUNK in which activation ACT was made, or ran and
   had a branch of BRANCHES, if that is not NULL. */
static void offer_act(const Skip* s, uint32_t act, const uint8_t* branches,
                      uint32_t chunk, uint32_t* best)
{
   const IndexAct*  a = &s->ix->acts[act - 1];
   const IndexTurn* first = s->ix->turns + s->ix->threads[a->thread].turns;
   const IndexTurn* t = index_turn_before(s->ix, a->thread, chunk);

   /* Activations of stacks that were left may have run in a chunk, and in any
      thread, without being a thread's at its begin or end. */
   if (s->ix->any_left) {
      if (chunk > 0 && chunk >= a->born)
         offer(best, chunk - 1);
      return;
   }
   for (; t != NULL && t >= first && t->chunk + 1 >= a->born
          && t->chunk + 1 > *best; t--)
      if (t->chunk + 1 == a->born
          || (t->low == act && (branches == NULL || branches[t->chunk]))) {
         offer(best, t->chunk);
         return;
      }
}

static bool offer_joins(Skip* s, uint32_t chunk, uint32_t* best)
{
   for (uint32_t act = 1; act <= s->ix->n_acts && act < s->joins->pending.n;
        act++) {
      uint64_t group;
      uint32_t instr, id = 0;
      if (!joins_pending(s->joins, act))
         continue;
      while ((id = joins_next(s->joins, act, id, &group, &instr)) != 0) {
         const uint8_t* branches = branch_chunks(s, group, instr);
         if (branches == NULL)
            return false;
         offer_act(s, act, branches, chunk, best);
      }
   }
   return true;
}

static void offer_registers(const Skip* s, uint32_t thread, uint32_t chunk,
                            uint32_t* best)
{
   const LiveThread*    l = &s->live->threads[thread];
   const LiveRegisters* r = l->now;
   const IndexTurn*     first = s->ix->turns + s->ix->threads[thread].turns;
   const IndexTurn*     t = index_turn_before(s->ix, thread, chunk);
   bool                 any = r != NULL && (r->granules[0] | r->granules[1]);

   if (l->written != 0 && t != NULL)
      offer(best, t->chunk);
   if (!any && (r == NULL || r->outer == NULL))
      return;
   for (; t != NULL && t >= first && t->chunk + 1 > *best; t--)
      if (t->handlers || (r->granules[0] & t->defs[0])
          || (r->granules[1] & t->defs[1])) {
         offer(best, t->chunk);
         break;
      }
   for (size_t i = s->ix->n_created; i-- > 0; ) {
      const IndexCreated* c = &s->ix->created[i];
      if (c->thread == thread && c->chunk < chunk)
         offer(best, c->chunk);
   }
}

static bool wrote_any(const Skip* s, uint32_t chunk)
{
   if (s->ix->chunks[chunk].flags & INDEX_MOVES)
      return true;
   for (size_t i = 0; i < s->words.n; i++)
      if (index_wrote(s->ix, chunk, ELEM(s->words, uint64_t, i)))
         return true;
   return false;
}

static bool offer_memory(Skip* s, uint32_t chunk, uint32_t* best)
{
   const WantedMemory* m = &s->live->memory;

   if (m->n > MOST_WORDS) {
      offer(best, chunk - 1);
      return true;
   }
   array_cut(&s->words, 0);
   if (!memory_granules(m, &s->words))
      return false;
   for (uint32_t c = chunk; s->words.n > 0 && c > *best; c--)
      if (wrote_any(s, c - 1))
         offer(best, c - 1);
   return true;
}

/*--- Chunks that only save and restore                    ---*/

/* Add a move of the wants for PLACE to where its value was at the begin of the
   chunk that saved the N places SAVED.  Return false if that is not known. */
static bool add_move(Skip* s, const SavedSlot* saved, size_t n, uint64_t place)
{
   WantMove* to;

   for (size_t i = 0; i < n; i++)
      if (saved[i].addr == place) {
         if (saved[i].from == place)
            return true;
         to = array_add(s->job, &s->moves, sizeof(*to));
         if (to != NULL)
            *to = (WantMove){ place, saved[i].from, 0 };
         return to != NULL;
      }
   return false;
}

/* Add the moves for wanted registers that THREAD wrote in CHUNK, and set *R to
   them.  Return false if some have other values than before. */
static bool move_registers(Skip* s, uint32_t thread, uint32_t chunk,
                           const SavedSlot* saved, size_t n, LiveRegisters** r)
{
   LiveThread*      l = &s->live->threads[thread];
   const IndexTurn* t = index_turn_before(s->ix, thread, chunk + 1);
   uint64_t         hit;

   if (t == NULL || t->chunk != chunk)
      return true;
   if (l->written != 0 || t->handlers || (l->now != NULL && l->now->outer != NULL))
      return false;
   hit = l->now == NULL ? 0 : l->now->granules[0] & t->defs[0];
   if (hit >> SAVED_REGISTERS != 0
       || (l->now != NULL && (l->now->granules[1] & t->defs[1]) != 0))
      return false;
   if (t->defs[0] != 0)
      *r = live_registers(s->live, thread);
   for (; hit != 0; hit &= hit - 1)
      if (!add_move(s, saved, n, (uint64_t)__builtin_ctzll(hit)))
         return false;
   return true;
}

/* Move all wants from the end of CHUNK to its begin.  Return false if that is not
   known of some, or on errors: all are as before then. */
static bool pass_chunk(Skip* s, uint32_t chunk)
{
   const IndexChunk* c = &s->ix->chunks[chunk];
   LiveRegisters*    r = NULL;
   const SavedSlot*  saved;
   size_t            n;

   if (s->code->q->places == NULL || s->live->memory.n > MOST_WORDS
       || (c->flags & (INDEX_MOVES | INDEX_LEADS)) || c->unseen > 0)
      return false;
   saved = index_saved(s->ix, chunk, &n);
   array_cut(&s->moves, 0);
   for (uint32_t t = 0; t < s->code->w->threads.n; t++)
      if (index_creates(s->ix, t, chunk)
          || !move_registers(s, t, chunk, saved, n, &r))
         return false;
   for (size_t i = 0; i < s->words.n; i++) {
      uint64_t word = ELEM(s->words, uint64_t, i);
      if (index_wrote(s->ix, chunk, word)
          && !add_move(s, saved, n, word * 8))
         return false;
   }
   return s->moves.n == 0
          || (r != NULL
              && live_move_wants(s->live, r, s->moves.data, s->moves.n));
}

/* Store the latest chunk before CHUNK, + 1, that may matter, in *BEST; in *MUST the
   latest that may matter for something else than a value. */
static bool find_best(Skip* s, const SkipSearch* search, uint32_t chunk,
                      uint32_t* best, uint32_t* must)
{
   *must = 0;
   for (uint32_t c = chunk; search->looking && c > *must; c--)
      if (s->criteria[c - 1])
         offer(must, c - 1);
   if (search->act != 0 && search->act <= s->ix->n_acts)
      offer_act(s, search->act, NULL, chunk, must);
   if (chunk == 0 || !offer_joins(s, chunk, must))
      return false;
   *best = *must;
   for (uint32_t t = 0; t < s->code->w->threads.n; t++)
      offer_registers(s, t, chunk, best);
   return offer_memory(s, chunk, best) && *best > 0;
}

bool skip_back(Skip* s, const SkipSearch* search, uint32_t* chunk)
{
   uint32_t from = *chunk, best, must;

   do
      if (!find_best(s, search, from, &best, &must))
         return false;
   while (best > must && pass_chunk(s, from = best - 1));
   if (s->job->err.status != DCFG_OK)
      return false;
   /* Marks of memory that the kernel read stand in the next chunk. */
   if (best < from && (s->ix->chunks[best].flags & INDEX_LEADS))
      best++;
   *chunk = best - 1;
   return true;
}

uint64_t skip_thread_begin(const Skip* s, uint32_t thread, uint32_t chunk)
{
   for (size_t i = 0; i < s->ix->n_created; i++)
      if (s->ix->created[i].thread == thread
          && s->ix->created[i].chunk >= chunk)
         return s->ix->created[i].order;
   return 0;
}

uint64_t skip_thread_end(const Skip* s, uint32_t thread, uint32_t chunk)
{
   uint64_t end = s->ix->threads[thread].end;

   return chunk < s->ix->n_chunks && end >= s->ix->chunks[chunk].before
          ? end : UINT64_MAX;
}

static bool start_chunks(Passes* p)
{
   WetChunkInfo* to = array_add_n(&p->tape->job, &p->chunks, sizeof(*to),
                                  p->ix->n_chunks + 1);

   if (to == NULL)
      return job_adopt(p->job, &p->tape->job.err);
   array_cut(&p->chunks, p->ix->n_chunks);
   for (size_t i = 0; i < p->ix->n_chunks; i++) {
      const IndexChunk* from = &p->ix->chunks[i];
      to[i] = (WetChunkInfo){ .offset = from->offset, .before = from->before,
                              .n_instrs = from->n_instrs,
                              .n_records = from->n_records,
                              .thread = from->thread,
                              .n_slots = from->n_slots };
   }
   p->chunk      = (uint32_t)p->chunks.n;
   p->own.offset = wet_take_chunk(p->w, &p->tape->job, &p->own.steps);
   return true;
}

bool passes_start(Passes* p, SliceCode* code, Acts* acts, ControlGraph* g)
{
   /* The limit of memory is that of a pass over all to make the index, and
      another one back, whether the slice makes them or not.  A byte of tape is
      for three times as many instances as a byte of other formats. */
   const uint64_t read = 6 * (p->w->file_size - p->w->tape);

   job_read(p->job, read, read);
   return start_chunks(p) && slice_code_at_end(code, p->ix)
          && graph_start(g, p->job, p->ix) && states_start(acts, p->ix);
}

/* Return CHUNK; NULL if it cannot be read. */
static const WetPart* read_chunk(Passes* p, uint32_t chunk)
{
   const WetChunkInfo* info = &ELEM(p->chunks, WetChunkInfo, chunk);

   if (p->own.offset == info->offset)
      return &p->own;
   p->own.offset = 0;
   if (!wet_read_chunk(p->tape, info, &p->own.steps)) {
      job_adopt(p->job, &p->tape->job.err);
      return NULL;
   }
   p->own.offset = info->offset;
   return &p->own;
}

/* Fail: index and trace disagree. */
static bool disagree(Passes* p)
{
   p->ix->file.bad = true;
   return job_fail(p->job, DCFG_ERROR_FORMAT, "index",
                   "it is not of the trace");
}

/* Set .unseen to the unseen writes of the present chunk. */
static bool take_unseen(Passes* p)
{
   const UnseenWrite* kept = NULL;
   size_t             size;

   free(p->unseen);
   p->unseen   = NULL;
   p->n_unseen = 0;
   if (unseen_may_be(p->w))
      kept = index_unseen(p->ix, p->chunk, 0, UINT64_MAX, &p->n_unseen);
   if (kept == NULL)
      return true;
   size      = p->n_unseen * sizeof(UnseenWrite);
   p->unseen = malloc(size);
   if (p->unseen == NULL)
      return job_fail(p->job, DCFG_ERROR_MEMORY, NULL, "out of memory");
   memcpy(p->unseen, kept, size);
   unseen_sort_by_time(p->unseen, p->n_unseen);
   return true;
}

bool passes_chunk(Passes* p, Acts* acts, uint32_t chunk)
{
   const WetPart* part;

   if (p->all && chunk + 1 != p->chunk)
      passes_close(p);
   if (p->all && p->ahead == NULL) {
      p->ahead = wet_ahead_new_back(p->job, p->tape, &p->chunks, chunk + 1);
      if (p->ahead == NULL)
         return false;
   }
   p->chunk = chunk;
   part = p->all ? wet_ahead_next(p->ahead) : read_chunk(p, chunk);
   if (part == NULL || !take_unseen(p))
      return false;
   p->steps = &part->steps;
   return (states_load(acts, p->ix, chunk)
           && states_load(acts, p->ix, chunk + 1)
           && acts_place_chunk(acts, p->steps, chunk))
          && (states_agree(acts, p->ix, chunk) || disagree(p));
}

void passes_close(Passes* p)
{
   wet_ahead_close(p->ahead);
   p->ahead = NULL;
}

void passes_free(Passes* p)
{
   passes_close(p);
   wet_leave_chunk(p->w, &p->tape->job, &p->own.steps, p->own.offset);
   array_free(&p->tape->job, &p->chunks, sizeof(WetChunkInfo));
   free(p->unseen);
}
