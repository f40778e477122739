/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace. */

/* Owns: the active calls, along a trace.  Handed: a trace, functions by
   functions.c.

   The tool tells calls and their ends by the stack pointer (tool/calls/stack.c),
   which a trace does not have.  But a trace has every edge with its type, so
   these rules give nearly the same:

   - A call is active until control returns to its return address, or to that
   of a call made before it.

   - A jump into the middle of an active function ends all calls above that
   one: so do longjmp and exceptions.  A return to an address that no call
   has is the same.

   - Any other jump to another function is a tail call: the function replaces
   the one that jumped.

   - A signal's handler is called by the interrupted code; going back ends
   it. */

#include "cmd/shared/call_walk.h"

#include "cmd/base/operands.h"

#include <inttypes.h>
#include <stdlib.h>

/* As many calls as fit into a stack of 64 MB.  Instructions of further ones
   count for their callers. */
#define MAX_FRAMES 4000000

typedef
   struct {
      uint32_t function;        // NO_FUNCTION: a stub's; the function is not
                                // known yet
      uint32_t site;            // return address, as a place; or NOWHERE
      bool     is_handler;
      bool     told;
   }
   Frame;

#define NOWHERE UINT32_MAX

typedef
   struct {
      const Functions*   f;
      const DcfgProcess* p;
      const CallWatcher* watcher;
      KeyMap*            places;        // addresses where blocks begin or end;
                                        // the numbers are places
      uint32_t*          begin_of;      // by block: place of its begin
      uint32_t*          end_of;
      uint32_t*          waiting;       // by place: calls that return there
      uint32_t*          active;        // by function: its active calls
      Frame*             frames;
      size_t             n, room;
      uint32_t           depth;         // calls that the watcher was told of
      uint32_t           handlers;      // active ones
      uint64_t           at;
      bool               lost;          // a call found no room
   }
   Walk;

/*--- Frames                                               ---*/

/* Give the frame on top its function, which is known now. */
static void name_top(Walk* w, uint32_t function)
{
   Frame* top = &w->frames[w->n - 1];

   top->function = function;
   w->active[function]++;
   top->told = w->watcher->enter != NULL
               && (w->watcher->all || w->depth < MAX_DEPTH);
   if (top->told) {
      w->depth++;
      w->watcher->enter(w->watcher->arg, function, w->at);
   }
}

static void unname_top(Walk* w)
{
   Frame* top = &w->frames[w->n - 1];

   if (top->function != NO_FUNCTION)
      w->active[top->function]--;
   if (top->told) {
      w->depth--;
      w->watcher->leave(w->watcher->arg, w->at);
   }
   top->function = NO_FUNCTION;
   top->told = false;
}

static void push(Walk* w, bool is_handler, uint32_t site, uint32_t function)
{
   if (w->n == MAX_FRAMES) {
      w->lost = true;
      return;
   }
   GROW(w->frames, w->n, w->room);
   w->frames[w->n++] = (Frame){ NO_FUNCTION, site, is_handler, false };
   if (site != NOWHERE)
      w->waiting[site]++;
   w->handlers += is_handler;
   if (function != NO_FUNCTION)
      name_top(w, function);
}

static void pop(Walk* w)
{
   const Frame* top = &w->frames[w->n - 1];

   unname_top(w);
   if (top->site != NOWHERE)
      w->waiting[top->site]--;
   w->handlers -= top->is_handler;
   w->n--;
}

/*--- Edges                                                ---*/

static void jump(Walk* w, uint32_t node)
{
   uint32_t function = w->f->of[node];
   Frame*   top;

   if (function == NO_FUNCTION)
      return;
   if (w->n == 0)
      push(w, false, NOWHERE, NO_FUNCTION);
   top = &w->frames[w->n - 1];
   if (top->function == function)
      return;
   if (top->function == NO_FUNCTION) {
      name_top(w, function);
   } else if (!w->f->begins[node] && w->active[function] > 0) {
      while (w->frames[w->n - 1].function != function)
         pop(w);
   } else {
      unname_top(w);
      name_top(w, function);
   }
}

static void call(Walk* w, const DcfgEdge* e)
{
   uint32_t site = w->end_of[e->source];

   /* A call to the next instruction is how code learns its own address. */
   if (site == w->begin_of[e->target])
      return;
   push(w, false, site, w->f->of[e->target]);
}

