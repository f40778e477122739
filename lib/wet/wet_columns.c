/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Columns of a wet file's tape. */

/* Owns: the code of columns (docs/dev/wet-file.md).  Handed: parts of a
   chunk by wet_tape.c. */

#include "lib/wet/wet_cursor.h"

#include <string.h>

/* Read N bits, at most 32. */
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
         bytes_fail(&b->bytes);
         return 0;
      }
   }
   word = word >> b->bit & ((UINT64_C(1) << n) - 1);
   bytes_skip(&b->bytes, (b->bit + n) / 8);
   b->bit       = (b->bit + n) % 8;
   return (uint32_t)word;
}

/* Correct N predicted steps D by what the chunk says.  The SHIFT low bits of all
   errors are left out. */
static void correct_steps(WetCursor* c, uint64_t* d, uint32_t n, unsigned form,
                          unsigned shift)
{
   switch (form) {
      case FormMask:
         for (uint32_t i = 0; i < n; i += 32) {
            uint32_t some = n - i < 32 ? n - i : 32;
            uint32_t off  = ~next_bits(&c->bits, some)
                            & (uint32_t)((UINT64_C(1) << some) - 1);
            for (; off != 0; off &= off - 1)
               d[i + (uint32_t)__builtin_ctz(off)]
                  += difference_of(get_quick(&c->numbers)) << shift;
         }
         break;
      case FormPlaces:
         for (uint64_t at = 0, gap; (gap = get_varint(&c->numbers)) != 0; ) {
            at += gap - 1;
            if (at >= n || c->numbers.failed) {
               bytes_fail(&c->numbers);
               break;
            }
            d[at] += difference_of(get_quick(&c->numbers)) << shift;
         }
         break;
      case FormNone:
         for (uint32_t i = 0; i < n; i++)
            d[i] += difference_of(get_quick(&c->numbers)) << shift;
         break;
   }
}

/* Read the steps of N rows, the first one from LAST, from a table of numbers. */
static void get_table(WetCursor* c, uint64_t last, uint64_t* to, uint32_t n)
{
   uint64_t table[WET_TABLE_VALUES] = { 0 }, m = get_quick(&c->numbers);
   unsigned width;

   if (m == 0 || m > WET_TABLE_VALUES) {
      bytes_fail(&c->numbers);
      m = 1;
   }
   for (uint64_t i = 0, number = 0; i < m; i++)
      table[i] = number += difference_of(get_quick(&c->numbers));
   width = wet_index_bits((unsigned)m);
   for (uint32_t i = 0; i < n; i++) {
      uint64_t now = table[next_bits(&c->bits, width)];
      to[i] = now - last;
      last  = now;
   }
}

/* Steps: a column's steps: all the same, or one for each row. */
typedef
   struct {
      uint64_t        all;
      const uint64_t* each;     // NULL: all are the same
   }
   Steps;

/* Return the steps of COLUMN: predicted, then corrected; or from a table if the
   file has TABLES.  LAST: the steps of the column before.  TO: room for N
   steps. */
static inline Steps get_steps(WetCursor* c, Column* column, Steps last,
                              uint64_t* to, uint32_t n, bool tables)
{
   Steps    steps = { .each = NULL };
   unsigned by = BySame, form = FormAll, shift = 0;

   if (next_bits(&c->bits, 1) != 0) {
      unsigned how = next_bits(&c->bits, 4);
      by   = how & 3;
      form = how >> 2;
   }
   if (tables && by == ByShifted && form == FormAll) {
      get_table(c, column->last, to, n);
      return (Steps){ .each = to };
   }
   if (by == ByNew)
      column->step = difference_of(get_quick(&c->numbers));
   if (by == ByShifted)
      shift = get_quick(&c->numbers) & 63;
   if (by == ByNeighbour)
      steps = last;
   else
      steps.all = column->step;
   if (form == FormAll)
      return steps;
   /* A second prediction of the same steps needs no copy. */
   if (steps.each != NULL && steps.each != to)
      memcpy(to, steps.each, n * sizeof(*to));
   for (uint32_t i = 0; i < n && steps.each == NULL; i++)
      to[i] = steps.all;
   correct_steps(c, to, n, form, shift);
   return (Steps){ .each = to };
}

void wet_read_columns(WetCursor* c, const Rows* r, uint64_t* to, uint32_t n)
{
   Column*  columns = &c->columns[r->columns];
   uint32_t width = r->n_words;
   bool     tables = c->w->version >= 6;
   Steps    steps = { 0, NULL };

   for (uint32_t k = 0; k < width; k++) {
      uint64_t  last = columns[k].last;
      uint64_t* at = to + k;
      /* The first column has no column before it: predict from its own
         steps. */
      if (k == 0)
         steps.all = columns[0].step;
      steps = get_steps(c, &columns[k], steps, c->block.steps[k % 2], n,
                        tables);
      if (steps.each == NULL)
         for (uint32_t i = 0; i < n; i++, at += width)
            *at = last += steps.all;
      else
         for (uint32_t i = 0; i < n; i++, at += width)
            *at = last += steps.each[i];
      columns[k].last = last;
   }
}
