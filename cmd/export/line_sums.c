/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions of source lines. */

/* Owns: how many instructions each source line executed.  Handed: a process
   by export_tables.c.

   Source rows and blocks both divide the code, and both say how many
   instructions they have.  A segment is the intersection of a row and a block.
   A row or block in which one segment is unknown gives that segment's number.
   A segment ends a row or a block, so one pass from the left finds the numbers
   one after another.  A second pass, from the right, is for stretches behind
   code without a line. */

#include "cmd/export/line_sums.h"
#include "cmd/base/sums.h"

#include <stdlib.h>

#define NO_ROW  UINT32_MAX
#define UNKNOWN UINT64_MAX

typedef
   struct {
      uint64_t from, to;        // addresses
      uint32_t row, block;      // row: NO_ROW for code without a line
      uint64_t n;               // instructions, or UNKNOWN
   }
   Segment;

typedef
   struct {
      const DcfgProcess* p;
      const DcfgImage*   im;
      Segment*           all;
      size_t             n, room;
      uint64_t*          row_left;      // by row: instructions not yet in a
                                        // segment
      uint64_t*          block_left;    // by block: likewise
   }
   Segments;

/*--- Segments                                             ---*/

static void add_segment(Segments* s, uint64_t from, uint64_t to, uint32_t row,
                        uint32_t block)
{
   if (from >= to)
      return;
   GROW(s->all, s->n, s->room);
   s->all[s->n++] = (Segment){ from, to, row, block, UNKNOWN };
}

/* Divide a block into segments.  *ROW: the first row that may overlap it. */
static void cut_block(Segments* s, uint32_t block, uint32_t* row)
{
   const DcfgNode*   b = &s->p->nodes[s->im->first_node + block];
   const DcfgSource* rows = s->p->sources + s->im->first_source;
   uint64_t          at = b->addr, end = b->addr + b->size;
   uint32_t          k;

   while (*row < s->im->n_sources && rows[*row].addr + rows[*row].size <= at)
      ++*row;
   for (k = *row; k < s->im->n_sources && rows[k].addr < end; k++) {
      uint64_t row_end = rows[k].addr + rows[k].size;
      if (row_end <= at)
         continue;
      if (rows[k].addr > at) {
         add_segment(s, at, rows[k].addr, NO_ROW, block);
         at = rows[k].addr;
      }
      add_segment(s, at, row_end < end ? row_end : end, k, block);
      at = row_end < end ? row_end : end;
   }
   add_segment(s, at, end, NO_ROW, block);
}

/*--- Instructions                                         ---*/

/* Set segment I to N instructions, and take them from its row and its block. */
static void settle(Segments* s, size_t i, uint64_t n)
{
   Segment* g = &s->all[i];

   g->n = n;
   if (g->row != NO_ROW)
      s->row_left[g->row] -= n < s->row_left[g->row] ? n
                             : s->row_left[g->row];
   s->block_left[g->block] -= n < s->block_left[g->block] ? n
                              : s->block_left[g->block];
}

/* Find the numbers of segments that are the only unknown ones of their row or
   block.  n_row and n_block count the unknown segments. */
static void solve(Segments* s)
{
   uint32_t* n_row = zalloc(s->im->n_sources, sizeof(*n_row));
   uint32_t* n_block = zalloc(s->im->n_nodes, sizeof(*n_block));

   for (size_t i = 0; i < s->n; i++) {
      n_block[s->all[i].block]++;
      if (s->all[i].row != NO_ROW)
         n_row[s->all[i].row]++;
   }
   for (int pass = 0; pass < 2; pass++)
      for (size_t k = 0; k < s->n; k++) {
         size_t         i = pass == 0 ? k : s->n - 1 - k;
         const Segment* g = &s->all[i];
         uint64_t       n = UNKNOWN;
         if (g->n != UNKNOWN)
            continue;
         if (n_block[g->block] == 1)
            n = s->block_left[g->block];
         else if (g->row != NO_ROW && n_row[g->row] == 1)
            n = s->row_left[g->row];
         if (n == UNKNOWN)
            continue;
         settle(s, i, n);
         n_block[g->block]--;
         if (g->row != NO_ROW)
            n_row[g->row]--;
      }
   free(n_row);
   free(n_block);
}

/*--- Lines                                                ---*/

COMPARE(by_line, LineSum, UP(file) ?: UP(line))

static void add_sum(LineSum** sums, uint32_t* n, size_t* room, uint32_t file,
                    uint32_t line, uint64_t instrs)
{
   if (instrs == 0)
      return;
   GROW(*sums, *n, *room);
   (*sums)[(*n)++] = (LineSum){ file, line, instrs };
}

static uint32_t unite_sums(LineSum* sums, uint32_t n)
{
   uint32_t to = 0;

   if (n > 0)
      qsort(sums, n, sizeof(*sums), by_line);
   for (uint32_t i = 0; i < n; i++)
      if (to > 0 && by_line(&sums[to - 1], &sums[i]) == 0)
         add_count(&sums[to - 1].instrs, sums[i].instrs);
      else
         sums[to++] = sums[i];
   return to;
}

LineSum* line_sums(const Program* g, uint32_t image, uint32_t* n,
                   uint64_t* unknown)
{
   const DcfgImage*  im = &g->p->images[image];
   const DcfgSource* rows = g->p->sources + im->first_source;
   Segments          s = { .p = g->p, .im = im };
   LineSum*          sums = NULL;
   size_t            room = 0;
   uint32_t          row = 0;

   s.row_left = zalloc(im->n_sources, sizeof(*s.row_left));
   s.block_left = zalloc(im->n_nodes, sizeof(*s.block_left));
   for (uint32_t i = 0; i < im->n_sources; i++)
      s.row_left[i] = rows[i].n_instrs;
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      s.block_left[i] = g->p->nodes[im->first_node + i].n_instrs;
      cut_block(&s, i, &row);
   }
   solve(&s);
   *n = 0;
   for (size_t i = 0; i < s.n; i++) {
      const Segment* e = &s.all[i];
      uint64_t       count = dcfg_node_executions(g->p,
                                                  im->first_node + e->block,
                                                  DCFG_ALL_THREADS);
      if (e->n == UNKNOWN)
         continue;
      add_sum(&sums, n, &room, e->row == NO_ROW ? DCFG_NONE : rows[e->row].file,
              e->row == NO_ROW ? 0 : rows[e->row].line, e->n * count);
   }
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      uint64_t rest = s.block_left[i]
                      * dcfg_node_executions(g->p, im->first_node + i,
                                             DCFG_ALL_THREADS);
      *unknown += rest;
      add_sum(&sums, n, &room, DCFG_NONE, 0, rest);
   }
   *n = unite_sums(sums, *n);
   free(s.all);
   free(s.row_left);
   free(s.block_left);
   return sums;
}
