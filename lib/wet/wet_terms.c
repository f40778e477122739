/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms: the numbers that superblocks of a whole execution trace compute. */

/* Owns: terms (docs/dev/wet-file.md), and computing them.  Handed: section 5
   by wet_load.c, words by wet_cursor.c.

   Slots are computed from words on the tape, from other slots, and from what
   registers had when the superblock began.  So each superblock also says what it
   leaves in registers, and all records of a chunk are computed in their order.

   Floating point.  Readers must find the bits that the program had, on any
   processor, whatever the compiler makes of floating point, and whatever modes
   the reader's program has set.  So SSE's arithmetic is done with integers, bit
   by bit.  NaNs are those of SSE: the result is the first operand that is a NaN,
   made quiet; and of an invalid operation a negative quiet NaN without
   payload. */

#include "lib/wet/wet_terms.h"
#include "format/wet_mirror.h"
#include "format/wet_code.h"

#include <string.h>

/* Format: bits of the fraction and of the exponent. */
typedef
   struct {
      unsigned fraction, exponent;
   }
   Format;

static const Format f64 = { 52, 11 }, f32 = { 23, 8 };

/* Finite: a finite number, SIGNIFICAND / 2^63 * 2^EXPONENT.  The significand has
   bit 63, or is 0. */
typedef
   struct {
      bool     negative;
      int      exponent;
      uint64_t significand;
   }
   Finite;

/*--- Bits                                                 ---*/

static inline uint64_t sign_of(Format f)
{
   return UINT64_C(1) << (f.fraction + f.exponent);
}

static inline uint64_t infinity(Format f)
{
   return ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
}

static inline uint64_t quiet_bit(Format f)
{
   return UINT64_C(1) << (f.fraction - 1);
}

/* Return X without bits above the format. */
static inline uint64_t bits_of(Format f, uint64_t x)
{
   return x & (sign_of(f) | (sign_of(f) - 1));
}

static inline uint64_t magnitude(Format f, uint64_t x)
{
   return x & (sign_of(f) - 1);
}

static inline bool is_nan(Format f, uint64_t x)
{
   return magnitude(f, x) > infinity(f);
}

static inline bool is_infinite(Format f, uint64_t x)
{
   return magnitude(f, x) == infinity(f);
}

/* Return the result of an invalid operation. */
static inline uint64_t invalid(Format f)
{
   return sign_of(f) | infinity(f) | quiet_bit(f);
}

/* Return the first of X and Y that is a NaN, made quiet. */
static inline uint64_t nan_of(Format f, uint64_t x, uint64_t y)
{
   return (is_nan(f, x) ? x : y) | quiet_bit(f);
}

static inline unsigned leading_zeros(uint64_t n)
{
   return (unsigned)__builtin_clzll(n);
}

/* Return N shifted right; the lowest bit is 1 if any bit is lost. */
static inline uint64_t shifted(uint64_t n, unsigned by)
{
   if (by == 0)
      return n;
   return by > 63 ? n != 0 : n >> by | (n << (64 - by) != 0);
}

/* Return the finite number that has the bits X. */
static inline Finite finite_of(Format f, uint64_t x)
{
   int      bias = (1 << (f.exponent - 1)) - 1;
   uint64_t fraction = x & ((UINT64_C(1) << f.fraction) - 1);
   int      biased = (int)(magnitude(f, x) >> f.fraction);
   Finite   n = { (x & sign_of(f)) != 0, 0, 0 };

   if (biased > 0) {
      n.significand = (fraction | UINT64_C(1) << f.fraction)
                      << (63 - f.fraction);
      n.exponent    = biased - bias;
   } else if (fraction != 0) {
      n.significand = fraction << leading_zeros(fraction);
      n.exponent    = 1 - bias
                      - (int)(leading_zeros(fraction) - (63 - f.fraction));
   }
   return n;
}

/*--- Rounding                                             ---*/

/* Return whether a number is rounded away from 0.  REST is what is beyond the
   last bit, of which HALF is a half. */
