
/*--------------------------------------------------------------------*/
/*--- The code of the tape.                          wet/squeeze.c ---*/
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
   superblock comes next is foretold from what was before, and only what came
   otherwise is written.  Handed: the words, and taken by: wet/tape.c.

   A chunk begins with nothing foretold, so that it can be read without those
   before it.  It is a sequence of blocks.  Of a block come first the headers
   and marks, in their order, then the other words, superblock by superblock:
   what an instruction had on the tape in all executions of the block is a
   column, which wet/columns.c codes.  An exit may leave words out; so the
   words between two exits, a *segment*, have rows of their own.

   A chunk has three parts, each of them sequential: control, and what columns
   need, bits and numbers. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "dcfg_bb.h"
#include "wet/columns.h"
#include "wet/packed.h"
#include "wet/slots.h"
#include "wet/squeeze.h"
#include "wet/tape_words.h"

/* A chunk ends when it has about this many bytes or records. */
#define CHUNK_BYTES   (4u << 20)
#define CHUNK_RECORDS (1u << 20)

/* A block has at most so many words. */
#define BLOCK_WORDS   DCFG_BLOCK_WORDS

/* The two headers that came last after these before: the later one in the
   lower half.  Those that need more than 32 bits are not foretold. */
#define HISTORY_BITS 16
#define N_HISTORIES  (1u << HISTORY_BITS)

/* The words of a superblock between two exits. */
typedef
   struct {
      UInt    n_rows;        // in this block
      UInt    row;           // where the next one stands in .records
      UInt    n_words;
      Column* columns;
   }
   Segment;

/* What is known of a superblock, by its id. */
typedef
   struct {
      Segment* segments;     // NULL: it has not been met
      UInt     n_segments;
      Bool     met;          // in this chunk
   }
   Coding;

/* An execution of a segment: where the tape has its words. */
typedef
   struct {
      UInt id, segment, words;
   }
   Row;

struct _Coder {
   Stream*  stream;
   ULong    n_records;       // in all chunks
   UInt     n_here;          // in this one
   UChar*   control;         // begin of each of its parts
   UChar*   bits;
   UChar*   numbers;
   UChar*   control_end;     // where the next bytes are put
   UChar*   numbers_end;
   BitPen   pen;
   UInt     history;
   Addr     stack;           // of DCFG_(tape), at the end of what was coded,
   Addr     first_stack;     // and at the begin of the chunk
   ULong    thread;          // that runs
   Coding*  codings;         // by id
   UInt     n_codings;
   ULong    next[N_HISTORIES];
   /* Of the block in work. */
   Row      rows[BLOCK_WORDS];          // in their order
   UInt     n_rows;
   UInt     records[BLOCK_WORDS];       // those of them by segment
   Segment* segments[BLOCK_WORDS];      // in order of their first row
   UInt     n_segments;
};

#define INLINE static inline __attribute__((always_inline))

/*------------------------------------------------------------*/
/*--- Superblocks                                          ---*/
/*------------------------------------------------------------*/

/* Divide the words of K's superblock, which are LIST's, at its N_EXITS. */
static void find_segments(Coding* k, const SlotList* list, UInt n_exits)
{
   UInt begin = 0;

   k->segments = VG_(malloc)("dcfg.squeeze.segments",
                             (n_exits + 1) * sizeof(Segment));
   for (UInt x = 0; x <= n_exits; x++) {
      UInt end = x == n_exits ? list->n_words : list->words_at_exit[x];
      if (end > begin) {
         Segment s = { 0, 0, end - begin,
                       VG_(malloc)("dcfg.squeeze.columns",
                                   (end - begin) * sizeof(Column)) };
         k->segments[k->n_segments++] = s;
         begin = end;
      }
   }
}

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
   if (k->segments == NULL) {
      Superblock* sb = DCFG_(superblock)(id);
      find_segments(k, DCFG_(slots_of)(sb), sb->n_exits);
   }
   for (UInt i = 0; i < k->n_segments; i++)
      VG_(memset)(k->segments[i].columns, 0,
                  k->segments[i].n_words * sizeof(Column));
   k->met = True;
}

INLINE Coding* coding_of(Coder* c, UInt id)
{
   if (UNLIKELY(id >= c->n_codings || !c->codings[id].met))
      meet(c, id);
   return &c->codings[id];
}

