/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Making an index. */

/* Owns: collecting an index in one pass over a trace.  Handed: parts, and
   activations, by slice_index.c.

   A chunk's lines, last writers, words and unseen writes go to the file at its
   end.  All else is small,
   and is written at the end of the pass. */

#include "lib/index/index_registers.h"
#include "lib/index/index_saved.h"
#include "lib/index/wet_index.h"
#include "format/wet_process.h"

#include <stdlib.h>
#include <string.h>

/*--- Making                                               ---*/

bool index_make_start(IndexMaker* m, Job* job, const DcfgWet* w, int fd)
{
   *m = (IndexMaker){ .job = job, .w = w, .thread = DCFG_NONE,
                      .lines = { .job = job }, .image = { .job = job } };
   index_write_start(&m->writer, job, fd);
   m->counts  = job_calloc(job, w->sb_instrs.n + 1, sizeof(uint32_t));
   m->turn_of = job_calloc(job, w->threads.n + 1, sizeof(uint32_t));
   m->ends    = job_calloc(job, w->threads.n + 1, sizeof(uint64_t));
   m->site_of = job_calloc(job, w->instrs.n + 1, sizeof(uint32_t));
   if (m->counts == NULL || m->turn_of == NULL || m->ends == NULL
       || m->site_of == NULL)
      return false;
   for (size_t t = 0; t < w->threads.n; t++)
      m->ends[t] = UINT64_MAX;
   m->words   = words_coder(job);
   m->writers = m->words == NULL ? NULL : last_writers(job, w);
   return m->writers != NULL && ways_start(&m->ways, job, w)
          && saved_start(&m->saved, job, w)
          && index_write_section(&m->writer, INDEX_LINES);
}

/* Free what only the pass needs. */
static void free_pass(IndexMaker* m)
{
   lines_free(&m->lines);
   m->lines = (LineSet){ .job = m->job };
   ways_free(&m->ways);
   m->ways = (IndexWays){ 0 };
   image_free(&m->image);
   m->image = (MemoryImage){ 0 };
   words_coder_free(m->words);
   m->words = NULL;
   last_writers_free(m->writers);
   m->writers = NULL;
}

void index_make_free_tables(IndexMaker* m)
{
   const DcfgWet* w = m->w;

   array_free(m->job, &m->code, 1);
   saved_free(&m->saved);
   m->saved = (SavedRegisters){ 0 };
   job_free(m->job, m->counts, (w->sb_instrs.n + 1) * sizeof(uint32_t));
   job_free(m->job, m->turn_of, (w->threads.n + 1) * sizeof(uint32_t));
   job_free(m->job, m->ends, (w->threads.n + 1) * sizeof(uint64_t));
   job_free(m->job, m->site_of, (w->instrs.n + 1) * sizeof(uint32_t));
   m->counts = m->turn_of = m->site_of = NULL;
   m->ends   = NULL;
   array_free(m->job, &m->met, sizeof(uint32_t));
   array_free(m->job, &m->runs, sizeof(IndexRun));
   array_free(m->job, &m->run_ends, sizeof(uint32_t));
   array_free(m->job, &m->turns, sizeof(IndexTurn));
   array_free(m->job, &m->turn_threads, sizeof(uint32_t));
   array_free(m->job, &m->created, sizeof(IndexCreated));
   array_free(m->job, &m->spans, sizeof(IndexSpan));
   array_free(m->job, &m->mappings, 1);
   array_free(m->job, &m->calls, 1);
   array_free(m->job, &m->sites, sizeof(CallSite));
   array_free(m->job, &m->acts, sizeof(IndexAct));
   array_free(m->job, &m->stacks, sizeof(IndexStack));
   array_free(m->job, &m->interrupted, sizeof(IndexInterrupted));
}

void index_make_free(IndexMaker* m)
{
   if (m->writer.job != NULL)
      index_write_free(&m->writer);
   free_pass(m);
   index_make_free_tables(m);
   array_free(m->job, &m->chunks, sizeof(IndexChunk));
}

