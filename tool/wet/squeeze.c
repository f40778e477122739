/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The coder of the tape. */

/* Owns: the code of a tape; docs/dev/wet-file.md describes it byte by byte.
   The next superblock is predicted from those before it, and only wrong
   predictions are written.  Handed: the words.

   A chunk begins without predictions, so that it can be read without the chunks
   before it.  It is a sequence of blocks.  A block has first the headers and
   marks, in their order, and then the other words, superblock by superblock.
   The numbers of one place of the superblock, in all its executions in the
   block, are a column, which tool/wet/columns.c codes.  An exit may leave the last
   words out.  So the words between two exits, a *segment*, have rows of their
   own.

   A chunk has three parts that are each read in sequence: control, and for
   columns bits and numbers. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "dcfg_bb.h"
#include "format/wet_history.h"
#include "tool/wet/columns.h"
#include "tool/wet/control.h"
#include "tool/wet/packed.h"
#include "tool/wet/slots.h"
#include "tool/wet/squeeze.h"
#include "tool/wet/tape_words.h"

/* The number of records at which a chunk ends: a quarter of those before it,
   within limits.  If a file has no room for the whole record, whole chunks are
   left out.  So a short record has several, too. */
#define CHUNK_RECORDS     (1u << 20)
#define MIN_CHUNK_RECORDS (1u << 14)
#define CHUNK_PART        4

/* The most words in a block, and in a row. */
#define BLOCK_WORDS   WET_BLOCK_WORDS
#define MAX_ROW       DCFG_TAPE_SLACK

/* Coding: the state of a superblock.  The data for coding its rows are
   together, because most superblocks have few rows in a block. */
typedef
   struct {
      Rows*     rows;
      Bool      divided;     // can rows have different numbers of words?
      UInt      chunk;       // the last chunk that it was in
      UInt      tape;        // the last tape that it was in
      UInt      n_rows;      // its rows there, and how many of these are coded
      UInt      n_done;
      UInt      n_words;
      const SlotList* list;
      Column    columns[];   // .n_words of them
   }
   Coding;

/* Segment: the words of a superblock between two exits. */
typedef
   struct {
      Coding* coding;
      UInt    id, number;    // the superblock, and the segment's number in it
   }
   Segment;

/* Tally: a superblock's executions in this block: rows, and the largest number
   of completed segments. */
typedef
   struct {
      Coding* coding;        // NULL: not met yet
      UInt    n_rows;
      UChar   n_segments;
   }
   Tally;

typedef
   struct {
      UChar* begin;
      SizeT  room;
   }
   ChunkPart;

struct _Coder {
   Chunks*  chunks;
   Bool     shifts;          // see put_columns()
   ULong    n_records;       // records in all chunks
   UInt     n_here;          // records in this chunk

   /* The parts of this chunk: */
   ChunkPart control, bits, numbers;
   UChar*   control_end;     // place of the next bytes
   UChar*   numbers_end;
   BitPen   pen;
   UInt     history;
   Addr     stack;           // DCFG_(tape)->stack behind the coded words
   Addr     first_stack;     // and at the begin of the chunk
   ULong    thread;          // the running thread
   UInt     chunk, tape;     // numbers of the present ones
   const UChar* extra;       // the bytes of the next mark that has some
   Tally*   tallies;         // for each superblock
   UInt     n_tallies;
   UChar*   met;             // for each way: is nothing to note of the next
   UInt     n_met;           // record?  It is forgotten behind the block for
   UInt     met_ways[BLOCK_WORDS];      // these ways.
   UInt     n_met_ways;
   /* The ways that followed each history last, and before that; 0: none.
      Superblocks with large numbers are not predicted. */
   UInt     foretold[N_HISTORIES], others[N_HISTORIES];
   /* The present block: */
   UInt     n_words;
   Segment  segments[BLOCK_WORDS];      // in the order of their first rows
   UInt     n_segments;
   ULong    gathered[BLOCK_WORDS];      // rows of one segment, without gaps
};

/* How many segments ahead to fetch into the processor's cache. */
#define PREFETCH 4

