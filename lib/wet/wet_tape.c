/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading the tape of a wet file. */

/* Owns: the code of the tape: chunks to blocks, blocks to steps.  Handed:
   the file by wet_load.c, ways by wet_ways.c, words by
   wet_columns.c.wet_chunks.c reads chunks in any order.

   The way by which a superblock was left tells all of a record but its words.
   So a block is decoded in three steps.  Control gives a list of ways, and the
   number of rows of each segment.  Columns give the words, segment by segment;
   rules give the slots, record by record. */

#include "lib/wet/wet.h"
#include "lib/wet/wet_terms.h"
#include "format/wet_sections.h"

#include <string.h>

/* The largest part of a chunk.  Writers end a chunk at 4 MB, after a short
   record. */
#define MAX_PART (64u << 20)

static bool wrong(DcfgWet* w)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

static uint32_t number_at(const uint8_t* b)
{
   return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16
          | (uint32_t)b[3] << 24;
}

/* Check, once, that the file ends behind the tape. */
static bool find_end(DcfgWet* w)
{
   static const uint8_t end[WET_SECTION_HEAD] = { SectionEnd };
   uint8_t there[sizeof(end)];

   if (w->end_found)
      return false;
   w->end_found = true;
   if (!wet_read(w, there, sizeof(there)))
      return false;
   w->offset -= sizeof(there);
   if (memcmp(there, end, sizeof(end)) != 0)
      return wrong(w);
   input_at_end(w->in);
   return false;
}

bool wet_next_chunk(DcfgWet* w)
{
   Chunk*   c = w->chunk;
   uint8_t  head[WET_CHUNK_HEAD];
   uint32_t n[3];
   size_t   size = 0;

   if (w->tape_left < sizeof(head))
      return w->tape_left != 0 ? wrong(w) : find_end(w);
   if (!wet_read(w, head, sizeof(head)))
      return false;
   for (int i = 0; i < 3; i++) {
      n[i] = number_at(head + 4 + 4 * i);
      if (n[i] > MAX_PART)
         return wrong(w);
      size += n[i];
   }
   w->tape_left -= sizeof(head);
   if (size > w->tape_left)
      return wrong(w);
   /* A byte more: the data of a chunk of size 0 needs an address. */
   if (size >= c->room) {
      uint8_t* data = job_realloc(&w->job, c->data, c->room, size + 1);
      if (data == NULL)
         return false;
      c->data = data;
      c->room = size + 1;
   }
   if (!wet_read(w, c->data, size))
      return false;
   w->tape_left -= size;
   c->number++;
   c->n_records  = number_at(head);
   if (c->n_records == 0)
      return wrong(w);
   c->control = (Bytes){ c->data, c->data + n[0], false };
   c->bits    = (Bits){ { c->control.end, c->control.end + n[1], false }, 0 };
   c->numbers = (Bytes){ c->bits.bytes.end, c->bits.bytes.end + n[2], false };
   c->stack   = get_word(head + 16);
   c->history = 0;
   c->n_instrs  = 0;
   c->whole     = false;
   wet_forget_general(c);
   memset(c->next, 0, sizeof(c->next));
   memset(c->other, 0, sizeof(c->other));
   return true;
}

/*--- Words                                                ---*/

/* Forget what the segment's columns were in an earlier chunk. */
static inline void meet(DcfgWet* w, WetSegment* s)
{
   if (s->chunk == w->chunk->number)
      return;
   s->chunk = w->chunk->number;
   memset(&w->columns[s->columns], 0,
          s->n_words * sizeof(Column));
}

static bool find_words(DcfgWet* w)
{
   Chunk*   c  = w->chunk;
   Block*   b  = &c->block;
   uint32_t at = 1;

   if (b->n_words > MAX_BLOCK)
      return wrong(w);
   for (uint32_t i = 0; i < b->n_segments; i++) {
      WetSegment* s = &ELEM(w->segments, WetSegment, b->segments[i]);
      meet(w, s);
      wet_read_columns(w, s, b->words + at, s->n_rows);
      s->at     = at;
      at       += s->n_rows * s->n_words;
      s->n_rows = 0;
   }
   return (!c->bits.bytes.failed && !c->numbers.failed) || wrong(w);
}