static inline bool rounds_up(WetRounding mode, bool negative, bool odd,
                             uint64_t rest, uint64_t half)
{
   switch (mode) {
      case RoundNearest: return rest > half || (rest == half && odd);
      case RoundDown:    return negative && rest != 0;
      case RoundUp:      return !negative && rest != 0;
      default:           return false;
   }
}

/* Return the bits of N, rounded.  The lowest bit of its significand stands for
   all that are below it. */
static inline uint64_t rounded(Format f, Finite n, WetRounding mode)
{
   int      bias = (1 << (f.exponent - 1)) - 1;
   int      biased = n.exponent + bias;
   int      most = (1 << f.exponent) - 1;
   unsigned drop = 63 - f.fraction;
   uint64_t sign = n.negative ? sign_of(f) : 0, bits, rest, half;

   if (n.significand == 0)
      return sign;
   if (biased <= 0) {
      n.significand = shifted(n.significand,
                              biased < -64 ? 64 : (unsigned)(1 - biased));
      biased        = 1;
   }
   bits  = n.significand >> drop;
   rest  = n.significand & ((UINT64_C(1) << drop) - 1);
   half  = UINT64_C(1) << (drop - 1);
   bits += rounds_up(mode, n.negative, bits & 1, rest, half);
   /* The highest bit of the significand adds 1 to the exponent. */
   if (biased < most)
      bits += (uint64_t)(biased - 1) << f.fraction;
   if (biased < most && bits < infinity(f))
      return sign | bits;
   return sign | (infinity(f) - !rounds_up(mode, n.negative, true, 1, 0));
}

/*--- Arithmetic                                           ---*/

static inline uint64_t zero(Format f, bool negative)
{
   return negative ? sign_of(f) : 0;
}

/* Return the sum of two finite numbers. */
static inline uint64_t sum_of_finite(Format f, Finite a, Finite b)
{
   Finite sum;

   /* Bits 9 and below of a double are 0, so one bit may be lost above. */
   if (a.significand == 0 || (b.significand != 0 && a.exponent < b.exponent)) {
      Finite other = a;
      a = b;
      b = other;
   }
   if (a.significand == 0)
      return zero(f, a.negative && b.negative);
   sum             = a;
   sum.significand = a.significand >> 1;
   sum.exponent++;
   if (b.significand != 0)
      b.significand = shifted(b.significand >> 1,
                              a.exponent - b.exponent > 64 ? 64
                              : (unsigned)(a.exponent - b.exponent));
   if (a.negative == b.negative) {
      sum.significand += b.significand;
   } else {
      if (b.significand > sum.significand) {
         sum.significand = b.significand - sum.significand;
         sum.negative    = b.negative;
      } else {
         sum.significand -= b.significand;
      }
      if (sum.significand == 0)
         return zero(f, false);
   }
   sum.exponent     -= (int)leading_zeros(sum.significand);
   sum.significand <<= leading_zeros(sum.significand);
   return rounded(f, sum, RoundNearest);
}

static inline uint64_t add(Format f, uint64_t x, uint64_t y)
{
   if (is_nan(f, x) || is_nan(f, y))
      return nan_of(f, x, y);
   if (is_infinite(f, x))
      return is_infinite(f, y) && x != y ? invalid(f) : x;
   if (is_infinite(f, y))
      return y;
   return sum_of_finite(f, finite_of(f, x), finite_of(f, y));
}

static inline uint64_t subtract(Format f, uint64_t x, uint64_t y)
{
   if (is_nan(f, x) || is_nan(f, y))
      return nan_of(f, x, y);
   return add(f, x, y ^ sign_of(f));
}

/* Return the upper 64 bits of X times Y; the lowest bit is 1 if any bit below is
   1. */
static inline uint64_t high_product(uint64_t x, uint64_t y)
{
   uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
   uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32);
   uint64_t other = x0 * y1 + (uint32_t)middle;
   uint64_t high = x1 * y1 + (middle >> 32) + (other >> 32);

   return high | ((other << 32 | (uint32_t)low) != 0);
}