#define INLINE static inline __attribute__((always_inline))

/*--- Superblocks                                          ---*/

static Coding* new_coding(SlotList* list)
{
   Coding* k = VG_(malloc)("dcfg.squeeze.coding",
                           sizeof(Coding) + list->n_words * sizeof(Column));

   k->rows    = &list->rows;
   k->divided = list->rows.size > list->n_words;
   k->chunk   = k->tape = k->n_rows = k->n_done = 0;
   k->n_words = list->n_words;
   k->list    = list;
   return k;
}

/* Note that superblock ID has rows in this block that complete N segments, more
   than before.  When it is met first, all its rows of the tape are there, and
   new ones may overwrite them once the tape is coded. */
static void meet(Coder* c, UInt id, UInt n)
{
   Tally*  t = &c->tallies[id];
   Coding* k = t->coding;

   if (k == NULL)
      k = t->coding = new_coding(DCFG_(slots_of)(DCFG_(superblock)(id)));
   if (k->chunk != c->chunk)
      VG_(memset)(k->columns, 0, k->n_words * sizeof(Column));
   k->chunk = c->chunk;
   if (k->tape != c->tape) {
      k->tape   = c->tape;
      k->n_rows = (UInt)(k->rows->next - k->rows->begin) / k->rows->size;
      k->n_done = 0;
      k->rows->next = k->rows->begin;
   }
   while (t->n_segments < n) {
      Segment s = { k, id, t->n_segments++ };
      c->segments[c->n_segments++] = s;
   }
}

/* Make room for all superblocks and ways that exist now. */
static void have_tallies(Coder* c)
{
   UInt n = c->n_tallies, n_met = c->n_met;

   if (n <= DCFG_(n_superblocks)()) {
      c->n_tallies = 2 * DCFG_(n_superblocks)() + 1024;
      c->tallies   = VG_(realloc)("dcfg.squeeze.tallies", c->tallies,
                                  c->n_tallies * sizeof(Tally));
      VG_(memset)(c->tallies + n, 0, (c->n_tallies - n) * sizeof(Tally));
   }
   if (n_met < DCFG_(n_ways)()) {
      c->n_met = 2 * DCFG_(n_ways)() + 1024;
      c->met   = VG_(realloc)("dcfg.squeeze.met", c->met, c->n_met);
      VG_(memset)(c->met + n_met, 0, c->n_met - n_met);
   }
}

/*--- Control                                              ---*/

/* Code way NUMBER, which is WAY. */
INLINE void code_way(Coder* c, Pen* p, UInt number, const SlotWay* way)
{
   UInt h = p->history;

   p->history = wet_next_history(h, way->hash);
   if (LIKELY(number == c->foretold[h])) {
      p->n_right++;
      return;
   }
   if (number == c->others[h]) {
      DCFG_(put_right)(p, True);
   } else {
      DCFG_(put_right)(p, False);
      p->control = DCFG_(put_way)(p->control, way);
   }
   if (way->sb <= MAX_FORETOLD) {
      c->others[h]   = c->foretold[h];
      c->foretold[h] = number;
   }
}

/* Write the running thread at the begin of a chunk, unless the first of WORDS
   does. */
static void begin_chunk(Coder* c, Pen* p, const ULong* words)
{
   if (c->n_here > 0 || words[0] == MarkThread)
      return;
   DCFG_(put_right)(p, False);
   p->control = DCFG_(put_mark)(p->control, MarkThread, &c->thread, NULL);
   c->n_here++;
}

/*--- Records                                              ---*/

/* Note a row of superblock ID that has completed N segments, 1 or more.  If
   rows differ in this, the row's last word, which is otherwise unused, says so,
   and rows are counted.  Else the first row is enough.  Return whether it is. */
static Bool add_row(Coder* c, UInt id, UInt n)
{
   Tally* t = &c->tallies[id];

   if (n > t->n_segments)
      meet(c, id, n);
   const Coding* k = t->coding;
   if (k->divided) {
      const Rows* r = k->rows;
      t->n_rows++;
      r->begin[(SizeT)(k->n_done + t->n_rows) * r->size - 1] = n;
   }
   return !k->divided;
}

