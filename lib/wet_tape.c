
/*--------------------------------------------------------------------*/
/*--- Reading the tape of a wet file.                 wet_tape.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the code of the tape: blocks out of chunks.  Handed: the file by
   wet_load.c, words by wet_columns.c.  Taken by: wet_events.c, wet_control.c;
   wet_chunks.c reads chunks in any order.

   How a superblock was left, a *way*, says all of a record but its words.  So a
   block's control becomes a list of ways, in which the rows of each segment are
   counted as it is made; then the words are found, segment by segment, and then
   the slots, record by record. */

#include "wet.h"

#include <string.h>

/* No writer makes larger ones: a chunk ends when it has 4 MB, and what was
   added last is not long. */
#define MAX_PART (64u << 20)

static bool wrong(DcfgWet* w)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

/* As wet/tape_words.h of the tool has it. */
static uint32_t words_of_mark(uint64_t mark)
{
   return mark == 7 ? 3 : mark >= 2 && mark <= 4 ? 2 : mark == 1 || mark == 8;
}

static uint32_t number_at(const uint8_t* b)
{
   return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16
          | (uint32_t)b[3] << 24;
}

/* Behind the tape the file ends, which is looked at once. */
static bool find_end(DcfgWet* w)
{
   static const uint8_t end[9] = { SECTION_END };
   uint8_t there[sizeof(end)];

   if (w->end_found)
      return false;
   w->end_found = true;
   if (!wet_read(w, there, sizeof(there)))
      return false;
   w->offset -= sizeof(there);
   return memcmp(there, end, sizeof(end)) != 0 && wrong(w);
}

bool wet_next_chunk(DcfgWet* w)
{
   Chunk*   c = w->chunk;
   uint8_t  head[24];
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
   if (size > c->room) {
      uint8_t* data = job_realloc(&w->job, c->data, c->room, size);
      if (data == NULL)
         return false;
      c->data = data;
      c->room = size;
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
   memset(c->next, 0, sizeof(c->next));
   memset(c->other, 0, sizeof(c->other));
   return true;
}

/*------------------------------------------------------------*/
/*--- Ways                                                 ---*/
/*------------------------------------------------------------*/

#define HOW_END     0xFF
#define HOW_STOPPED 0xFE

/* In a block, what is no way: a mark, or a superblock that was left within.
   What they are is in .extra. */
#define NO_WAY_MARK DCFG_NONE
#define NO_WAY_STOP (DCFG_NONE - 1)

enum { SYMBOL_END, SYMBOL_MARK, SYMBOL_STOP, SYMBOL_FIRST };

static inline uint16_t hash_of(uint64_t header)
{
   return (uint16_t)(header * UINT64_C(0x9E3779B97F4A7C15) >> 48);
}

bool wet_make_ways(DcfgWet* w)
{
   size_t n = 0;

   for (uint32_t id = 1; id < w->sbs.n; id++) {
      WetSb* sb = &ELEM(w->sbs, WetSb, id);
      sb->ways = (uint32_t)n;
      n += sb->exits.n + 1;
   }
   if (n >= NO_WAY_STOP)
      return job_fail(&w->job, DCFG_ERROR_LIMIT, "superblocks",
                      "there are too many");
   w->n_ways = n;
   w->ways   = job_calloc(&w->job, n + 1, sizeof(WetWay));
   for (uint32_t id = 1; w->ways != NULL && id < w->sbs.n; id++) {
      const WetSb*    sb = &ELEM(w->sbs, WetSb, id);
      const uint32_t* instrs = &ELEM(w->sb_instrs, uint32_t,
                                     sb->instrs.first);
      for (uint32_t i = 0; sb->instrs.n > 0 && i <= sb->exits.n; i++) {
         const WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + i);
         bool           end = i == sb->exits.n;
         WetWay*        way = &w->ways[sb->ways + i];
         way->sb         = id;
         way->segments   = sb->segments.first;
         way->rules      = sb->rules;
         way->hash       = hash_of((uint64_t)id << 8 | (end ? HOW_END : i));
         way->n_instrs   = (uint16_t)(end ? sb->instrs.n : x->place + 1u);
         way->n_slots    = (uint16_t)(end ? sb->slots.n : x->n_slots);
         way->n_segments = (uint8_t)(end ? sb->segments.n : x->n_segments);
         way->place      = sb->instrs.first + way->n_instrs - 1u;
         way->last       = instrs[way->n_instrs - 1];
         way->kind       = ELEM(w->instrs, WetInstr, way->last).kind;
         way->stack      = way->n_slots > 0
                           && ELEM(w->rules, SlotRule, sb->rules
                                   + way->n_slots - 1u).stack >= 0;
         way->tops       = sb->tops;
      }
   }
   return w->ways != NULL;
}

