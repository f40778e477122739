/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How the tape of a whole execution trace is decoded. */

/* Owns: cursors, and the code of the tape (docs/dev/wet-file.md): chunks to
   blocks, blocks to steps.  Handed: a trace whose tables are known.
   wet_chunks.c reads chunks in any order.

   The way by which a superblock was left tells all of a record but its words.
   So a block is decoded in three steps.  Control gives a list of ways, and the
   number of rows of each segment.  Columns give the words, segment by segment;
   terms give the slots, record by record.

   The hash of the last ways, the history, predicts the next way.  Each record
   depends on the one before, and this chain of loads limits the speed of
   reading.  So for each record, control follows the prediction and counts the
   way, and nothing else.  All other work is done for each way, once a block. */

#include "lib/wet/wet_cursor.h"
#include "lib/wet/wet_terms.h"
#include "format/wet_history.h"
#include "format/wet_mirror.h"
#include "format/wet_sections.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Room for steps                                       ---*/

/* Return for how many elements to make room, if N are needed now.  The rest of a
   chunk of N_ALL records will need about as many for each record as its begin,
   N_STEPS records. */
static size_t room_for(const Job* job, size_t n, size_t n_steps, size_t n_all,
                       size_t size)
{
   size_t more = n + n / 2, all;

   if (n_all == 0)
      return more;
   all = n + n / 16 + (size_t)(mul_capped(n, n_all) / n_steps);
   /* A chunk that says more records than it has is found out later. */
   return mul_capped(all, size) < (job->max - job->used) / 2 ? all : more;
}

/* Return P, which has N of at most *MAX elements of SIZE bytes, with room for
   MORE others; NULL if memory is exhausted.  S and the present block have the
   records that need all these. */
static void* grow(WetCursor* c, const WetSteps* s, void* p, size_t* max, size_t n,
                  size_t more, size_t size)
{
   size_t most = room_for(&c->job, n + more, s->n_steps + c->block.n_ways,
                          c->whole ? c->n_records : 0, size);

   if (p != NULL && n + more <= *max)
      return p;
   p = job_realloc(&c->job, p, *max * size, (most + 1) * size);
   if (p != NULL)
      *max = most + 1;
   return p;
}

/* Make room in array .steps, .turns, .addrs or .bytes of S for MORE elements. */
#define RESERVE(array, more)                                             \
   ((p = grow(c, s, s->array, &s->max_##array, s->n_##array, more,       \
              sizeof(*s->array))) != NULL                                \
    && (s->array = p, true))

/* Make room in S for the present block. */
static bool make_room(WetCursor* c, WetSteps* s)
{
   const Block* b = &c->block;
   size_t       n_addrs = b->n_slots + MARK_SLOTS * (size_t)b->n_extra + 1;
   void*        p;

   return RESERVE(steps, b->n_ways) && RESERVE(addrs, n_addrs)
          && RESERVE(turns, b->n_ways)
          && (b->n_bytes == 0 || RESERVE(bytes, b->n_bytes))
          && (s->n_addrs + n_addrs <= UINT32_MAX
              || job_fail(&c->job, DCFG_ERROR_LIMIT, "tape",
                          "a chunk has too many accesses"));
}

/* Free most of the room for elements of SIZE bytes at P that N elements do not
   need, if that is much of *MAX.  Return the elements. */
static void* trim(Job* job, void* p, size_t n, size_t* max, size_t size)
{
   size_t most = n + n / 16 + 1;
   void*  less = *max <= most ? NULL
                 : job_realloc(job, p, *max * size, most * size);

   if (less == NULL)
      return p;
   *max = most;
   return less;
}

#define TRIM(array)                                                      \
   (s->array = trim(job, s->array, s->n_##array, &s->max_##array,        \
                    sizeof(*s->array)))

void wet_trim_steps(Job* job, WetSteps* s)
{
   TRIM(steps);
   TRIM(turns);
   TRIM(addrs);
   TRIM(bytes);
}

size_t wet_size_of_steps(const WetSteps* s)
{
   return s->max_steps * sizeof(*s->steps) + s->max_turns * sizeof(*s->turns)
          + s->max_addrs * sizeof(*s->addrs) + s->max_bytes;
}