/* Join the words of the next rows of N segments at S, and MORE numbers of
   .extra.  Return the words; they begin at index 1. */
static const uint64_t* join_words(Chunk* c, WetSegment* s, uint32_t n,
                                  uint32_t more)
{
   Block*    b  = &c->block;
   uint64_t* to = c->words + 1;

   for (const WetSegment* end = s + n; s < end; s++)
      for (uint32_t k = 0; k < s->n_words; k++)
         *to++ = b->words[s->at++];
   for (; more > 0; more--)
      *to++ = b->extra[b->at++];
   return c->words;
}

/* Find N slots, at least 1, by RULES, and store them at TO. */
static inline void find_slots(Chunk* c, const SlotRule* r,
                              const uint64_t* words, uint32_t n, uint64_t* to)
{
   uint64_t* slots = c->slots + 2;

   slots[-1] = c->stack;
   for (uint32_t i = 0; i < n; i++) {
      uint64_t word = words[r[i].word];
      to[i] = slots[i] = slots[r[i].base] + (r[i].word == 0 ? 0 : word)
                         + r[i].addr;
   }
   c->stack = slots[r[n - 1].stack];
}

/* Store the slots of the next record, which has WAY, at TO. */
static inline void find_way_slots(DcfgWet* w, const WetWay* way, uint64_t* to)
{
   Chunk*          c = w->chunk;
   WetSegment*     s = &ELEM(w->segments, WetSegment, way->segments);
   const uint64_t* words = c->words;

   if (way->n_segments == 1) {
      words  = c->block.words + s->at - 1;
      s->at += s->n_words;
   } else if (way->n_segments > 1) {
      words = join_words(c, s, way->n_segments, 0);
   }
   if (w->version >= 5)
      wet_find_terms(w, c, &ELEM(w->way_terms, WayTerms, way - w->ways), words,
                     to);
   else
      find_slots(c, &ELEM(w->rules, SlotRule, way->rules), words, way->n_slots,
                 to);
}

/* Skip the words of the next record of WAY: no other slot depends on them. */
static inline void pass_slots(DcfgWet* w, const WetWay* way)
{
   WetSegment* s = &ELEM(w->segments, WetSegment, way->segments);

   for (const WetSegment* end = s + way->n_segments; s < end; s++)
      s->at += s->n_words;
}

/*--- Blocks                                               ---*/

/* Make room in TO for the present block. */
static bool make_room(DcfgWet* w, WetSteps* to)
{
   if (w->chunk->wanted == SLOTS_OF_TRANSFERS && w->way_before == NULL) {
      w->way_before = job_calloc(&w->job, w->n_ways + 1, sizeof(uint32_t));
      if (w->way_before == NULL)
         return false;
   }
   const Block* b = &w->chunk->block;
   bool         all = w->chunk->wanted == SLOTS_OF_ALL;
   WetStepsRoom room = {
      .n_steps = b->n_ways,
      .n_addrs = b->n_slots + MARK_SLOTS * (size_t)b->n_extra + 1,
      .n_turns = all ? b->n_ways : 0,
      .n_bytes = all ? b->n_bytes : 0,
      .n_all   = w->chunk->whole ? w->chunk->n_records : 0
   };

   return wet_reserve_steps(&w->job, to, &room)
          && (to->n_addrs + room.n_addrs <= UINT32_MAX
              || job_fail(&w->job, DCFG_ERROR_LIMIT, "tape",
                          "a chunk has too many accesses"));
}

/* Make R the next record, a superblock left between exits; store its slots at
   TO. */