/*------------------------------------------------------------*/
/*--- Control                                              ---*/
/*------------------------------------------------------------*/

/* Add a word to what the block has beside ways. */
static void add_extra(Block* b, Bytes* from, uint64_t word)
{
   if (b->n_extra < MAX_BLOCK)
      b->extra[b->n_extra++] = word;
   else
      from->failed = true;
}

/* A mark, and its numbers. */
static void get_mark(Chunk* c)
{
   uint32_t mark = get_up_to(&c->control, 255);

   add_extra(&c->block, &c->control, mark);
   for (uint32_t i = 0; i < words_of_mark(mark); i++)
      add_extra(&c->block, &c->control, get_varint(&c->control));
}

/* The first N segments from FIRST on have another row. */
static inline void count_rows(DcfgWet* w, Block* b, uint32_t first, uint32_t n)
{
   WetSegment* s = &ELEM(w->segments, WetSegment, first);

   for (const WetSegment* end = s + n; s < end; s++, first++) {
      b->n_words += s->n_words;
      if (s->n_rows++ == 0 && b->n_segments < MAX_BLOCK)
         b->segments[b->n_segments++] = first;
   }
}

/* The next one was WAY. */
static inline void note_way(DcfgWet* w, Chunk* c, uint32_t id)
{
   const WetWay* way = &w->ways[id];
   Block*        b = &c->block;

   c->history = (c->history << 5 ^ way->hash) & 0xFFFF;
   b->ways[b->n_ways++] = id;
   b->n_slots += way->n_slots;
   if (c->wanted != SLOTS_OF_NONE)
      count_rows(w, b, way->segments, way->n_segments);
}

/* How far SB came of which N instructions were completed. */
static Stop find_stop(const DcfgWet* w, uint32_t id, uint32_t n)
{
   const WetSb*      sb = &ELEM(w->sbs, WetSb, id);
   const WetAccess*  a = &ELEM(w->accesses, WetAccess, sb->slots.first);
   const WetSegment* s = &ELEM(w->segments, WetSegment, sb->segments.first);
   Stop              stop = { .sb = id, .n_instrs = n };

   while (stop.n_slots < sb->slots.n && a[stop.n_slots].place < n)
      stop.n_words += wet_is_word(&a[stop.n_slots++]);
   while (stop.n_segments < sb->segments.n
          && s[stop.n_segments].n_words <= stop.n_words)
      stop.n_words -= s[stop.n_segments++].n_words;
   return stop;
}

/* A superblock that was left within: its number, its instructions, and words
   behind its segments. */
static bool get_stop(DcfgWet* w, Chunk* c)
{
   uint64_t id = get_varint(&c->control);
   uint32_t n = get_up_to(&c->control, UINT16_MAX);
   Block*   b = &c->block;
   Stop     stop;

   if (id == 0 || id >= w->sbs.n || n == 0
       || n > ELEM(w->sbs, WetSb, id).instrs.n)
      return false;
   stop = find_stop(w, (uint32_t)id, n);
   add_extra(b, &c->control, id);
   add_extra(b, &c->control, n);
   for (uint32_t k = stop.n_words; k > 0; k--)
      add_extra(b, &c->control, get_varint(&c->control));
   c->history = (c->history << 5 ^ hash_of((uint64_t)n << 48 | id << 8
                                           | HOW_STOPPED)) & 0xFFFF;
   b->ways[b->n_ways++] = NO_WAY_STOP;
   b->n_slots += stop.n_slots;
   if (c->wanted != SLOTS_OF_NONE)
      count_rows(w, b, ELEM(w->sbs, WetSb, id).segments.first,
                 stop.n_segments);
   return true;
}

