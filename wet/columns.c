/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Columns of numbers. */

/* Owns: how the numbers are coded that an instruction of a superblock had on
   the tape, execution by execution: a column (docs/dev/wet-file.md has it bit by
   bit).  Handed: the tape, and taken by: wet/squeeze.c.

   What is foretold is the same difference from the number before as most of
   a column have, or as there was in the column before it.  Which of these it
   is, is found for each column of a block by counting: so nothing has to be
   decided for one number, but for those that were not foretold. */

#include "pub_tool_basics.h"

#include "format/wet_records.h"
#include "wet/columns.h"
#include "wet/packed.h"

void DCFG_(flush_bits)(BitPen* p)
{
   for (; p->n > 0; p->n -= p->n < 8 ? p->n : 8) {
      *p->at++ = p->word;
      p->word >>= 8;
   }
   p->word = 0;
}

/* Differences of two columns, and where the last ones are off. */
static ULong differences[2][WET_BLOCK_WORDS];
static UInt  wrong[WET_BLOCK_WORDS];

#define INLINE static inline __attribute__((always_inline))

/* How far row I, which made difference D, is from what is foretold: STEP, or
   what the column before it did. */
INLINE ULong off(const ULong* d, const ULong* e, ULong step, UInt i)
{
   return d[i] - (e == NULL ? step : e[i]);
}

INLINE UInt n_off(const ULong* d, const ULong* e, ULong step, UInt n)
{
   UInt count = 0;

   for (UInt i = 0; i < n; i++)
      count += off(d, e, step, i) != 0;
   return count;
}

/* Of a long column it is looked at so many rows first. */
#define N_SAMPLES 32u

/* May less than N_WRONG of the N rows be off?  A column seldom is otherwise
   than it looks. */
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

/* What more than half of them are, if there is such a one. */
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

/* For each of N rows a bit, and the numbers of those that are off.  Nothing
   is decided row by row: what is not wanted is written over. */
INLINE UChar* put_masked(BitPen* bits, UChar* to, const ULong* d,
                         const ULong* e, ULong step, UInt n)
{
   for (UInt first = 0; first < n; first += 64) {
      UInt  some = n - first < 64 ? n - first : 64;
      ULong mask = 0;
      for (UInt i = 0; i < some; i++) {
         ULong o    = off(d, e, step, first + i);
         Bool  good = o == 0;
         UChar* end = DCFG_(put_quick)(to, DCFG_(zigzag)(o));
         mask |= (ULong)good << i;
         to    = good ? to : end;
      }
      DCFG_(put_bits)(bits, mask, some);
   }
   return to;
}

/* The place of each that is off, and its number. */
INLINE UChar* put_placed(UChar* to, const ULong* d, const ULong* e, ULong step,
                         UInt n)
{
   UInt n_wrong = 0, last = 0;

   for (UInt i = 0; i < n; i++) {
      wrong[n_wrong] = i;
      n_wrong       += off(d, e, step, i) != 0;
   }
   for (UInt i = 0; i < n_wrong; i++) {
      to   = DCFG_(put_varint)(to, wrong[i] - last + 1);
      to   = DCFG_(put_quick)(to, DCFG_(zigzag)(off(d, e, step, wrong[i])));
      last = wrong[i];
   }
   *to++ = 0;
   return to;
}

INLINE UChar* put_all(UChar* to, const ULong* d, const ULong* e, ULong step,
                      UInt n)
{
   for (UInt i = 0; i < n; i++)
      to = DCFG_(put_quick)(to, DCFG_(zigzag)(off(d, e, step, i)));
   return to;
}

INLINE UChar* put_off(BitPen* bits, UChar* to, UInt form, const ULong* d,
                      const ULong* e, ULong step, UInt n)
{
   switch (form) {
      case FormMask:   return put_masked(bits, to, d, e, step, n);
      case FormPlaces: return put_placed(to, d, e, step, n);
      case FormNone:   return put_all(to, d, e, step, n);
      default:         return to;
   }
}

/* COLUMN's differences D, of N rows, of which N_WRONG are not its step; E are
   those of the column before it, or NULL. */
static UChar* put_column(BitPen* bits, UChar* to, Column* column,
                         const ULong* d, const ULong* e, UInt n, UInt n_wrong)
{
   UInt  by = BySame;
   ULong step = column->step;

   /* Where most are right nothing else is tried. */
   if (n_wrong > n / 2) {
      ULong other = majority(d, n);
      if (is_hopeful(d, NULL, other, n, n_wrong)) {
         UInt count = n_off(d, NULL, other, n);
         if (count + 1 < n_wrong) {
            by      = ByNew;
            n_wrong = count;
            step    = other;
         }
      }
   }
   if (n_wrong > n / 8 && e != NULL && is_hopeful(d, e, 0, n, n_wrong)) {
      UInt count = n_off(d, e, 0, n);
      if (count < n_wrong) {
         by      = ByNeighbour;
         n_wrong = count;
      }
   }
   UInt form = n_wrong == 0 ? FormAll
               : n_wrong > n - n / 8 ? FormNone
               : n_wrong < n / 8 ? FormPlaces : FormMask;
   DCFG_(put_bits)(bits, 1 | by << 1 | form << 3, 5);
   if (by == ByNew) {
      to = DCFG_(put_quick)(to, DCFG_(zigzag)(step));
      column->step = step;
   }
   return by == ByNeighbour ? put_off(bits, to, form, d, e, 0, n)
                            : put_off(bits, to, form, d, NULL, step, n);
}

UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* rows, UInt size,
                          UInt n)
{
   for (UInt c = 0; c < n_columns; c++) {
      Column*      column = &columns[c];
      ULong*       d      = differences[c % 2];
      const ULong* e      = differences[(c + 1) % 2];
      const ULong* at     = rows + c;
      ULong        last   = column->last, step = column->step;
      UInt         n_wrong = 0;

      for (UInt i = 0; i < n; i++, at += size) {
         ULong now = *at;
         d[i]     = now - last;
         n_wrong += d[i] != step;
         last     = now;
      }
      column->last = last;
      if (n_wrong == 0)
         DCFG_(put_bits)(bits, 0, 1);
      else
         numbers = put_column(bits, numbers, column, d, c > 0 ? e : NULL, n,
                              n_wrong);
   }
   return numbers;
}
