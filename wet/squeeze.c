
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

/* A chunk ends when it has about this many bytes or records. */
#define CHUNK_BYTES   (4u << 20)
#define CHUNK_RECORDS (4u << 20)

/* So many words, and one more record, are coded between two looks at how
   long the chunk is. */
#define SLICE         8192u
#define SLICE_ROOM    (SLICE + DCFG_TAPE_SLACK)

/* The two headers that came last after these before: the later one in the
   lower half.  Those that need more than 32 bits are not foretold. */
#define HISTORY_BITS 16
#define N_HISTORIES  (1u << HISTORY_BITS)

/* Where addresses stand that came upon the same history before, this time a
   longer one. */
#define CONTEXT_BITS 16
#define N_CONTEXTS   (1u << CONTEXT_BITS)

/* What is known of a superblock, by its id.  Of each address on the tape:
   the last one, the step that it makes, and another step that it made once;
   three arrays, one behind the other. */
typedef
   struct {
      const SlotList* list;
      Addr*           last;
      UInt            n_words;   // of an execution that came to its end
      Bool            met;       // in this chunk
   }
   Coding;

struct _Coder {
   Stream* stream;
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
   UInt    context;
   Addr    stack;            // the last address that was made from RSP
   Addr    before[N_CONTEXTS + DCFG_TAPE_SLACK];
};

/*------------------------------------------------------------*/
/*--- Bits                                                 ---*/
/*------------------------------------------------------------*/