/* One that was not foretold, and is from now on. */
static bool get_way(DcfgWet* w, Chunk* c, uint64_t symbol)
{
   uint64_t     id  = symbol >> 1;
   uint32_t     how = symbol & 1 ? get_up_to(&c->control, HOW_STOPPED - 1)
                                 : HOW_END;
   const WetSb* sb;
   uint32_t     way;

   if (id == 0 || id >= w->sbs.n)
      return false;
   sb = &ELEM(w->sbs, WetSb, id);
   if (sb->instrs.n == 0 || (how != HOW_END && how >= sb->exits.n))
      return false;
   way = sb->ways + (how == HOW_END ? sb->exits.n : how);
   if (id >> 24 == 0) {
      c->other[c->history] = c->next[c->history];
      c->next[c->history]  = way + 1;
   }
   note_way(w, c, way);
   return true;
}

/* The next N as foretold, and if OTHER is set one that is the other one. */
static bool get_foretold(DcfgWet* w, Chunk* c, uint64_t n, bool other)
{
   if (n + other > MAX_BLOCK - c->block.n_ways)
      return false;
   while (n-- > 0) {
      uint32_t way = c->next[c->history];
      if (way == 0)
         return false;
      note_way(w, c, way - 1);
   }
   if (other) {
      uint32_t way = c->other[c->history];
      if (way == 0)
         return false;
      c->other[c->history] = c->next[c->history];
      c->next[c->history]  = way;
      note_way(w, c, way - 1);
   }
   return true;
}

/* The control of the next block. */
static bool get_control(DcfgWet* w, Chunk* c)
{
   Block* b = &c->block;

   b->n_ways  = b->n_extra = b->n_words = b->n_segments = 0;
   b->n_slots = 0;
   for (;;) {
      uint64_t right = get_varint(&c->control), symbol;
      if (!get_foretold(w, c, right >> 1, right & 1))
         return wrong(w);
      if (right & 1)
         continue;
      symbol = get_varint(&c->control);
      if (c->control.failed || b->n_ways == MAX_BLOCK)
         return wrong(w);
      if (symbol == SYMBOL_END)
         return b->n_ways > 0 || wrong(w);
      if (symbol == SYMBOL_MARK) {
         get_mark(c);
         b->ways[b->n_ways++] = NO_WAY_MARK;
      } else if (!(symbol == SYMBOL_STOP
                   ? get_stop(w, c)
                   : get_way(w, c, symbol - SYMBOL_FIRST))) {
         return wrong(w);
      }
   }
}

/*------------------------------------------------------------*/
/*--- Words                                                ---*/
/*------------------------------------------------------------*/