void wet_free_steps(Job* job, WetSteps* s)
{
   job_free(job, s->steps, s->max_steps * sizeof(*s->steps));
   job_free(job, s->turns, s->max_turns * sizeof(*s->turns));
   job_free(job, s->addrs, s->max_addrs * sizeof(*s->addrs));
   job_free(job, s->bytes, s->max_bytes);
   *s = (WetSteps){ 0 };
}

/*--- Columns                                              ---*/

/* Read N bits, at most 32. */
static inline uint32_t next_bits(Bits* b, unsigned n)
{
   size_t   left = (size_t)(b->bytes.end - b->bytes.at);
   uint64_t word = 0;

   if (left >= 8) {
      word = get_word(b->bytes.at);
   } else {
      for (size_t i = 0; i < left; i++)
         word |= (uint64_t)b->bytes.at[i] << 8 * i;
      if (8 * left < b->bit + n) {
         bytes_fail(&b->bytes);
         return 0;
      }
   }
   word = word >> b->bit & ((UINT64_C(1) << n) - 1);
   bytes_skip(&b->bytes, (b->bit + n) / 8);
   b->bit       = (b->bit + n) % 8;
   return (uint32_t)word;
}

/* Correct N predicted steps D by what the chunk says.  The SHIFT low bits of all
   errors are left out. */
static void correct_steps(WetCursor* c, uint64_t* d, uint32_t n, unsigned form,
                          unsigned shift)
{
   switch (form) {
      case FormMask:
         for (uint32_t i = 0; i < n; i += 32) {
            uint32_t some = n - i < 32 ? n - i : 32;
            uint32_t off  = ~next_bits(&c->bits, some)
                            & (uint32_t)((UINT64_C(1) << some) - 1);
            for (; off != 0; off &= off - 1)
               d[i + (uint32_t)__builtin_ctz(off)]
                  += difference_of(get_quick(&c->numbers)) << shift;
         }
         break;
      case FormPlaces:
         for (uint64_t at = 0, gap; (gap = get_varint(&c->numbers)) != 0; ) {
            at += gap - 1;
            if (at >= n || c->numbers.failed) {
               bytes_fail(&c->numbers);
               break;
            }
            d[at] += difference_of(get_quick(&c->numbers)) << shift;
         }
         break;
      case FormNone:
         for (uint32_t i = 0; i < n; i++)
            d[i] += difference_of(get_quick(&c->numbers)) << shift;
         break;
   }
}

/* Read the steps of N rows of COLUMN from a table of numbers. */
static void get_table(WetCursor* c, const Column* column, uint64_t* to,
                      uint32_t n)
{
   uint64_t last = column->last;
   uint64_t table[WET_TABLE_VALUES] = { 0 }, m = get_quick(&c->numbers);
   unsigned width;

   if (m == 0 || m > WET_TABLE_VALUES) {
      bytes_fail(&c->numbers);
      m = 1;
   }
   for (uint64_t i = 0, number = 0; i < m; i++)
      table[i] = number += difference_of(get_quick(&c->numbers));
   width = wet_index_bits((unsigned)m);
   for (uint32_t i = 0; i < n; i++) {
      uint64_t now = table[next_bits(&c->bits, width)];
      to[i] = now - last;
      last  = now;
   }
}

/* Steps: a column's steps: all the same, or one for each row. */
typedef
   struct {
      uint64_t        all;
      const uint64_t* each;     // NULL: all are the same
   }
   Steps;

/* Return the steps of COLUMN: predicted, then corrected; or from a table.  LAST:
   the steps of the column before.  TO: room for N steps. */
static inline Steps get_steps(WetCursor* c, Column* column, Steps last,
                              uint64_t* to, uint32_t n)
{
   Steps    steps = { .each = NULL };
   unsigned by = BySame, form = FormAll, shift = 0;

   if (next_bits(&c->bits, 1) != 0) {
      unsigned how = next_bits(&c->bits, 4);
      by   = how & 3;
      form = how >> 2;
   }
   if (by == ByShifted && form == FormAll) {
      get_table(c, column, to, n);
      return (Steps){ .each = to };
   }
   if (by == ByNew)
      column->step = difference_of(get_quick(&c->numbers));
   if (by == ByShifted)
      shift = get_quick(&c->numbers) & 63;
   if (by == ByNeighbour)
      steps = last;
   else
      steps.all = column->step;
   if (form == FormAll)
      return steps;
   /* A second prediction of the same steps needs no copy. */
   if (steps.each != NULL && steps.each != to)
      memcpy(to, steps.each, n * sizeof(*to));
   for (uint32_t i = 0; i < n && steps.each == NULL; i++)
      to[i] = steps.all;
   correct_steps(c, to, n, form, shift);
   return (Steps){ .each = to };
}

