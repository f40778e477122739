
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
   wet_load.c.  Taken by: wet_events.c, wet_control.c; wet_chunks.c reads them
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

static uint32_t number_at(const uint8_t* b)
{
   return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16
          | (uint32_t)b[3] << 24;
}

/* How many headers are as foretold, and whether the next one is the other
   that was. */
static void get_right(Chunk* c)
{
   c->n_right = get_varint(&c->control);
   c->other   = c->n_right & 1;
   c->n_right >>= 1;
}

static Bits bits_of(const uint8_t* at, uint32_t n)
{
   return (Bits){ { at, at + n, false }, 0 };
}

bool wet_next_chunk(DcfgWet* w)
{
   Chunk*   c = w->chunk;
   uint8_t  head[24];
   uint32_t n[5];
   size_t   size = 0;

   if (w->tape_left < sizeof(head))
      return w->tape_left != 0 && wrong(w);
   if (!wet_read(w, head, sizeof(head)))
      return false;
   for (int i = 0; i < 5; i++) {
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
   c->control    = (Bytes){ c->data, c->data + n[0], false };
   c->bits       = bits_of(c->control.end, n[1]);
   c->addresses  = (Bytes){ c->bits.bytes.end, c->bits.bytes.end + n[2],
                            false };
   c->value_bits = bits_of(c->addresses.end, n[3]);
   c->values     = (Bytes){ c->value_bits.bytes.end,
                            c->value_bits.bytes.end + n[4], false };
   c->history    = 0;
   c->context    = 0;
   c->stack      = 0;
   get_right(c);
   memset(c->next, 0, sizeof(c->next));
   memset(c->before, 0, sizeof(c->before));
   memset(c->after, 0, sizeof(c->after));
   return true;
}

static inline bool next_bit(Bits* b)
{
   bool bit;

   if (b->bytes.at == b->bytes.end) {
      b->bytes.failed = true;
      return true;
   }
   bit = *b->bytes.at >> b->bit & 1;
   b->bit = (b->bit + 1) % 8;
   if (b->bit == 0)
      b->bytes.at++;
   return bit;
}

/*------------------------------------------------------------*/
/*--- Headers                                              ---*/
/*------------------------------------------------------------*/

#define HOW_END     0xFF
#define HOW_STOPPED 0xFE

enum { SYMBOL_END, SYMBOL_MARK, SYMBOL_STOP, SYMBOL_FIRST };

static uint64_t header_of_symbol(Chunk* c, uint64_t symbol)
{
   if (symbol == SYMBOL_STOP) {
      uint64_t id = get_varint(&c->control);
      return get_varint(&c->control) << 48 | (id & UINT32_MAX) << 8
             | HOW_STOPPED;
   }
   symbol -= SYMBOL_FIRST;
   if (symbol & 1)
      return (symbol >> 1 & UINT32_MAX) << 8
             | get_up_to(&c->control, HOW_STOPPED - 1);
   return (symbol >> 1 & UINT32_MAX) << 8 | HOW_END;
}

/* The header of the next superblock, or 0 for a mark, which goes to R. */
static uint64_t next_header(Chunk* c, Record* r)
{
   uint64_t* next = &c->next[c->history];
   uint64_t  header, symbol;

   if (c->n_right > 0) {
      c->n_right--;
      header = (uint32_t)*next;
   } else if (c->other) {
      header = *next >> 32;
      *next  = *next << 32 | header;
      get_right(c);
   } else {
      symbol = get_varint(&c->control);
      if (symbol == SYMBOL_MARK) {
         r->mark = get_up_to(&c->control, 255);
         for (int i = 0; i < (r->mark == 7 ? 3
                              : r->mark >= 2 && r->mark <= 4 ? 2
                              : r->mark == 1); i++)
            r->words[i] = get_varint(&c->control);
         get_right(c);
         return 0;
      }
      header = header_of_symbol(c, symbol);
      if (header >> 32 == 0)
         *next = *next << 32 | header;
      get_right(c);
   }
   uint32_t hash = (uint32_t)(header * UINT64_C(0x9E3779B97F4A7C15) >> 48);
   c->history = (c->history << 5 ^ hash) & 0xFFFF;
   c->context = (c->context << 2 ^ hash) & 0xFFFF;
   return header;
}

/*------------------------------------------------------------*/
/*--- Addresses                                            ---*/
/*------------------------------------------------------------*/

static void note_address(Foretold* f, uint64_t a)
{
   uint64_t step = a - f->last;

   if (step != f->step) {
      if (step == f->other)
         f->step = step;
      f->other = step;
   }
   f->last = a;
}

/* Nothing is known of SB that is of an earlier chunk. */
static inline void meet(DcfgWet* w, WetSb* sb)
{
   if (sb->chunk == w->chunk->number)
      return;
   sb->chunk = w->chunk->number;
   for (uint32_t i = 0; i < sb->n_words; i++)
      ELEM(w->foretold, Foretold, sb->foretold + i) = (Foretold){ 0 };
   for (uint32_t i = 0; i < sb->n_values; i++)
      ELEM(w->known, KnownValue, sb->known + i) = (KnownValue){ 0 };
}

/* The N addresses that are on the tape. */
static void read_words(DcfgWet* w, WetSb* sb, uint32_t n)
{
   Chunk*    c = w->chunk;
   uint64_t* words = w->words + 1;
   Foretold* f = &ELEM(w->foretold, Foretold, sb->foretold);
   bool      off = false;
   uint64_t  shift = 0;
   uint64_t* before;

   if (next_bit(&c->bits)) {
      for (uint32_t i = 0; i < n; i++)
         words[i] = f[i].last += f[i].step;
      return;
   }
   before = &c->before[c->context];
   if (next_bit(&c->bits)) {
      for (uint32_t i = 0; i < n; i++)
         note_address(&f[i], words[i] = before[i]);
      return;
   }
   for (uint32_t i = 0; i < n; i++) {
      uint64_t a = f[i].last + (off ? shift : f[i].step);
      if (!next_bit(&c->bits)) {
         a = f[i].last + shift + difference_of(get_quick(&c->addresses));
         off = true;
         shift = a - f[i].last;
      }
      note_address(&f[i], a);
      words[i] = before[i] = a;
   }
}

/* The first N values of superblock ID that are on the tape. */
static void read_values(DcfgWet* w, const WetSb* sb, uint32_t id, uint32_t n)
{
   Chunk*      c = w->chunk;
   KnownValue* v = &ELEM(w->known, KnownValue, sb->known);

   for (uint32_t i = 0; i < n; i++) {
      uint64_t* after = &c->after[(v[i].last + ((uint64_t)id << 32) + i)
                                  * UINT64_C(0x9E3779B97F4A7C15) >> 48];
      uint64_t  now;
      if (next_bit(&c->value_bits))
         now = v[i].last + v[i].step;
      else if (next_bit(&c->value_bits))
         now = *after;
      else
         now = v[i].last + difference_of(get_quick(&c->values));
      v[i].step = now - v[i].last;
      v[i].last = w->words[1 + sb->n_words + i] = *after = now;
   }
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

/* How many instructions and accesses HEADER is about. */
static bool find_extent(DcfgWet* w, const WetSb* sb, uint64_t header,
                        Record* r)
{
   const WetAccess* a = &ELEM(w->accesses, WetAccess, sb->slots.first);
   const WetExit*   x = &ELEM(w->exits, WetExit, sb->exits.first);
   uint32_t         how = header & 255;

   r->n_instrs = sb->instrs.n;
   r->n_slots  = sb->slots.n;
   r->n_words  = sb->n_words;
   r->n_values = sb->n_values;
   if (how == HOW_END)
      return true;
   if (how == HOW_STOPPED) {
      r->n_instrs = header >> 48;
      r->n_slots  = r->n_words = r->n_values = 0;
      if (r->n_instrs > sb->instrs.n)
         return false;
      while (r->n_slots < sb->slots.n
             && a[r->n_slots].place < r->n_instrs) {
         r->n_words  += wet_is_address_word(&a[r->n_slots]);
         r->n_values += wet_is_value_word(&a[r->n_slots++]);
      }
      return true;
   }
   if (how >= sb->exits.n)
      return false;
   r->n_instrs = x[how].place + 1u;
   r->n_slots  = x[how].n_slots;
   r->n_words  = x[how].n_words;
   r->n_values = x[how].n_values;
   return true;
}

bool wet_end_chunk(DcfgWet* w)
{
   Chunk* c = w->chunk;

   return (c->n_right == 0 && !c->other
           && get_varint(&c->control) == SYMBOL_END && !c->control.failed)
          || wrong(w);
}

bool wet_next_header(DcfgWet* w, Record* r)
{
   Chunk*   c = w->chunk;
   uint64_t header;

   c->n_records--;
   header = next_header(c, r);
   r->sb  = header >> 8 & UINT32_MAX;
   if (c->control.failed)
      return wrong(w);
   if (header == 0) {
      r->n_instrs = r->n_slots = 0;
      return true;
   }
   return (r->sb != 0 && r->sb < w->sbs.n
           && find_extent(w, &ELEM(w->sbs, WetSb, r->sb), header, r)
           && r->n_instrs > 0)
          || wrong(w);
}

bool wet_read_slots(DcfgWet* w, const Record* r, uint64_t* to)
{
   Chunk* c  = w->chunk;
   WetSb* sb = &ELEM(w->sbs, WetSb, r->sb);

   meet(w, sb);
   if (r->n_slots == 0)
      return true;
   if (r->n_words > 0)
      read_words(w, sb, r->n_words);
   if (r->n_values > 0)
      read_values(w, sb, r->sb, r->n_values);
   find_slots(w, sb, r->n_slots, to);
   return !(c->bits.bytes.failed || c->addresses.failed
            || c->value_bits.bytes.failed || c->values.failed)
          || wrong(w);
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
