/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How numbers are spread. */

/* Owns: multisets of numbers, for medians and other quantiles.  Handed:
   numbers.

   The calls of a function take few different numbers of instructions.  So a
   number is kept once, with its count.  New numbers are collected until there
   are as many as old ones, then sorted and merged: that costs a logarithm for
   each. */

#include "cmd/calls/spread.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST_NEWS 8

COMPARE(by_value, uint64_t, ORDER(*x, *y))

/* Append COUNT times VALUE, which is not below the numbers there. */
static void append(Run* runs, size_t* n, uint64_t value, uint64_t count)
{
   if (*n > 0 && runs[*n - 1].value == value)
      runs[*n - 1].count += count;
   else
      runs[(*n)++] = (Run){ value, count };
}

/* Merge N runs MORE into the runs of S. */
static void merge(Spread* s, const Run* more, size_t n)
{
   Run*   all = zalloc(s->n_runs + n, sizeof(*all));
   size_t n_all = 0, i = 0, k = 0;

   while (i < s->n_runs || k < n)
      if (k == n || (i < s->n_runs && s->runs[i].value < more[k].value)) {
         append(all, &n_all, s->runs[i].value, s->runs[i].count);
         i++;
      } else {
         append(all, &n_all, more[k].value, more[k].count);
         k++;
      }
   free(s->runs);
   s->runs = need(realloc(all, (n_all + (n_all == 0)) * sizeof(*all)));
   s->n_runs = n_all;
}

static void sort_in(Spread* s)
{
   Run*   more;
   size_t n = 0;

   if (s->n_news == 0)
      return;
   qsort(s->news, s->n_news, sizeof(*s->news), by_value);
   more = zalloc(s->n_news, sizeof(*more));
   for (size_t i = 0; i < s->n_news; i++)
      append(more, &n, s->news[i], 1);
   merge(s, more, n);
   free(more);
   s->n_news = 0;
}

void spread_add(Spread* s, uint64_t value)
{
   if (s->n_news == s->room) {
      sort_in(s);
      if (s->room < FEWEST_NEWS || s->room < s->n_runs) {
         s->room = s->n_runs < FEWEST_NEWS ? FEWEST_NEWS : s->n_runs;
         s->news = need(realloc(s->news, s->room * sizeof(*s->news)));
      }
   }
   s->news[s->n_news++] = value;
   s->total++;
}

void spread_free(Spread* s)
{
   free(s->runs);
   free(s->news);
   memset(s, 0, sizeof(*s));
}

void spread_move(Spread* to, Spread* from)
{
   uint64_t total = to->total + from->total;

   sort_in(to);
   sort_in(from);
   merge(to, from->runs, from->n_runs);
   to->total = total;
   spread_free(from);
}

uint64_t spread_at(Spread* s, uint64_t rank)
{
   size_t i = 0;

   sort_in(s);
   while (i + 1 < s->n_runs && rank >= s->runs[i].count)
      rank -= s->runs[i++].count;
   return s->runs[i].value;
}
