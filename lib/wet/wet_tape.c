/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading the tape of a wet file. */

/* Owns: the code of the tape: chunks to blocks, blocks to steps.  Handed:
   cursors by wet_cursor.c, ways by wet_ways.c, words by wet_columns.c.
   wet_chunks.c reads chunks in any order.

   The way by which a superblock was left tells all of a record but its words.
   So a block is decoded in three steps.  Control gives a list of ways, and the
   number of rows of each segment.  Columns give the words, segment by segment;
   rules give the slots, record by record. */

#include "lib/wet/wet_cursor.h"
#include "lib/wet/wet_terms.h"
#include "format/wet_sections.h"

#include <string.h>

/* The largest part of a chunk.  Writers end a chunk at 4 MB, after a short
   record. */
#define MAX_PART (64u << 20)

static bool wrong(WetCursor* c)
{
   return job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

static uint32_t number_at(const uint8_t* b)
{
   return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16
          | (uint32_t)b[3] << 24;
}

/* Check, once, that the file ends behind the tape. */
static bool find_end(WetCursor* c)
{
   static const uint8_t end[WET_SECTION_HEAD] = { SectionEnd };
   uint8_t there[sizeof(end)];

   if (c->end_found)
      return false;
   c->end_found = true;
   if (!wet_read(&c->job, c->in, there, sizeof(there)))
      return false;
   if (memcmp(there, end, sizeof(end)) != 0)
      return wrong(c);
   input_at_end(c->in);
   return false;
}

bool wet_next_chunk(WetCursor* c)
{
   uint8_t  head[WET_CHUNK_HEAD];
   uint32_t n[3];
   size_t   size = 0;

   if (c->tape_left < sizeof(head))
      return c->tape_left != 0 ? wrong(c) : find_end(c);
   if (!wet_read(&c->job, c->in, head, sizeof(head)))
      return false;
   for (int i = 0; i < 3; i++) {
      n[i] = number_at(head + 4 + 4 * i);
      if (n[i] > MAX_PART)
         return wrong(c);
      size += n[i];
   }
   c->tape_left -= sizeof(head);
   if (size > c->tape_left)
      return wrong(c);
   /* A byte more: the data of a chunk of size 0 needs an address. */
   if (size >= c->room) {
      uint8_t* data = job_realloc(&c->job, c->data, c->room, size + 1);
      if (data == NULL)
         return false;
      c->data = data;
      c->room = size + 1;
   }
   if (!wet_read(&c->job, c->in, c->data, size))
      return false;
   c->tape_left -= size;
   c->offset    += sizeof(head) + size;
   c->number++;
   c->n_records  = number_at(head);
   if (c->n_records == 0)
      return wrong(c);
   c->control = (Bytes){ c->data, c->data + n[0], false };
   c->bits    = (Bits){ { c->control.end, c->control.end + n[1], false }, 0 };
   c->numbers = (Bytes){ c->bits.bytes.end, c->bits.bytes.end + n[2], false };
   c->stack   = get_word(head + 16);
   c->history = 0;
   c->n_instrs  = 0;
   c->odd_marks = false;
   c->whole     = false;
   wet_forget_general(c->computed);
   memset(c->next, 0, sizeof(c->next));
   memset(c->other, 0, sizeof(c->other));
   return true;
}

/*--- Words                                                ---*/

/* Forget what the segment's columns were in an earlier chunk. */
static inline void meet(WetCursor* c, Rows* s)
{
   if (s->chunk == c->number)
      return;
   s->chunk = c->number;
   memset(&c->columns[s->columns], 0, s->n_words * sizeof(Column));
}

static bool find_words(WetCursor* c)
{
   Block*   b  = &c->block;
   uint32_t at = 1;

   if (b->n_words > MAX_BLOCK)
      return wrong(c);
   for (uint32_t i = 0; i < b->n_segments; i++) {
      Rows* s = &c->rows[b->segments[i]];
      meet(c, s);
      wet_read_columns(c, s, b->words + at, s->n_rows);
      s->at     = at;
      at       += s->n_rows * s->n_words;
      s->n_rows = 0;
   }
   return (!c->bits.bytes.failed && !c->numbers.failed) || wrong(c);
}

/* Join the words of the next rows of N segments at S, and MORE numbers of
   .extra.  Return the words; they begin at index 1. */
static const uint64_t* join_words(WetCursor* c, Rows* s, uint32_t n,
                                  uint32_t more)
{
   Block*    b  = &c->block;
   uint64_t* to = c->words + 1;

   for (const Rows* end = s + n; s < end; s++)
      for (uint32_t k = 0; k < s->n_words; k++)
         *to++ = b->words[s->at++];
   for (; more > 0; more--)
      *to++ = b->extra[b->at++];
   return c->words;
}

/* Find N slots, at least 1, by RULES, and store them at TO. */
static inline void find_slots(WetCursor* c, const SlotRule* r,
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
static inline void find_way_slots(WetCursor* c, const DcfgWet* w,
                                  const WetWay* way, uint64_t* to)
{
   Rows*           s = &c->rows[way->segments];
   const uint64_t* words = c->words;

   if (way->n_segments == 1) {
      words  = c->block.words + s->at - 1;
      s->at += s->n_words;
   } else if (way->n_segments > 1) {
      words = join_words(c, s, way->n_segments, 0);
   }
   if (w->version >= 5)
      wet_find_terms(w, c->computed,
                     &ELEM(w->way_terms, WayTerms, way - w->ways), words, to);
   else
      find_slots(c, &ELEM(w->rules, SlotRule, way->rules), words, way->n_slots,
                 to);
}

/* Skip the words of the next record of WAY: no other slot depends on them. */
static inline void pass_slots(WetCursor* c, const WetWay* way)
{
   Rows* s = &c->rows[way->segments];

   for (const Rows* end = s + way->n_segments; s < end; s++)
      s->at += s->n_words;
}

/*--- Blocks                                               ---*/

/* Make room in TO for the present block. */
static bool make_room(WetCursor* c, WetSteps* to)
{
   if (c->wanted == SLOTS_OF_TRANSFERS && c->way_before == NULL) {
      c->way_before = job_calloc(&c->job, c->w->n_ways + 1, sizeof(uint32_t));
      if (c->way_before == NULL)
         return false;
   }
   const Block* b = &c->block;
   bool         all = c->wanted == SLOTS_OF_ALL;
   WetStepsRoom room = {
      .n_steps = b->n_ways,
      .n_addrs = b->n_slots + MARK_SLOTS * (size_t)b->n_extra + 1,
      .n_turns = all ? b->n_ways : 0,
      .n_bytes = all ? b->n_bytes : 0,
      .n_all   = c->whole ? c->n_records : 0
   };

   return wet_reserve_steps(&c->job, to, &room)
          && (to->n_addrs + room.n_addrs <= UINT32_MAX
              || job_fail(&c->job, DCFG_ERROR_LIMIT, "tape",
                          "a chunk has too many accesses"));
}

/* Make R the next record, a superblock left between exits; store its slots at
   TO. */
static void take_stop(WetCursor* c, WetStep* r, uint64_t* to)
{
   const DcfgWet* w = c->w;
   Block* b    = &c->block;
   Stop   stop = wet_find_stop(w, (uint32_t)b->extra[b->at],
                           (uint32_t)b->extra[b->at + 1]);
   const WetSb* sb = &ELEM(w->sbs, WetSb, stop.sb);

   b->at += 2;
   r->sb       = stop.sb;
   r->way      = DCFG_NONE;
   r->n_instrs = (uint16_t)stop.n_instrs;
   if (c->wanted == SLOTS_OF_NONE) {
      b->at += stop.n_words;
      return;
   }
   r->n_slots = (uint16_t)stop.n_slots;
   const uint64_t* words = join_words(c, &c->rows[sb->segments.first],
                                      stop.n_segments, stop.n_words);
   if (w->version >= 5) {
      uint32_t n_slots, n_words;
      WayTerms terms = wet_terms_before(w, sb, stop.n_instrs, &n_slots,
                                        &n_words);
      wet_find_terms(w, c->computed, &terms, words, to);
   } else if (stop.n_slots > 0)
      find_slots(c, &ELEM(w->rules, SlotRule, sb->rules), words,
                 stop.n_slots, to);
}

/* Copy the N bytes of a mark, at AT in the chunk, to KEEP, and say so in its
   slots TO. */
static void keep_bytes(const WetCursor* c, uint64_t at, uint64_t n, WetSteps* keep,
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
static bool take_mark(WetCursor* c, WetStep* r, uint64_t* to, WetSteps* keep)
{
   Block*   b = &c->block;
   uint32_t mark = (uint32_t)b->extra[b->at++], n = wet_words_of_mark(mark);

   for (uint32_t i = 0; i < MARK_SLOTS; i++)
      to[i] = i < n ? b->extra[b->at++] : 0;
   if (mark == MarkGeneral) {
      wet_set_general(c->computed, c->data + b->extra[b->at++], to[0]);
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
static inline void take_way(const WetCursor* c, const WetWay* ways, uint32_t id,
                            WetStep* r, uint32_t first)
{
   const WetWay* way = &ways[id];

   r->sb       = way->sb;
   r->way      = id;
   r->thread   = c->thread;
   r->first    = first;
   r->n_instrs = way->n_instrs;
   r->n_slots  = 0;
}

/* Make R a record without a way: a stop or a mark, whose bytes go to KEEP unless
   that is NULL.  Return false for a turn of threads. */
static bool take_other(WetCursor* c, uint32_t id, WetStep* r, uint64_t* addrs,
                       uint32_t first, WetSteps* keep)
{
   *r = (WetStep){ .thread = c->thread, .first = first };
   if (id != NO_WAY_STOP)
      return take_mark(c, r, addrs, keep);
   take_stop(c, r, addrs);
   return true;
}

/* Return whether R's slots, at ADDRS, have a top of x87's stack that is not
   0. */
static bool has_top(const DcfgWet* w, const WetStep* r, const uint64_t* addrs)
{
   const WetAccess* a = &ELEM(w->accesses, WetAccess,
                              ELEM(w->sbs, WetSb, r->sb).slots.first);

   for (uint32_t i = 0; i < r->n_slots; i++)
      if (a[i].what == AccessTop && (addrs[i] & 7) != 0)
         return true;
   return false;
}

/* Add the block's records for SLOTS_OF_NONE. */
static void take_kept(WetCursor* c, WetSteps* to)
{
   const WetWay* ways = c->w->ways;
   Block*    b = &c->block;
   WetStep*  r = to->steps + to->n_steps;
   uint64_t* addrs = to->addrs + to->n_addrs;
   uint32_t  last = DCFG_NONE;
   const uint8_t* kept = c->way_kept;

   if (kept == NULL && b->n_extra == 0)
      return;
   b->at = 0;
   for (uint32_t i = 0; i <= b->n_ways; i++) {
      uint32_t id = i < b->n_ways ? b->ways[i] : NO_WAY_MARK;
      uint32_t first = (uint32_t)(addrs - to->addrs);
      if (id < NO_WAY_STOP && (kept == NULL || kept[id] != KEPT_ALL)) {
         last = kept != NULL && kept[id] == KEPT_LAST ? id : last;
         continue;
      }
      if (last != DCFG_NONE)
         take_way(c, ways, last, r++, first);
      last = DCFG_NONE;
      if (i == b->n_ways)
         break;
      if (id < NO_WAY_STOP)
         take_way(c, ways, id, r++, first);
      else if (take_other(c, id, r, addrs, first, NULL))
         addrs += r++->n_slots;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

/* Add the block's records for SLOTS_OF_ALL; their words are known. */
static void take_records(WetCursor* c, WetSteps* to)
{
   const DcfgWet* w = c->w;
   const WetWay*  ways = w->ways;
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
         const WetWay* way = &ways[id];
         take_way(c, ways, id, r, first);
         turns = !(steady && way->easy);
         if (way->computes) {
            r->n_slots = way->n_slots;
            find_way_slots(c, w, way, addrs);
         }
      } else if (!take_other(c, id, r, addrs, first, to)) {
         steady = false;
         continue;
      }
      steady = r->sb != 0;
      *turn = (uint32_t)(r - to->steps);
      turn += turns;
      if (turns && r->sb != 0 && ELEM(w->sbs, WetSb, r->sb).tops)
         to->odd_tops |= has_top(w, r, addrs);
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
static void take_transfers(WetCursor* c, WetSteps* to)
{
   const DcfgWet* w = c->w;
   const WetWay*  ways = w->ways;
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
         if (take_other(c, id, r, addrs, first, NULL))
            addrs += r++->n_slots;
         continue;
      }
      way  = &ways[id];
      pass = from != 0 && c->way_before[id] == from && i + 1 < b->n_ways
             && b->ways[i + 1] < NO_WAY_STOP;
      if (passed && !pass) {
         take_way(c, ways, from - 1, r, first);
         r++->n_instrs = 0;
      }
      passed = pass;
      if (!pass) {
         take_way(c, ways, id, r, first);
         if (way->easy && from != 0)
            c->way_before[id] = from;
      }
      from = way->easy ? id + 1 : 0;
      bool wants = way->stack || way->tops || is_transfer(way->kind);
      if (!way->computes || !(wants || w->version >= 5)) {
         pass_slots(c, way);
      } else {
         find_way_slots(c, w, way, addrs);
         if (!pass && wants)
            addrs += r->n_slots = way->n_slots;
      }
      r += !pass;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

bool wet_read_block(WetCursor* c, WetWanted wanted, WetSteps* to)
{
   c->wanted = wanted;
   if (!wet_read_control(c))
      return false;
   if (c->block.n_ways > c->n_records)
      return wrong(c);
   c->n_records -= c->block.n_ways;
   if ((wanted != SLOTS_OF_NONE && !find_words(c)) || !make_room(c, to))
      return false;
   if (wanted == SLOTS_OF_NONE)
      take_kept(c, to);
   else if (wanted == SLOTS_OF_TRANSFERS)
      take_transfers(c, to);
   else
      take_records(c, to);
   if (c->last_thread > 0 && c->last_thread >= c->w->threads.n)
      return job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                      "there is no thread %u", c->last_thread);
   return c->n_records > 0 || c->control.at == c->control.end || wrong(c);
}

bool wet_next_block(WetCursor* c, WetWanted wanted, WetSteps* to)
{
   wet_forget_steps(to);
   /* A block can have nothing but turns of threads. */
   while (to->n_steps == 0)
      if ((c->n_records == 0 && !wet_next_chunk(c))
          || !wet_read_block(c, wanted, to))
         return false;
   return true;
}
