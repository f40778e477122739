/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: the numbers that superblocks of a wet file compute. */

/* Owns: terms (docs/dev/wet-file.md), and computing them.  Handed: section 5 by
   wet_load.c, words by wet_tape.c.  Taken by: wet_load.c, wet_ways.c,
   wet_tape.c.

   From version 5 on, slots are computed from words on the tape, from other
   slots, and from what general registers had when the superblock began.  So each
   superblock also says what it leaves in registers, and all records of a chunk
   are computed in their order. */

#include "lib/wet/wet_terms.h"

#include <string.h>

/* Operation of a term: OpSimple is the sum of a number, a word and a constant.
   The others are 1 more than Term....  Their second operand is a number plus a
   constant, one of which is 0. */
enum { OpSimple };

static bool wrong(DcfgWet* w)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, "superblocks",
                   "a slot cannot be computed");
}

/*--- Tables                                               ---*/

/* Return the index in Chunk.computed of what operand N names, in term number
   I. */
static uint16_t number_index(Bytes* b, uint64_t n, uint32_t i)
{
   if (n >= WET_REGISTERS + i)
      bytes_fail(b);
   return (uint16_t)(1 + n);
}

/* Read how term T, number I, of WHAT and SIZE, is computed.  It is word number
   WORD if it is on the tape. */
static void get_way_of(Bytes* b, WetTerm* t, uint32_t i, uint32_t what,
                       uint32_t size, uint32_t word)
{
   uint32_t from = get_up_to(b, WhereConstant + WET_REGISTERS + i);
   uint64_t c = from <= WhereStack ? 0 : difference_of(get_varint(b));
   uint32_t term = (what - AccessTerm) / 2;

   if (from == WhereFrame || from == WhereStack)
      bytes_fail(b);
   t->c = c;
   if (from == WhereTape)
      t->word = (uint16_t)word;
   if (from >= WhereSlot)
      t->a = number_index(b, from - WhereSlot, i);
   if (what < AccessTerm || from < WhereSlot)
      return;
   if (size == 0 || size > 8)
      bytes_fail(b);
   else
      t->shift = (uint8_t)(64 - 8 * size);
   if ((what & 1) != 0 && term == TermAdd)
      return;
   t->operation = (uint8_t)(1 + term);
   if ((what & 1) == 0) {
      t->b = number_index(b, c, i);
      t->c = 0;
   }
}

bool wet_get_terms(DcfgWet* w, WetSb* sb, Bytes* b)
{
   uint32_t n = sb->terms.n, n_slots = 0;

   for (uint32_t i = 0; i < n; i++) {
      uint32_t place = get_up_to(b, sb->instrs.n - 1);
      uint32_t what = get_up_to(b, AccessTerm + 2 * N_TERMS - 1);
      uint32_t size = get_up_to(b, what == AccessValue ? 8
                                   : what == AccessRegister ? WET_REGISTERS - 1
                                   : UINT16_MAX);
      WetTerm* t = array_add(&w->job, &w->terms, sizeof(*t));
      if (t == NULL)
         return false;
      t->place = (uint16_t)place;
      t->slot  = (uint16_t)n_slots;
      t->kind  = what <= AccessAll ? TERM_SLOT
                 : what == AccessRegister ? TERM_REGISTER : TERM_INNER;
      t->reg   = what == AccessRegister ? (uint8_t)size : 0;
      if (what > AccessAll && what != AccessRegister && what < AccessTerm)
         bytes_fail(b);
      get_way_of(b, t, i, what, size, sb->n_words + 1);
      sb->n_words += t->word != 0;
      sb->tops    |= what == AccessTop;
      if (t->kind != TERM_SLOT)
         continue;
      WetAccess* a = array_add(&w->job, &w->accesses, sizeof(*a));
      if (a == NULL)
         return false;
      *a = (WetAccess){ .place = (uint16_t)place, .size = (uint16_t)size,
                        .what = (uint8_t)what };
      n_slots++;
   }
   for (uint32_t k = 0; k < sb->exits.n && !b->failed; k++) {
      WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + k);
      if (x->n_terms > n)
         return wrong(w);
      x->n_slots = x->n_terms == n ? (uint16_t)n_slots
                   : ELEM(w->terms, WetTerm, sb->terms.first
                                             + x->n_terms).slot;
   }
   return true;
}