/* Read N rows of a segment from the chunk's parts, to TO. */
static void read_columns(WetCursor* c, const Rows* r, uint64_t* to, uint32_t n)
{
   Column*  columns = &c->columns[r->columns];
   uint32_t width = r->n_words;
   Steps    steps = { 0, NULL };

   for (uint32_t k = 0; k < width; k++) {
      uint64_t  last = columns[k].last;
      uint64_t* at = to + k;
      /* The first column has no column before it: predict from its own
         steps. */
      if (k == 0)
         steps.all = columns[0].step;
      steps = get_steps(c, &columns[k], steps, c->block.steps[k % 2], n);
      if (steps.each == NULL)
         for (uint32_t i = 0; i < n; i++, at += width)
            *at = last += steps.all;
      else
         for (uint32_t i = 0; i < n; i++, at += width)
            *at = last += steps.each[i];
      columns[k].last = last;
   }
}

/*--- Control                                              ---*/

static bool wrong(WetCursor* c)
{
   return job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

/* Add a word to the block's .extra. */
static void add_extra(Block* b, ByteReader* from, uint64_t word)
{
   if (b->n_extra < MAX_BLOCK)
      b->extra[b->n_extra++] = word;
   else
      bytes_fail(from);
}

/* Pass over the N bytes of a mark.  The block gets their place in the chunk's
   data. */
static void get_mark_bytes(WetCursor* c, uint64_t n)
{
   ByteReader* b = &c->control;

   if (b->failed || n > (uint64_t)(b->end - b->at)) {
      bytes_fail(b);
      return;
   }
   add_extra(&c->block, b, (uint64_t)(b->at - c->data));
   bytes_skip(b, n);
   c->block.n_bytes += n;
}

/* Read a mark, its numbers and its bytes. */
static void get_mark(WetCursor* c)
{
   uint32_t mark = get_up_to(&c->control, N_MARKS - 1);
   uint64_t word = 0;

   add_extra(&c->block, &c->control, mark);
   for (uint32_t i = 0; i < wet_words_of_mark(mark); i++) {
      word = get_varint(&c->control);
      add_extra(&c->block, &c->control, word);
   }
   if (wet_has_bytes(mark))
      get_mark_bytes(c, word);
}

/* Add MORE rows to N segments from FIRST on. */
static void count_rows(WetCursor* c, uint32_t first, uint32_t n, uint32_t more)
{
   Block* b = &c->block;
   Rows*  s = &c->rows[first];

   for (const Rows* end = s + n; s < end; s++, first++) {
      b->n_words += s->n_words * more;
      if (s->n_rows == 0 && b->n_segments < MAX_BLOCK)
         b->segments[b->n_segments++] = first;
      s->n_rows += more;
   }
}

/* Count the records of ways met since the last call.  Segments get the order in
   which they are met. */
static void count_ways(WetCursor* c)
{
   const WetWay* ways = c->w->ways;
   Block*        b = &c->block;

   for (uint32_t i = 0; i < b->n_met; i++) {
      const WetWay* way = &ways[b->met[i]];
      uint32_t n = c->way_counts[b->met[i]];
      c->way_counts[b->met[i]] = 0;
      b->n_slots  += n * (way->n_slots
                          + (way->kind == InsnSyscall ? CALL_REGISTERS : 0));
      c->n_instrs += (uint64_t)n * way->n_instrs;
      if (c->runs != NULL)
         c->runs[way->place] += n;
      if (c->tells)
         count_rows(c, way->segments, way->n_segments, n);
   }
   b->n_met = 0;
}

/* Note that the next record has way ID. */
static inline void note_way(WetCursor* c, Block* b, uint32_t id)
{
   b->ways[b->n_ways++] = id;
   if (c->way_counts[id]++ == 0)
      b->met[b->n_met++] = id;
}

/* Read a stop: the superblock's number, how many instructions ran, and the
   words behind its full segments. */
static bool get_stop(WetCursor* c)
{
   const DcfgWet* w = c->w;
   uint64_t id = get_varint(&c->control);
   uint32_t n = get_up_to(&c->control, UINT16_MAX);
   Block*   b = &c->block;
   Stop     stop;

   if (id == 0 || id >= w->sbs.n || n == 0
       || n > ELEM(w->sbs, WetSb, id).instrs.n)
      return false;
   stop = wet_find_stop(w, (uint32_t)id, n);
   add_extra(b, &c->control, id);
   add_extra(b, &c->control, n);
   for (uint32_t k = stop.n_words; k > 0; k--)
      add_extra(b, &c->control, get_varint(&c->control));
   c->history = wet_next_history(c->history,
                                 wet_history_hash(id, HOW_STOPPED_AT(n)));
   c->loads   = 0;
   b->ways[b->n_ways++] = NO_WAY_STOP;
   count_ways(c);
   b->n_slots  += stop.n_slots;
   c->n_instrs += n;
   if (c->runs != NULL)
      c->runs[ELEM(w->sbs, WetSb, id).instrs.first + n - 1]++;
   if (c->tells)
      count_rows(c, ELEM(w->sbs, WetSb, id).segments.first,
                 stop.n_segments, 1);
   return true;
}

/* Predict FORETOLD for CONTEXT from now on. */
static inline void foretell(WetCursor* c, uint32_t context, uint64_t foretold)
{
   c->other[context] = c->next[context];
   c->next[context]  = foretold;
}

/* In .next and .other, a load of the next superblock that the mirror foretells
   wrongly: this, its number, and its hash as of a way. */
#define FORETOLD_LOAD (UINT64_C(1) << 47)

/* Take FORETOLD, a wrong load; read its error, unless nobody wants it. */
static bool note_load(WetCursor* c, uint64_t foretold)
{
   Block* b = &c->block;

   if (b->n_loads == MAX_BLOCK || b->n_ways == MAX_BLOCK)
      return false;
   b->ways[b->n_ways++]    = NO_WAY_LOAD;
   b->loads[b->n_loads++] = (WrongLoad){
      .load  = (uint32_t)foretold,
      .error = c->tells ? difference_of(get_quick(&c->numbers)) : 0
   };
   c->loads ^= (uint32_t)(foretold >> 48);
   return true;
}

/* Read a wrong load that was not predicted; predict it from now on. */
static bool get_load(WetCursor* c)
{
   uint32_t load = get_up_to(&c->control, MAX_ACCESSES - 1);
   uint64_t foretold = (uint64_t)wet_load_hash(load) << 48 | FORETOLD_LOAD | load;

   foretell(c, c->history ^ c->loads, foretold);
   return note_load(c, foretold);
}

/* Read a way that was not predicted; predict it from now on. */
static bool get_way(WetCursor* c, uint64_t symbol)
{
   const DcfgWet* w = c->w;
   uint64_t     id  = symbol >> 1;
   uint32_t     how = symbol & 1 ? get_up_to(&c->control, HOW_STOPPED - 1)
                                 : HOW_END;
   const WetSb* sb;
   uint32_t     way;
   uint64_t     foretold;

   if (id == 0 || id >= w->sbs.n)
      return false;
   sb = &ELEM(w->sbs, WetSb, id);
   if (sb->instrs.n == 0 || (how != HOW_END && how >= sb->exits.n))
      return false;
   way = sb->ways + (how == HOW_END ? sb->exits.n : how);
   foretold = (uint64_t)wet_history_hash(id, how) << 48 | (way + 1);
   if (id <= MAX_FORETOLD)
      foretell(c, c->history ^ c->loads, foretold);
   c->loads = 0;
   c->history = wet_next_history(c->history, (uint32_t)(foretold >> 48));
   note_way(c, &c->block, way);
   return true;
}

/* Take what is predicted first, or if OTHER second: a way, or a wrong load. */
static bool take_foretold(WetCursor* c, bool other)
{
   uint32_t context  = c->history ^ c->loads;
   uint64_t foretold = other ? c->other[context] : c->next[context];

   if (foretold == 0)
      return false;
   if (other)
      foretell(c, context, foretold);
   if ((foretold & FORETOLD_LOAD) != 0)
      return note_load(c, foretold);
   note_way(c, &c->block, (uint32_t)foretold - 1);
   c->history = wet_next_history(c->history, (uint32_t)(foretold >> 48));
   c->loads   = 0;
   return true;
}

/* Take the next N ways and wrong loads as predicted first and, if OTHER, one that
   was predicted second. */
static bool get_foretold(WetCursor* c, uint64_t n, bool other)
{
   Block* b = &c->block;

   if (n + other > MAX_BLOCK - b->n_ways)
      return false;
   while (n > 0) {
      /* Most are ways, behind no wrong load. */
      uint32_t history = c->history;
      for (uint64_t foretold;
           n > 0 && c->loads == 0
           && ((foretold = c->next[history]) & FORETOLD_LOAD) == 0; n--) {
         if (foretold == 0)
            return false;
         history = wet_next_history(history, (uint32_t)(foretold >> 48));
         note_way(c, b, (uint32_t)foretold - 1);
      }
      c->history = history;
      for (bool any = true; n > 0 && any; n--) {
         if (!take_foretold(c, false))
            return false;
         any = c->loads != 0;
      }
   }
   return !other || take_foretold(c, true);
}

/* Read a block's control: the ways of its records, and the numbers of its
   segments' rows. */
static bool read_control(WetCursor* c)
{
   Block* b = &c->block;

   b->n_ways  = b->n_extra = b->n_words = b->n_segments = b->n_loads = 0;
   b->n_slots = 0;
   b->n_bytes = 0;
   for (;;) {
      uint64_t right = get_varint(&c->control), symbol;
      if (!get_foretold(c, right >> 1, right & 1))
         return wrong(c);
      if (right & 1)
         continue;
      symbol = get_varint(&c->control);
      if (c->control.failed || b->n_ways == MAX_BLOCK)
         return wrong(c);
      if (symbol == SymbolEnd) {
         count_ways(c);
         return b->n_ways > 0 || wrong(c);
      }
      if (symbol == SymbolMark) {
         get_mark(c);
         b->ways[b->n_ways++] = NO_WAY_MARK;
      } else if (symbol == SymbolLoad) {
         if (!get_load(c))
            return wrong(c);
      } else if (!(symbol == SymbolStop
                   ? get_stop(c)
                   : get_way(c, symbol - SymbolFirst))) {
         return wrong(c);
      }
   }
}

/* The largest part of a chunk.  Writers end a chunk at 4 MB, after a short
   record. */
#define MAX_PART (64u << 20)

/*--- Chunks                                               ---*/

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

static void forget_errors(WetCursor* c)
{
   memset(c->errors, 0, c->n_errors * sizeof(*c->errors));
   c->n_errors = 0;
}

#define MIRROR_SIZE ((size_t)WET_MIRROR + WET_MIRROR_MORE)

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
   c->at         = c->offset;
   c->offset    += sizeof(head) + size;
   c->number++;
   c->n_records  = number_at(head);
   c->sum        = number_at(head + 16);
   if (c->n_records == 0)
      return wrong(c);
   c->control = (ByteReader){ c->data, c->data + n[0], false };
   c->bits    = (Bits){ { c->control.end, c->control.end + n[1], false }, 0 };
   c->numbers = (ByteReader){ c->bits.bytes.end, c->bits.bytes.end + n[2], false };
   c->history = c->loads = 0;
   c->n_instrs  = 0;
   c->whole     = false;
   forget_errors(c);
   wet_forget_general(c->computed);
   if (c->mirror != NULL)
      memset(c->mirror, 0, MIRROR_SIZE);
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
   for (uint32_t k = s->columns; k < s->columns + s->n_words; k++)
      c->columns[k].last = c->columns[k].step = 0;
}