/* Note the row of a record of way NUMBER. */
static void add_row_of_way(Coder* c, UInt number)
{
   const SlotWay* way = &DCFG_(ways)[number];

   if (way->n_segments == 0) {
      c->met[number] = 1;
   } else if (add_row(c, way->sb, way->n_segments)) {
      c->met[number] = 1;
      c->met_ways[c->n_met_ways++] = number;
   }
}

/* Code the record at WORDS, of a superblock that was left inside.  Return the
   record's words. */
static UInt code_stopped(Coder* c, Pen* p, const ULong* words)
{
   UInt            id   = words[1], n_done = words[2];
   const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(id));
   UInt            n_segments, begin, n;

   n     = DCFG_(words_before)(list, n_done, &n_segments);
   begin = DCFG_(segment_begin)(list, n_segments);
   DCFG_(put_right)(p, False);
   p->control = DCFG_(put_varint)(p->control, SymbolStop);
   p->control = DCFG_(put_varint)(p->control, id);
   p->control = DCFG_(put_varint)(p->control, n_done);
   p->history = wet_next_history(p->history,
                                 wet_history_hash(id, HOW_STOPPED_AT(n_done)));
   for (UInt i = 0; i < n - begin; i++)
      p->control = DCFG_(put_varint)(p->control, words[3 + i]);
   if (n_segments > 0)
      add_row(c, id, n_segments);
   c->n_words += begin;
   return 3 + n - begin;
}

static UInt code_mark(Coder* c, Pen* p, const ULong* words)
{
   UInt mark = words[0];

   if (mark == MarkThread)
      c->thread = words[1];
   DCFG_(put_right)(p, False);
   p->control = DCFG_(put_mark)(p->control, mark, &words[1], &c->extra);
   return 1 + wet_words_of_mark(mark);
}

/* Gather the N_WORDS words from FIRST on of those of N rows that have completed
   segment S.  The rows begin at ROW and have SIZE words.  Return how many. */
static UInt gather_rows(Coder* c, UInt s, const ULong* row, UInt size,
                        UInt first, UInt n_words, UInt n)
{
   UInt n_gathered = 0;

   for (; n > 0; n--, row += size)
      if (row[size - 1] > s) {
         for (UInt i = 0; i < n_words; i++)
            c->gathered[n_gathered * n_words + i] = row[first + i];
         n_gathered++;
      }
   return n_gathered;
}

/* Code the words of S, which not all of the N rows have. */
static void code_divided(Coder* c, const Segment* s, const ULong* rows, UInt n)
{
   Coding* k       = s->coding;
   UInt    first   = DCFG_(segment_begin)(k->list, s->number);
   UInt    n_words = k->list->segment_ends[s->number] - first;

   n = gather_rows(c, s->number, rows, k->rows->size, first, n_words, n);
   c->numbers_end = DCFG_(put_columns)(&c->pen, c->numbers_end,
                                       k->columns + first, n_words,
                                       c->gathered, n_words, n,
                                       c->shifts);
}

/* Count the rows of superblocks of which all rows have the same words: in WORDS
   up to END, which are a block, or if IS_LAST those that are left. */
static void count_rows(Coder* c, const ULong* words, const ULong* end,
                       Bool is_last)
{
   for (UInt i = 0; is_last && i < c->n_segments; i++) {
      const Coding* k = c->segments[i].coding;
      if (!k->divided)
         c->tallies[c->segments[i].id].n_rows = k->n_rows - k->n_done;
   }
   while (!is_last && words < end) {
      UInt sb, n_segments = 0, n = 1;
      if (words[0] < TapeStopped) {
         words += 1 + wet_words_of_mark(words[0]);
         continue;
      }
      if (words[0] == TapeStopped) {
         const SlotList* list = DCFG_(slots_of)(DCFG_(superblock)(words[1]));
         sb = words[1];
         n  = DCFG_(words_before)(list, words[2], &n_segments);
         n  = 3 + n - DCFG_(segment_begin)(list, n_segments);
      } else {
         sb         = DCFG_(ways)[words[0]].sb;
         n_segments = DCFG_(ways)[words[0]].n_segments;
      }
      c->tallies[sb].n_rows += n_segments > 0
                               && !c->tallies[sb].coding->divided;
      words += n;
   }
}

