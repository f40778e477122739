/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source rows of two runs. */

/* Owns: source rows of several runs, made those of one.  Handed: the rows of
   an image in two runs, by merge_runs.c; an image of a sum, by merge_write.c
   and merge_parts.c.

   A row is executed code of one line, without a gap.  So rows of one line that
   touch or overlap become one.  After joining, the rows are lost, and only
   blocks tell how far two rows overlap.  So a sum keeps the rows of its runs,
   and joins them when it is written. */

#include "cmd/merge/merge.h"
#include "cmd/base/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      MergedRow*         rows;
      size_t             n, room;
      const MergedBlock* blocks;
      uint32_t           n_blocks;
   }
   Joiner;

COMPARE(by_place, MergedRow,
        UP(offset) ?: DOWN(size) ?: UP(line) ?: strcmp(x->file, y->file))

static uint64_t row_end(const MergedRow* r)
{
   return r->offset + r->size;
}

bool rows_overlap(const MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 1; i < n; i++)
      if (rows[i].offset < row_end(&rows[i - 1]))
         return true;
   return false;
}

/*--- Rows of several runs                                 ---*/

void sort_rows(MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 1; i < n; i++)
      if (by_place(&rows[i - 1], &rows[i]) > 0) {
         qsort(rows, n, sizeof(*rows), by_place);
         return;
      }
}

bool unite_rows(const MergedRow* a, uint32_t n_a, const MergedRow* b,
                uint32_t n_b, MergedRow** rows, uint32_t* n, uint64_t* where)
{
   MergedRow* to = zalloc((size_t)n_a + n_b, sizeof(*to));
   uint32_t   x = 0, y = 0;

   *n = 0;
   while (x < n_a || y < n_b) {
      bool             first = y == n_b || (x < n_a
                                            && by_place(&a[x], &b[y]) <= 0);
      const MergedRow* r = first ? &a[x++] : &b[y++];
      const MergedRow* last = *n > 0 ? &to[*n - 1] : NULL;
      if (last == NULL || by_place(last, r) != 0) {
         to[(*n)++] = *r;
      } else if (last->n_instrs != r->n_instrs) {
         *where = r->offset;
         free(to);
         return false;
      }
   }
   *rows = to;
   return true;
}

/*--- Rows of one line                                     ---*/

/* Return the number of instructions from FROM to TO; 0 if blocks do not begin
   and end there. */
static uint64_t count_instrs(const Joiner* j, uint64_t from, uint64_t to)
{
   uint32_t low = 0;
   uint64_t n = 0;

   BISECT(low, j->n_blocks, middle, j->blocks[middle].offset < from);
   for (; from < to; from += j->blocks[low++].size) {
      if (low == j->n_blocks || j->blocks[low].offset != from)
         return 0;
      n += j->blocks[low].n_instrs;
   }
   return from == to ? n : 0;
}

/* Join R to LAST, if it begins within LAST or just behind it. */
static bool join(const Joiner* j, MergedRow* last, const MergedRow* r)
{
   uint64_t end = row_end(last), shared = 0;

   if (row_end(r) <= end)
      return true;
   if (r->offset < end) {
      shared = count_instrs(j, r->offset, end);
      if (shared == 0 || shared > r->n_instrs)
         return false;
   }
   last->size = row_end(r) - last->offset;
   last->n_instrs += r->n_instrs - (uint32_t)shared;
   return true;
}

static bool add_row(Joiner* j, const MergedRow* r, bool overlapping)
{
   MergedRow* last = j->n > 0 ? &j->rows[j->n - 1] : NULL;

   if (last != NULL && !overlapping && r->offset <= row_end(last)) {
      if (r->file == last->file && r->line == last->line)
         return join(j, last, r);
      if (r->offset < row_end(last))
         return false;
   }
   GROW(j->rows, j->n, j->room);
   j->rows[j->n++] = *r;
   return true;
}

void join_rows(const MergedImage* im, MergedRow** rows, uint32_t* n)
{
   Joiner j = { .blocks = im->blocks, .n_blocks = im->n_blocks };

   for (uint32_t i = 0; i < im->n_rows; i++)
      if (!add_row(&j, &im->rows[i], im->overlapping))
         die("%s is not the same build in all runs: its source lines differ, "
             "at 0x%" PRIx64 " from where it is loaded; merge each build by "
             "itself, or use --builds=apart",
             text_clean(im->name), im->rows[i].offset);
   *rows = j.rows;
   *n = (uint32_t)j.n;
}
