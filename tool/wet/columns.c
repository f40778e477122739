/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Columns: coding sequences of numbers. */

/* Owns: the coding of columns.  A column has the numbers that one place of a
   superblock put on the tape, execution by execution (docs/dev/wet-file.md
   has its form bit by bit).  Handed: the tape.

   A column predicts each difference of two neighbouring numbers: by the step
   that most of the column's differences have, or by the difference in the
   column before.  For each column of a block, counting shows which is better.
   So nothing is decided number by number, except for wrong predictions. */

#include "pub_tool_basics.h"

#include "format/wet_records.h"
#include "tool/wet/columns.h"
#include "tool/wet/packed.h"
#include "tool/wet/value_table.h"

void DCFG_(flush_bits)(BitPen* p)
{
   for (; p->n > 0; p->n -= p->n < 8 ? p->n : 8) {
      *p->at++ = p->word;
      p->word >>= 8;
   }
   p->word = 0;
}

/* The differences of two columns, and the rows of wrong predictions: of the
   best way to predict so far, and of one that is tried. */
static ULong differences[2][WET_BLOCK_WORDS];
static UInt  wrong_rows[2][WET_BLOCK_WORDS];

#define INLINE static inline __attribute__((always_inline))

/* Return the error of row I, with difference D: from STEP, or from the column
   before. */
INLINE ULong off(const ULong* d, const ULong* e, ULong step, UInt i)
{
   return d[i] - (e == NULL ? step : e[i]);
}

/* Set WRONG to the rows of wrong predictions, without a branch.  Return how many
   there are. */
INLINE UInt find_wrong(UInt* wrong, const ULong* d, const ULong* e, ULong step,
                       UInt n)
{
   UInt count = 0;

   for (UInt i = 0; i < n; i++) {
      wrong[count] = i;
      count       += off(d, e, step, i) != 0;
   }
   return count;
}

/* The rows of a long column that are looked at first. */
#define N_SAMPLES 32u

/* Return whether fewer than N_WRONG of the N predictions may be wrong, judged
   by samples. */
static Bool is_hopeful(const ULong* d, const ULong* e, ULong step, UInt n,
                       UInt n_wrong)
{
   UInt count = 0;

   if (n <= 2 * N_SAMPLES)
      return True;
   for (UInt k = 0; k < N_SAMPLES; k++)
      count += off(d, e, step, n / N_SAMPLES * k) != 0;
   return count < N_SAMPLES - 2 && count / 2 * (n / N_SAMPLES) < n_wrong;
}

/* Return the difference that more than half of the rows have, if there is
   one. */
static ULong majority(const ULong* d, UInt n)
{
   UInt  apart = n <= 2 * N_SAMPLES ? 1 : n / N_SAMPLES;
   ULong it    = d[0];
   UInt  votes = 0;

   for (UInt i = 0; i < n; i += apart) {
      it    = votes == 0 ? d[i] : it;
      votes = d[i] == it ? votes + 1 : votes - 1;
   }
   return it;
}

/* Return the number for an error without its SHIFT low bits, which are 0. */
INLINE ULong shifted(ULong error, UInt shift)
{
   return DCFG_(zigzag)((Long)error >> shift);
}

/* Put a bit for each of N rows: 0 for the N_WRONG rows of WRONG. */
static void put_mask(BitPen* bits, const UInt* wrong, UInt n_wrong, UInt n)
{
   UInt k = 0;

   for (UInt first = 0; first < n; first += 64) {
      UInt  some = n - first < 64 ? n - first : 64;
      ULong mask = ~0ULL >> (64 - some);
      for (; k < n_wrong && wrong[k] < first + some; k++)
         mask ^= 1ULL << (wrong[k] - first);
      DCFG_(put_bits)(bits, mask, some);
   }
}

/* Put the errors of the N_WRONG rows of WRONG. */
INLINE UChar* put_wrong(UChar* to, const ULong* d, const ULong* e, ULong step,
                        const UInt* wrong, UInt n_wrong, UInt shift)
{
   for (UInt k = 0; k < n_wrong; k++)
      to = DCFG_(put_quick)(to, shifted(off(d, e, step, wrong[k]), shift));
   return to;
}

/* Put the index and the error of each wrong prediction. */
INLINE UChar* put_placed(UChar* to, const ULong* d, const ULong* e, ULong step,
                         const UInt* wrong, UInt n_wrong)
{
   UInt last = 0;

   for (UInt i = 0; i < n_wrong; i++) {
      to   = DCFG_(put_varint)(to, wrong[i] - last + 1);
      to   = DCFG_(put_quick)(to, DCFG_(zigzag)(off(d, e, step, wrong[i])));
      last = wrong[i];
   }
   *to++ = 0;
   return to;
}

INLINE UChar* put_all(UChar* to, const ULong* d, const ULong* e, ULong step,
                      UInt n, UInt shift)
{
   for (UInt i = 0; i < n; i++)
      to = DCFG_(put_quick)(to, shifted(off(d, e, step, i), shift));
   return to;
}

/* Put errors in FORM, without their SHIFT low bits, which are 0. */
INLINE UChar* put_off(BitPen* bits, UChar* to, UInt form, const ULong* d,
                      const ULong* e, ULong step, UInt n, const UInt* wrong,
                      UInt n_wrong, UInt shift)
{
   switch (form) {
      case FormMask:
         put_mask(bits, wrong, n_wrong, n);
         return put_wrong(to, d, e, step, wrong, n_wrong, shift);
      case FormPlaces:
         return put_placed(to, d, e, step, wrong, n_wrong);
      case FormNone:
         return put_all(to, d, e, step, n, shift);
      default:
         return to;
   }
}