static inline uint64_t multiply(Format f, uint64_t x, uint64_t y)
{
   bool   negative = ((x ^ y) & sign_of(f)) != 0;
   Finite a, b, product;

   if (is_nan(f, x) || is_nan(f, y))
      return nan_of(f, x, y);
   if (is_infinite(f, x) || is_infinite(f, y))
      return magnitude(f, x) == 0 || magnitude(f, y) == 0
             ? invalid(f) : zero(f, negative) | infinity(f);
   a = finite_of(f, x);
   b = finite_of(f, y);
   product = (Finite){ negative, a.exponent + b.exponent + 1,
                       high_product(a.significand, b.significand) };
   if (product.significand >> 63 == 0) {
      product.significand <<= 1;
      product.exponent--;
   }
   return rounded(f, product, RoundNearest);
}

static uint64_t divide(Format f, uint64_t x, uint64_t y)
{
   bool     negative = ((x ^ y) & sign_of(f)) != 0;
   Finite   a, b;
   uint64_t quotient = 0, rest;

   if (is_nan(f, x) || is_nan(f, y))
      return nan_of(f, x, y);
   if (is_infinite(f, x))
      return is_infinite(f, y) ? invalid(f) : zero(f, negative) | infinity(f);
   if (is_infinite(f, y))
      return zero(f, negative);
   if (magnitude(f, y) == 0)
      return magnitude(f, x) == 0 ? invalid(f)
                                  : zero(f, negative) | infinity(f);
   if (magnitude(f, x) == 0)
      return zero(f, negative);
   a = finite_of(f, x);
   b = finite_of(f, y);
   /* The lowest bits of both are 0.  The first bit is that of 1. */
   rest = a.significand >> 1;
   for (unsigned i = 0; i < f.fraction + 3; i++) {
      quotient <<= 1;
      if (rest >= b.significand >> 1) {
         quotient |= 1;
         rest     -= b.significand >> 1;
      }
      rest <<= 1;
   }
   quotient = quotient << 1 | (rest != 0);
   a.negative = negative;
   a.exponent = a.exponent - b.exponent + 60 - (int)f.fraction
                - (int)leading_zeros(quotient);
   a.significand = quotient << leading_zeros(quotient);
   return rounded(f, a, RoundNearest);
}

static uint64_t square_root(Format f, uint64_t x)
{
   Finite   n;
   uint64_t root = 0, rest = 0, digits;

   if (is_nan(f, x))
      return nan_of(f, x, x);
   if (magnitude(f, x) == 0)
      return x;
   if ((x & sign_of(f)) != 0)
      return invalid(f);
   if (is_infinite(f, x))
      return x;
   n = finite_of(f, x);
   /* DIGITS, two bits for each of the root's, is a number from 1 to below 4. */
   digits = n.significand >> ((n.exponent & 1) != 0 ? 0 : 1);
   for (unsigned i = 0; i < f.fraction + 3; i++) {
      rest     = rest << 2 | digits >> 62;
      digits <<= 2;
      root   <<= 1;
      if (rest >= (root << 1 | 1)) {
         rest -= root << 1 | 1;
         root |= 1;
      }
   }
   root = root << 1 | (rest != 0);
   n.exponent    = (n.exponent - (n.exponent & 1)) / 2;
   n.significand = root << leading_zeros(root);
   return rounded(f, n, RoundNearest);
}

/*--- Order                                                ---*/

/* Return whether X < Y.  Neither is a NaN. */
static inline bool is_less(Format f, uint64_t x, uint64_t y)
{
   bool     minus_x = (x & sign_of(f)) != 0, minus_y = (y & sign_of(f)) != 0;
   uint64_t a = magnitude(f, x), b = magnitude(f, y);

   if ((a | b) == 0)
      return false;
   return minus_x != minus_y ? minus_x : minus_x ? a > b : a < b;
}

static inline bool is_equal(Format f, uint64_t x, uint64_t y)
{
   return x == y || (magnitude(f, x) | magnitude(f, y)) == 0;
}

/* Return Y, unless X is less or, if GREATER, greater. */
static inline uint64_t extreme(Format f, uint64_t x, uint64_t y, bool greater)
{
   if (is_nan(f, x) || is_nan(f, y))
      return y;
   return (greater ? is_less(f, y, x) : is_less(f, x, y)) ? x : y;
}

