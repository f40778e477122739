
/*--------------------------------------------------------------------*/
/*--- The code of the tape.                        wet/squeeze.c ---*/
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

/* Owns: the code of a tape (docs/wet-file.md has it byte by byte): which
   superblock comes next and where it accesses memory is foretold from what
   was before, and only what came otherwise is written.  Handed: the
   words, and taken by: wet/tape.c.

   A chunk begins with nothing foretold, so that it can be read without
   those before it.  It has three parts, each of them sequential:

   - control: how many headers were as foretold, then one that was not, or a
     mark; and so on;
   - bits: one for each superblock that accesses memory (1: all addresses
     were as foretold), else one for each of its accesses;
   - addresses: those that were not, as differences. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "dcfg_bb.h"
#include "wet/packed.h"
#include "wet/slots.h"
#include "wet/squeeze.h"
#include "wet/tape_words.h"

/* A chunk ends when it has this many bytes or records. */
#define CHUNK_BYTES   (4u << 20)
#define CHUNK_RECORDS (4u << 20)

/* The headers that came after these before. */
#define HISTORY_BITS 16
#define N_HISTORIES  (1u << HISTORY_BITS)

/* What is known of a slot: the last address, the step that it makes, and
   another step that it made once. */
typedef
   struct {
      Addr last;
      Addr step;
      Addr other;
   }
   Foretold;

/* What is known of a superblock, by its id. */
typedef
   struct {
      UInt      chunk;       // to which .slots belongs
      UInt      n_slots;     // that an execution has that came to its end,
   const UShort* at_exit; // that took this exit
      Foretold* slots;
   }
   Coding;

struct _Coder {
   Stream* stream;
   UInt    chunk;            // number of the one in work
   ULong   n_records;        // in all chunks
   UInt    n_here;           // in this one
   Bytes   control, bits, addresses;
   UInt    n_right;          // headers as foretold since the last that was not
   ULong   bit_word;         // of .bits, those that are not there yet,
   UInt    n_bits;           // the first one lowest
   Coding* codings;          // by id
   UInt    n_codings;
   UInt    history;
   ULong   next[N_HISTORIES];
};

/*------------------------------------------------------------*/
/*--- Bits                                                 ---*/
/*------------------------------------------------------------*/

/* A difference: the sign is the lowest bit. */
static inline ULong zigzag(ULong d)
{
   return d << 1 ^ (ULong)((Long)d >> 63);
}

static inline void put_bit(Coder* c, Bool bit)
{
   c->bit_word |= (ULong)bit << c->n_bits;
   if (++c->n_bits < 64)
      return;
   /* Whole words so far: it is aligned. */
   *(ULong*)(void*)(c->bits.bytes + c->bits.used) = c->bit_word;
   c->bits.used += 8;
   c->bit_word   = 0;
   c->n_bits     = 0;
}

static void flush_bits(Coder* c)
{
   for (; c->n_bits > 0; c->n_bits -= c->n_bits < 8 ? c->n_bits : 8) {
      c->bits.bytes[c->bits.used++] = c->bit_word;
      c->bit_word >>= 8;
   }
   c->bit_word = 0;
}

/*------------------------------------------------------------*/
/*--- Headers                                              ---*/
/*------------------------------------------------------------*/

static inline void note_header(Coder* c, ULong header)
{
   c->history = (c->history << 5 ^ (UInt)(header * 0x9E3779B97F4A7C15ull
                                          >> (64 - HISTORY_BITS)))
                % N_HISTORIES;
}

static void put_right(Coder* c)
{
   DCFG_(put_varint)(&c->control, c->n_right);
   c->n_right = 0;
}

/* Symbols: a mark, a stop, the end of the chunk; from DCFG_FIRST_SB on the
   id of a superblock that came to its end, or else, one bit up, took an
   exit, whose number follows. */
enum { SymbolEnd, SymbolMark, SymbolStop, SymbolFirst };

static void put_header(Coder* c, ULong header)
{
   put_right(c);
   if (TAPE_HOW(header) == TAPE_STOPPED) {
      DCFG_(put_varint)(&c->control, SymbolStop);
      DCFG_(put_varint)(&c->control, TAPE_ID(header));
      DCFG_(put_varint)(&c->control, TAPE_DONE(header));
   } else {
      Bool exited = TAPE_HOW(header) != TAPE_END;
      DCFG_(put_varint)(&c->control,
                 SymbolFirst + ((ULong)TAPE_ID(header) << 1 | exited));
      if (exited)
         DCFG_(put_varint)(&c->control, TAPE_HOW(header));
   }
}

static void put_mark(Coder* c, const ULong* words)
{
   UInt mark = TAPE_HOW(words[0]);

   put_right(c);
   DCFG_(put_varint)(&c->control, SymbolMark);
   DCFG_(put_varint)(&c->control, mark);
   for (UInt i = 0; i < DCFG_(words_of_mark)(mark); i++)
      DCFG_(put_varint)(&c->control, words[1 + i]);
}

/*------------------------------------------------------------*/
/*--- Addresses                                            ---*/
/*------------------------------------------------------------*/

/* Superblock ID has not been met in this chunk. */
static void meet(Coder* c, UInt id)
{
   if (id >= c->n_codings) {
      UInt n = 2 * id + 1024;
      c->codings = VG_(realloc)("dcfg.squeeze.codings", c->codings,
                                n * sizeof(Coding));
      VG_(memset)(c->codings + c->n_codings, 0,
                  (n - c->n_codings) * sizeof(Coding));
      c->n_codings = n;
   }
   Coding* k = &c->codings[id];
   if (k->slots == NULL) {
      const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(id));
      k->n_slots = list->n_slots;
      k->at_exit = list->at_exit;
      k->slots   = VG_(malloc)("dcfg.squeeze.slots",
                               k->n_slots * sizeof(Foretold) + 1);
   }
   VG_(memset)(k->slots, 0, k->n_slots * sizeof(Foretold));
   k->chunk = c->chunk;
}