/*--- Chunks                                               ---*/

/* Lines of a chunk take at most 1 / LINES_SHARE of its bytes, or LEAST_LINES if
   that is more; coarser units make them smaller. */
#define LINES_SHARE 7
#define LEAST_LINES 4096

/* Last writers of a chunk take at most 1 / WRITERS_SHARE of its bytes, or
   LEAST_WRITERS if that is more. */
#define WRITERS_SHARE 13
#define LEAST_WRITERS 2048

/* Words of a chunk take what lines and last writers leave of 1 / WORDS_SHARE of
   its bytes, or LEAST_WORDS if that is more. */
#define WORDS_SHARE 3
#define LEAST_WORDS 4096

/* Write the words of the present chunk, of SIZE bytes. */
static bool put_words(IndexMaker* m, uint64_t size, IndexChunk* c)
{
   uint64_t most = size / WORDS_SHARE, others = (uint64_t)c->head.size
                                                + c->writers;

   most = most > others + LEAST_WORDS ? most - others : LEAST_WORDS;
   if (!words_put(m->words, &m->image, most, &m->code, &c->words)
       || !index_write(&m->writer, m->code.data, m->code.n))
      return false;
   m->n_lines += m->code.n;
   return true;
}

/* Write the unseen writes of the present chunk, and end it in the image. */
static bool put_unseen(IndexMaker* m, IndexChunk* c)
{
   array_cut(&m->code, 0);
   if (!unseen_put(m->job, &m->image.unseen, &m->code)
       || !index_write(&m->writer, m->code.data, m->code.n))
      return false;
   c->unseen   = (uint32_t)m->code.n;
   m->n_lines += m->code.n;
   image_end_chunk(&m->image);
   return true;
}

/* Write the last writers of the present chunk, of SIZE bytes. */
static bool put_writers(IndexMaker* m, uint64_t size, IndexChunk* c)
{
   uint64_t most = size / WRITERS_SHARE > LEAST_WRITERS ? size / WRITERS_SHARE
                   : LEAST_WRITERS;
   size_t   first = m->turns.n;

   array_cut(&m->code, 0);
   while (first > 0
          && ELEM(m->turns, IndexTurn, first - 1).chunk + 1 == m->chunks.n)
      first--;
   for (size_t i = first; i < m->turns.n; i++) {
      IndexTurn* t = &ELEM(m->turns, IndexTurn, i);
      uint32_t   thread = ELEM(m->turn_threads, uint32_t, i);
      if (t->handlers)
         last_writers_spoil(m->writers, thread);
      t->writers = (uint32_t)m->code.n;
      if (!last_writers_put(m->writers, thread, m->n_instrs, most - m->code.n,
                            &m->code))
         return false;
      t->n_writers = (uint32_t)m->code.n - t->writers;
   }
   if (m->code.n % 8 != 0
       && array_add_n(m->job, &m->code, 1, 8 - m->code.n % 8) == NULL)
      return false;
   c->writers  = (uint32_t)m->code.n;
   m->n_lines += m->code.n;
   return index_write(&m->writer, m->code.data, m->code.n);
}