static void take_stop(DcfgWet* w, WetStep* r, uint64_t* to)
{
   Chunk* c    = w->chunk;
   Block* b    = &c->block;
   Stop   stop = wet_find_stop(w, (uint32_t)b->extra[b->at],
                           (uint32_t)b->extra[b->at + 1]);
   const WetSb* sb = &ELEM(w->sbs, WetSb, stop.sb);

   b->at += 2;
   r->sb       = stop.sb;
   r->way      = DCFG_NONE;
   r->n_instrs = (uint16_t)stop.n_instrs;
   r->n_slots = (uint16_t)stop.n_slots;
   const uint64_t* words = join_words(c, &ELEM(w->segments, WetSegment,
                                               sb->segments.first),
                                      stop.n_segments, stop.n_words);
   if (w->version >= 5) {
      uint32_t n_slots, n_words;
      WayTerms terms = wet_terms_before(w, sb, stop.n_instrs, &n_slots,
                                        &n_words);
      wet_find_terms(w, c, &terms, words, to);
   } else if (stop.n_slots > 0)
      find_slots(c, &ELEM(w->rules, SlotRule, sb->rules), words,
                 stop.n_slots, to);
}

/* Copy the N bytes of a mark, at AT in the chunk, to KEEP, and say so in its
   slots TO. */
static void keep_bytes(const Chunk* c, uint64_t at, uint64_t n, WetSteps* keep,
                       uint64_t* to)
{
   if (n > 0)
      memcpy(keep->bytes + keep->n_bytes, c->data + at, n);
   to[MARK_BYTES_AT] = keep->n_bytes;
   to[MARK_N_BYTES]  = n;
   keep->n_bytes    += n;
}

/* Make R the next record, a mark; store its numbers at TO, and its bytes in KEEP
   unless that is NULL.  Return false for a turn of threads, which is no
   record. */
static bool take_mark(Chunk* c, WetStep* r, uint64_t* to, WetSteps* keep)
{
   Block*   b = &c->block;
   uint32_t mark = (uint32_t)b->extra[b->at++], n = wet_words_of_mark(mark);

   for (uint32_t i = 0; i < MARK_SLOTS; i++)
      to[i] = i < n ? b->extra[b->at++] : 0;
   if (mark == MarkGeneral) {
      wet_set_general(c, c->data + b->extra[b->at++], to[0]);
      return false;
   }
   if (wet_has_bytes(mark)) {
      if (keep != NULL)
         keep_bytes(c, b->extra[b->at], to[n - 1], keep, to);
      b->at++;
   }
   if (mark == MarkThread) {
      c->thread = to[0] < DCFG_NONE ? (uint32_t)to[0] : DCFG_NONE;
      if (c->thread > c->last_thread)
         c->last_thread = c->thread;
      return false;
   }
   r->mark    = mark;
   r->n_slots = MARK_SLOTS;
   return true;
}

/* Make R a record of way ID, without slots.  Set member by member: copying a
   struct would wait for all stores. */
static inline void take_way(const DcfgWet* w, uint32_t id, WetStep* r,
                            uint32_t first)
{
   const WetWay* way = &w->ways[id];

   r->sb       = way->sb;
   r->way      = id;
   r->thread   = w->chunk->thread;
   r->first    = first;
   r->n_instrs = way->n_instrs;
   r->n_slots  = 0;
}

/* Make R a record without a way: a stop or a mark, whose bytes go to KEEP unless
   that is NULL.  Return false for a turn of threads. */
static bool take_other(DcfgWet* w, uint32_t id, WetStep* r, uint64_t* addrs,
                       uint32_t first, WetSteps* keep)
{
   *r = (WetStep){ .thread = w->chunk->thread, .first = first };
   if (id != NO_WAY_STOP)
      return take_mark(w->chunk, r, addrs, keep);
   take_stop(w, r, addrs);
   return true;
}

