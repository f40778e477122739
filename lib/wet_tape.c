
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

/* Owns: the code of the tape: records out of chunks.  Handed: the file by
   wet_load.c, words by wet_columns.c.  Taken by: wet_events.c, wet_control.c; wet_chunks.c reads them
   in any order. */

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
static int words_of_mark(uint32_t mark)
{
   return mark == 7 ? 3 : mark >= 2 && mark <= 4 ? 2 : mark == 1;
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
   c->block.header = c->block.n_headers = 0;
   return true;
}

/*------------------------------------------------------------*/
/*--- Headers                                              ---*/
/*------------------------------------------------------------*/

#define HOW_END     0xFF
#define HOW_STOPPED 0xFE

enum { SYMBOL_END, SYMBOL_MARK, SYMBOL_STOP, SYMBOL_FIRST };

static WetSb* superblock_of(const DcfgWet* w, uint64_t header)
{
   return &ELEM(w->sbs, WetSb, header >> 8 & UINT32_MAX);
}

/* Does the superblock exist, and is it left that way? */
static bool is_header(const DcfgWet* w, uint64_t header)
{
   uint32_t     id = header >> 8 & UINT32_MAX, how = header & 255;
   const WetSb* sb = superblock_of(w, header);

   return id != 0 && id < w->sbs.n && sb->instrs.n > 0
          && (how == HOW_END || how < sb->exits.n
              || (how == HOW_STOPPED && header >> 48 > 0
                  && header >> 48 <= sb->instrs.n));
}

/* Add a word to what the block has beside headers. */
static void add_extra(Block* b, Bytes* from, uint64_t word)
{
   if (b->n_extra < MAX_BLOCK)
      b->extra[b->n_extra++] = word;
   else
      from->failed = true;
}

static void get_mark(Chunk* c)
{
   uint32_t mark = get_up_to(&c->control, 255);

   add_extra(&c->block, &c->control, mark);
   for (int i = 0; i < words_of_mark(mark); i++)
      add_extra(&c->block, &c->control, get_varint(&c->control));
}

/* What R, which did not complete its superblock, has: slots, segments.  Returns
   how many words there are behind those. */
static uint32_t find_stop(const DcfgWet* w, const WetSb* sb, Record* r)
{
   const WetAccess*  a = &ELEM(w->accesses, WetAccess, sb->slots.first);
   const WetSegment* s = &ELEM(w->segments, WetSegment, sb->segments.first);
   uint32_t          n = 0;

   r->n_slots = r->n_segments = 0;
   while (r->n_slots < sb->slots.n && a[r->n_slots].place < r->n_instrs)
      n += wet_is_word(&a[r->n_slots++]);
   while (r->n_segments < sb->segments.n && s[r->n_segments].n_words <= n)
      n -= s[r->n_segments++].n_words;
   return n;
}

/* The header that stands next in the control part; 0: it is none. */
static uint64_t get_header(DcfgWet* w, uint64_t symbol)
{
   Bytes*   from = &w->chunk->control;
   uint64_t header;

   if (symbol == SYMBOL_STOP) {
      uint64_t id = get_varint(from);
      Record   r  = { .n_instrs = get_up_to(from, UINT16_MAX) };
      header = (uint64_t)r.n_instrs << 48 | (id & UINT32_MAX) << 8
               | HOW_STOPPED;
      if (!is_header(w, header))
         return 0;
      for (uint32_t n = find_stop(w, superblock_of(w, header), &r); n > 0; n--)
         add_extra(&w->chunk->block, from, get_varint(from));
      return header;
   }
   symbol -= SYMBOL_FIRST;
   header  = (symbol >> 1 & UINT32_MAX) << 8
             | (symbol & 1 ? get_up_to(from, HOW_STOPPED - 1) : HOW_END);
   return is_header(w, header) ? header : 0;
}

/* HEADER was the next one. */
static inline void note_header(Chunk* c, uint64_t header)
{
   uint32_t hash = (uint32_t)(header * UINT64_C(0x9E3779B97F4A7C15) >> 48);

   c->history = (c->history << 5 ^ hash) & 0xFFFF;
   c->block.headers[c->block.n_headers++] = header;
}

