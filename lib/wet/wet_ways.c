/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape's control. */

/* Owns: decoding control: the ways of a block's records.  Handed: chunks by
   wet_tape.c.

   The hash of the last ways, the history, predicts the next way.  Each record
   depends on the one before, and this chain of loads limits the speed of
   reading.  So for each record the code here follows the prediction and counts
   the way, and nothing else.  All other work is done for each way, once a
   block. */

#include "lib/wet/wet_cursor.h"
#include "format/wet_history.h"

static bool wrong(WetCursor* c)
{
   return job_fail(&c->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

/* Add a word to the block's .extra. */
static void add_extra(Block* b, Bytes* from, uint64_t word)
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
   Bytes* b = &c->control;

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
   uint32_t mark = get_up_to(&c->control, wet_last_mark(c->w->version));
   uint64_t word = 0;

   c->odd_marks |= mark == DCFG_WET_HANDLER || mark == MarkTop;
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
      b->n_slots  += n * way->n_slots;
      c->n_instrs += (uint64_t)n * way->n_instrs;
      if (c->runs != NULL)
         c->runs[way->place] += n;
      if (c->wanted != SLOTS_OF_NONE)
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
   b->ways[b->n_ways++] = NO_WAY_STOP;
   count_ways(c);
   b->n_slots  += stop.n_slots;
   c->n_instrs += n;
   if (c->runs != NULL)
      c->runs[ELEM(w->sbs, WetSb, id).instrs.first + n - 1]++;
   if (c->wanted != SLOTS_OF_NONE)
      count_rows(c, ELEM(w->sbs, WetSb, id).segments.first,
                 stop.n_segments, 1);
   return true;
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
   if (id <= MAX_FORETOLD) {
      c->other[c->history] = c->next[c->history];
      c->next[c->history]  = foretold;
   }
   c->history = wet_next_history(c->history, (uint32_t)(foretold >> 48));
   note_way(c, &c->block, way);
   return true;
}

/* Take the next N ways as predicted first and, if OTHER, one that was predicted
   second. */
static bool get_foretold(WetCursor* c, uint64_t n, bool other)
{
   Block*   b = &c->block;
   uint32_t history = c->history;

   if (n + other > MAX_BLOCK - b->n_ways)
      return false;
   while (n-- > 0) {
      uint64_t foretold = c->next[history];
      if (foretold == 0)
         return false;
      history = wet_next_history(history, (uint32_t)(foretold >> 48));
      note_way(c, b, (uint32_t)foretold - 1);
   }
   if (other) {
      uint64_t foretold = c->other[history];
      if (foretold == 0)
         return false;
      c->other[history] = c->next[history];
      c->next[history]  = foretold;
      history = wet_next_history(history, (uint32_t)(foretold >> 48));
      note_way(c, b, (uint32_t)foretold - 1);
   }
   c->history = history;
   return true;
}

bool wet_read_control(WetCursor* c)
{
   Block* b = &c->block;

   b->n_ways  = b->n_extra = b->n_words = b->n_segments = 0;
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
      } else if (!(symbol == SymbolStop
                   ? get_stop(c)
                   : get_way(c, symbol - SymbolFirst))) {
         return wrong(c);
      }
   }
}
