
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

/* A value: the last one, and its difference from the one before. */
typedef
   struct {
      ULong last, step;
   }
   Value;

/* Values that came after another one of the same instruction. */
#define VALUE_BITS 16
#define N_VALUES   (1u << VALUE_BITS)

/* What is known of a superblock, by its id.  Of each address on the tape:
   the last one, the step that it makes, and another step that it made once;
   three arrays, one behind the other. */
typedef
   struct {
      const SlotList* list;
      Addr*           last;
      Value*          values;    // as .last, for the values on the tape
      UInt            id;
      UInt            n_words;   // of an execution that came to its end
      Bool            met;       // in this chunk
   }
   Coding;

/* Where the next bits are put: the first one lowest. */
typedef
   struct {
      UChar* at;
      ULong  word;           // those that are not there yet
      UInt   n;
   }
   BitPen;

/* What changes with each record: kept in registers while a slice is
   coded. */
typedef
   struct {
      UChar* control;        // where the next bytes are put,
      UChar* addresses;
      UChar* values;
      BitPen bits;
      BitPen value_bits;
      UInt   n_right;        // headers as foretold since the last that was not
      UInt   history;
      UInt   context;
      Addr   stack;          // the last address that was made from RSP
   }
   Pen;

struct _Coder {
   Stream* stream;
   ULong   n_records;        // in all chunks
   UInt    n_here;           // in this one
   Pen     pen;
   UChar*  control;          // begin of each of its parts
   UChar*  bits;
   UChar*  addresses;
   UChar*  value_bits;
   UChar*  values;
   Coding* codings;          // by id
   UInt    n_codings;
   ULong   next[N_HISTORIES];
   Addr    before[N_CONTEXTS + DCFG_TAPE_SLACK];
   ULong   after[N_VALUES];
};

#define INLINE static inline __attribute__((always_inline))

/*------------------------------------------------------------*/
/*--- Bits                                                 ---*/
/*------------------------------------------------------------*/

/* The N lowest bits of BITS, the others being 0; N is at most 64. */
INLINE void put_bits(BitPen* p, ULong bits, UInt n)
{
   p->word |= bits << p->n;
   if (p->n + n >= 64) {
      /* Whole words so far: it is aligned. */
      *(ULong*)(void*)p->at = p->word;
      p->at  += 8;
      p->word = p->n == 0 ? 0 : bits >> (64 - p->n);
      p->n   -= 64;
   }
   p->n += n;
}

static void flush_bits(BitPen* p)
{
   for (; p->n > 0; p->n -= p->n < 8 ? p->n : 8) {
      *p->at++ = p->word;
      p->word >>= 8;
   }
   p->word = 0;
}

/*------------------------------------------------------------*/
/*--- Headers                                              ---*/
/*------------------------------------------------------------*/

/* So many headers were as foretold, and the next one is the other one that
   was, or something else. */
INLINE void put_right(Pen* p, Bool other)
{
   p->control = DCFG_(put_varint)(p->control, (ULong)p->n_right << 1 | other);
   p->n_right = 0;
}

/* Symbols: a mark, a stop, the end of the chunk; from SymbolFirst on the
   id of a superblock that came to its end, or else, one bit up, took an
   exit, whose number follows. */
enum { SymbolEnd, SymbolMark, SymbolStop, SymbolFirst };

static UChar* put_header(UChar* to, ULong header)
{
   if (TAPE_HOW(header) == TAPE_STOPPED) {
      to = DCFG_(put_varint)(to, SymbolStop);
      to = DCFG_(put_varint)(to, TAPE_ID(header));
      return DCFG_(put_varint)(to, TAPE_DONE(header));
   }
   Bool exited = TAPE_HOW(header) != TAPE_END;
   to = DCFG_(put_varint)(to, SymbolFirst
                              + ((ULong)TAPE_ID(header) << 1 | exited));
   return exited ? DCFG_(put_varint)(to, TAPE_HOW(header)) : to;
}

INLINE void code_header(Coder* c, Pen* p, ULong header)
{
   ULong* next = &c->next[p->history];
   UInt   hash = header * 0x9E3779B97F4A7C15ull >> (64 - HISTORY_BITS);

   p->history = (p->history << 5 ^ hash) % N_HISTORIES;
   p->context = (p->context << 2 ^ hash) % N_CONTEXTS;
   if (header == (UInt)*next) {
      p->n_right++;
   } else {
      if (header == *next >> 32) {
         put_right(p, True);
      } else {
         put_right(p, False);
         p->control = put_header(p->control, header);
      }
      if (header >> 32 == 0)
         *next = *next << 32 | header;
   }
}

