/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Iterations of each entry to a loop. */

/* Owns: the iterations of each entry to a loop.  Handed: edges by
   call_walk.c. */

#include "cmd/calls/loop_trips.h"

#include "cmd/calls/call_walk.h"

#include <stdlib.h>
#include <string.h>

/* Turning: a loop that the call at a depth is executing.  A recursive call may
   execute it at another depth, too. */
typedef
   struct {
      uint64_t iterations;
      size_t   depth;
      uint32_t loop;
      uint32_t before;          // outer entry to the same loop, or DCFG_NONE
   }
   Turning;

typedef
   struct {
      const DcfgProcess* p;
      LoopTrips**            trips; // by loop; NULL: not entered
      uint32_t*          last;  // by loop: index in .turning, or DCFG_NONE
      Turning*           turning;
      size_t             n, room;
   }
   Loops;

/* End the loop on top. */
static void end_loop(Loops* l)
{
   const Turning* top = &l->turning[--l->n];
   LoopTrips*         t = l->trips[top->loop];
   int            bin = 63 - __builtin_clzll(top->iterations);

   l->last[top->loop] = top->before;
   if (t == NULL) {
      t = l->trips[top->loop] = zalloc(1, sizeof(*t));
      t->least = UINT64_MAX;
   }
   t->entries++;
   t->iterations += top->iterations;
   t->bins[bin]++;
   if (top->iterations < t->least)
      t->least = top->iterations;
   if (top->iterations > t->most)
      t->most = top->iterations;
}

/* Return whether control came to the head from within the loop.  A return from
   a call in the loop comes from the block that called. */
static bool is_inside(const DcfgProcess* p, uint32_t loop, const DcfgEdge* e)
{
   uint32_t        n;
   const uint32_t* in;

   if (e->type != DCFG_EDGE_RETURN)
      return dcfg_loop_contains(p, loop, e->source);
   in = dcfg_in_edges(p, e->target, &n);
   for (uint32_t i = 0; i < n; i++)
      if (p->edges[in[i]].type == DCFG_EDGE_CALL_BYPASS
          && dcfg_loop_contains(p, loop, p->edges[in[i]].source))
         return true;
   return false;
}

static void loops_edge(void* arg, const DcfgEdge* e, size_t depth)
{
   Loops*   l = arg;
   uint32_t loop, at;

   while (l->n > 0 && l->turning[l->n - 1].depth > depth)
      end_loop(l);
   loop = dcfg_loop_by_head(l->p, e->target);
   if (loop == DCFG_NONE)
      return;
   at = l->last[loop];
   if (is_inside(l->p, loop, e) && at != DCFG_NONE) {
      l->turning[at].iterations++;
      return;
   }
   /* The same call entered the loop anew: end its earlier entry, and the loops
      that it entered after that. */
   while (at != DCFG_NONE && l->turning[at].depth == depth && l->n > at)
      end_loop(l);
   GROW(l->turning, l->n, l->room);
   l->turning[l->n] = (Turning){ 1, depth, loop, l->last[loop] };
   l->last[loop] = (uint32_t)l->n++;
}

static void loops_end(void* arg, uint64_t at)
{
   Loops* l = arg;

   (void)at;
   while (l->n > 0)
      end_loop(l);
}

LoopTrips** loop_trips(const Functions* f, const char* path, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   Loops              l = { .p = p };
   CallWatcher        w = { .edge = loops_edge, .end = loops_end, .arg = &l };

   l.trips = zalloc(p->n_loops + (size_t)1, sizeof(*l.trips));
   l.last  = zalloc(p->n_loops + (size_t)1, sizeof(*l.last));
   memset(l.last, 0xFF, p->n_loops * sizeof(*l.last));
   walk_calls(f, path, thread, &w);
   free(l.last);
   free(l.turning);
   return l.trips;
}

void loop_trips_free(const Functions* f, LoopTrips** trips)
{
   for (uint32_t i = 0; i < f->g.p->n_loops; i++)
      free(trips[i]);
   free(trips);
}
