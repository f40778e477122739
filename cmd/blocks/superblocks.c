/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Superblocks: the most frequent paths. */

/* Owns: choosing, counting and printing paths.  Handed: a table of blocks,
   and the blocks in the order of execution.

   A block is in at most one path.  So two numbers tell the present path and the
   place in it.  The next block continues the path, or begins one, or is in
   none. */

#include "cmd/blocks/superblocks.h"
#include "cmd/base/sums.h"


#include <inttypes.h>
#include <stdlib.h>

/*--- Choosing                                             ---*/

typedef
   struct {
      uint64_t count;
      uint32_t block;
   }
   Seed;

COMPARE(by_count, Seed, DOWN(count) ?: UP(block))

/* Return the block that comes next often enough to continue the path; or
   DCFG_NONE. */
static uint32_t likely_next(const DcfgBlockTable* t, uint32_t block,
                            Percent likely)
{
   const DcfgStreamBlock* b = &t->blocks[block];
   const DcfgStreamEdge*  e = t->edges + b->first_edge;

   if (b->n_edges == 0 || is_less(e->count, b->departures, likely))
      return DCFG_NONE;
   return e->target;
}

static void grow(Paths* p, uint32_t seed, uint32_t* used, Percent likely)
{
   Path path = { .first = *used };

   for (uint32_t b = seed; b != DCFG_NONE && p->path_of[b] == DCFG_NONE;
        b = likely_next(p->t, b, likely)) {
      p->path_of[b] = p->n;
      p->place_of[b] = path.n++;
      p->order[(*used)++] = b;
      path.n_instrs += p->t->blocks[b].n_instrs;
   }
   path.entered = p->t->blocks[seed].count;
   p->paths[p->n++] = path;
}

/* Estimate a path's numbers, as if at each block it did not matter how control
   came there. */
static void estimate(const Paths* p, Path* path)
{
   double reached = (double)path->entered, executed = 0;

   for (uint32_t i = 0; i < path->n; i++) {
      const DcfgStreamBlock* b = &p->t->blocks[p->order[path->first + i]];
      executed += reached * b->n_instrs;
      if (i + 1 < path->n)
         reached *= (double)p->t->edges[b->first_edge].count
                    / (double)b->count;
   }
   path->completed = (uint64_t)(reached + 0.5);
   path->executed = (uint64_t)(executed + 0.5);
}

/* Sort paths by executed instructions, and adapt the blocks' references. */
static const Paths* sorted_paths;

static int by_executed(const void* a, const void* b)
{
   const Path* x = a;
   const Path* y = b;

   if (x->executed != y->executed)
      return x->executed > y->executed ? -1 : 1;
   return sorted_paths->order[x->first] < sorted_paths->order[y->first] ? -1
          : sorted_paths->order[x->first] > sorted_paths->order[y->first];
}

static void sort_paths(Paths* p)
{
   sorted_paths = p;
   if (p->n > 0)
      qsort(p->paths, p->n, sizeof(*p->paths), by_executed);
   for (uint32_t i = 0; i < p->n; i++)
      for (uint32_t k = 0; k < p->paths[i].n; k++)
         p->path_of[p->order[p->paths[i].first + k]] = i;
}

Paths* paths_new(const DcfgBlockTable* t, Percent likely)
{
   Paths*   p = zalloc(1, sizeof(*p));
   uint32_t n = t->n_blocks, used = 0;
   Seed*    seeds = zalloc(n, sizeof(*seeds));

   p->t = t;
   p->paths = zalloc(n, sizeof(*p->paths));
   p->order = zalloc(n, sizeof(*p->order));
   p->path_of = zalloc(n, sizeof(*p->path_of));
   p->place_of = zalloc(n, sizeof(*p->place_of));
   for (uint32_t i = 0; i < n; i++) {
      seeds[i] = (Seed){ t->blocks[i].count, i };
      p->path_of[i] = DCFG_NONE;
   }
   if (n > 0)
      qsort(seeds, n, sizeof(*seeds), by_count);
   for (uint32_t i = 0; i < n; i++)
      if (p->path_of[seeds[i].block] == DCFG_NONE)
         grow(p, seeds[i].block, &used, likely);
   free(seeds);
   for (uint32_t i = 0; i < p->n; i++)
      estimate(p, &p->paths[i]);
   sort_paths(p);
   return p;
}

void paths_free(Paths* p)
{
   free(p->paths);
   free(p->order);
   free(p->path_of);
   free(p->place_of);
   free(p);
}

/*--- Counting                                             ---*/

void paths_begin_count(Paths* p)
{
   for (uint32_t i = 0; i < p->n; i++)
      p->paths[i].entered = p->paths[i].completed = p->paths[i].executed = 0;
   p->path = DCFG_NONE;
}

void paths_visit(void* paths, uint32_t block)
{
   Paths* p = paths;
   Path*  path;

   if (block == DCFG_NONE) {
      p->path = DCFG_NONE;
      return;
   }
   if (p->place_of[block] == 0) {
      p->path = p->path_of[block];
      p->place = 0;
      p->paths[p->path].entered++;
   } else if (p->path == p->path_of[block]
              && p->place + 1 == p->place_of[block]) {
      p->place++;
   } else {
      p->path = DCFG_NONE;
      return;
   }
   path = &p->paths[p->path];
   path->executed += p->t->blocks[block].n_instrs;
   path->completed += p->place + 1 == path->n;
}