static UChar* put_mark(UChar* to, const ULong* words)
{
   UInt mark = TAPE_HOW(words[0]);

   to = DCFG_(put_varint)(to, SymbolMark);
   to = DCFG_(put_varint)(to, mark);
   for (UInt i = 0; i < DCFG_(words_of_mark)(mark); i++)
      to = DCFG_(put_varint)(to, words[1 + i]);
   return to;
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
      k->id      = id;
      k->list    = DCFG_(slots_of)(DCFG_(superblock)(id));
      k->n_words = k->list->n_words;
      k->last    = VG_(malloc)("dcfg.squeeze.slots",
                               3 * k->n_words * sizeof(Addr) + 1);
      k->values  = VG_(malloc)("dcfg.squeeze.values",
                               k->list->n_values * sizeof(Value) + 1);
   }
   VG_(memset)(k->values, 0, k->list->n_values * sizeof(Value));
   VG_(memset)(k->last, 0, 3 * k->n_words * sizeof(Addr));
   k->met = True;
}

INLINE Coding* coding_of(Coder* c, UInt id)
{
   if (id >= c->n_codings || !c->codings[id].met)
      meet(c, id);
   return &c->codings[id];
}

/* It was A this time. */
INLINE void note_address(Addr* last, Addr* step, Addr* other, Addr a)
{
   Addr now = a - *last, was = *step;

   *step  = now == *other ? now : was;
   *other = now == was ? *other : now;
   *last  = a;
}

/* Some of these were not as foretold.  Where one access of a superblock was
   not, because the stack or a structure is elsewhere this time, the next is
   expected to be as far off from where it was last. */
INLINE void code_each(Pen* p, const Coding* k, const Addr* a, UInt n)
{
   Addr* last  = k->last;
   Addr* step  = last + k->n_words;
   Addr* other = step + k->n_words;
   Bool  off   = False;
   Addr  shift = 0;
   ULong bits  = 0;
   UChar* to   = p->addresses;

   for (UInt i = 0; i < n; i++) {
      Addr now   = a[i] - last[i];
      Bool right = now == (off ? shift : step[i]);
      UChar* behind = DCFG_(put_quick)(to, DCFG_(zigzag)(now - shift));
      if (UNLIKELY(i % 64 == 0 && i > 0)) {
         put_bits(&p->bits, bits, 64);
         bits = 0;
      }
      bits |= (ULong)right << i % 64;
      to    = right ? to : behind;
      off   = right ? off : True;
      shift = right ? shift : now;
      note_address(&last[i], &step[i], &other[i], a[i]);
   }
   p->addresses = to;
   put_bits(&p->bits, bits, (n - 1) % 64 + 1);
}

/* What is near the stack pointer is told by how far it is from what was so
   before, wherever that was: so it is the same at each depth. */
INLINE void make_near(Pen* p, const SlotList* list, Addr* a, UInt n)
{
   Addr stack = p->stack;

   for (UInt i = 0; i < list->n_near; i++) {
      UInt word = list->near[i].word;
      Addr now  = a[word];
      if (word >= n)
         break;
      a[word] = now - stack;
      stack   = list->near[i].stack ? now : stack;
   }
   p->stack = stack;
}

INLINE void code_addresses(Coder* c, Pen* p, const Coding* k, Addr* a,
                           UInt n)
{
   Addr* last = k->last;
   Addr* step = last + k->n_words;
   Addr  off  = 0;

   make_near(p, k->list, a, n);
   for (UInt i = 0; i < n; i++)
      off |= a[i] ^ (last[i] + step[i]);
   put_bits(&p->bits, off == 0, 1);
   if (off == 0) {
      for (UInt i = 0; i < n; i++)
         last[i] = a[i];
      return;
   }
   Addr* before = &c->before[p->context];
   off = 0;
   for (UInt i = 0; i < n; i++) {
      off |= a[i] ^ before[i];
      before[i] = a[i];
   }
   put_bits(&p->bits, off == 0, 1);
   if (off == 0)
      for (UInt i = 0; i < n; i++)
         note_address(&last[i], &step[i], &step[k->n_words + i], a[i]);
   else
      code_each(p, k, a, n);
}

/*------------------------------------------------------------*/
/*--- Values                                               ---*/
/*------------------------------------------------------------*/

/* The N words at WORDS become the addresses among them, and VALUES the
   others.  Returns how many addresses they are. */
INLINE UInt divide(const UChar* is_value, ULong* words, UInt n, ULong* values)
{
   UInt n_values = 0;

   for (UInt i = 0; i < n; i++) {
      ULong now = words[i];
      values[n_values]    = now;
      words[i - n_values] = now;
      n_values += is_value[i];
   }
   return n - n_values;
}

/* V are values that K's superblock computed.  Foretold is the next one at the
   same distance, or else what came after the last one before. */
