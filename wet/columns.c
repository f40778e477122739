
/*--------------------------------------------------------------------*/
/*--- Columns of numbers.                            wet/columns.c ---*/
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

/* Owns: how the numbers are coded that an instruction of a superblock had on
   the tape, execution by execution: a column (docs/wet-file.md has it bit by
   bit).  Handed: the tape, and taken by: wet/squeeze.c.

   What is foretold is the same difference from the number before as most of
   a column have, or as there was in the column before it.  Which of these it
   is, is found for each column of a block by counting: so nothing has to be
   decided for one number, but for those that were not foretold. */

#include "pub_tool_basics.h"

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

/* What is foretold: the step that there was; another one, which is written;
   the difference of the column before. */
enum { BySame, ByNew, ByNeighbour };

/* And how it is told what was: all of it; a bit for each number; the places
   of those that were not; none of it. */
enum { FormAll, FormMask, FormPlaces, FormNone };

/* Differences of two columns; how far the last ones are from what is foretold,
   and where they are off. */
static ULong differences[2][DCFG_MAX_ROWS];
static ULong off[DCFG_MAX_ROWS];
static UInt  wrong[DCFG_MAX_ROWS];

static UInt n_unlike(const ULong* d, UInt n, ULong step)
{
   UInt count = 0;

   for (UInt i = 0; i < n; i++)
      count += d[i] != step;
   return count;
}

static UInt n_different(const ULong* d, const ULong* e, UInt n)
{
   UInt count = 0;

   for (UInt i = 0; i < n; i++)
      count += d[i] != e[i];
   return count;
}

/* What more than half of them are, if there is such a one. */
static ULong majority(const ULong* d, UInt n)
{
   ULong it    = d[0];
   UInt  votes = 0;

   for (UInt i = 0; i < n; i++) {
      it    = votes == 0 ? d[i] : it;
      votes = d[i] == it ? votes + 1 : votes - 1;
   }
   return it;
}

/* Find the places in the N rows that are off. */
static UInt find_wrong(UInt n)
{
   UInt n_wrong = 0;

   for (UInt i = 0; i < n; i++) {
      wrong[n_wrong] = i;
      n_wrong       += off[i] != 0;
   }
   return n_wrong;
}

static UChar* put_off(UChar* to, UInt i)
{
   return DCFG_(put_quick)(to, DCFG_(zigzag)(off[i]));
}

/* For each of N rows a bit, and the N_WRONG numbers. */
static UChar* put_masked(BitPen* bits, UChar* to, UInt n, UInt n_wrong)
{
   ULong mask = 0;

   for (UInt i = 0; i < n; i++) {
      mask |= (ULong)(off[i] == 0) << i % 64;
      if (i % 64 == 63) {
         DCFG_(put_bits)(bits, mask, 64);
         mask = 0;
      }
   }
   if (n % 64 != 0)
      DCFG_(put_bits)(bits, mask, n % 64);
   for (UInt i = 0; i < n_wrong; i++)
      to = put_off(to, wrong[i]);
   return to;
}

static UChar* put_placed(UChar* to, UInt n_wrong)
{
   UInt last = 0;

   for (UInt i = 0; i < n_wrong; i++) {
      to   = DCFG_(put_varint)(to, wrong[i] - last + 1);
      to   = put_off(to, wrong[i]);
      last = wrong[i];
   }
   *to++ = 0;
   return to;
}

static UChar* put_all(UChar* to, UInt n)
{
   for (UInt i = 0; i < n; i++)
      to = put_off(to, i);
   return to;
}

/* COLUMN's differences D, of N rows, some of which are not its step; E are
   those of the column before it, or NULL. */
static UChar* put_column(BitPen* bits, UChar* to, Column* column,
                         const ULong* d, const ULong* e, UInt n)
{
   UInt  by = BySame, n_wrong = n_unlike(d, n, column->step);
   ULong step = column->step;

   /* Where most are right nothing else is tried. */
   if (n_wrong > n / 2) {
      ULong other = majority(d, n);
      UInt  count = n_unlike(d, n, other);
      if (count + 1 < n_wrong) {
         by      = ByNew;
         n_wrong = count;
         step    = other;
      }
   }
   if (n_wrong > n / 8 && e != NULL) {
      UInt count = n_different(d, e, n);
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
   if (form == FormAll)
      return to;
   if (by == ByNeighbour)
      for (UInt i = 0; i < n; i++)
         off[i] = d[i] - e[i];
   else
      for (UInt i = 0; i < n; i++)
         off[i] = d[i] - step;
   if (form == FormNone)
      return put_all(to, n);
   n_wrong = find_wrong(n);
   return form == FormPlaces ? put_placed(to, n_wrong)
                             : put_masked(bits, to, n, n_wrong);
}

UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* base, const UInt* at,
                          UInt n)
{
   for (UInt c = 0; c < n_columns; c++) {
      Column*      column = &columns[c];
      ULong*       d      = differences[c % 2];
      const ULong* e      = differences[(c + 1) % 2];
      ULong        last   = column->last, step = column->step, all = 0;

      for (UInt i = 0; i < n; i++) {
         ULong now = base[at[i] + c];
         d[i] = now - last;
         all |= d[i] ^ step;
         last = now;
      }
      column->last = last;
      column->last = last;
      if (all == 0)
         DCFG_(put_bits)(bits, 0, 1);
      else
         numbers = put_column(bits, numbers, column, d, c > 0 ? e : NULL, n);
   }
   return numbers;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