/* Return whether the comparison TERM, one of doubles, holds. */
static inline bool holds(Format f, unsigned term, uint64_t x, uint64_t y)
{
   if (is_nan(f, x) || is_nan(f, y))
      return term == TermUnorderedF64;
   switch (term) {
      case TermEqualF64:     return is_equal(f, x, y);
      case TermLessF64:      return is_less(f, x, y);
      case TermLessEqualF64: return is_less(f, x, y) || is_equal(f, x, y);
      default:               return false;
   }
}

/* Return the result of TERM, one of doubles, on numbers of the format. */
static inline uint64_t compute(Format f, unsigned term, uint64_t x,
                               uint64_t y)
{
   x = bits_of(f, x);
   y = bits_of(f, y);
   switch (term) {
      case TermAddF64:  return add(f, x, y);
      case TermSubF64:  return subtract(f, x, y);
      case TermMulF64:  return multiply(f, x, y);
      case TermDivF64:  return divide(f, x, y);
      case TermMinF64:  return extreme(f, x, y, false);
      case TermMaxF64:  return extreme(f, x, y, true);
      case TermSqrtF64: return square_root(f, x);
      default:          return holds(f, term, x, y) ? bits_of(f, ~UINT64_C(0))
                                                    : 0;
   }
}

static uint64_t compute_f64(unsigned term, uint64_t x, uint64_t y)
{
   return compute(f64, term, x, y);
}

static uint64_t compute_f32(unsigned term, uint64_t x, uint64_t y)
{
   return compute(f32, term, x, y);
}

/*--- Conversions                                          ---*/

/* Return X of format FROM in format TO. */
static uint64_t converted(Format from, Format to, uint64_t x,
                          WetRounding mode)
{
   uint64_t sign, payload;

   x    = bits_of(from, x);
   sign = (x & sign_of(from)) != 0 ? sign_of(to) : 0;
   if (is_infinite(from, x))
      return sign | infinity(to);
   if (!is_nan(from, x))
      return rounded(to, finite_of(from, x), mode);
   payload = x & ((UINT64_C(1) << from.fraction) - 1);
   payload = from.fraction < to.fraction
             ? payload << (to.fraction - from.fraction)
             : payload >> (from.fraction - to.fraction);
   return sign | infinity(to) | quiet_bit(to) | payload;
}

/* Return the double for X, a signed integer. */
static uint64_t from_int(uint64_t x, WetRounding mode)
{
   Finite n = { x >> 63 != 0, 63, x >> 63 != 0 ? -x : x };

   if (x == 0)
      return 0;
   n.exponent     -= (int)leading_zeros(n.significand);
   n.significand <<= leading_zeros(n.significand);
   return rounded(f64, n, mode);
}

/* Return the magnitude of N, which is below 2^64, rounded to an integer. */
static uint64_t integer_of(Finite n, WetRounding mode)
{
   uint64_t whole, rest;

   if (n.significand == 0)
      return 0;
   if (n.exponent < -1)
      return rounds_up(mode, n.negative, false, 1, 2);
   if (n.exponent == -1)
      return rounds_up(mode, n.negative, false, n.significand,
                       UINT64_C(1) << 63);
   if (n.exponent == 63)
      return n.significand;
   whole = n.significand >> (63 - n.exponent);
   rest  = n.significand << (n.exponent + 1);
   return whole + rounds_up(mode, n.negative, whole & 1, rest,
                            UINT64_C(1) << 63);
}

/* Return the signed integer of SIZE bytes for the double X, or if there is none
   the least one. */
static uint64_t to_int(uint64_t x, unsigned size, WetRounding mode)
{
   uint64_t least = UINT64_C(1) << (8 * size - 1), whole;
   Finite   n;

   if (is_nan(f64, x) || is_infinite(f64, x))
      return least;
   n = finite_of(f64, x);
   if (n.exponent > 63)
      return least;
   whole = integer_of(n, mode);
   if (whole > least || (whole == least && !n.negative))
      return least;
   return n.negative ? -whole : whole;
}

/* Return the double X without its fraction. */
static uint64_t without_fraction(uint64_t x, WetRounding mode)
{
   Finite   n;
   uint64_t sign = x & sign_of(f64);

   if (is_nan(f64, x))
      return nan_of(f64, x, x);
   if (is_infinite(f64, x))
      return x;
   n = finite_of(f64, x);
   return n.exponent >= 52 ? x : sign | from_int(integer_of(n, mode),
                                                 RoundNearest);
}