/* The fewest low bits that are worth to be left out. */
#define MIN_SHIFT 8u

/* Return how many low bits of all errors are 0. */
static UInt common_shift(const ULong* d, ULong step, UInt n)
{
   ULong any = 0;

   for (UInt i = 0; i < n; i++)
      any |= d[i] - step;
   return any == 0 ? 0 : __builtin_ctzll(any);
}

/* The fewest rows for which a table is tried, and the share of its values. */
#define MIN_TABLE_ROWS 128u
#define ROWS_A_VALUE   8u

/* Return the size in bytes of the errors when they are put in FORM, FormMask or
   FormNone, without SHIFT bits, judged by samples. */
static SizeT size_of_errors(UInt form, const ULong* d, const ULong* e,
                            ULong step, UInt n, UInt shift)
{
   UInt  apart = n / N_SAMPLES;
   SizeT size  = 0;

   for (UInt i = 0; i < n; i += apart) {
      UChar bytes[DCFG_MAX_QUICK + 8];
      ULong o = off(d, e, step, i);
      if (form == FormNone || o != 0)
         size += DCFG_(put_quick)(bytes, shifted(o, shift)) - bytes;
   }
   return size * apart + (form == FormMask ? n / 8 : 0);
}

/* Make a table of N values from LAST on, with differences D.  Return the number
   of different ones if it has less than SIZE bytes, else 0. */
static UInt small_table(ULong last, const ULong* d, UInt n, SizeT size)
{
   UInt m;

   if (size < n)
      return 0;
   m = DCFG_(make_table)(last, d, n, n / ROWS_A_VALUE);
   return m > 0 && DCFG_(size_of_table)(m, n) < size ? m : 0;
}

/* Put COLUMN with differences D of N rows, the first one from LAST; N_WRONG of
   them, wrong_rows[0], are not its step.  E are the differences of the column
   before, or NULL. */
static UChar* put_column(BitPen* bits, UChar* to, Column* column, ULong last,
                         const ULong* d, const ULong* e, UInt n, UInt n_wrong,
                         Bool shifts)
{
   UInt        by = BySame, shift = 0;
   ULong       step  = column->step;
   const UInt* wrong = wrong_rows[0];
   UInt*       other_wrong = wrong_rows[1];

   /* If most predictions are right, try nothing else. */
   if (n_wrong > n / 2) {
      ULong other = majority(d, n);
      if (is_hopeful(d, NULL, other, n, n_wrong)) {
         UInt count = find_wrong(other_wrong, d, NULL, other, n);
         if (count + 1 < n_wrong) {
            by      = ByNew;
            n_wrong = count;
            step    = other;
            wrong   = other_wrong;
            other_wrong = wrong_rows[0];
         }
      }
   }
   if (n_wrong > n / 8 && e != NULL && is_hopeful(d, e, 0, n, n_wrong)) {
      UInt count = find_wrong(other_wrong, d, e, 0, n);
      if (count < n_wrong) {
         by      = ByNeighbour;
         n_wrong = count;
         wrong   = other_wrong;
      }
   }
   UInt form = n_wrong == 0 ? FormAll
               : n_wrong > n - n / 8 ? FormNone
               : n_wrong < n / 8 ? FormPlaces : FormMask;
   if (by == ByNeighbour)
      step = 0;
   else
      e = NULL;
   if (shifts && by == BySame && (form == FormMask || form == FormNone))
      shift = common_shift(d, step, n);
   if (shift >= MIN_SHIFT)
      by = ByShifted;
   else
      shift = 0;
   if (shifts && (form == FormMask || form == FormNone)
       && n >= MIN_TABLE_ROWS) {
      UInt m = small_table(last, d, n,
                           size_of_errors(form, d, e, step, n, shift));
      if (m > 0) {
         DCFG_(put_bits)(bits, 1 | ByShifted << 1 | FormAll << 3, 5);
         return DCFG_(put_table)(bits, to, m, n);
      }
   }
   DCFG_(put_bits)(bits, 1 | by << 1 | form << 3, 5);
   if (by == ByShifted)
      to = DCFG_(put_quick)(to, shift);
   if (by == ByNew) {
      to = DCFG_(put_quick)(to, DCFG_(zigzag)(step));
      column->step = step;
   }
   /* put_off() is inlined, each time for other constants. */
   if (e != NULL)
      return put_off(bits, to, form, d, e, 0, n, wrong, n_wrong, 0);
   if (shift == 0)
      return put_off(bits, to, form, d, NULL, step, n, wrong, n_wrong, 0);
   return put_off(bits, to, form, d, NULL, step, n, wrong, n_wrong, shift);
}

UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* rows, UInt size,
                          UInt n, Bool shifts)
{
   for (UInt c = 0; c < n_columns; c++) {
      Column*      column = &columns[c];
      ULong*       d      = differences[c % 2];
      const ULong* e      = differences[(c + 1) % 2];
      const ULong* at     = rows + c;
      UInt*        wrong  = wrong_rows[0];
      ULong        first  = column->last, last = first;
      ULong        step   = column->step;
      UInt         n_wrong = 0;

      for (UInt i = 0; i < n; i++, at += size) {
         ULong now = *at;
         d[i]           = now - last;
         wrong[n_wrong] = i;
         n_wrong       += d[i] != step;
         last           = now;
      }
      column->last = last;
      if (n_wrong == 0)
         DCFG_(put_bits)(bits, 0, 1);
      else
         numbers = put_column(bits, numbers, column, first, d,
                              c > 0 ? e : NULL, n, n_wrong, shifts);
   }
   return numbers;
}
