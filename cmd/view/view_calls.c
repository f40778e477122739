/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the functions and calls of a page. */

/* Owns: the columns of functions of the source, of calls, of inclusive costs
   and of loops' iterations.  Handed: a graph, a trace. */

#include "cmd/view/view.h"
#include "cmd/view/view_profile.h"

#include "cmd/shared/function_calls.h"
#include "cmd/shared/function_costs.h"
#include "cmd/shared/loop_trips.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALL DCFG_ALL_THREADS

/*--- Functions                                            ---*/

/* Write the row of each function: the hottest routine that begins with the
   function; -1: none does. */
static void put_function_rows(const RunView* v)
{
   int64_t* rows = zalloc(v->f->n + (size_t)1, sizeof(*rows));

   for (uint32_t i = 0; i < v->f->n; i++)
      rows[i] = -1;
   for (uint32_t i = v->n_rows; i-- > 0; ) {
      uint32_t entry = v->p->routines[v->rows[i]].entry;
      if (entry < v->p->n_blocks && v->f->of[entry] != NO_FUNCTION)
         rows[v->f->of[entry]] = i;
   }
   page_column(v->out, "fRow");
   for (uint32_t i = 0; i < v->f->n; i++) {
      page_between(v->out, i == 0);
      fprintf(v->out, "%" PRId64, rows[i]);
   }
   putc(']', v->out);
   free(rows);
}

static void put_functions(const RunView* v)
{
   uint64_t* self = zalloc(v->f->n + (size_t)1, sizeof(*self));

   page_column(v->out, "fName");
   for (uint32_t i = 0; i < v->f->n; i++) {
      page_between(v->out, i == 0);
      page_number(v->out, page_text(v->texts, function_name(v->f, i)));
      text_forget();
   }
   putc(']', v->out);
   page_column(v->out, "fImage");
   for (uint32_t i = 0; i < v->f->n; i++) {
      page_between(v->out, i == 0);
      page_number(v->out, v->p->nodes[v->f->nodes[i]].image);
   }
   putc(']', v->out);
   for (uint32_t i = 0; i < v->p->n_blocks; i++)
      if (v->f->of[i] != NO_FUNCTION)
         add_count(&self[v->f->of[i]], dcfg_node_instrs(v->p, i, ALL));
   view_counts(v, "fSelf", self, v->f->n);
   put_function_rows(v);
   free(self);
}

/*--- Calls                                                ---*/

/* CallSum: all calls of one function by another. */
typedef
   struct {
      uint32_t from, to;
      uint64_t count;
   }
   CallSum;

COMPARE(by_call, CallSum, UP(from) ?: UP(to))

static void put_calls(const RunView* v)
{
   static const char* const columns[] = { "cFrom", "cTo" };
   CallSum*  calls = NULL;
   size_t    n = 0, room = 0, kept = 0;
   uint64_t* counts;

   for (uint32_t i = 0; i < v->p->n_edges; i++) {
      uint64_t count = dcfg_edge_count(v->p, i, ALL);
      CallSum  c = { .count = count };
      if (count == 0
          || !function_call(v->f, &v->p->edges[i], &c.from, &c.to))
         continue;
      GROW(calls, n, room);
      calls[n++] = c;
   }
   if (n > 0)
      qsort(calls, n, sizeof(*calls), by_call);
   for (size_t i = 0; i < n; i++)
      if (kept > 0 && by_call(&calls[kept - 1], &calls[i]) == 0)
         add_count(&calls[kept - 1].count, calls[i].count);
      else
         calls[kept++] = calls[i];
   for (unsigned k = 0; k < 2; k++) {
      page_column(v->out, columns[k]);
      for (size_t i = 0; i < kept; i++) {
         page_between(v->out, i == 0);
         page_number(v->out, k == 0 ? calls[i].from : calls[i].to);
      }
      putc(']', v->out);
   }
   counts = zalloc(kept + 1, sizeof(*counts));
   for (size_t i = 0; i < kept; i++)
      counts[i] = calls[i].count;
   view_counts(v, "cCount", counts, kept);
   free(counts);
   free(calls);
}

/*--- Costs and iterations from a trace                    ---*/

static void put_costs(const RunView* v)
{
   uint64_t      total;
   FunctionCost* costs = function_costs(v->f, v->trace, ALL, &total);
   uint64_t*     counts = zalloc(v->f->n + (size_t)1, sizeof(*counts));

   for (uint32_t i = 0; i < v->f->n; i++)
      counts[i] = costs[i].all;
   view_counts(v, "fInclusive", counts, v->f->n);
   for (uint32_t i = 0; i < v->f->n; i++)
      counts[i] = costs[i].calls;
   view_counts(v, "fCalls", counts, v->f->n);
   free(counts);
   free(costs);
}

/* Write by loop [least, most, exponent, entries, ..]: the least and the most
   iterations of an entry; and for each exponent E, the number of entries with
   at least 2^E and less than 2^(E + 1) iterations. */
static void put_trips(const RunView* v)
{
   LoopTrips** trips = loop_trips(v->f, v->trace, ALL);

   page_column(v->out, "trips");
   for (uint32_t i = 0; i < v->p->n_loops; i++) {
      page_between(v->out, i == 0);
      putc('[', v->out);
      if (trips[i] != NULL) {
         view_count(v->out, trips[i]->least);
         putc(',', v->out);
         view_count(v->out, trips[i]->most);
         for (int k = 0; k < TRIP_BINS; k++)
            if (trips[i]->bins[k] > 0) {
               fprintf(v->out, ",%d,", k);
               view_count(v->out, trips[i]->bins[k]);
            }
      }
      putc(']', v->out);
   }
   putc(']', v->out);
   loop_trips_free(v->f, trips);
}

/* Write the command line of the profile and, if there is neither a trace nor a
   log, the functions' inclusive costs. */
static void put_profile(const RunView* v)
{
   char*     command;
   uint64_t* costs = inclusive_of_profile(v, &command);

   fputs(",\"command\":", v->out);
   page_words(v->out, command == NULL ? "" : text_clean(command));
   if (v->trace == NULL && v->log == NULL)
      view_counts(v, "fInclusive", costs, v->f->n);
   free(command);
   free(costs);
}

void view_calls(const RunView* v)
{
   put_functions(v);
   put_calls(v);
   if (v->profile != NULL)
      put_profile(v);
   if (v->trace == NULL && v->log != NULL) {
      uint64_t* costs = inclusive_of_log(v);
      view_counts(v, "fInclusive", costs, v->f->n);
      free(costs);
   }
   if (v->trace == NULL)
      return;
   put_costs(v);
   put_trips(v);
}