/* End the present chunk, of SIZE bytes. */
static bool end_chunk(IndexMaker* m, uint64_t size)
{
   IndexChunk* c = &ELEM(m->chunks, IndexChunk, m->chunks.n - 1);
   uint32_t*   end = array_add(m->job, &m->run_ends, sizeof(*end));
   uint64_t    most = size / LINES_SHARE;

   if (end == NULL)
      return false;
   for (size_t i = 0; i < m->met.n; i++) {
      uint32_t  place = ELEM(m->met, uint32_t, i);
      IndexRun* r = array_add(m->job, &m->runs, sizeof(*r));
      if (r == NULL)
         return false;
      *r = (IndexRun){ place, m->counts[place] };
      m->counts[place] = 0;
   }
   *end = (uint32_t)m->runs.n;
   array_cut(&m->met, 0);
   array_cut(&m->code, 0);
   if (!lines_put(&m->lines, most > LEAST_LINES ? most : LEAST_LINES, &m->code,
                  &c->head)
       || !index_write(&m->writer, m->code.data, m->code.n))
      return false;
   c->n_slots  = m->n_slots < UINT32_MAX ? (uint32_t)m->n_slots : UINT32_MAX;
   m->n_slots  = 0;
   c->lines    = m->n_lines;
   m->n_lines += m->code.n;
   if (!put_writers(m, size, c) || !put_words(m, size, c)
       || !put_unseen(m, c))
      return false;
   if (!saved_end_chunk(&m->saved, (uint32_t)m->chunks.n - 1))
      return false;
   for (size_t i = m->turns.n; i-- > 0; ) {
      if (ELEM(m->turns, IndexTurn, i).chunk + 1 != m->chunks.n)
         break;
      m->turn_of[ELEM(m->turn_threads, uint32_t, i)] = 0;
   }
   return true;
}

static IndexTurn* turn_of(IndexMaker* m, uint32_t thread)
{
   IndexTurn* t;
   uint32_t*  of;

   if (m->turn_of[thread] != 0)
      return &ELEM(m->turns, IndexTurn, m->turn_of[thread] - 1);
   of = array_add(m->job, &m->turn_threads, sizeof(*of));
   t  = array_add(m->job, &m->turns, sizeof(*t));
   if (of == NULL || t == NULL)
      return NULL;
   *of      = thread;
   t->chunk = (uint32_t)m->chunks.n - 1;
   m->turn_of[thread] = (uint32_t)m->turns.n;
   return t;
}

/* The numbers of a mapping in the code have at most so many bytes. */
#define MOST_MAPPING 40u

/* Note a mark that changes the memory of X. */
static bool write_memory(IndexMaker* m, const MarkWrite* x)
{
   IndexSpan* s;

   if (!mark_write_put(x, m->n_instrs, &m->image))
      return false;
   if (x->size == 0)
      return true;
   saved_write(&m->saved, x->addr, x->size);
   m->saved.spoilt |= x->is == BYTE_ASK || x->size > INDEX_SPAN;
   if (x->size <= INDEX_SPAN)
      return lines_add(&m->lines, x->addr, x->size);
   s = array_add(m->job, &m->spans, sizeof(*s));
   if (s != NULL)
      *s = (IndexSpan){ x->addr / 8, (x->addr + x->size - 1) / 8,
                        m->chunks.n - 1 };
   return s != NULL;
}

/* Return whether the mapping of mark R, of which B has the bytes, is new, gone or
   moved.  Else the mark tells of the memory's protection alone. */
static bool is_mapping(const IndexMaker* m, const uint64_t* words, ByteReader b)
{
   uint32_t how = get_up_to(&b, MappedAll);

   return !(how & MappedThere) || (how & MappedNew)
          || (m->moved[2] == m->n_instrs && words[0] - m->moved[0] < m->moved[1]);
}

/* Note mark R if it gives memory contents that nobody wrote: a mapping, or what
   Valgrind wrote. */
static bool note_mapping(IndexMaker* m, const WetSteps* steps, const WetStep* r)
{
   const uint64_t* words = steps->addrs + r->first;
   uint64_t        n = r->mark == MarkMapped ? words[MARK_N_BYTES] : 0;
   const uint8_t*  how = n == 0 ? NULL : steps->bytes + words[MARK_BYTES_AT];
   uint8_t*        to;

   if (r->mark == MarkMoved)
      memcpy(m->moved, (uint64_t[]){ words[0], words[1], m->n_instrs },
             sizeof(m->moved));
   if (r->mark != MarkFresh
       && (n == 0 || !is_mapping(m, words, (ByteReader){ how, how + n, false })))
      return true;
   to = array_add_n(m->job, &m->mappings, 1, MOST_MAPPING + n);
   if (to == NULL)
      return false;
   write_varint(&to, m->n_instrs - m->mapped);
   write_varint(&to, words[0]);
   write_varint(&to, words[1]);
   write_varint(&to, n);
   if (n > 0)
      memcpy(to, how, n);
   array_cut(&m->mappings, (size_t)(to + n - (uint8_t*)m->mappings.data));
   m->mapped = m->n_instrs;
   return true;
}