INLINE void code_values(Coder* c, Pen* p, const Coding* k, const ULong* v,
                        UInt n)
{
   UChar* to = p->values;

   for (UInt i = 0; i < n; i++) {
      Value* f     = &k->values[i];
      ULong* after = &c->after[(f->last + ((ULong)k->id << 32) + i)
                               * 0x9E3779B97F4A7C15ull >> (64 - VALUE_BITS)];
      ULong  step  = v[i] - f->last;
      Bool   first = step == f->step, second = v[i] == *after;
      UChar* behind = DCFG_(put_quick)(to, DCFG_(zigzag)(step));
      put_bits(&p->value_bits, first ? 1 : second << 1, first ? 1 : 2);
      to      = first || second ? to : behind;
      *after  = v[i];
      f->step = step;
      f->last = v[i];
   }
   p->values = to;
}

/* The words that go with HEADER, which is of K's superblock. */
INLINE UInt n_words_of(const Coding* k, ULong header)
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
   VG_(memset)(c->after, 0, sizeof(c->after));
   VG_(memset)(&c->pen, 0, sizeof(c->pen));
   c->pen.control   = c->control;
   c->pen.bits.at   = c->bits;
   c->pen.addresses = c->addresses;
   c->pen.values    = c->values;
   c->pen.value_bits.at = c->value_bits;
   c->n_here        = 0;
}

static void append_number(Stream* s, UInt n)
{
   UChar bytes[4] = { n, n >> 8, n >> 16, n >> 24 };
   DCFG_(append_to_stream)(s, bytes, 4);
}

const Stream* DCFG_(end_chunk)(Coder* c)
{
   Pen* p = &c->pen;

   if (c->n_here == 0)
      return c->stream;
   put_right(p, False);
   p->control = DCFG_(put_varint)(p->control, SymbolEnd);
   flush_bits(&p->bits);
   flush_bits(&p->value_bits);
   append_number(c->stream, c->n_here);
   append_number(c->stream, p->control - c->control);
   append_number(c->stream, p->bits.at - c->bits);
   append_number(c->stream, p->addresses - c->addresses);
   append_number(c->stream, p->value_bits.at - c->value_bits);
   append_number(c->stream, p->values - c->values);
   DCFG_(append_to_stream)(c->stream, c->control, p->control - c->control);
   DCFG_(append_to_stream)(c->stream, c->bits, p->bits.at - c->bits);
   DCFG_(append_to_stream)(c->stream, c->addresses,
                           p->addresses - c->addresses);
   DCFG_(append_to_stream)(c->stream, c->value_bits,
                           p->value_bits.at - c->value_bits);
   DCFG_(append_to_stream)(c->stream, c->values, p->values - c->values);
   forget(c);
   return c->stream;
}

/* Code up to END, or a few more for a whole record.  Returns where the next
   one begins. */
static ULong* code_slice(Coder* c, ULong* words, const ULong* end)
{
   Pen  p = c->pen;
   UInt n_records = 0;

   while (words < end) {
      ULong header = *words;
      if (UNLIKELY(TAPE_ID(header) == 0)) {
         put_right(&p, False);
         p.control = put_mark(p.control, words);
         words += 1 + DCFG_(words_of_mark)(TAPE_HOW(header));
      } else {
         const Coding* k = coding_of(c, TAPE_ID(header));
         UInt          n = n_words_of(k, header);
         UInt          n_addrs = n;
         code_header(c, &p, header);
         if (k->list->n_values > 0) {
            ULong values[DCFG_TAPE_SLACK];
            n_addrs = divide(k->list->is_value, words + 1, n, values);
            code_values(c, &p, k, values, n - n_addrs);
         }
         if (n_addrs > 0)
            code_addresses(c, &p, k, (Addr*)words + 1, n_addrs);
         words += 1 + n;
      }
      n_records++;
   }
   c->pen        = p;
   c->n_here    += n_records;
   c->n_records += n_records;
   return words;
}

void DCFG_(squeeze_words)(Coder* c, ULong* words, const ULong* end)
{
   while (words < end) {
      words = code_slice(c, words, end - words < SLICE ? end : words + SLICE);
      if (c->n_here >= CHUNK_RECORDS
          || (c->pen.control - c->control) + (c->pen.bits.at - c->bits)
             + (c->pen.addresses - c->addresses)
             + (c->pen.value_bits.at - c->value_bits)
             + (c->pen.values - c->values) >= CHUNK_BYTES)
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
   c->control   = VG_(malloc)("dcfg.squeeze.parts",
                              CHUNK_BYTES
                              + 5 * DCFG_MAX_VARINT * (SLICE_ROOM + 1));
   c->bits      = VG_(malloc)("dcfg.squeeze.parts",
                              CHUNK_BYTES + SLICE_ROOM + 8);
   c->addresses = VG_(malloc)("dcfg.squeeze.parts",
                              CHUNK_BYTES + DCFG_MAX_QUICK * (SLICE_ROOM + 1));
   c->value_bits = VG_(malloc)("dcfg.squeeze.parts",
                               CHUNK_BYTES + SLICE_ROOM + 8);
   c->values     = VG_(malloc)("dcfg.squeeze.parts",
                               CHUNK_BYTES
                               + DCFG_MAX_QUICK * (SLICE_ROOM + 1));
   forget(c);
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
   forget(c);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