/* Nothing is known of a segment's columns that is of an earlier chunk. */
static inline void meet(DcfgWet* w, WetSegment* s)
{
   if (s->chunk == w->chunk->number)
      return;
   s->chunk = w->chunk->number;
   memset(&ELEM(w->columns, Column, s->columns), 0,
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

/* The words of the next rows of the N segments at S, and then MORE ones of
   the block's .extra, together, from number 1 on. */
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

/* The first N slots by RULES, which are not none, to TO. */
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

/* Those of the next record, which came WAY, to TO. */
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
   find_slots(c, &ELEM(w->rules, SlotRule, way->rules), words, way->n_slots,
              to);
}

/* They are not wanted, and nothing depends on them. */
static inline void pass_slots(DcfgWet* w, const WetWay* way)
{
   WetSegment* s = &ELEM(w->segments, WetSegment, way->segments);

   for (const WetSegment* end = s + way->n_segments; s < end; s++)
      s->at += s->n_words;
}

/*------------------------------------------------------------*/
/*--- Blocks                                               ---*/
/*------------------------------------------------------------*/

/* Room for the block in work. */
static bool make_room(DcfgWet* w, WetSteps* to)
{
   const Block* b = &w->chunk->block;
   size_t       n_steps = to->n_steps + b->n_ways;
   size_t       n_addrs = to->n_addrs + b->n_slots + 3 * (size_t)b->n_extra
                          + 1;

   if (n_steps > to->max_steps) {
      size_t   more  = n_steps + n_steps / 2;
      WetStep* steps = job_realloc(&w->job, to->steps,
                                   to->max_steps * sizeof(*steps),
                                   more * sizeof(*steps));
      if (steps == NULL)
         return false;
      to->steps     = steps;
      to->max_steps = more;
   }
   if (n_addrs > to->max_addrs) {
      size_t    more  = n_addrs + n_addrs / 2;
      uint64_t* addrs = job_realloc(&w->job, to->addrs,
                                    to->max_addrs * sizeof(*addrs),
                                    more * sizeof(*addrs));
      if (addrs == NULL)
         return false;
      to->addrs     = addrs;
      to->max_addrs = more;
   }
   return n_addrs <= UINT32_MAX
          || job_fail(&w->job, DCFG_ERROR_LIMIT, "tape",
                      "a chunk has too many accesses");
}

/* The next one, which was left within, to R, and its slots to TO. */
static void take_stop(DcfgWet* w, WetStep* r, uint64_t* to)
{
   Chunk* c    = w->chunk;
   Block* b    = &c->block;
   Stop   stop = find_stop(w, (uint32_t)b->extra[b->at],
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
   const uint64_t* words = join_words(c, &ELEM(w->segments, WetSegment,
                                               sb->segments.first),
                                      stop.n_segments, stop.n_words);
   if (stop.n_slots > 0)
      find_slots(c, &ELEM(w->rules, SlotRule, sb->rules), words,
                 stop.n_slots, to);
}

/* The next one, a mark, to R if it is no turn of threads, and its words to
   TO. */
static bool take_mark(Chunk* c, WetStep* r, uint64_t* to)
{
   Block*   b = &c->block;
   uint32_t mark = (uint32_t)b->extra[b->at++], n = words_of_mark(mark);

   for (uint32_t i = 0; i < 3; i++)
      to[i] = i < n ? b->extra[b->at++] : 0;
   if (mark == MARK_THREAD) {
      c->thread = (uint32_t)to[0];
      return false;
   }
   r->mark    = mark;
   r->n_slots = 3;
   return true;
}

/* All records of the block, whose words have been found. */
static void take_records(DcfgWet* w, WetSteps* to)
{
   Chunk*    c = w->chunk;
   Block*    b = &c->block;
   WetStep*  r = to->steps + to->n_steps;
   uint64_t* addrs = to->addrs + to->n_addrs;

   b->at = 0;
   for (uint32_t i = 0; i < b->n_ways; i++) {
      uint32_t id = b->ways[i];
      *r = (WetStep){ .thread = c->thread,
                      .first = (uint32_t)(addrs - to->addrs) };
      if (id < NO_WAY_STOP) {
         const WetWay* way = &w->ways[id];
         r->sb       = way->sb;
         r->way      = id;
         r->n_instrs = way->n_instrs;
         if (way->n_slots > 0
             && (c->wanted == SLOTS_OF_ALL
                 || (c->wanted == SLOTS_OF_TRANSFERS
                     && (way->stack || way->tops || is_transfer(way->kind))))) {
            r->n_slots = way->n_slots;
            find_way_slots(w, way, addrs);
         } else if (c->wanted == SLOTS_OF_TRANSFERS) {
            pass_slots(w, way);
         }
      } else if (id == NO_WAY_STOP) {
         take_stop(w, r, addrs);
      } else if (!take_mark(c, r, addrs)) {
         continue;
      }
      addrs += r->n_slots;
      r++;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

bool wet_read_block(DcfgWet* w, WetWanted wanted, WetSteps* to)
{
   Chunk* c = w->chunk;

   c->wanted = wanted;
   if (!get_control(w, c))
      return false;
   if (c->block.n_ways > c->n_records)
      return wrong(w);
   c->n_records -= c->block.n_ways;
   if ((wanted != SLOTS_OF_NONE && !find_words(w)) || !make_room(w, to))
      return false;
   take_records(w, to);
   return c->n_records > 0 || c->control.at == c->control.end || wrong(w);
}

bool wet_next_block(DcfgWet* w, WetWanted wanted, WetSteps* to)
{
   to->n_steps = to->n_addrs = 0;
   /* One may have nothing but turns of threads. */
   while (to->n_steps == 0)
      if ((w->chunk->n_records == 0 && !wet_next_chunk(w))
          || !wet_read_block(w, wanted, to))
         return false;
   return true;
}

void wet_free_steps(DcfgWet* w, WetSteps* s)
{
   job_free(&w->job, s->steps, s->max_steps * sizeof(*s->steps));
   job_free(&w->job, s->addrs, s->max_addrs * sizeof(*s->addrs));
   *s = (WetSteps){ 0 };
}

void wet_find_value(DcfgWet* w, const Place* at, DcfgWetEvent* e)
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