/*------------------------------------------------------------*/
/*--- Control                                              ---*/
/*------------------------------------------------------------*/

/* What changes with each record. */
typedef
   struct {
      UChar* control;
      UInt   n_right;        // headers as foretold since the last that was not
      UInt   history;
      UInt   n_rows;         // of the block
   }
   Pen;

/* So many headers were as foretold, and the next one is the other one that
   was, or something else. */
INLINE void put_right(Pen* p, Bool other)
{
   p->control = DCFG_(put_varint)(p->control, (ULong)p->n_right << 1 | other);
   p->n_right = 0;
}

/* Symbols: the end of the block, a mark, a stop; from SymbolFirst on the
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

static UChar* put_mark(UChar* to, UInt mark, const ULong* words)
{
   to = DCFG_(put_varint)(to, SymbolMark);
   to = DCFG_(put_varint)(to, mark);
   for (UInt i = 0; i < DCFG_(words_of_mark)(mark); i++)
      to = DCFG_(put_varint)(to, words[i]);
   return to;
}

/* Where there is nothing before the first of WORDS that could say it, say
   which thread runs. */
static void begin_chunk(Coder* c, Pen* p, const ULong* words)
{
   if (c->n_here > 0 || words[0] == TAPE_HEADER(0, MarkThread))
      return;
   put_right(p, False);
   p->control = put_mark(p->control, MarkThread, &c->thread);
   c->n_here++;
}

/*------------------------------------------------------------*/
/*--- Records                                              ---*/
/*------------------------------------------------------------*/

/* Superblock ID was left within: A are its N words.  Those of a segment that
   it did not complete are no row. */
static UInt code_stopped(Coder* c, Pen* p, UInt id, const ULong* a, UInt n)
{
   const Coding* k = coding_of(c, id);
   UInt n_segments = 0, begin = 0;

   while (n_segments < k->n_segments
          && begin + k->segments[n_segments].n_words <= n)
      begin += k->segments[n_segments++].n_words;
   for (; begin < n; begin++)
      p->control = DCFG_(put_varint)(p->control, a[begin]);
   return n_segments;
}

/* The record at WORDS[AT], of a superblock.  Returns how many words it
   has. */
INLINE UInt code_record(Coder* c, Pen* p, const ULong* words, UInt at)
{
   ULong header     = words[at];
   UInt  id         = TAPE_ID(header);
   UInt  n          = TAPE_WORDS(header);
   UInt  n_segments = TAPE_SEGMENTS(header);
   UInt  first      = at + 1;

   if (LIKELY(TAPE_HOW(header) != TAPE_STOPPED)) {
      code_header(c, p, TAPE_WAY(header));
   } else {
      n = DCFG_(words_before)(DCFG_(slots_of)(DCFG_(superblock)(id)),
                              TAPE_DONE(header));
      code_header(c, p, header);
      n_segments = code_stopped(c, p, id, &words[first], n);
   }
   Row row = { id, 0, first };
   c->rows[p->n_rows] = row;
   p->n_rows += n_segments > 0;
   for (UInt i = 1; i < n_segments; i++) {
      row.segment = i;
      c->rows[p->n_rows++] = row;
   }
   return n + 1;
}

/* The block's rows, segment by segment. */
static void sort_rows(Coder* c)
{
   UInt n = 0;

   c->n_segments = 0;
   for (UInt i = 0; i < c->n_rows; i++) {
      Row*     row = &c->rows[i];
      Segment* s   = coding_of(c, row->id)->segments;
      for (UInt k = 0; UNLIKELY(k < row->segment); k++)
         row->words += s++->n_words;
      c->segments[c->n_segments] = s;
      c->n_segments += s->n_rows++ == 0;
   }
   for (UInt i = 0; i < c->n_segments; i++) {
      c->segments[i]->row = n;
      n += c->segments[i]->n_rows;
   }
   for (UInt i = 0; i < c->n_rows; i++) {
      const Row* row = &c->rows[i];
      c->records[c->codings[row->id].segments[row->segment].row++]
         = row->words;
   }
}

/* The words of all records from WORDS on. */
static void code_columns(Coder* c, const ULong* words)
{
   const UInt* at = c->records;

   for (UInt i = 0; i < c->n_segments; i++) {
      Segment* s = c->segments[i];
      c->numbers_end = DCFG_(put_columns)(&c->pen, c->numbers_end, s->columns,
                                          s->n_words, words, at, s->n_rows);
      at       += s->n_rows;
      s->n_rows = 0;
   }
}