/*--- Terms of floating point                              ---*/

/* Return what TERM, one of floating point, makes of the bits X and Y.  The
   result has SIZE bytes; higher ones have any contents.  Not inline: the loop
   over all terms would be slower. */
__attribute__((noinline))
static uint64_t float_term(unsigned term, uint64_t x, uint64_t y,
                           unsigned size)
{
   WetRounding mode = (WetRounding)(y & 3);

   switch (term) {
      case TermWiden:   return converted(f32, f64, x, mode);
      case TermNarrow:  return converted(f64, f32, x, mode);
      case TermFromInt: return from_int(x, mode);
      case TermToInt:   return to_int(x, size, mode);
      case TermRound:   return without_fraction(x, mode);
      default:          break;
   }
   if (term >= TermAddF32x2)
      return compute_f32(term - TermAddF32x2 + TermAddF64, x, y)
             | compute_f32(term - TermAddF32x2 + TermAddF64, x >> 32, y >> 32)
               << 32;
   if (term >= TermAddF32)
      return compute_f32(term - TermAddF32 + TermAddF64, x, y);
   return compute_f64(term, x, y);
}

/*--- Tables                                               ---*/

/* Operation of a term: OpSimple is the sum of a number, a word and a constant.
   The others are 1 more than Term....  Their second operand is a number plus a
   constant, one of which is 0. */
enum { OpSimple, OpLoad = 1 + TermLoad, OpStore };

static bool wrong(DcfgWet* w)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, "superblocks",
                   "a slot cannot be computed");
}

/* SlotReader: the slots of a superblock so far.  For each slot in the file, where
   its number is in WetCursor.computed; and how many slots, terms and told registers
   there were before. */
typedef
   struct {
      uint16_t index[MAX_ACCESSES];
      uint16_t slots[MAX_ACCESSES + 1];
      uint16_t terms[MAX_ACCESSES + 1];
      uint16_t tells[MAX_ACCESSES + 1];
      uint32_t n_loads;
   }
   SlotReader;

/* Return the index in WetCursor.computed of what operand N names, in slot number
   I. */
static uint16_t index_of(const SlotReader* r, ByteReader* b, uint64_t n, uint32_t i)
{
   if (n < WET_REGISTERS)
      return (uint16_t)(1 + n);
   if (n < WET_REGISTERS + i)
      return r->index[n - WET_REGISTERS];
   bytes_fail(b);
   return 0;
}

/* Return whether T has a word on the tape. */
static inline bool has_word(const WetTerm* t)
{
   return t->word != 0 && t->operation != OpLoad;
}

/* Read how term T, for slot number I, of WHAT and SIZE, is computed.  It is word
   number WORD if it is on the tape; a load is number .loads of R. */