static bool find_words(WetCursor* c)
{
   Block*   b  = &c->block;
   uint32_t at = 1;

   if (b->n_words > MAX_BLOCK)
      return wrong(c);
   if (c->mirror == NULL
       && (c->mirror = job_calloc(&c->job, MIRROR_SIZE, 1)) == NULL)
      return false;
   for (uint32_t i = 0; i < b->n_segments; i++) {
      Rows* s = &c->rows[b->segments[i]];
      meet(c, s);
      read_columns(c, s, b->words + at, s->n_rows);
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

/* Store the slots of a record with these TERMS and WORDS at TO. */
static inline void find_slots(WetCursor* c, const WayTerms* terms,
                              const uint64_t* words, uint64_t* to)
{
   if (c->n_errors == 0) {
      wet_find_terms(c->w, c->computed, c->mirror, NULL, terms, words, to);
      return;
   }
   wet_find_terms(c->w, c->computed, c->mirror, c->errors, terms, words, to);
   forget_errors(c);
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
   find_slots(c, &ELEM(w->way_terms, WayTerms, way - w->ways), words, to);
}

/*--- Blocks                                               ---*/

/* Make R the next record, a superblock left between exits; store its slots at
   TO. */
static void take_stop(WetCursor* c, WetStep* r, uint64_t* to)
{
   const DcfgWet* w = c->w;
   Block* b    = &c->block;
   Stop   stop = wet_find_stop(w, (uint32_t)b->extra[b->at],
                           (uint32_t)b->extra[b->at + 1]);
   const WetSb* sb = &ELEM(w->sbs, WetSb, stop.sb);
   WayTerms terms;
   uint32_t n_slots, n_words;

   b->at += 2;
   r->sb       = stop.sb;
   r->way      = DCFG_NONE;
   r->n_instrs = (uint16_t)stop.n_instrs;
   r->n_slots = (uint16_t)stop.n_slots;
   const uint64_t* words = join_words(c, &c->rows[sb->segments.first],
                                      stop.n_segments, stop.n_words);
   terms = wet_terms_before(w, sb, stop.n_instrs, &n_slots, &n_words);
   find_slots(c, &terms, words, to);
}

/* Take the next wrong load of the next superblock. */
static void take_load(WetCursor* c)
{
   const WrongLoad* l = &c->block.loads[c->block.next_load++];

   c->errors[1 + l->load] = l->error;
   if (c->n_errors < 2 + l->load)
      c->n_errors = 2 + l->load;
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

/* Make R the next record, a mark; store its numbers at TO, and its bytes in KEEP.
   Return false for a turn of threads, which is no record. */
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

/* Make R a record without a way: a stop or a mark, whose bytes go to KEEP.
   Return false for a turn of threads. */
static bool take_other(WetCursor* c, uint32_t id, WetStep* r, uint64_t* addrs,
                       uint32_t first, WetSteps* keep)
{
   *r = (WetStep){ .thread = c->thread, .first = first };
   if (id == NO_WAY_LOAD) {
      take_load(c);
      return false;
   }
   if (id != NO_WAY_STOP)
      return take_mark(c, r, addrs, keep);
   take_stop(c, r, addrs);
   return true;
}

/* Store the registers of a system call at TO; return what is behind them. */
static uint64_t* keep_call(const WetCursor* c, uint64_t* to)
{
   for (unsigned i = 0; i < CALL_REGISTERS; i++)
      *to++ = c->computed[1 + c->w->machine->call[i]];
   return to;
}

/* Add the block's records; their words are known. */
static void take_records(WetCursor* c, WetSteps* to)
{
   const DcfgWet* w = c->w;
   const WetWay*  ways = w->ways;
   Block*    b = &c->block;
   WetStep*  r = to->steps + to->n_steps;
   uint64_t* addrs = to->addrs + to->n_addrs;
   uint32_t* turn = to->turns + to->n_turns;
   bool      steady = false;    // the record before is of the same thread

   b->at = b->next_load = 0;
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
         steady = steady && id == NO_WAY_LOAD;
         continue;
      }
      steady = r->sb != 0;
      *turn = (uint32_t)(r - to->steps);
      turn += turns;
      addrs += r->n_slots;
      if (id < NO_WAY_STOP && ways[id].kind == InsnSyscall)
         addrs = keep_call(c, addrs);
      r++;
   }
   to->n_steps = (size_t)(r - to->steps);
   to->n_turns = (size_t)(turn - to->turns);
   to->n_addrs = (size_t)(addrs - to->addrs);
}

/* Check, at the end of a chunk, that its numbers are those that the recorder
   had. */
static bool check_mirror(WetCursor* c)
{
   return wet_mirror_sum(c->mirror) == c->sum
          || job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                      "the numbers from byte %" PRIu64 " on are not those that "
                      "were recorded, by their check sum: record it anew, and "
                      "report it if the file has not changed since",
                      c->at);
}

