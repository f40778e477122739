/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The order of runs. */

/* Owns: the order of runs in a sum, and so that of threads which are kept
   apart, and of images.  Handed: a sum whose runs stand as they came, by
   cmd_merge.c.

   Runs come in any order and in any partial sums, and the result must not
   depend on that.  So the order depends only on the contents of runs. */

#include "cmd/merge/merge_images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

COMPARE(by_contents, MergedRun, UP(id) ?: UP(instrs) ?: UP(hash))

int run_order(const MergedRun* a, const MergedRun* b)
{
   return by_contents(a, b);
}

bool run_follows(const MergedRun* a, const MergedRun* b)
{
   if (a->first_part == 0 || b->first_part != a->first_part
       || b->part != a->last_part + 1 || b->id != a->id
       || b->n_before < a->n_after)
      return false;
   for (uint32_t t = 0; t < b->n_before; t++)
      if (b->before[t] != (t < a->n_after ? a->after[t] : 0))
         return false;
   return true;
}

/*--- Threads side by side                                 ---*/

COMPARE(by_thread, MergedCount, UP(thread))

/* Give threads new numbers.  NEW: by old number. */
static void move_threads(Merged* m, const uint32_t* new)
{
   uint64_t* instrs = zalloc(m->n_threads, sizeof(*instrs));
   size_t    next = 0;

   for (uint32_t t = 0; t < m->n_threads; t++)
      instrs[new[t]] = m->thread_instrs[t];
   free(m->thread_instrs);
   m->thread_instrs = instrs;
   for (size_t i = 0; i < m->edges.n; i++) {
      uint32_t     n = m->edges.all[i].n_counts;
      MergedCount* c = m->edges.counts + next;
      bool         sorted = true;
      for (uint32_t k = 0; k < n; k++) {
         c[k].thread = new[c[k].thread];
         sorted = sorted && (k == 0 || c[k - 1].thread < c[k].thread);
      }
      if (!sorted)
         qsort(c, n, sizeof(*c), by_thread);
      next += n;
   }
}

static void order_threads(Merged* m)
{
   uint32_t* new = zalloc(m->n_threads, sizeof(*new));
   uint32_t  next = 0;
   bool      moved = false;

   for (uint32_t i = 0; i < m->n_runs; i++) {
      MergedRun* r = &m->runs[i];
      moved = moved || r->first_thread != next;
      for (uint32_t t = 0; t < r->n_threads; t++)
         new[r->first_thread + t] = next + t;
      r->first_thread = next;
      next += r->n_threads;
   }
   if (moved)
      move_threads(m, new);
   free(new);
}

/*--- Runs                                                 ---*/

/* Ranked: a run, and its index in the order in which runs came. */
typedef
   struct {
      const MergedRun* run;
      uint32_t         number;
   }
   Ranked;

COMPARE(by_rank, Ranked, by_contents(x->run, y->run) ?: UP(number))

COMPARE(by_number, uint32_t, ORDER(*x, *y))

static void move_runs(Merged* m, const Ranked* order)
{
   MergedRun* runs = zalloc(m->n_runs, sizeof(*runs));
   uint32_t*  rank = zalloc(m->n_runs, sizeof(*rank));

   for (uint32_t i = 0; i < m->n_runs; i++) {
      runs[i] = *order[i].run;
      rank[order[i].number] = i;
   }
   for (uint32_t i = 0; i < m->n_images; i++)
      set_home(&m->images[i], rank[m->images[i].home]);
   for (uint32_t i = 0; i < m->n_groups; i++) {
      MergedGroup* g = &m->groups[i];
      for (uint32_t k = 0; k < g->n_runs; k++)
         g->runs[k] = rank[g->runs[k]];
      qsort(g->runs, g->n_runs, sizeof(*g->runs), by_number);
   }
   memcpy(m->runs, runs, m->n_runs * sizeof(*runs));
   free(runs);
   free(rank);
}

void order_runs(Merged* m)
{
   Ranked* order = zalloc(m->n_runs, sizeof(*order));

   if (m->n_runs == 0) {
      free(order);
      return;
   }
   for (uint32_t i = 0; i < m->n_runs; i++)
      order[i] = (Ranked){ &m->runs[i], i };
   qsort(order, m->n_runs, sizeof(*order), by_rank);
   move_runs(m, order);
   free(order);
   m->process_id = m->runs[0].id;
   if (m->keep)
      order_threads(m);
}

/* Compare sums of one run each. */
COMPARE(by_first_run, Merged, by_contents(&x->runs[0], &y->runs[0]))

/* The ids tell processes of one file apart, so they must differ. */
void order_processes(Merged* all, uint32_t n)
{
   uint64_t next;

   qsort(all, n, sizeof(*all), by_first_run);
   next = all[n - 1].process_id + 1;
   for (uint32_t i = 1; i < n; i++) {
      const MergedRun* r = &all[i].runs[0];
      if (r->id != all[i - 1].runs[0].id)
         continue;
      if (next > UINT32_MAX)
         die("there is no number left for a second process %" PRIu64, r->id);
      complain("%s: another file has process %" PRIu64 ", too: this one gets "
               "the number %" PRIu64, r->path, r->id, next);
      all[i].process_id = next++;
   }
}

/*--- Images                                               ---*/

typedef
   struct {
      uint32_t home, number, index;
   }
   Housed;

COMPARE(by_home, Housed, UP(home) ?: UP(number) ?: UP(index))

uint32_t* order_homes(const Merged* m)
{
   Housed*   housed = zalloc(m->n_images, sizeof(*housed));
   uint32_t* order = zalloc(m->n_images, sizeof(*order));

   for (uint32_t i = 0; i < m->n_images; i++)
      housed[i] = (Housed){ m->images[i].home, m->images[i].number, i };
   if (m->n_images > 0)
      qsort(housed, m->n_images, sizeof(*housed), by_home);
   for (uint32_t i = 0; i < m->n_images; i++)
      order[i] = housed[i].index;
   free(housed);
   return order;
}