/* Add the block's records for SLOTS_OF_ALL; their words are known. */
static void take_records(DcfgWet* w, WetSteps* to)
{
   Chunk*    c = w->chunk;
   Block*    b = &c->block;
   WetStep*  r = to->steps + to->n_steps;
   uint64_t* addrs = to->addrs + to->n_addrs;
   uint32_t* turn = to->turns + to->n_turns;
   bool      steady = false;    // the record before is of the same thread

   b->at = 0;
   for (uint32_t i = 0; i < b->n_ways; i++) {
      uint32_t id = b->ways[i], first = (uint32_t)(addrs - to->addrs);
      bool     turns = true;
      if (id < NO_WAY_STOP) {
         const WetWay* way = &w->ways[id];
         take_way(w, id, r, first);
         turns = !(steady && way->easy);
         if (way->computes) {
            r->n_slots = way->n_slots;
            find_way_slots(w, way, addrs);
         }
      } else if (!take_other(w, id, r, addrs, first, to)) {
         steady = false;
         continue;
      }
      steady = r->sb != 0;
      *turn = (uint32_t)(r - to->steps);
      turn += turns;
      addrs += r->n_slots;
      r++;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_turns = (size_t)(turn - to->turns);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

/* Add the block's records for SLOTS_OF_TRANSFERS.  A record before a stop, a
   mark or the block's end is never left out: the thread's last instruction must
   be known there. */
static void take_transfers(DcfgWet* w, WetSteps* to)
{
   Chunk*    c = w->chunk;
   Block*    b = &c->block;
   WetStep*  r = to->steps + to->n_steps;
   uint64_t* addrs = to->addrs + to->n_addrs;
   uint32_t  from = 0;          // the easy way before, + 1; or 0
   bool      passed = false;    // the record before was left out

   b->at = 0;
   for (uint32_t i = 0; i < b->n_ways; i++) {
      uint32_t id = b->ways[i], first = (uint32_t)(addrs - to->addrs);
      const WetWay* way;
      bool     pass;
      if (id >= NO_WAY_STOP) {
         from = 0;
         if (take_other(w, id, r, addrs, first, NULL))
            addrs += r++->n_slots;
         continue;
      }
      way  = &w->ways[id];
      pass = from != 0 && w->way_before[id] == from && i + 1 < b->n_ways
             && b->ways[i + 1] < NO_WAY_STOP;
      if (passed && !pass) {
         take_way(w, from - 1, r, first);
         r++->n_instrs = 0;
      }
      passed = pass;
      if (!pass) {
         take_way(w, id, r, first);
         if (way->easy && from != 0)
            w->way_before[id] = from;
      }
      from = way->easy ? id + 1 : 0;
      bool wants = way->stack || way->tops || is_transfer(way->kind);
      if (!way->computes || !(wants || w->version >= 5)) {
         pass_slots(w, way);
      } else {
         find_way_slots(w, way, addrs);
         if (!pass && wants)
            addrs += r->n_slots = way->n_slots;
      }
      r += !pass;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

bool wet_read_block(DcfgWet* w, WetWanted wanted, WetSteps* to)
{
   Chunk* c = w->chunk;

   c->wanted = wanted;
   if (!wet_read_control(w))
      return false;
   if (c->block.n_ways > c->n_records)
      return wrong(w);
   c->n_records -= c->block.n_ways;
   if ((wanted != SLOTS_OF_NONE && !find_words(w)) || !make_room(w, to))
      return false;
   if (wanted == SLOTS_OF_TRANSFERS)
      take_transfers(w, to);
   else if (wanted == SLOTS_OF_ALL)
      take_records(w, to);
   if (c->last_thread > 0 && c->last_thread >= w->threads.n)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                      "there is no thread %u", c->last_thread);
   return c->n_records > 0 || c->control.at == c->control.end || wrong(w);
}

bool wet_next_block(DcfgWet* w, WetWanted wanted, WetSteps* to)
{
   wet_forget_steps(to);
   /* A block can have nothing but turns of threads. */
   while (to->n_steps == 0)
      if ((w->chunk->n_records == 0 && !wet_next_chunk(w))
          || !wet_read_block(w, wanted, to))
         return false;
   return true;
}

void wet_find_value(DcfgWet* w, const InstrPlan* at, DcfgWetEvent* e)
{
   const WetSb*     sb    = &ELEM(w->sbs, WetSb, w->record.sb);
   uint32_t         first = wet_value_slot(at);
   const WetAccess* part  = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + first);

   if (w->record.n_slots < first + at->n_values)
      return;
   for (uint32_t i = 0; i < at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++)
         w->value[e->value_size++] = (uint8_t)(w->addrs[first + i] >> 8 * k);
   e->has_value = true;
   e->value     = w->value;
}
