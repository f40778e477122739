/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: the numbers that superblocks of a wet file compute. */

/* Owns: terms (docs/dev/wet-file.md), and computing them.  Handed: section 5
   by wet_load.c, words by wet_tape.c.

   From version 5 on, slots are computed from words on the tape, from other
   slots, and from what general registers had when the superblock began.  So each
   superblock also says what it leaves in registers, and all records of a chunk
   are computed in their order. */

#include "lib/wet/wet_terms.h"

#include <string.h>

#include "lib/wet/wet_floats.h"

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

/* SlotReader: the slots of a superblock so far, in a file whose superblocks know
   the first N_REGISTERS registers.  For each slot in the file, where its number is
   in Chunk.computed; and how many slots, terms and told registers there were
   before. */
typedef
   struct {
      uint32_t n_registers;
      uint16_t index[MAX_ACCESSES];
      uint16_t slots[MAX_ACCESSES + 1];
      uint16_t terms[MAX_ACCESSES + 1];
      uint16_t tells[MAX_ACCESSES + 1];
   }
   SlotReader;

/* Return the index in Chunk.computed of what operand N names, in slot number
   I. */
static uint16_t index_of(const SlotReader* r, Bytes* b, uint64_t n, uint32_t i)
{
   if (n < r->n_registers)
      return (uint16_t)(1 + n);
   if (n < r->n_registers + i)
      return r->index[n - r->n_registers];
   bytes_fail(b);
   return 0;
}

/* Read how term T, for slot number I, of WHAT and SIZE, is computed.  It is word
   number WORD if it is on the tape. */
static void get_way_of(const SlotReader* r, Bytes* b, WetTerm* t, uint32_t i,
                       uint32_t what, uint32_t size, uint32_t word)
{
   uint32_t from = get_up_to(b, WhereConstant + r->n_registers + i);
   uint64_t c = from <= WhereStack ? 0 : difference_of(get_varint(b));
   uint32_t term = (what - AccessTerm) / 2;

   if (from == WhereFrame || from == WhereStack)
      bytes_fail(b);
   t->c = c;
   if (from == WhereTape)
      t->word = (uint16_t)word;
   if (from >= WhereSlot)
      t->a = index_of(r, b, from - WhereSlot, i);
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
      t->b = index_of(r, b, c, i);
      t->c = 0;
   }
}

/* Return whether T is the number of another term, as it is. */
static bool is_same(const WetTerm* t)
{
   return t->operation == OpSimple && t->word == 0 && t->c == 0
          && t->shift == 0 && t->a > WET_REGISTERS;
}

/* Add T to SB, unless it is only another name of a term.  Return its index in
   Chunk.computed; 0: there is no memory. */
static uint16_t add_term(DcfgWet* w, const WetSb* sb, const WetTerm* t)
{
   uint32_t n = (uint32_t)w->terms.n - sb->terms.first;
   WetTerm* last = n == 0 ? NULL : &ELEM(w->terms, WetTerm, w->terms.n - 1);

   if (is_same(t)) {
      if (!t->is_slot)
         return t->a;
      /* The last term was made for this slot, and is stored there. */
      if (last != NULL && t->a == WET_REGISTERS + n && !last->is_slot
          && last->slot == t->slot && last->place == t->place) {
         last->is_slot = true;
         return t->a;
      }
   }
   last = array_add(&w->job, &w->terms, sizeof(*last));
   if (last == NULL)
      return 0;
   *last = *t;
   return (uint16_t)(1 + WET_REGISTERS + n);
}

static bool add_told(DcfgWet* w, uint32_t reg, uint16_t from)
{
   WetSet* set = array_add(&w->job, &w->tells, sizeof(*set));

   if (set != NULL)
      *set = (WetSet){ (uint16_t)(1 + reg), from };
   return set != NULL;
}

/* Return the number of operations that W's version has. */
static uint32_t terms_of(const DcfgWet* w)
{
   return w->version < 6 ? N_TERMS_5 : N_TERMS;
}