/* The N lowest bits of BITS, the others being 0; N is at most 64. */
static inline void put_bits(Coder* c, ULong bits, UInt n)
{
   c->bit_word |= bits << c->n_bits;
   if (c->n_bits + n >= 64) {
      /* Whole words so far: it is aligned. */
      *(ULong*)(void*)(c->bits.bytes + c->bits.used) = c->bit_word;
      c->bits.used += 8;
      c->bit_word   = c->n_bits == 0 ? 0 : bits >> (64 - c->n_bits);
      c->n_bits    -= 64;
   }
   c->n_bits += n;
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

/* So many headers were as foretold, and the next one is the other one that
   was, or something else. */
static inline void put_right(Coder* c, Bool other)
{
   DCFG_(put_varint)(&c->control, (ULong)c->n_right << 1 | other);
   c->n_right = 0;
}

/* Symbols: a mark, a stop, the end of the chunk; from SymbolFirst on the
   id of a superblock that came to its end, or else, one bit up, took an
   exit, whose number follows. */
enum { SymbolEnd, SymbolMark, SymbolStop, SymbolFirst };

static void put_header(Coder* c, ULong header)
{
   put_right(c, False);
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

static inline void code_header(Coder* c, ULong header)
{
   ULong* next = &c->next[c->history];

   if (header == (UInt)*next) {
      c->n_right++;
   } else {
      if (header == *next >> 32)
         put_right(c, True);
      else
         put_header(c, header);
      if (header >> 32 == 0)
         *next = *next << 32 | header;
   }
   UInt hash = header * 0x9E3779B97F4A7C15ull >> (64 - HISTORY_BITS);
   c->history = (c->history << 5 ^ hash) % N_HISTORIES;
   c->context = (c->context << 2 ^ hash) % N_CONTEXTS;
}

static void put_mark(Coder* c, const ULong* words)
{
   UInt mark = TAPE_HOW(words[0]);

   put_right(c, False);
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
   if (k->list == NULL) {
      k->list    = DCFG_(slots_of)(DCFG_(superblock)(id));
      k->n_words = k->list->n_words;
      k->last    = VG_(malloc)("dcfg.squeeze.slots",
                               3 * k->n_words * sizeof(Addr) + 1);
   }
   VG_(memset)(k->last, 0, 3 * k->n_words * sizeof(Addr));
   k->met = True;
}

static inline Coding* coding_of(Coder* c, UInt id)
{
   if (id >= c->n_codings || !c->codings[id].met)
      meet(c, id);
   return &c->codings[id];
}

/* It was A this time. */
static inline void note_address(Addr* last, Addr* step, Addr* other, Addr a)
{
   Addr now = a - *last, was = *step;

   *step  = now == *other ? now : was;
   *other = now == was ? *other : now;
   *last  = a;
}

/* Some of these were not as foretold.  Where one access of a superblock was
   not, because the stack or a structure is elsewhere this time, the next is
   expected to be as far off from where it was last. */
static void code_each(Coder* c, const Coding* k, const Addr* a, UInt n)
{
   Addr* last  = k->last;
   Addr* step  = last + k->n_words;
   Addr* other = step + k->n_words;
   Bool  off   = False;
   Addr  shift = 0;
   ULong bits  = 0;
   UChar* to   = c->addresses.bytes + c->addresses.used;

   for (UInt i = 0; i < n; i++) {
      Addr now   = a[i] - last[i];
      Bool right = now == (off ? shift : step[i]);
      UChar* behind = DCFG_(put_quick)(to, DCFG_(zigzag)(now - shift));
      if (UNLIKELY(i % 64 == 0 && i > 0)) {
         put_bits(c, bits, 64);
         bits = 0;
      }
      bits |= (ULong)right << i % 64;
      to    = right ? to : behind;
      off   = right ? off : True;
      shift = right ? shift : now;
      note_address(&last[i], &step[i], &other[i], a[i]);
   }
   c->addresses.used = to - c->addresses.bytes;
   put_bits(c, bits, (n - 1) % 64 + 1);
}

/* What is near the stack pointer is told by how far it is from what was so
   before, wherever that was: so it is the same at each depth. */
static inline void make_near(Coder* c, const SlotList* list, Addr* a, UInt n)
{
   Addr stack = c->stack;

   for (UInt i = 0; i < list->n_near; i++) {
      UInt word = list->near[i].word;
      Addr now  = a[word];
      if (word >= n)
         break;
      a[word] = now - stack;
      stack   = list->near[i].stack ? now : stack;
   }
   c->stack = stack;
}

static inline void code_addresses(Coder* c, const Coding* k, Addr* a, UInt n)
{
   Addr* last = k->last;
   Addr* step = last + k->n_words;
   Addr  off  = 0;

   make_near(c, k->list, a, n);
   for (UInt i = 0; i < n; i++)
      off |= a[i] ^ (last[i] + step[i]);
   put_bits(c, off == 0, 1);
   if (off == 0) {
      for (UInt i = 0; i < n; i++)
         last[i] = a[i];
      return;
   }
   Addr* before = &c->before[c->context];
   off = 0;
   for (UInt i = 0; i < n; i++) {
      off |= a[i] ^ before[i];
      before[i] = a[i];
   }
   put_bits(c, off == 0, 1);
   if (off == 0)
      for (UInt i = 0; i < n; i++)
         note_address(&last[i], &step[i], &step[k->n_words + i], a[i]);
   else
      code_each(c, k, a, n);
}

/* The words that go with HEADER, which is of K's superblock. */
static inline UInt n_words_of(const Coding* k, ULong header)
{
   UInt how = TAPE_HOW(header);

   if (how == TAPE_END)
      return k->n_words;
   if (how != TAPE_STOPPED)
      return k->list->words_at_exit[how];
   return DCFG_(words_before)(k->list, TAPE_DONE(header));
}

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

/* Nothing is foretold. */
static void forget(Coder* c)
{
   for (UInt id = 0; id < c->n_codings; id++)
      c->codings[id].met = False;
   VG_(memset)(c->next, 0, sizeof(c->next));
   VG_(memset)(c->before, 0, sizeof(c->before));
   c->history = 0;
   c->context = 0;
   c->stack   = 0;
   c->n_here  = 0;
}

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
   put_right(c, False);
   DCFG_(put_varint)(&c->control, SymbolEnd);
   flush_bits(c);
   append_number(c->stream, c->n_here);
   append_number(c->stream, c->control.used);
   append_number(c->stream, c->bits.used);
   append_number(c->stream, c->addresses.used);
   append_part(c->stream, &c->control);
   append_part(c->stream, &c->bits);
   append_part(c->stream, &c->addresses);
   forget(c);
   return c->stream;
}

/* Code up to END, or a few more for a whole record.  Returns where the next
   one begins. */
static ULong* code_slice(Coder* c, ULong* words, const ULong* end)
{
   while (words < end) {
      ULong header = *words;
      if (TAPE_ID(header) == 0) {
         put_mark(c, words);
         words += 1 + DCFG_(words_of_mark)(TAPE_HOW(header));
      } else {
         const Coding* k = coding_of(c, TAPE_ID(header));
         UInt          n = n_words_of(k, header);
         code_header(c, header);
         if (n > 0)
            code_addresses(c, k, (Addr*)words + 1, n);
         words += 1 + n;
      }
      c->n_here++;
   }
   return words;
}

void DCFG_(squeeze_words)(Coder* c, ULong* words, const ULong* end)
{
   while (words < end) {
      UInt here = c->n_here;
      words = code_slice(c, words, end - words < SLICE ? end : words + SLICE);
      c->n_records += c->n_here - here;
      if (c->n_here >= CHUNK_RECORDS
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

   /* A chunk that is not yet long enough, a slice, and the end. */
   DCFG_(need_room)(&c->control,
                    CHUNK_BYTES + 5 * DCFG_MAX_VARINT * (SLICE_ROOM + 1));
   DCFG_(need_room)(&c->bits, CHUNK_BYTES + SLICE_ROOM + 8);
   DCFG_(need_room)(&c->addresses,
                    CHUNK_BYTES + DCFG_MAX_QUICK * (SLICE_ROOM + 1));
   c->stream = DCFG_(new_stream)();
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
   c->n_right   = 0;
   c->bit_word  = 0;
   c->n_bits    = 0;
   c->control.used = c->bits.used = c->addresses.used = 0;
   forget(c);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
