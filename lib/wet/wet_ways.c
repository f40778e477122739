/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Ways of superblocks, and the tape's control. */

/* Owns: the ways of superblocks, and decoding control: the ways of a block's
   records.  Handed: tables by wet_load.c, chunks by wet_tape.c.

   The hash of the last ways, the history, predicts the next way.  Each record
   depends on the one before, and this chain of loads limits the speed of
   reading.  So for each record the code here follows the prediction and counts
   the way, and nothing else.  All other work is done for each way, once a
   block. */

#include "lib/wet/wet_terms.h"
#include "format/wet_history.h"

static bool wrong(DcfgWet* w)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

/*--- Ways                                                 ---*/

/* Return whether the superblock may move the top of x87's stack. */
static bool moves_top(const DcfgWet* w, const WetSb* sb)
{
   for (uint32_t k = 0; k < sb->instrs.n; k++)
      if (w->plans[w->places[sb->instrs.first + k].instr].moves_top)
         return true;
   return false;
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
      WetSb*          sb = &ELEM(w->sbs, WetSb, id);
      const uint32_t* instrs = &ELEM(w->sb_instrs, uint32_t,
                                     sb->instrs.first);

      sb->moves_top = moves_top(w, sb);
      for (uint32_t i = 0; sb->instrs.n > 0 && i <= sb->exits.n; i++) {
         const WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + i);
         bool           end = i == sb->exits.n;
         WetWay*        way = &w->ways[sb->ways + i];
         way->sb         = id;
         way->segments   = sb->segments.first;
         way->rules      = sb->rules;
         way->n_instrs   = (uint16_t)(end ? sb->instrs.n : x->place + 1u);
         way->n_slots    = (uint16_t)(end ? sb->slots.n : x->n_slots);
         way->n_segments = (uint8_t)(end ? sb->segments.n : x->n_segments);
         way->place      = sb->instrs.first + way->n_instrs - 1u;
         way->last       = instrs[way->n_instrs - 1];
         way->kind       = ELEM(w->instrs, WetInstr, way->last).kind;
         way->computes   = way->n_slots > 0
                           || (end ? sb->terms.n : x->n_terms) > 0;
         way->stack      = way->n_slots > 0 && w->version < 5
                           && ELEM(w->rules, SlotRule, sb->rules
                                   + way->n_slots - 1u).stack >= 0;
         way->tops       = sb->tops;
         way->easy       = !sb->moves_top && !is_transfer(way->kind);
      }
   }
   return w->ways != NULL && wet_make_way_terms(w);
}

/*--- The control of a block                               ---*/

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
static void get_mark_bytes(Chunk* c, uint64_t n)
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
static void get_mark(const DcfgWet* w, Chunk* c)
{
   uint32_t mark = get_up_to(&c->control, wet_last_mark(w->version));
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
static void count_rows(DcfgWet* w, Block* b, uint32_t first, uint32_t n,
                       uint32_t more)
{
   WetSegment* s = &ELEM(w->segments, WetSegment, first);

   for (const WetSegment* end = s + n; s < end; s++, first++) {
      b->n_words += s->n_words * more;
      if (s->n_rows == 0 && b->n_segments < MAX_BLOCK)
         b->segments[b->n_segments++] = first;
      s->n_rows += more;
   }
}

/* Count the records of ways met since the last call.  Segments get the order in
   which they are met. */
static void count_ways(DcfgWet* w, Chunk* c)
{
   Block* b = &c->block;

   for (uint32_t i = 0; i < b->n_met; i++) {
      const WetWay* way = &w->ways[b->met[i]];
      uint32_t n = w->way_counts[b->met[i]];
      w->way_counts[b->met[i]] = 0;
      b->n_slots  += n * way->n_slots;
      c->n_instrs += (uint64_t)n * way->n_instrs;
      if (w->runs != NULL)
         w->runs[way->place] += n;
      if (c->wanted != SLOTS_OF_NONE)
         count_rows(w, b, way->segments, way->n_segments, n);
   }
   b->n_met = 0;
}

/* Note that the next record has way ID. */
static inline void note_way(DcfgWet* w, Block* b, uint32_t id)
{
   b->ways[b->n_ways++] = id;
   if (w->way_counts[id]++ == 0)
      b->met[b->n_met++] = id;
}

Stop wet_find_stop(const DcfgWet* w, uint32_t id, uint32_t n)
{
   const WetSb*      sb = &ELEM(w->sbs, WetSb, id);
   const WetAccess*  a = &ELEM(w->accesses, WetAccess, sb->slots.first);
   const WetSegment* s = &ELEM(w->segments, WetSegment, sb->segments.first);
   Stop              stop = { .sb = id, .n_instrs = n };

   if (w->version >= 5)
      wet_terms_before(w, sb, n, &stop.n_slots, &stop.n_words);
   while (w->version < 5 && stop.n_slots < sb->slots.n
          && a[stop.n_slots].place < n)
      stop.n_words += wet_is_word(&a[stop.n_slots++]);
   while (stop.n_segments < sb->segments.n
          && s[stop.n_segments].n_words <= stop.n_words)
      stop.n_words -= s[stop.n_segments++].n_words;
   return stop;
}

/* Read a stop: the superblock's number, how many instructions ran, and the
   words behind its full segments. */
static bool get_stop(DcfgWet* w, Chunk* c)
{
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
   count_ways(w, c);
   b->n_slots  += stop.n_slots;
   c->n_instrs += n;
   if (w->runs != NULL)
      w->runs[ELEM(w->sbs, WetSb, id).instrs.first + n - 1]++;
   if (c->wanted != SLOTS_OF_NONE)
      count_rows(w, b, ELEM(w->sbs, WetSb, id).segments.first,
                 stop.n_segments, 1);
   return true;
}

/* Read a way that was not predicted; predict it from now on. */
static bool get_way(DcfgWet* w, Chunk* c, uint64_t symbol)
{
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
   note_way(w, &c->block, way);
   return true;
}

/* Take the next N ways as predicted first and, if OTHER, one that was predicted
   second. */
static bool get_foretold(DcfgWet* w, Chunk* c, uint64_t n, bool other)
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
      note_way(w, b, (uint32_t)foretold - 1);
   }
   if (other) {
      uint64_t foretold = c->other[history];
      if (foretold == 0)
         return false;
      c->other[history] = c->next[history];
      c->next[history]  = foretold;
      history = wet_next_history(history, (uint32_t)(foretold >> 48));
      note_way(w, b, (uint32_t)foretold - 1);
   }
   c->history = history;
   return true;
}

bool wet_read_control(DcfgWet* w)
{
   Chunk* c = w->chunk;
   Block* b = &c->block;

   b->n_ways  = b->n_extra = b->n_words = b->n_segments = 0;
   b->n_slots = 0;
   b->n_bytes = 0;
   for (;;) {
      uint64_t right = get_varint(&c->control), symbol;
      if (!get_foretold(w, c, right >> 1, right & 1))
         return wrong(w);
      if (right & 1)
         continue;
      symbol = get_varint(&c->control);
      if (c->control.failed || b->n_ways == MAX_BLOCK)
         return wrong(w);
      if (symbol == SymbolEnd) {
         count_ways(w, c);
         return b->n_ways > 0 || wrong(w);
      }
      if (symbol == SymbolMark) {
         get_mark(w, c);
         b->ways[b->n_ways++] = NO_WAY_MARK;
      } else if (!(symbol == SymbolStop
                   ? get_stop(w, c)
                   : get_way(w, c, symbol - SymbolFirst))) {
         return wrong(w);
      }
   }
}