/* Code the words of all rows. */
static void code_columns(Coder* c)
{
   for (UInt i = 0; i < c->n_segments; i++) {
      const Segment* s    = &c->segments[i];
      Coding*        k    = s->coding;
      UInt           n    = c->tallies[s->id].n_rows;
      const ULong*   rows = k->rows->begin + (SizeT)k->n_done * k->rows->size;
      if (i + 2 * PREFETCH < c->n_segments) {
         __builtin_prefetch(c->segments[i + 2 * PREFETCH].coding->rows);
         const Coding* next = c->segments[i + PREFETCH].coding;
         __builtin_prefetch(next->columns);
         __builtin_prefetch(next->rows->begin);
      }
      if (k->divided)
         code_divided(c, s, rows, n);
      else
         c->numbers_end = DCFG_(put_columns)(&c->pen, c->numbers_end,
                                             k->columns, k->n_words, rows,
                                             k->n_words, n, c->shifts);
   }
}

/* Forget the rows, after their block. */
static void forget_rows(Coder* c)
{
   for (UInt i = 0; i < c->n_segments; i++) {
      UInt   id = c->segments[i].id;
      Tally* t  = &c->tallies[id];
      c->segments[i].coding->n_done += t->n_rows;
      t->n_rows     = 0;
      t->n_segments = 0;
   }
   for (UInt i = 0; i < c->n_met_ways; i++)
      c->met[c->met_ways[i]] = 0;
   c->n_segments = c->n_words = c->n_met_ways = 0;
}

/* Code the ways at WORDS, up to N words, to a mark, or until the block is full.
   Return how many. */
static UInt code_ways(Coder* c, Pen* pen, const ULong* words, UInt n)
{
   const SlotWay* ways    = DCFG_(ways);
   const UChar*   met     = c->met;
   UInt           n_words = c->n_words, i = 0;
   Pen            p       = *pen;

   for (; i < n && words[i] > TapeStopped
          && n_words <= BLOCK_WORDS - MAX_ROW; i++) {
      const SlotWay* way = &ways[words[i]];
      code_way(c, &p, words[i], way);
      if (UNLIKELY(!met[words[i]]))
         add_row_of_way(c, words[i]);
      n_words += way->n_words;
   }
   c->n_words = n_words;
   *pen       = p;
   return i;
}

/* Code a block: as many of the N WORDS as belong to it; more can be read.
   Return how many. */
static UInt code_block(Coder* c, const ULong* words, UInt n)
{
   Pen  p = { c->control_end, 0, c->history };
   UInt n_records = 0, at = 0;

   begin_chunk(c, &p, words);
   while (at < n) {
      if (words[at] < TapeStopped) {
         at += code_mark(c, &p, &words[at]);
         n_records++;
      } else if (c->n_words > BLOCK_WORDS - MAX_ROW) {
         break;
      } else if (words[at] == TapeStopped) {
         at += code_stopped(c, &p, &words[at]);
         n_records++;
      } else {
         UInt n_ways = code_ways(c, &p, &words[at], n - at);
         at        += n_ways;
         n_records += n_ways;
      }
   }
   DCFG_(put_right)(&p, False);
   c->control_end = DCFG_(put_varint)(p.control, SymbolEnd);
   c->history     = p.history;
   c->n_here     += n_records;
   c->n_records  += n_records;
   count_rows(c, words, words + at, at >= n);
   code_columns(c);
   return at;
}

/*--- Chunks                                               ---*/

/* Begin a chunk without predictions. */
static void forget(Coder* c)
{
   c->chunk++;
   VG_(memset)(c->foretold, 0, sizeof(c->foretold));
   VG_(memset)(c->others, 0, sizeof(c->others));
   VG_(memset)(&c->pen, 0, sizeof(c->pen));
   c->pen.at      = c->bits.begin;
   c->control_end = c->control.begin;
   c->numbers_end = c->numbers.begin;
   c->history     = 0;
   c->first_stack = c->stack;
   c->n_here      = 0;
}