/* The N words from WORDS on, a block. */
static void code_block(Coder* c, const ULong* words, UInt n)
{
   Pen  p = { c->control_end, 0, c->history, 0 };
   UInt n_records = 0, at = 0;

   begin_chunk(c, &p, words);
   for (; at < n; n_records++) {
      UInt mark = TAPE_HOW(words[at]);
      if (LIKELY(TAPE_ID(words[at]) != 0)) {
         at += code_record(c, &p, words, at);
         continue;
      }
      if (mark == MarkThread)
         c->thread = words[at + 1];
      put_right(&p, False);
      p.control = put_mark(p.control, mark, &words[at + 1]);
      at += 1 + DCFG_(words_of_mark)(mark);
   }
   put_right(&p, False);
   c->control_end = DCFG_(put_varint)(p.control, SymbolEnd);
   c->history     = p.history;
   c->n_rows      = p.n_rows;
   c->n_here     += n_records;
   c->n_records  += n_records;
   sort_rows(c);
   code_columns(c, words);
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
   VG_(memset)(&c->pen, 0, sizeof(c->pen));
   c->pen.at      = c->bits;
   c->control_end = c->control;
   c->numbers_end = c->numbers;
   c->history     = 0;
   c->first_stack = c->stack;
   c->n_here      = 0;
}

static void append_number(Stream* s, ULong n, UInt n_bytes)
{
   UChar bytes[8];

   for (UInt i = 0; i < n_bytes; i++)
      bytes[i] = n >> 8 * i;
   DCFG_(append_to_stream)(s, bytes, n_bytes);
}

const Stream* DCFG_(end_chunk)(Coder* c)
{
   if (c->n_here == 0) {
      c->first_stack = c->stack;
      return c->stream;
   }
   DCFG_(flush_bits)(&c->pen);
   append_number(c->stream, c->n_here, 4);
   append_number(c->stream, c->control_end - c->control, 4);
   append_number(c->stream, c->pen.at - c->bits, 4);
   append_number(c->stream, c->numbers_end - c->numbers, 4);
   append_number(c->stream, c->first_stack, 8);
   DCFG_(append_to_stream)(c->stream, c->control, c->control_end - c->control);
   DCFG_(append_to_stream)(c->stream, c->bits, c->pen.at - c->bits);
   DCFG_(append_to_stream)(c->stream, c->numbers, c->numbers_end - c->numbers);
   forget(c);
   return c->stream;
}

void DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                          Addr stack)
{
   tl_assert(end - words <= BLOCK_WORDS);
   if (words < end)
      code_block(c, words, end - words);
   c->stack = stack;
   if (c->n_here >= CHUNK_RECORDS
       || (c->control_end - c->control) + (c->pen.at - c->bits)
          + (c->numbers_end - c->numbers) >= CHUNK_BYTES)
      DCFG_(end_chunk)(c);
}

/*------------------------------------------------------------*/
/*--- Coders                                               ---*/
/*------------------------------------------------------------*/

Coder* DCFG_(new_coder)(void)
{
   Coder* c = VG_(calloc)("dcfg.squeeze", 1, sizeof(Coder));

   /* A chunk that is not yet long enough, a block, and the end. */
   c->control = VG_(malloc)("dcfg.squeeze.parts",
                            CHUNK_BYTES
                            + 5 * DCFG_MAX_VARINT * (BLOCK_WORDS + 1));
   c->bits    = VG_(malloc)("dcfg.squeeze.parts",
                            CHUNK_BYTES + BLOCK_WORDS + 8);
   c->numbers = VG_(malloc)("dcfg.squeeze.parts",
                            CHUNK_BYTES
                            + 2 * DCFG_MAX_VARINT * (BLOCK_WORDS + 1));
   forget(c);
   c->stream = DCFG_(new_stream)();
   return c;
}

ULong DCFG_(n_coded_records)(const Coder* c)
{
   return c->n_records;
}

void DCFG_(restart_coder)(Coder* c, Addr stack)
{
   DCFG_(delete_stream)(c->stream);
   c->stream    = DCFG_(new_stream)();
   c->n_records = 0;
   c->thread    = 0;
   c->stack     = stack;
   forget(c);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
