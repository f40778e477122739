/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Self and inclusive costs of functions. */

/* Owns: self and inclusive costs.  Handed: calls by call_walk.c.  Taken by:
   report_trace.c, view_calls.c. */

#include "cmd/shared/function_costs.h"

#include "cmd/shared/call_walk.h"

#include <stdlib.h>

typedef
   struct {
      FunctionCost*    spent;          // by function
      uint32_t* open;           // functions of the active calls
      size_t    n, room;
      uint64_t  last;
   }
   Costs;

static void spend(Costs* c, uint64_t at)
{
   if (c->n > 0)
      c->spent[c->open[c->n - 1]].self += at - c->last;
   c->last = at;
}

static void costs_begin(void* arg, uint32_t thread)
{
   Costs* c = arg;

   (void)thread;
   c->last = 0;
}

static void costs_enter(void* arg, uint32_t function, uint64_t at)
{
   Costs* c = arg;
   FunctionCost* s = &c->spent[function];

   spend(c, at);
   GROW(c->open, c->n, c->room);
   c->open[c->n++] = function;
   s->calls++;
   if (s->active++ == 0)
      s->from = at;
}

static void costs_leave(void* arg, uint64_t at)
{
   Costs* c = arg;
   FunctionCost* s = &c->spent[c->open[c->n - 1]];

   spend(c, at);
   c->n--;
   if (--s->active == 0)
      s->all += at - s->from;
}

FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total)
{
   Costs       c = { .spent = zalloc(f->n + (size_t)1, sizeof(FunctionCost)) };
   CallWatcher w = { .begin = costs_begin, .enter = costs_enter,
                     .leave = costs_leave, .all = true, .arg = &c };

   for (uint32_t i = 0; i < f->n; i++)
      c.spent[i].function = i;
   *total = walk_calls(f, path, thread, &w);
   free(c.open);
   return c.spent;
}