static bool take_mark(IndexMaker* m, const WetSteps* steps, const WetStep* r,
                      IndexTurn* t)
{
   IndexChunk*     c = &ELEM(m->chunks, IndexChunk, m->chunks.n - 1);
   const uint64_t* words = steps->addrs + r->first;
   IndexCreated*   made;
   MarkWrite       x;

   if (mark_write(steps, r, &x)) {
      c->flags |= x.is == BYTE_ASK && !x.maps ? INDEX_MOVES : 0;
      return note_mapping(m, steps, r) && write_memory(m, &x);
   }
   switch (r->mark) {
      case DCFG_WET_READ:
         c->flags |= m->begins ? INDEX_LEADS : 0;
         return true;
      case DCFG_WET_HANDLER:
      case DCFG_WET_RETURN:
         t->handlers = 1;
         m->saved.spoilt = true;
         return true;
      case MarkRegisters:
         m->saved.spoilt = true;
         last_writers_spoil(m->writers, r->thread);
         return true;
      case DCFG_WET_CREATED:
         if (words[0] >= m->w->threads.n)
            return true;
         made = array_add(m->job, &m->created, sizeof(*made));
         if (made != NULL)
            *made = (IndexCreated){ m->n_instrs, (uint32_t)m->chunks.n - 1,
                                    (uint32_t)words[0] };
         return made != NULL;
      default:
         return true;
   }
}

/* Note that THREAD runs now, after another one. */
static void change_thread(IndexMaker* m, uint32_t thread)
{
   if (m->thread != DCFG_NONE)
      m->ends[m->thread] = m->n_instrs - 1;
   m->thread = thread;
}

/* Note the memory that record R, which goes WAY, stored, loaded or restored. */
static bool take_accesses(IndexMaker* m, const WetStep* r, const IndexWay* way,
                          const uint64_t* addrs)
{
   const SavedWay*  saved = saved_way(&m->saved, r);
   bool             only = saved_overwrites(&m->saved, r, saved);
   const StoreSlot* s = &ELEM(m->w->stores, StoreSlot, way->stores);

   for (const StoreSlot* end = s + way->n_stores;
        s < end && s->slot < r->n_slots; s++) {
      uint64_t addr = addrs[s->slot];
      if (!lines_add(&m->lines, addr, s->size))
         return false;
      if (only && saved_may_be(&m->saved, addr, s->size))
         saved_write(&m->saved, addr, s->size);
   }
   return (way->n_writes == 0
           || way_write(&m->ways, way, r, addrs, m->n_instrs, &m->image,
                        &m->lines))
          && (only || saved_run(&m->saved, r, saved, addrs, &m->lines));
}

/* The numbers of a call in the code have at most so many bytes. */
#define MOST_CALL ((2 + CALL_REGISTERS) * 10)

/* Note that instruction INSTR made a system call before the present time.
   REGISTERS: its registers, or NULL. */
static bool note_call(IndexMaker* m, uint32_t instr, const uint64_t* registers)
{
   uint8_t*  to = array_add_n(m->job, &m->calls, 1, MOST_CALL);
   CallSite* site;

   if (m->site_of[instr] == 0) {
      site = array_add(m->job, &m->sites, sizeof(*site));
      if (site == NULL)
         return false;
      m->site_of[instr] = (uint32_t)m->sites.n;
   }
   if (to == NULL)
      return false;
   site = &ELEM(m->sites, CallSite, m->site_of[instr] - 1);
   write_varint(&to, 2 * (m->n_instrs - 1 - m->called) + (registers != NULL));
   write_varint(&to, instr);
   for (unsigned i = 0; registers != NULL && i < CALL_REGISTERS; i++) {
      write_varint(&to, difference_code(registers[i] - site->registers[i]));
      site->registers[i] = registers[i];
   }
   array_cut(&m->calls, (size_t)(to - (uint8_t*)m->calls.data));
   m->called = m->n_instrs - 1;
   return true;
}