bool wet_read_block(WetCursor* c, WetSteps* to)
{
   c->tells = to != NULL;
   if (!read_control(c))
      return false;
   if (c->block.n_ways > c->n_records)
      return wrong(c);
   c->n_records -= c->block.n_ways;
   if (c->tells) {
      if (!find_words(c) || !make_room(c, to))
         return false;
      take_records(c, to);
   }
   if (c->last_thread > 0 && c->last_thread >= c->w->threads.n)
      return job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                      "there is no thread %u", c->last_thread);
   if (c->n_records > 0)
      return true;
   if (c->control.at != c->control.end)
      return wrong(c);
   return !c->tells || check_mirror(c);
}

bool wet_next_block(WetCursor* c, WetSteps* to)
{
   wet_forget_steps(to);
   /* A block can have nothing but turns of threads. */
   while (to->n_steps == 0)
      if ((c->n_records == 0 && !wet_next_chunk(c))
          || !wet_read_block(c, to))
         return false;
   return true;
}

/*--- Begin and end                                        ---*/

/* Read up to the tape of a compressed file. */
static bool skip_tables(WetCursor* c)
{
   uint8_t  some[4096];
   uint64_t left = c->w->tape - WET_SECTION_HEAD;

   while (left > 0) {
      size_t n = left < sizeof(some) ? (size_t)left : sizeof(some);
      if (!wet_read(&c->job, c->in, some, n))
         return false;
      left -= n;
   }
   return true;
}