static void come_back(Walk* w, const DcfgEdge* e)
{
   uint32_t site = w->begin_of[e->target];

   if (w->waiting[site] > 0) {
      while (w->frames[w->n - 1].site != site)
         pop(w);
      pop(w);
   }
   jump(w, e->target);
}

static void leave_handler(Walk* w, const DcfgEdge* e)
{
   if (w->handlers > 0) {
      while (!w->frames[w->n - 1].is_handler)
         pop(w);
      pop(w);
   }
   jump(w, e->target);
}

static void take(Walk* w, const DcfgEdge* e)
{
   const DcfgProcess* p = w->p;

   if (e->source < p->n_blocks) {
      if (w->n == 0)            // the trace may begin anywhere
         jump(w, e->source);
      if (w->watcher->only == NULL
          || is_selected(w->watcher->only, e->source))
         w->at += p->nodes[e->source].n_instrs;
      if (w->watcher->block != NULL)
         w->watcher->block(w->watcher->arg, e->source,
                           w->n == 0 || w->frames[w->n - 1].told);
   }
   if (e->target >= p->n_blocks)
      return;
   if (dcfg_is_call(e->type) && e->source < p->n_blocks)
      call(w, e);
   else if (e->type == DCFG_EDGE_RETURN)
      come_back(w, e);
   else if (e->type == DCFG_EDGE_CONTEXT_CHANGE)
      push(w, true, NOWHERE, w->f->of[e->target]);
   else if (e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN)
      leave_handler(w, e);
   else
      jump(w, e->target);
}

/*--- The trace                                            ---*/

static void begin_thread(Walk* w, uint32_t thread)
{
   w->at = 0;
   if (w->watcher->begin != NULL)
      w->watcher->begin(w->watcher->arg, thread);
}

static uint64_t end_thread(Walk* w)
{
   while (w->n > 0)
      pop(w);
   if (w->watcher->end != NULL)
      w->watcher->end(w->watcher->arg, w->at);
   return w->at;
}

static void find_places(Walk* w)
{
   const DcfgProcess* p = w->p;

   w->places = keymap_new();
   w->begin_of = zalloc(p->n_blocks, sizeof(*w->begin_of));
   w->end_of = zalloc(p->n_blocks, sizeof(*w->end_of));
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      w->begin_of[i] = keymap_number(w->places, p->nodes[i].addr);
      w->end_of[i] = keymap_number(w->places,
                                   p->nodes[i].addr + p->nodes[i].size);
   }
   w->waiting = zalloc(keymap_size(w->places), sizeof(*w->waiting));
   w->active = zalloc(w->f->n, sizeof(*w->active));
}

#define N_EDGES 4096

static uint64_t walk_trace(Walk* w, DcfgTrace* t, const char* path)
{
   static uint32_t ids[N_EDGES];
   DcfgError       err;
   uint64_t        thread = UINT64_MAX, sum = 0;
   size_t          n;

   while ((n = dcfg_trace_next(t, ids, N_EDGES, &err)) > 0) {
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(t);
      if (info->thread != thread) {
         if (thread != UINT64_MAX)
            sum += end_thread(w);
         thread = info->thread;
         begin_thread(w, info->thread);
      }
      for (size_t i = 0; i < n; i++) {
         uint32_t edge = dcfg_edge_by_id(w->p, ids[i]);
         if (edge == DCFG_NONE)
            die("edge %" PRIu32 " is not in the DCFG: do the files belong "
                "together?", ids[i]);
         take(w, &w->p->edges[edge]);
         if (w->watcher->edge != NULL)
            w->watcher->edge(w->watcher->arg, &w->p->edges[edge], w->n);
      }
   }
   if (thread != UINT64_MAX)
      sum += end_thread(w);
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_TRACE));
   if (thread == UINT64_MAX)
      refuse_other_run(path, w->p->id, false);
   return sum;
}

uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher)
{
   Walk        w = { .f = f, .p = f->g.p, .watcher = watcher };
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(path, &options, &err);
   uint64_t    sum;

   if (t == NULL)
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, w.p->id, thread);
   dcfg_trace_count_with(t, w.p);
   find_places(&w);
   sum = walk_trace(&w, t, path);
   if (w.lost)
      complain("more than %d calls were active at a time; further ones count "
               "as their callers", MAX_FRAMES);
   dcfg_trace_close(t);
   keymap_free(w.places);
   free(w.begin_of);
   free(w.end_of);
   free(w.waiting);
   free(w.active);
   free(w.frames);
   return sum;
}
