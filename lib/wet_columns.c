
/*--------------------------------------------------------------------*/
/*--- Columns of a wet file's tape.                  wet_columns.c ---*/
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

/* Owns: the code of columns (docs/wet-file.md).  Handed: parts of a chunk, and
   taken by: wet_tape.c. */

#include "wet.h"

#include <string.h>

/* What is foretold of a column, and how it is told where that was wrong. */
enum { BY_SAME, BY_NEW, BY_NEIGHBOUR };
enum { FORM_ALL, FORM_MASK, FORM_PLACES, FORM_NONE };

/* The next N bits, at most 32. */
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
         b->bytes.failed = true;
         return 0;
      }
   }
   word = word >> b->bit & ((UINT64_C(1) << n) - 1);
   b->bytes.at += (b->bit + n) / 8;
   b->bit       = (b->bit + n) % 8;
   return (uint32_t)word;
}

/* Add to the N foretold steps D what is told of them. */
static void correct_steps(Chunk* c, uint64_t* d, uint32_t n, unsigned form)
{
   switch (form) {
      case FORM_MASK:
         for (uint32_t i = 0; i < n; i += 32) {
            uint32_t some = n - i < 32 ? n - i : 32;
            uint32_t off  = ~next_bits(&c->bits, some)
                            & (uint32_t)((UINT64_C(1) << some) - 1);
            for (; off != 0; off &= off - 1)
               d[i + (uint32_t)__builtin_ctz(off)]
                  += difference_of(get_quick(&c->numbers));
         }
         break;
      case FORM_PLACES:
         for (uint64_t at = 0, gap; (gap = get_varint(&c->numbers)) != 0; ) {
            at += gap - 1;
            if (at >= n || c->numbers.failed) {
               c->numbers.failed = true;
               break;
            }
            d[at] += difference_of(get_quick(&c->numbers));
         }
         break;
      case FORM_NONE:
         for (uint32_t i = 0; i < n; i++)
            d[i] += difference_of(get_quick(&c->numbers));
         break;
   }
}

void wet_read_columns(DcfgWet* w, const WetSegment* s, uint64_t* to,
                      uint32_t n)
{
   Chunk*  c = w->chunk;
   Column* columns = &ELEM(w->columns, Column, s->columns);

   for (uint32_t k = 0; k < s->n_words; k++) {
      Column*   column = &columns[k];
      uint64_t* d      = c->block.steps[k % 2];
      unsigned  form   = FORM_ALL, by = BY_SAME;
      uint64_t  last   = column->last;
      if (next_bits(&c->bits, 1) != 0) {
         by   = next_bits(&c->bits, 2);
         form = next_bits(&c->bits, 2);
      }
      if (by == BY_NEW)
         column->step = difference_of(get_quick(&c->numbers));
      if (by == BY_NEIGHBOUR && k > 0)
         memcpy(d, c->block.steps[(k + 1) % 2], n * sizeof(*d));
      else
         for (uint32_t i = 0; i < n; i++)
            d[i] = column->step;
      correct_steps(c, d, n, form);
      for (uint32_t i = 0; i < n; i++)
         to[(size_t)i * s->n_words + k] = last += d[i];
      column->last = last;
   }
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
