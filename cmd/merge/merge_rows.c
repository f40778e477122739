/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source rows of two runs. */

/* Owns: how source rows of two runs become one's.  Handed: the rows of an
   image in two runs, by merge_runs.c.  Taken by: merge_runs.c.

   A row is code of one line that was executed, as far as it goes on without a
   gap.  Rows of one line that touch or overlap are therefore one. */

#include "cmd/merge/merge.h"

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

/* Do rows overlap?  They do where instructions overlap. */
static bool overlap(const MergedRow* rows, uint32_t n)
{
   for (uint32_t i = 1; i < n; i++)
      if (rows[i].offset < row_end(&rows[i - 1]))
         return true;
   return false;
}

/* The instructions from FROM to TO, between which blocks begin and end; 0 if
   they do not. */
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

/* R begins where the last row is, or just behind it. */
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

   if (last != NULL && by_place(last, r) == 0)
      return last->n_instrs == r->n_instrs;
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

bool merge_rows(const MergedRow* a, uint32_t n_a, const MergedRow* b,
                uint32_t n_b, const MergedBlock* blocks, uint32_t n_blocks,
                MergedRow** rows, uint32_t* n, uint64_t* where)
{
   Joiner   j = { .blocks = blocks, .n_blocks = n_blocks };
   bool     overlapping = overlap(a, n_a) || overlap(b, n_b);
   uint32_t x = 0, y = 0;

   while (x < n_a || y < n_b) {
      bool             first = y == n_b || (x < n_a
                                            && by_place(&a[x], &b[y]) <= 0);
      const MergedRow* r = first ? &a[x++] : &b[y++];
      if (!add_row(&j, r, overlapping)) {
         *where = r->offset;
         free(j.rows);
         return false;
      }
   }
   *rows = j.rows;
   *n = (uint32_t)j.n;
   return true;
}