/* Return whether a record that went WAY and ended at PLACE made a system call. */
static inline bool way_calls(const IndexMaker* m, const IndexWay* way,
                             uint32_t place)
{
   return place == way->place ? way->calls
          : m->w->plans[ELEM(m->w->sb_instrs, uint32_t, place)].kind
            == InsnSyscall;
}

/* Note step R of STEPS, an execution of a superblock in turn NUMBER. */
static bool take_record(IndexMaker* m, const WetSteps* steps, const WetStep* r,
                        uint64_t number, IndexTurn* t)
{
   IndexWay*      way = way_of(&m->ways, r);
   bool           stop = r->way == DCFG_NONE;
   uint32_t       place = stop ? way->place + r->n_instrs
                                 - ELEM(m->w->sbs, WetSb, r->sb).instrs.n
                               : way->place;

   if (m->counts[place]++ == 0) {
      uint32_t* met = array_add(m->job, &m->met, sizeof(*met));
      if (met == NULL)
         return false;
      *met = place;
   }
   if (way_turns(way, number)) {
      t->defs[0] |= way->defs[0];
      t->defs[1] |= way->defs[1];
   }
   if (!take_accesses(m, r, way, steps->addrs + r->first))
      return false;
   m->n_instrs += r->n_instrs;
   m->n_slots  += r->n_slots;
   return !way_calls(m, way, place)
          || note_call(m, ELEM(m->w->sb_instrs, uint32_t, place),
                       stop ? NULL : steps->addrs + r->first + r->n_slots);
}

/* End turn X, if it is one, before step END of STEPS. */
static bool end_turn(IndexMaker* m, const WetSteps* steps, StepTurn* x,
                     size_t end)
{
   if (x->thread == DCFG_NONE)
      return true;
   x->end  = end;
   x->time = m->n_instrs;
   x->defs = turn_of(m, x->thread)->defs;
   return last_writers_turn(m->writers, &m->ways, steps, x);
}

bool index_make_part(IndexMaker* m, const WetPart* part)
{
   const WetSteps* steps = &part->steps;
   IndexTurn*      t = NULL;
   StepTurn        turn = { .thread = DCFG_NONE };

   if (part->first) {
      IndexChunk* c = &ELEM(m->chunks, IndexChunk, m->chunks.n - 1);
      if (m->chunks.n > 0 && !end_chunk(m, part->offset - c->offset))
         return false;
      c = array_add(m->job, &m->chunks, sizeof(*c));
      if (c == NULL)
         return false;
      c->offset = part->offset;
      c->flags  = unseen_may_be(m->w) ? INDEX_LOADS : 0;
      m->begins = true;
   }
   for (size_t i = 0; i < steps->n_steps; i++) {
      const WetStep* r = &steps->steps[i];
      if (r->thread != turn.thread) {
         if (!end_turn(m, steps, &turn, i))
            return false;
         turn = (StepTurn){ .thread = r->thread, .begin = i };
         t    = turn_of(m, r->thread);
         m->turn_number++;
         if (t == NULL)
            return false;
      }
      if (r->sb == 0) {
         if (!take_mark(m, steps, r, t))
            return false;
         continue;
      }
      m->begins = false;
      if (r->thread != m->thread)
         change_thread(m, r->thread);
      if (!take_record(m, steps, r, m->turn_number, t))
         return false;
   }
   return end_turn(m, steps, &turn, steps->n_steps);
}