/* Read slot number I of SB. */
static bool get_slot(DcfgWet* w, WetSb* sb, uint32_t i, SlotReader* r, Bytes* b)
{
   uint32_t place = get_up_to(b, sb->instrs.n - 1);
   uint32_t what = get_up_to(b, AccessTerm + 2 * terms_of(w) - 1);
   uint32_t size = get_up_to(b, what == AccessValue ? 8
                                : what == AccessRegister ? r->n_registers - 1
                                : UINT16_MAX);
   WetTerm  t = { .place = (uint16_t)place, .slot = r->slots[i],
                  .is_slot = what <= AccessAll };
   bool     told = what == AccessRegister;

   if (!t.is_slot && !told && what < AccessTerm)
      bytes_fail(b);
   get_way_of(r, b, &t, i, what, size, sb->n_words + 1);
   sb->n_words += t.word != 0;
   sb->tops    |= what == AccessTop;
   r->index[i] = add_term(w, sb, &t);
   if (r->index[i] == 0 || (told && !add_told(w, size, r->index[i])))
      return false;
   if (t.is_slot) {
      WetAccess* a = array_add(&w->job, &w->accesses, sizeof(*a));
      if (a == NULL)
         return false;
      *a = (WetAccess){ .place = (uint16_t)place, .size = (uint16_t)size,
                        .what = (uint8_t)what };
   }
   r->slots[i + 1] = (uint16_t)(r->slots[i] + t.is_slot);
   r->tells[i + 1] = (uint16_t)(r->tells[i] + told);
   r->terms[i + 1] = (uint16_t)(w->terms.n - sb->terms.first);
   return true;
}

bool wet_get_terms(DcfgWet* w, WetSb* sb, uint32_t n, Bytes* b)
{
   SlotReader r;

   r.n_registers = w->version < 6 ? WET_REGISTERS_5 : WET_REGISTERS;
   r.slots[0] = r.terms[0] = r.tells[0] = 0;
   for (uint32_t i = 0; i < n; i++)
      if (!get_slot(w, sb, i, &r, b))
         return false;
   for (uint32_t k = 0; k < sb->exits.n; k++) {
      WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + k);
      uint32_t at = x->n_slots;
      if (at > n)
         return wrong(w);
      x->n_slots = r.slots[at];
      x->n_terms = r.terms[at];
      x->n_tells = r.tells[at];
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

/* Make the terms of the next way, which has the first N_TERMS of SB and the first
   N_TELLS registers. */
static bool add_way(DcfgWet* w, const WetSb* sb, uint32_t n_terms,
                    uint32_t n_tells)
{
   WayTerms* way = array_add(&w->job, &w->way_terms, sizeof(*way));
   bool      seen[1 + WET_REGISTERS] = { false };

   if (way == NULL)
      return false;
   way->terms = sb->terms.first;
   way->sets  = (uint32_t)w->sets.n;
   way->n_terms = (uint16_t)n_terms;
   /* The last number of a register is the one that holds. */
   for (uint32_t i = n_tells; i-- > 0; ) {
      WetSet told = ELEM(w->tells, WetSet, sb->tells.first + i), *set;
      if (seen[told.to])
         continue;
      set = array_add(&w->job, &w->sets, sizeof(*set));
      if (set == NULL)
         return false;
      *set = told;
      seen[told.to] = true;
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
      for (uint32_t i = 0; i < sb->exits.n; i++) {
         const WetExit* x = &ELEM(w->exits, WetExit, sb->exits.first + i);
         if (!add_way(w, sb, x->n_terms, x->n_tells))
            return false;
      }
      if (!add_way(w, sb, sb->terms.n, sb->tells.n))
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
      *n_slots += t[way.n_terms].is_slot;
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
      case TermExtend: return signed_of(x, (64 - 8 * (y & 7)) & 63);
      case TermMerge:  return (x >> 32) << 32 | (uint32_t)y;
      default:
         return wet_float_term(t->operation - 1u, x, y,
                               (64u - t->shift) / 8);
   }
}

void wet_find_terms(const DcfgWet* w, uint64_t* numbers, const WayTerms* way,
                    const uint64_t* words, uint64_t* to)
{
   const WetTerm* t = &ELEM(w->terms, WetTerm, way->terms);
   const WetSet*  s = &ELEM(w->sets, WetSet, way->sets);
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

void wet_forget_general(uint64_t* numbers)
{
   memset(numbers, 0, (1 + WET_REGISTERS) * sizeof(*numbers));
}

void wet_set_general(uint64_t* numbers, const uint8_t* bytes, uint64_t n)
{
   for (; n >= 9; bytes += 9, n -= 9)
      if (bytes[0] == WET_ALL_ZERO)
         wet_forget_general(numbers);
      else if (bytes[0] < WET_REGISTERS)
         numbers[1 + bytes[0]] = get_word(bytes + 1);
}