/* Go to the tape.  Check that the file is still the same: so is the head of the
   tape's section. */
static bool find_tape(WetCursor* c)
{
   const DcfgWet* w = c->w;
   uint64_t       before = w->tape - WET_SECTION_HEAD;
   uint8_t        head[WET_SECTION_HEAD];

   if (input_is_compressed(c->in)) {
      if (!skip_tables(c))
         return false;
   } else {
      /* The limit of memory depends on the bytes read: it is as if the tables
         had been read, too. */
      job_read(&c->job, before, before);
      if (!input_seek(c->in, before))
         return false;
   }
   if (!wet_read(&c->job, c->in, head, sizeof(head)))
      return false;
   return (head[0] == SectionTape && get_word(head + 1) == w->tape_size)
          || job_fail(&c->job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
}

/* Open the input of C, at the tape. */
static bool open_input(WetCursor* c, DcfgWet* w)
{
   if (w->in != NULL) {
      job_read(&c->job, w->job.n_file, w->job.n_text);
      if (!input_hand_over(w->in, &c->job))
         return false;
      c->in = w->in;
      w->in = NULL;
      return true;
   }
   if (!wet_can_reread(w))
      return job_fail(&c->job, DCFG_ERROR_FILE, NULL,
                      "it was read once, and only a file, not a pipe, can be "
                      "read twice: write the trace to a file first");
   c->in = wet_open_input(w, &c->job);
   return c->in != NULL && find_tape(c);
}

/* Make room for all that changes while the tape is read. */
static bool make_tables(WetCursor* c)
{
   const DcfgWet* w = c->w;

   c->columns    = job_calloc(&c->job, w->n_columns + (size_t)1,
                              sizeof(Column));
   c->rows       = job_calloc(&c->job, w->segments.n + 1, sizeof(Rows));
   c->way_counts = job_calloc(&c->job, w->n_ways + 1, sizeof(uint32_t));
   if (c->columns == NULL || c->rows == NULL || c->way_counts == NULL)
      return false;
   for (size_t i = 0; i < w->segments.n; i++) {
      const WetSegment* s = &ELEM(w->segments, WetSegment, i);
      c->rows[i] = (Rows){ .n_words = s->n_words, .columns = s->columns };
   }
   return true;
}

/* Count C itself, which is large. */
static bool take_itself(WetCursor* c)
{
   if (!job_may_take(&c->job, 0, sizeof(*c)))
      return false;
   job_take(&c->job, 0, sizeof(*c));
   return true;
}

WetCursor* wet_cursor_new(DcfgWet* w, DcfgError* err)
{
   WetCursor* c = job_object(sizeof(*c), offsetof(WetCursor, job), w->path,
                             &w->options, err);

   if (c == NULL)
      return NULL;
   c->w         = w;
   c->offset    = w->tape;
   c->tape_left = w->tape_size;
   if (take_itself(c) && open_input(c, w) && make_tables(c))
      return c;
   job_tell(&c->job, err);
   wet_cursor_free(c);
   return NULL;
}

void wet_cursor_free(WetCursor* c)
{
   if (c == NULL)
      return;
   if (c->in != NULL)
      input_close(c->in);
   free(c->data);
   free(c->columns);
   free(c->mirror);
   free(c->rows);
   free(c->way_counts);
   free(c);
}