/* The next N as foretold, and if OTHER is set one that is the other one.
   Those in .next are headers, or 0. */
static bool get_foretold(Chunk* c, uint64_t n, bool other)
{
   if (n + other > MAX_BLOCK - c->block.n_headers)
      return false;
   while (n-- > 0) {
      uint64_t header = (uint32_t)c->next[c->history];
      if (header == 0)
         return false;
      note_header(c, header);
   }
   if (other) {
      uint64_t* next = &c->next[c->history];
      *next = *next << 32 | *next >> 32;
      if ((uint32_t)*next == 0)
         return false;
      note_header(c, (uint32_t)*next);
   }
   return true;
}

static bool next_block(DcfgWet* w)
{
   Chunk* c = w->chunk;
   Block* b = &c->block;

   b->n_headers  = b->n_extra = b->header = b->at = 0;
   b->with_words = false;
   for (;;) {
      uint64_t right = get_varint(&c->control), symbol, header;
      if (!get_foretold(c, right >> 1, right & 1))
         return wrong(w);
      if (right & 1)
         continue;
      symbol = get_varint(&c->control);
      if (c->control.failed || b->n_headers == MAX_BLOCK)
         return wrong(w);
      if (symbol == SYMBOL_END)
         return b->n_headers > 0 || wrong(w);
      if (symbol == SYMBOL_MARK) {
         get_mark(c);
         b->headers[b->n_headers++] = 0;
         continue;
      }
      header = get_header(w, symbol);
      if (header == 0)
         return wrong(w);
      if (header >> 32 == 0)
         c->next[c->history] = c->next[c->history] << 32 | header;
      note_header(c, header);
   }
}

/* How many instructions and slots HEADER is about. */
static inline void find_extent(DcfgWet* w, uint64_t header, Record* r)
{
   const WetSb* sb  = superblock_of(w, header);
   uint32_t     how = header & 255;

   r->sb = header >> 8 & UINT32_MAX;
   r->exit = how == HOW_STOPPED ? DCFG_NONE : how == HOW_END ? sb->exits.n
                                                               : how;
   if (how == HOW_END) {
      r->n_instrs   = sb->instrs.n;
      r->n_slots    = sb->slots.n;
      r->n_segments = sb->segments.n;
   } else if (how == HOW_STOPPED) {
      r->n_instrs = header >> 48;
      r->extra    = w->chunk->block.at;
      w->chunk->block.at += find_stop(w, sb, r);
   } else {
      const WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + how);
      r->n_instrs   = x->place + 1u;
      r->n_slots    = x->n_slots;
      r->n_segments = x->n_segments;
   }
}

bool wet_next_header(DcfgWet* w, Record* r)
{
   Chunk*   c = w->chunk;
   Block*   b = &c->block;
   uint64_t header;

   if (b->header == b->n_headers && !next_block(w))
      return false;
   c->n_records--;
   header   = b->headers[b->header++];
   r->extra = MAX_BLOCK;
   if (header != 0) {
      find_extent(w, header, r);
      return true;
   }
   r->sb   = r->n_instrs = r->n_slots = 0;
   r->mark = (uint32_t)b->extra[b->at++];
   for (int i = 0; i < words_of_mark(r->mark); i++)
      r->words[i] = b->extra[b->at++];
   return true;
}

bool wet_end_chunk(DcfgWet* w)
{
   const Chunk* c = w->chunk;

   return (c->block.header == c->block.n_headers
           && c->control.at == c->control.end)
          || wrong(w);
}

/*------------------------------------------------------------*/
/*--- Words                                                ---*/
/*------------------------------------------------------------*/

/* Nothing is known of SB's columns that is of an earlier chunk. */
static inline void meet(DcfgWet* w, WetSb* sb)
{
   if (sb->chunk == w->chunk->number)
      return;
   sb->chunk = w->chunk->number;
   if (sb->n_words > 0)
      memset(&ELEM(w->columns, Column,
                   ELEM(w->segments, WetSegment, sb->segments.first).columns),
             0, sb->n_words * sizeof(Column));
}