bool index_make_chunks(IndexMaker* m, const Array* chunks,
                       const uint32_t* n_handlers)
{
   if (m->chunks.n != chunks->n)
      return job_fail(m->job, DCFG_ERROR_FILE, "index",
                      "the trace has changed while it was read");
   if (m->chunks.n > 0
       && !end_chunk(m, m->w->file_size
                        - ELEM(m->chunks, IndexChunk, m->chunks.n - 1).offset))
      return false;
   free_pass(m);
   if (m->thread != DCFG_NONE)
      change_thread(m, m->thread);
   for (size_t i = 0; i < m->chunks.n; i++) {
      IndexChunk*         c = &ELEM(m->chunks, IndexChunk, i);
      const WetChunkInfo* from = &ELEM(*chunks, WetChunkInfo, i);
      c->offset     = from->offset;
      c->before     = from->before;
      c->n_instrs   = from->n_instrs;
      c->n_records  = from->n_records;
      c->thread     = from->thread;
      c->n_handlers = n_handlers[i];
   }
   return true;
}

/*--- Tables                                               ---*/

bool index_make_section(IndexMaker* m, IndexSection section, const void* data,
                        size_t n)
{
   return index_write_section(&m->writer, section)
          && index_write(&m->writer, data, n);
}

/* Write the turns by threads; they were collected by chunks. */
static bool write_turns(IndexMaker* m)
{
   uint32_t     n = (uint32_t)m->w->threads.n;
   IndexThread* threads = job_calloc(m->job, n + (size_t)1, sizeof(*threads));
   IndexTurn*   sorted = job_calloc(m->job, m->turns.n + 1, sizeof(*sorted));
   uint64_t     sum = 0;
   bool         ok = threads != NULL && sorted != NULL;

   for (size_t i = 0; ok && i < m->turns.n; i++)
      threads[ELEM(m->turn_threads, uint32_t, i)].turns++;
   for (uint32_t t = 0; ok && t <= n; t++) {
      uint64_t here = threads[t].turns;
      threads[t] = (IndexThread){ sum, t < n ? m->ends[t] : 0 };
      sum += here;
   }
   for (size_t i = 0; ok && i < m->turns.n; i++)
      sorted[threads[ELEM(m->turn_threads, uint32_t, i)].turns++]
         = ELEM(m->turns, IndexTurn, i);
   for (uint32_t t = n; ok && t > 0; t--)
      threads[t].turns = threads[t - 1].turns;
   if (ok)
      threads[0].turns = 0;
   ok = ok
        && index_make_section(m, INDEX_TURNS, sorted,
                              m->turns.n * sizeof(*sorted))
        && index_make_section(m, INDEX_THREADS, threads,
                              (n + (size_t)1) * sizeof(*threads));
   job_free(m->job, threads, (n + (size_t)1) * sizeof(*threads));
   job_free(m->job, sorted, (m->turns.n + 1) * sizeof(*sorted));
   return ok;
}

static unsigned varint_size(uint64_t n)
{
   unsigned size = 1;

   for (; n >= 128; n >>= 7)
      size++;
   return size;
}

/* RunCoder: codes the runs, place by place. */
typedef
   struct {
      uint32_t* begins;         // by place: begin of its code
      uint32_t* next;           // by place: the chunk behind its last one
      uint8_t** at;             // by place: end of its code so far
      uint8_t*  code;
   }
   RunCoder;

/* Store the length of each place's code in .begins, if .code is NULL; else the
   code. */
static void code_runs(const IndexMaker* m, RunCoder* c)
{
   size_t i = 0;

   memset(c->next, 0, m->w->sb_instrs.n * sizeof(uint32_t));
   for (uint32_t chunk = 0; chunk < m->chunks.n; chunk++)
      for (; i < ELEM(m->run_ends, uint32_t, chunk); i++) {
         const IndexRun r = ELEM(m->runs, IndexRun, i);
         uint32_t       gap = chunk - c->next[r.place];
         c->next[r.place] = chunk + 1;
         if (c->code == NULL) {
            c->begins[r.place + 1] += varint_size(gap) + varint_size(r.count);
         } else {
            write_varint(&c->at[r.place], gap);
            write_varint(&c->at[r.place], r.count);
         }
      }
}