static void get_way_of(SlotReader* r, ByteReader* b, WetTerm* t, uint32_t i,
                       uint32_t what, uint32_t size, uint32_t word)
{
   uint32_t from = get_up_to(b, WhereConstant + WET_REGISTERS + i);
   uint64_t c = from == WhereTape ? 0 : difference_of(get_varint(b));
   uint32_t term = (what - AccessTerm) / 2;

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
   if (term == TermLoad) {
      t->word = (uint16_t)++r->n_loads;
      if ((what & 1) == 0)
         bytes_fail(b);
   } else if ((what & 1) == 0) {
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

/* Copy propagation: while operand *A of a term of SB is another number plus a
   constant, take that number, and add the constant to *C.  If C is NULL, the
   constant has to be 0.  Terms then wait less for each other. */
static void propagate(const DcfgWet* w, const WetSb* sb, uint16_t* a,
                      uint64_t* c)
{
   while (*a > WET_REGISTERS) {
      const WetTerm* t = &ELEM(w->terms, WetTerm,
                               sb->terms.first + *a - 1 - WET_REGISTERS);
      if (t->operation != OpSimple || t->word != 0 || t->shift != 0
          || (c == NULL && t->c != 0))
         return;
      *a = t->a;
      if (c != NULL)
         *c += t->c;
   }
}

/* Add T to SB, unless it is only another name of a term.  Return its index in
   WetCursor.computed; 0: there is no memory. */
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
   if (t->operation == OpSimple || t->operation == OpLoad) {
      propagate(w, sb, &last->a, &last->c);
   } else {
      propagate(w, sb, &last->a, NULL);
      propagate(w, sb, &last->b, &last->c);
   }
   return (uint16_t)(1 + WET_REGISTERS + n);
}

static bool add_told(DcfgWet* w, uint32_t reg, uint16_t from)
{
   WetSet* set = array_add(&w->job, &w->tells, sizeof(*set));

   if (set != NULL)
      *set = (WetSet){ (uint16_t)(1 + reg), from };
   return set != NULL;
}

/* Read slot number I of SB. */
static bool get_slot(DcfgWet* w, WetSb* sb, uint32_t i, SlotReader* r, ByteReader* b)
{
   uint32_t place = get_up_to(b, sb->instrs.n - 1);
   uint32_t what = get_up_to(b, AccessTerm + 2 * N_TERMS - 1);
   uint32_t size = get_up_to(b, what == AccessValue ? 8
                                : what == AccessRegister ? WET_REGISTERS - 1
                                : UINT16_MAX);
   WetTerm  t = { .place = (uint16_t)place, .slot = r->slots[i],
                  .is_slot = what <= AccessAll };
   bool     told = what == AccessRegister;

   if (!t.is_slot && !told && what < AccessTerm)
      bytes_fail(b);
   get_way_of(r, b, &t, i, what, size, sb->n_words + 1);
   sb->n_words += has_word(&t);
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

bool wet_get_terms(DcfgWet* w, WetSb* sb, uint32_t n, ByteReader* b)
{
   SlotReader r;

   r.slots[0] = r.terms[0] = r.tells[0] = 0;
   r.n_loads  = 0;
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
      words += has_word(&ELEM(w->terms, WetTerm, sb->terms.first + i));
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
      *n_words += has_word(&t[way.n_terms]);
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
         return float_term(t->operation - 1u, x, y,
                               (64u - t->shift) / 8);
   }
}

/* Return the number that T, a load, has: it is at X in the mirror but for ERROR.
   Let the mirror have it. */
static uint64_t load_wrong(uint8_t* mirror, const WetTerm* t, uint64_t x,
                           uint64_t error)
{
   uint8_t* at  = mirror + ((x + t->c) & (WET_MIRROR - 1));
   uint64_t was = get_word(at), now = (was + error) << t->shift >> t->shift;

   put_word(at, (was & ~(~UINT64_C(0) >> t->shift)) | now);
   return now;
}

/* Let the mirror have Y, which T stores at X. */
static inline void store_mirror(uint8_t* mirror, const WetTerm* t, uint64_t x,
                                uint64_t y)
{
   uint8_t* at   = mirror + (x & (WET_MIRROR - 1));
   uint64_t mask = ~UINT64_C(0) >> t->shift;

   put_word(at, (get_word(at) & ~mask) | (y & mask));
}

void wet_find_terms(const DcfgWet* w, uint64_t* numbers, uint8_t* mirror,
                    const uint64_t* errors, const WayTerms* way,
                    const uint64_t* words, uint64_t* to)
{
   const WetTerm* t = &ELEM(w->terms, WetTerm, way->terms);
   const WetSet*  s = &ELEM(w->sets, WetSet, way->sets);
   uint64_t*      at = numbers + 1 + WET_REGISTERS;

   for (const WetTerm* end = t + way->n_terms; t < end; t++) {
      uint64_t x = numbers[t->a];
      if (t->operation == OpSimple)
         x += t->c + (t->word == 0 ? 0 : words[t->word]);
      else if (t->operation == OpLoad && errors != NULL)
         x = load_wrong(mirror, t, x, errors[t->word]);
      else if (t->operation == OpLoad)
         x = get_word(mirror + ((x + t->c) & (WET_MIRROR - 1)));
      else if (t->operation == OpStore)
         store_mirror(mirror, t, x, numbers[t->b] + t->c);
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