Stream* DCFG_(end_chunk)(Coder* c)
{
   const UChar* parts[N_CHUNK_PARTS] = { c->control.begin, c->bits.begin,
                                         c->numbers.begin };
   UInt         sizes[N_CHUNK_PARTS];

   if (c->n_here == 0) {
      c->first_stack = c->stack;
      return DCFG_(stream_of_chunks)(c->chunks);
   }
   DCFG_(flush_bits)(&c->pen);
   sizes[0] = c->control_end - c->control.begin;
   sizes[1] = c->pen.at - c->bits.begin;
   sizes[2] = c->numbers_end - c->numbers.begin;
   DCFG_(append_chunk)(c->chunks, c->n_here, c->first_stack, parts, sizes);
   forget(c);
   return DCFG_(stream_of_chunks)(c->chunks);
}

/* Make room for N bytes at END in P.  Return the new END. */
static UChar* have_room(ChunkPart* p, UChar* end, SizeT n)
{
   SizeT used = end - p->begin;

   if (used + n > p->room) {
      p->room  = 2 * (used + n);
      p->begin = VG_(realloc)("dcfg.squeeze.part", p->begin, p->room);
   }
   return p->begin + used;
}

/* Make room for a block with N words on the tape, and N_EXTRA bytes. */
static void have_room_for_block(Coder* c, UInt n, SizeT n_extra)
{
   c->control_end = have_room(&c->control, c->control_end,
                              5 * DCFG_MAX_VARINT * ((SizeT)n + 1) + n_extra);
   c->pen.at      = have_room(&c->bits, c->pen.at,
                              2 * (BLOCK_WORDS + 8));
   c->numbers_end = have_room(&c->numbers, c->numbers_end,
                              2 * DCFG_MAX_VARINT * (BLOCK_WORDS + 1));
}

/* Return whether the chunk has as many records as it may. */
static Bool has_records(const Coder* c)
{
   ULong most = (c->n_records - c->n_here) / CHUNK_PART;

   most = most < MIN_CHUNK_RECORDS ? MIN_CHUNK_RECORDS : most;
   return c->n_here >= (most > CHUNK_RECORDS ? CHUNK_RECORDS : most);
}

ULong DCFG_(squeeze_words)(Coder* c, const ULong* words, const ULong* end,
                           const Bytes* extra, Addr stack)
{
   const UChar* extra_end = extra->bytes + extra->used;
   ULong        n_words   = 0;

   have_tallies(c);
   c->tape++;
   c->extra = extra->bytes;
   while (words < end) {
      have_room_for_block(c, end - words, extra_end - c->extra);
      words   += code_block(c, words, end - words);
      n_words += c->n_words;
      forget_rows(c);
   }
   c->stack = stack;
   if (has_records(c)
       || (c->control_end - c->control.begin) + (c->pen.at - c->bits.begin)
          + (c->numbers_end - c->numbers.begin)
          >= DCFG_(chunk_bytes)(c->chunks))
      DCFG_(end_chunk)(c);
   return n_words;
}

/*--- Coders                                               ---*/

void DCFG_(shift_numbers)(Coder* c)
{
   c->shifts = True;
}

Coder* DCFG_(new_coder)(Chunks* chunks)
{
   Coder* c = VG_(calloc)("dcfg.squeeze", 1, sizeof(Coder));

   c->chunks = chunks;
   forget(c);
   return c;
}

Bool DCFG_(begins_chunk)(const Coder* c)
{
   return c->n_here == 0;
}

ULong DCFG_(n_coded_records)(const Coder* c)
{
   return c->n_records;
}

void DCFG_(restart_coder)(Coder* c, Addr stack)
{
   DCFG_(forget_chunks)(c->chunks);
   c->n_records = 0;
   c->thread    = 0;
   c->stack     = stack;
   forget(c);
}