/* Which rows each segment has in this block. */
static bool count_rows(DcfgWet* w)
{
   Block* b = &w->chunk->block;
   Record r;
   uint32_t at = b->at;

   b->n_words = b->n_segments = 0;
   for (uint32_t i = 0; i < b->n_headers; i++) {
      if (b->headers[i] == 0)
         continue;
      find_extent(w, b->headers[i], &r);
      WetSb* sb = superblock_of(w, b->headers[i]);
      meet(w, sb);
      for (uint32_t k = 0; k < r.n_segments; k++) {
         WetSegment* s = &ELEM(w->segments, WetSegment,
                               sb->segments.first + k);
         if (s->n_rows++ == 0)
            b->segments[b->n_segments++] = sb->segments.first + k;
         b->n_words += s->n_words;
         if (b->n_words > MAX_BLOCK)
            return wrong(w);
      }
   }
   b->at = at;
   return true;
}

static bool find_words(DcfgWet* w)
{
   Chunk*   c  = w->chunk;
   Block*   b  = &c->block;
   uint32_t at = 0;

   if (!count_rows(w))
      return false;
   for (uint32_t i = 0; i < b->n_segments; i++) {
      WetSegment* s = &ELEM(w->segments, WetSegment, b->segments[i]);
      wet_read_columns(w, s, b->words + at, s->n_rows);
      s->at     = at;
      at       += s->n_rows * s->n_words;
      s->n_rows = 0;
   }
   b->with_words = true;
   return (!c->bits.bytes.failed && !c->numbers.failed) || wrong(w);
}

/* Its words, from number 1 on. */
static inline void take_words(DcfgWet* w, const Record* r, const WetSb* sb)
{
   const Block* b  = &w->chunk->block;
   uint64_t*    to = w->words + 1;

   for (uint32_t i = 0; i < r->n_segments; i++) {
      WetSegment* s = &ELEM(w->segments, WetSegment, sb->segments.first + i);
      for (uint32_t k = 0; k < s->n_words; k++)
         *to++ = b->words[s->at++];
   }
   for (uint32_t k = r->extra; k < b->at; k++)
      *to++ = b->extra[k];
}

/* The first N slots of SB, which are not none, to TO. */
static inline void find_slots(DcfgWet* w, const WetSb* sb, uint32_t n,
                              uint64_t* to)
{
   const SlotRule* r     = &ELEM(w->rules, SlotRule, sb->rules);
   const uint64_t* words = w->words;
   uint64_t*       slots = w->addrs;

   slots[-1] = w->chunk->stack;
   for (uint32_t i = 0; i < n; i++)
      to[i] = slots[i] = slots[r[i].base] + words[r[i].word] + r[i].addr;
   w->chunk->stack = slots[r[n - 1].stack];
}

bool wet_read_slots(DcfgWet* w, const Record* r, uint64_t* to)
{
   const WetSb* sb = &ELEM(w->sbs, WetSb, r->sb);

   if (!w->chunk->block.with_words && !find_words(w))
      return false;
   take_words(w, r, sb);
   if (r->n_slots > 0)
      find_slots(w, sb, r->n_slots, to);
   return true;
}

bool wet_next_record(DcfgWet* w, Record* r)
{
   Chunk* c = w->chunk;

   if (c->n_records == 0
       && ((c->number > 0 && !wet_end_chunk(w)) || !wet_next_chunk(w)))
      return false;
   if (!wet_next_header(w, r))
      return false;
   r->addrs = w->addrs;
   return r->sb == 0 || wet_read_slots(w, r, w->addrs);
}

void wet_find_value(DcfgWet* w, const Place* at, DcfgWetEvent* e)
{
   const WetSb*     sb    = &ELEM(w->sbs, WetSb, w->record.sb);
   uint32_t         first = (uint32_t)at->slot + at->n_slots;
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