static inline Coding* coding_of(Coder* c, UInt id)
{
   if (id >= c->n_codings || c->codings[id].chunk != c->chunk)
      meet(c, id);
   return &c->codings[id];
}

/* Note that it was A. */
static inline void note_address(Foretold* f, Addr a)
{
   Addr step = a - f->last;

   if (step != f->step) {
      if (step == f->other)
         f->step = step;
      f->other = step;
   }
   f->last = a;
}

/* Where one access of a superblock was not where it was expected, because
   the stack or a structure is elsewhere this time, the next is expected to
   be as far off from where it was last. */
static inline void code_addresses(Coder* c, Coding* k, const Addr* a, UInt n)
{
   Bool all = True;

   for (UInt i = 0; i < n && all; i++)
      all = a[i] == k->slots[i].last + k->slots[i].step;
   put_bit(c, all);
   if (all) {
      for (UInt i = 0; i < n; i++)
         k->slots[i].last = a[i];
      return;
   }
   Bool off   = False;
   Addr shift = 0;
   for (UInt i = 0; i < n; i++) {
      Foretold* f     = &k->slots[i];
      Addr      guess = f->last + (off ? shift : f->step);
      put_bit(c, a[i] == guess);
      if (a[i] != guess) {
         DCFG_(put_varint)(&c->addresses, zigzag(a[i] - f->last - shift));
         off   = True;
         shift = a[i] - f->last;
      }
      note_address(f, a[i]);
   }
}

/* The addresses that go with HEADER, which is of K's superblock. */
static inline UInt n_addresses(const Coding* k, ULong header)
{
   UInt how = TAPE_HOW(header), n = 0;

   if (how == TAPE_END)
      return k->n_slots;
   if (how != TAPE_STOPPED)
      return k->at_exit[how];
   const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(TAPE_ID(header)));
   while (n < list->n_slots && list->slots[n].instr < TAPE_DONE(header))
      n++;
   return n;
}

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

static void append_number(Stream* s, UInt n)
{
   UChar bytes[4] = { n, n >> 8, n >> 16, n >> 24 };
   DCFG_(append_to_stream)(s, bytes, 4);
}

static void append_part(Stream* s, Bytes* b)
{
   if (b->used > 0)
      DCFG_(append_to_stream)(s, b->bytes, b->used);
   b->used = 0;
}

const Stream* DCFG_(end_chunk)(Coder* c)
{
   if (c->n_here == 0)
      return c->stream;
   DCFG_(need_room)(&c->control, 2 * DCFG_MAX_VARINT);
   put_right(c);
   DCFG_(put_varint)(&c->control, SymbolEnd);
   flush_bits(c);
   append_number(c->stream, c->n_here);
   append_number(c->stream, c->control.used);
   append_number(c->stream, c->bits.used);
   append_number(c->stream, c->addresses.used);
   append_part(c->stream, &c->control);
   append_part(c->stream, &c->bits);
   append_part(c->stream, &c->addresses);
   VG_(memset)(c->next, 0, sizeof(c->next));
   c->history = 0;
   c->n_here  = 0;
   c->chunk++;
   return c->stream;
}

void DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end)
{
   while (words < end) {
      ULong header = *words;
      DCFG_(need_room)(&c->control, 5 * DCFG_MAX_VARINT);
      if (TAPE_ID(header) == 0) {
         put_mark(c, words);
         words += 1 + DCFG_(words_of_mark)(TAPE_HOW(header));
      } else {
         Coding* k = coding_of(c, TAPE_ID(header));
         UInt    n = n_addresses(k, header);
         if (header == c->next[c->history]) {
            c->n_right++;
         } else {
            put_header(c, header);
            c->next[c->history] = header;
         }
         note_header(c, header);
         if (n > 0) {
            DCFG_(need_room)(&c->bits, n / 8 + 16);
            DCFG_(need_room)(&c->addresses, n * DCFG_MAX_VARINT);
            code_addresses(c, k, (const Addr*)words + 1, n);
         }
         words += 1 + n;
      }
      c->n_records++;
      if (++c->n_here == CHUNK_RECORDS
          || c->control.used + c->bits.used + c->addresses.used
             >= CHUNK_BYTES)
         DCFG_(end_chunk)(c);
   }
}

/*------------------------------------------------------------*/
/*--- Coders                                               ---*/
/*------------------------------------------------------------*/

Coder* DCFG_(new_coder)(void)
{
   Coder* c = VG_(calloc)("dcfg.squeeze", 1, sizeof(Coder));

   c->stream = DCFG_(new_stream)();
   c->chunk  = 1;
   return c;
}

ULong DCFG_(n_coded_records)(const Coder* c)
{
   return c->n_records;
}

void DCFG_(restart_coder)(Coder* c)
{
   DCFG_(delete_stream)(c->stream);
   c->stream    = DCFG_(new_stream)();
   c->n_records = 0;
   c->n_here    = 0;
   c->n_right   = 0;
   c->bit_word  = 0;
   c->n_bits    = 0;
   c->history   = 0;
   c->control.used = c->bits.used = c->addresses.used = 0;
   c->chunk++;
   VG_(memset)(c->next, 0, sizeof(c->next));
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