static bool write_runs(IndexMaker* m)
{
   size_t   n = m->w->sb_instrs.n;
   uint64_t size = 0;
   RunCoder c = { job_calloc(m->job, n + 1, sizeof(uint32_t)),
                  job_calloc(m->job, n + 1, sizeof(uint32_t)),
                  job_calloc(m->job, n + 1, sizeof(uint8_t*)), NULL };
   bool     ok = c.begins != NULL && c.next != NULL && c.at != NULL;

   if (ok) {
      code_runs(m, &c);
      for (size_t k = 1; k <= n; k++) {
         size       += c.begins[k];
         c.begins[k] = (uint32_t)size;
      }
      ok = size <= UINT32_MAX
           || job_fail(m->job, DCFG_ERROR_LIMIT, "index", "too many runs");
   }
   c.code = ok ? job_calloc(m->job, size + 1, 1) : NULL;
   ok     = c.code != NULL;
   for (size_t k = 0; ok && k < n; k++)
      c.at[k] = c.code + c.begins[k];
   if (ok)
      code_runs(m, &c);
   ok = ok
        && index_make_section(m, INDEX_PLACES, c.begins,
                              (n + 1) * sizeof(uint32_t))
        && index_make_section(m, INDEX_RUNS, c.code, size);
   job_free(m->job, c.begins, (n + 1) * sizeof(uint32_t));
   job_free(m->job, c.next, (n + 1) * sizeof(uint32_t));
   job_free(m->job, c.at, (n + 1) * sizeof(uint8_t*));
   job_free(m->job, c.code, size + 1);
   return ok;
}

static bool write_totals(IndexMaker* m, const uint64_t* totals)
{
   if (!index_write_section(&m->writer, INDEX_TOTALS))
      return false;
   for (size_t k = 0; k < m->w->sb_instrs.n; k++) {
      uint8_t  code[10];
      uint8_t* at = code;
      write_varint(&at, totals[k]);
      if (!index_write(&m->writer, code, (size_t)(at - code)))
         return false;
   }
   return true;
}

bool index_make_tables(IndexMaker* m, const uint64_t* totals)
{
   return index_make_section(m, INDEX_CHUNKS, m->chunks.data,
                             m->chunks.n * sizeof(IndexChunk))
          && write_turns(m)
          && index_make_section(m, INDEX_ACTS, m->acts.data,
                                m->acts.n * sizeof(IndexAct))
          && index_make_section(m, INDEX_STACKS, m->stacks.data,
                                m->stacks.n * sizeof(IndexStack))
          && index_make_section(m, INDEX_INTERRUPTED, m->interrupted.data,
                                m->interrupted.n * sizeof(IndexInterrupted))
          && index_make_section(m, INDEX_CREATED, m->created.data,
                                m->created.n * sizeof(IndexCreated))
          && index_make_section(m, INDEX_SPANS, m->spans.data,
                                m->spans.n * sizeof(IndexSpan))
          && index_make_section(m, INDEX_MAPPINGS, m->mappings.data,
                                m->mappings.n)
          && index_make_section(m, INDEX_CALLS, m->calls.data, m->calls.n)
          && index_make_section(m, INDEX_SAVED, m->saved.code.data,
                                m->saved.code.n)
          && write_totals(m, totals) && write_runs(m);
}

bool index_make_end(IndexMaker* m)
{
   IndexIdentity id;

   if (!index_identify(m->w, m->chunks.data, m->chunks.n, &id))
      return job_fail(m->job, DCFG_ERROR_FILE, "index",
                      "the trace cannot be read");
   return index_write_end(&m->writer, &id);
}
