/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Intervals of code with one innermost scope. */

/* Owns: intervals of code with the same innermost scope.  Handed: ranges of
   scopes by scopes.c. */

#include "cmd/program/intervals.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>

COMPARE(by_low, ScopeRange, UP(low))

/* Open: the ranges that have begun, in a heap, the innermost first. */
typedef
   struct {
      const ScopeRange** heap;
      size_t             n, room;
   }
   Open;

static bool is_inner(const ScopeRange* x, const ScopeRange* y)
{
   return x->depth != y->depth ? x->depth > y->depth : x->scope > y->scope;
}

static void open_range(Open* o, const ScopeRange* r)
{
   size_t i = o->n;

   GROW(o->heap, o->n, o->room);
   o->n++;
   for (; i > 0 && is_inner(r, o->heap[(i - 1) / 2]); i = (i - 1) / 2)
      o->heap[i] = o->heap[(i - 1) / 2];
   o->heap[i] = r;
}

static void close_innermost(Open* o)
{
   const ScopeRange* last = o->heap[--o->n];
   size_t            i = 0, k;

   for (; (k = 2 * i + 1) < o->n; i = k) {
      if (k + 1 < o->n && is_inner(o->heap[k + 1], o->heap[k]))
         k++;
      if (!is_inner(o->heap[k], last))
         break;
      o->heap[i] = o->heap[k];
   }
   o->heap[i] = last;
}

static void add(Intervals* v, uint64_t low, uint64_t high, const ScopeRange* r)
{
   ScopeRange* last = v->n > 0 ? &v->all[v->n - 1] : NULL;

   if (last != NULL && last->high == low && last->scope == r->scope) {
      last->high = high;
      return;
   }
   GROW(v->all, v->n, v->room);
   v->all[v->n++] = (ScopeRange){ low, high, r->scope, r->depth };
}

/* Add the interval, or intervals, from *FROM to TO. */
static void fill(Intervals* v, Open* o, uint64_t* from, uint64_t to)
{
   while (o->n > 0 && *from < to) {
      const ScopeRange* top = o->heap[0];
      uint64_t          end = top->high < to ? top->high : to;
      if (end > *from) {
         add(v, *from, end, top);
         *from = end;
      }
      if (top->high <= *from)
         close_innermost(o);
   }
   if (*from < to)
      *from = to;
}

Intervals intervals_new(ScopeRange* ranges, size_t n)
{
   Intervals v = { NULL, 0, 0 };
   Open      o = { NULL, 0, 0 };
   uint64_t  from = 0;

   if (n > 0)
      qsort(ranges, n, sizeof(*ranges), by_low);
   for (size_t i = 0; i < n; i++) {
      fill(&v, &o, &from, ranges[i].low);
      open_range(&o, &ranges[i]);
   }
   fill(&v, &o, &from, UINT64_MAX);
   free(o.heap);
   SHRINK(v.all, v.n, v.room);
   return v;
}

void intervals_free(Intervals* v)
{
   free(v->all);
   *v = (Intervals){ NULL, 0, 0 };
}

uint32_t interval_at(const Intervals* v, uint64_t addr, uint64_t* end)
{
   size_t i = 0;

   BISECT(i, v->n, middle, v->all[middle].high <= addr);
   *end = i == v->n ? UINT64_MAX
          : addr < v->all[i].low ? v->all[i].low : v->all[i].high;
   return i < v->n && addr >= v->all[i].low ? v->all[i].scope : NO_SCOPE;
}
