
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

/* Differences of two columns. */
static ULong differences[2][DCFG_MAX_ROWS];

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

/* N_WRONG of the N differences D are not what E, if that is not NULL, has, or
   else STEP. */
static inline UChar* put_wrong(BitPen* bits, UChar* to, const ULong* d, UInt n,
                               const ULong* e, ULong step, UInt form)
{
   ULong mask = 0;
   UInt  last = 0;

   switch (form) {
      case FormNone:
         for (UInt i = 0; i < n; i++)
            to = DCFG_(put_quick)(to, DCFG_(zigzag)(d[i] - (e != NULL ? e[i]
                                                                : step)));
         break;
      case FormMask:
         for (UInt i = 0; i < n; i++) {
            ULong  off    = d[i] - (e != NULL ? e[i] : step);
            UChar* behind = DCFG_(put_quick)(to, DCFG_(zigzag)(off));
            to    = off == 0 ? to : behind;
            mask |= (ULong)(off == 0) << i % 64;
            if (i % 64 == 63) {
               DCFG_(put_bits)(bits, mask, 64);
               mask = 0;
            }
         }
         if (n % 64 != 0)
            DCFG_(put_bits)(bits, mask, n % 64);
         break;
      case FormPlaces:
         for (UInt i = 0; i < n; i++) {
            ULong off = d[i] - (e != NULL ? e[i] : step);
            if (off != 0) {
               to   = DCFG_(put_varint)(to, i - last + 1);
               to   = DCFG_(put_quick)(to, DCFG_(zigzag)(off));
               last = i;
            }
         }
         *to++ = 0;
         break;
   }
   return to;
}

UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* base, const UInt* at,
                          UInt n)
{
   for (UInt c = 0; c < n_columns; c++) {
      Column*      column = &columns[c];
      ULong*       d      = differences[c % 2];
      const ULong* e      = differences[(c + 1) % 2];
      ULong        last   = column->last, step = column->step, off = 0;

      for (UInt i = 0; i < n; i++) {
         ULong now = base[at[i] + c];
         d[i] = now - last;
         off |= d[i] ^ step;
         last = now;
      }
      column->last = last;
      if (off == 0) {
         DCFG_(put_bits)(bits, 0, 1);
         continue;
      }
      UInt  by = BySame, wrong = n_unlike(d, n, step);
      ULong other = majority(d, n);
      if (other != step) {
         UInt count = n_unlike(d, n, other);
         if (count + 1 < wrong) {
            by    = ByNew;
            wrong = count;
         }
      }
      if (c > 0) {
         UInt count = n_different(d, e, n);
         if (count < wrong) {
            by    = ByNeighbour;
            wrong = count;
         }
      }
      UInt form = wrong == 0 ? FormAll
                  : wrong > n - n / 8 ? FormNone
                  : wrong < n / 8 ? FormPlaces : FormMask;
      DCFG_(put_bits)(bits, 1 | by << 1 | form << 3, 5);
      if (by == ByNew) {
         numbers = DCFG_(put_quick)(numbers, DCFG_(zigzag)(other));
         column->step = step = other;
      }
      numbers = by == ByNeighbour
                ? put_wrong(bits, numbers, d, n, e, 0, form)
                : put_wrong(bits, numbers, d, n, NULL, step, form);
   }
   return numbers;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
