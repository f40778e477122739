/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Self and inclusive costs of functions. */

/* Owns: self and inclusive costs.  Handed: calls by call_walk.c, or by
   report_functions.c. */

#include "cmd/calls/function_costs.h"

#include "cmd/calls/call_walk.h"

#include <stdlib.h>

static void spend(CostStack* c, uint64_t at)
{
   if (c->n > 0)
      c->spent[c->open[c->n - 1]].self += at - c->last;
   c->last = at;
}

void costs_begin(CostStack* c)
{
   c->last = 0;
}

void costs_enter(CostStack* c, uint32_t function, uint64_t at)
{
   FunctionCost* s = &c->spent[function];

   spend(c, at);
   GROW(c->open, c->n, c->room);
   c->open[c->n++] = function;
   if (s->active++ == 0)
      s->from = at;
}

void costs_leave(CostStack* c, uint64_t at)
{
   FunctionCost* s = &c->spent[c->open[c->n - 1]];

   spend(c, at);
   c->n--;
   if (--s->active == 0)
      s->all += at - s->from;
}

/*--- Along a trace                                        ---*/

static void begin(void* arg, uint32_t thread)
{
   (void)thread;
   costs_begin(arg);
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   CostStack* c = arg;

   costs_enter(c, function, at);
   c->spent[function].calls++;
}

static void leave(void* arg, uint64_t at)
{
   costs_leave(arg, at);
}

FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total)
{
   CostStack   c = { .spent = zalloc(f->n + (size_t)1, sizeof(FunctionCost)) };
   CallWatcher w = { .begin = begin, .enter = enter,
                     .leave = leave, .all = true, .arg = &c };

   for (uint32_t i = 0; i < f->n; i++)
      c.spent[i].function = i;
   *total = walk_calls(f, path, thread, &w);
   free(c.open);
   return c.spent;
}