void paths_end_count(Paths* p)
{
   p->counted = true;
   sort_paths(p);
}

/*--- Printing                                             ---*/

static void print_text_path(const RowStyle* style, const Paths* p,
                            uint32_t number, uint64_t instrs)
{
   const Path* path = &p->paths[number];
   const char* mark = p->counted ? "" : "~";

   fprintf(style->out, "%" PRIu32 "\t%s%.2f%%\t%s%" PRIu64 "\t%" PRIu64
           "\t%s%" PRIu64 "\t%" PRIu64 "\t%08" PRIx64 "\t", number + 1, mark,
           instrs == 0 ? 0 : 100 * (double)path->executed / (double)instrs,
           mark, path->executed, path->entered, mark, path->completed,
           path->n_instrs, p->t->blocks[p->order[path->first]].first);
   for (uint32_t i = 0; i < path->n; i++)
      fprintf(style->out, "%s%" PRIu32, i > 0 ? " " : "",
              p->order[path->first + i] + 1);
   fputc('\n', style->out);
}

static void print_csv_path(const RowStyle* style, const Paths* p,
                           uint32_t number, uint64_t instrs)
{
   const Path* path = &p->paths[number];

   fprintf(style->out, "%" PRIu32 ",%.6g,%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%" PRIu64 ",0x%" PRIx64 ",%s,", number + 1,
           instrs == 0 ? 0 : (double)path->executed / (double)instrs,
           path->executed, path->entered, path->completed, path->n_instrs,
           p->t->blocks[p->order[path->first]].first,
           p->counted ? "no" : "yes");
   for (uint32_t i = 0; i < path->n; i++)
      fprintf(style->out, "%s%" PRIu32, i > 0 ? " " : "",
              p->order[path->first + i] + 1);
   fputc('\n', style->out);
}

static void print_json_path(const RowStyle* style, const Paths* p,
                            uint32_t number, uint64_t instrs)
{
   const Path* path = &p->paths[number];

   fprintf(style->out, "%s\n    { \"path\": %" PRIu32 ", \"share\": %.6g, "
           "\"executed\": %" PRIu64 ", \"entered\": %" PRIu64
           ", \"completed\": %" PRIu64 ", \"instrs\": %" PRIu64
           ", \"start\": \"0x%" PRIx64 "\", \"estimated\": %s, \"blocks\": [",
           number > 0 ? "," : "", number + 1,
           instrs == 0 ? 0 : (double)path->executed / (double)instrs,
           path->executed, path->entered, path->completed, path->n_instrs,
           p->t->blocks[p->order[path->first]].first,
           p->counted ? "false" : "true");
   for (uint32_t i = 0; i < path->n; i++)
      fprintf(style->out, "%s%" PRIu32, i > 0 ? ", " : "",
              p->order[path->first + i] + 1);
   fputs("] }", style->out);
}

void paths_keep(Paths* p, const bool* wanted)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < p->n; i++)
      if (wanted[p->order[p->paths[i].first]])
         p->paths[n++] = p->paths[i];
   p->n = n;
}

static void print_begin(const RowStyle* style, const Paths* p)
{
   if (style->form == ROWS_CSV)
      fputs("path,share,executed,entered,completed,instrs,start,estimated,"
            "blocks\n", style->out);
   else if (style->form == ROWS_JSON)
      fputs("  \"paths\": [", style->out);
   else
      fprintf(style->out,
         "# Superblocks: blocks that are likely to be executed one after the "
         "other.\n"
         "# SHARE of all instructions, EXECUTED in it after it was ENTERED at "
         "its first block;\n"
         "# COMPLETED: how often it ran to its end; INSTRS it has; BLOCKS by "
         "id.\n%s"
         "# PATH\tSHARE\tEXECUTED\tENTERED\tCOMPLETED\tINSTRS\tSTART\tBLOCKS"
         "\n", p->counted ? "" : "# ~: estimated from the edges of each block "
         "by itself.\n");
}

void print_paths(const RowStyle* style, const Paths* p, uint64_t top,
                 uint64_t instrs)
{
   uint32_t n = top < p->n ? (uint32_t)top : p->n;
   uint64_t sum = 0;

   print_begin(style, p);
   for (uint32_t i = 0; i < n; i++) {
      add_count(&sum, p->paths[i].executed);
      if (style->form == ROWS_CSV)
         print_csv_path(style, p, i, instrs);
      else if (style->form == ROWS_JSON)
         print_json_path(style, p, i, instrs);
      else
         print_text_path(style, p, i, instrs);
   }
   if (style->form == ROWS_JSON)
      fprintf(style->out, "%s]", n > 0 ? "\n  " : "");
   else if (style->form == ROWS_TEXT)
      fprintf(style->out, "# %" PRIu32 " of %" PRIu32 " have %s%.2f%% of all "
              "instructions.\n", n, p->n, p->counted ? "" : "~",
              instrs == 0 ? 0 : 100 * (double)sum / (double)instrs);
}