uint32_t wet_words_of_terms(const DcfgWet* w, const WetSb* sb, uint32_t n)
{
   uint32_t words = 0;

   for (uint32_t i = 0; i < n; i++)
      words += ELEM(w->terms, WetTerm, sb->terms.first + i).word != 0;
   return words;
}

/* Make the terms of the next way, which has the first N of SB. */
static bool add_way(DcfgWet* w, const WetSb* sb, uint32_t n)
{
   WayTerms* way = array_add(&w->job, &w->way_terms, sizeof(*way));
   uint32_t  seen = 0;

   if (way == NULL)
      return false;
   way->terms = sb->terms.first;
   way->sets  = (uint32_t)w->sets.n;
   way->n_terms = (uint16_t)n;
   /* The last number of a register is the one that holds. */
   for (uint32_t i = n; i-- > 0; ) {
      const WetTerm* t = &ELEM(w->terms, WetTerm, sb->terms.first + i);
      if (t->kind != TERM_REGISTER || (seen >> t->reg & 1) != 0)
         continue;
      WetSet* set = array_add(&w->job, &w->sets, sizeof(*set));
      if (set == NULL)
         return false;
      *set  = (WetSet){ (uint16_t)(1 + t->reg),
                        (uint16_t)(1 + WET_REGISTERS + i) };
      seen |= UINT32_C(1) << t->reg;
      way->n_sets++;
   }
   return true;
}

bool wet_make_way_terms(DcfgWet* w)
{
   if (w->version < 5)
      return true;
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, id);
      for (uint32_t i = 0; i < sb->exits.n; i++)
         if (!add_way(w, sb, ELEM(w->exits, WetExit,
                                  sb->exits.first + i).n_terms))
            return false;
      if (!add_way(w, sb, sb->terms.n))
         return false;
   }
   return true;
}

WayTerms wet_terms_before(const DcfgWet* w, const WetSb* sb, uint32_t n,
                          uint32_t* n_slots, uint32_t* n_words)
{
   WayTerms       way = { .terms = sb->terms.first };
   const WetTerm* t = &ELEM(w->terms, WetTerm, sb->terms.first);

   *n_slots = *n_words = 0;
   for (; way.n_terms < sb->terms.n && t[way.n_terms].place < n;
        way.n_terms++) {
      *n_words += t[way.n_terms].word != 0;
      *n_slots += t[way.n_terms].kind == TERM_SLOT;
   }
   return way;
}

/*--- Records                                              ---*/

/* Return X's lowest bytes but for SHIFT bits, as a signed number. */
static inline uint64_t signed_of(uint64_t x, unsigned shift)
{
   return (uint64_t)((int64_t)(x << shift) >> shift);
}

static uint64_t operate(const WetTerm* t, uint64_t x, uint64_t y)
{
   switch (t->operation - 1) {
      case TermAdd: return x + y;
      case TermSub: return x - y;
      case TermMul: return x * y;
      case TermAnd: return x & y;
      case TermOr:  return x | y;
      case TermXor: return x ^ y;
      case TermShl: return x << (y & 63);
      case TermShr: return x >> (y & 63);
      case TermSar: return (uint64_t)((int64_t)signed_of(x, t->shift)
                                      >> (y & 63));
      case TermExtend: return signed_of(x, 64 - 8 * (y & 7));
      default:      return 0;
   }
}

void wet_find_terms(const DcfgWet* w, Chunk* c, const WayTerms* way,
                    const uint64_t* words, uint64_t* to)
{
   const WetTerm* t = &ELEM(w->terms, WetTerm, way->terms);
   const WetSet*  s = &ELEM(w->sets, WetSet, way->sets);
   uint64_t*      numbers = c->computed;
   uint64_t*      at = numbers + 1 + WET_REGISTERS;

   for (const WetTerm* end = t + way->n_terms; t < end; t++) {
      uint64_t x = numbers[t->a], word = words[t->word];
      if (t->operation == OpSimple)
         x += t->c + (t->word == 0 ? 0 : word);
      else
         x = operate(t, x, numbers[t->b] + t->c);
      x = x << t->shift >> t->shift;
      *at++       = x;
      to[t->slot] = x;          // the next slot, or the next term's
   }
   for (const WetSet* end = s + way->n_sets; s < end; s++)
      numbers[s->to] = numbers[s->from];
}

void wet_set_general(Chunk* c, const uint8_t* bytes, uint64_t n)
{
   for (; n >= 9; bytes += 9, n -= 9)
      if (bytes[0] < WET_REGISTERS)
         c->computed[1 + bytes[0]] = get_word(bytes + 1);
}
