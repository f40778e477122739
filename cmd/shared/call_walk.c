/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace. */

/* Owns: telling watchers of the calls along a trace.  Handed: a trace, functions
   by functions.c; dcfg_calls.h has the rules. */

#include "cmd/shared/call_walk.h"

#include "cmd/base/operands.h"
#include "lib/dcfg_calls.h"

#include <inttypes.h>
#include <stdlib.h>

typedef
   struct {
      const DcfgProcess* p;
      const CallWatcher* watcher;
      uint32_t*          counted;       // by block: instructions that count
      DcfgCalls*         calls;
      uint32_t           depth;         // calls that the watcher was told of
      uint32_t           deeper;        // calls above them
      uint64_t           at;
      bool               begun;         // a call is active
   }
   Walk;

static void begin_call(void* arg, const DcfgCall* call)
{
   Walk* w = arg;

   if (w->deeper > 0 || (!w->watcher->all && w->depth == MAX_DEPTH)) {
      w->deeper++;
      return;
   }
   w->depth++;
   w->watcher->enter(w->watcher->arg, call->function, w->at);
}

static void end_call(void* arg, const DcfgCall* call)
{
   Walk* w = arg;

   (void)call;
   if (w->deeper > 0) {
      w->deeper--;
      return;
   }
   w->depth--;
   w->watcher->leave(w->watcher->arg, w->at);
}

/* Return whether the watcher was told of the call on top. */
static bool is_told(const Walk* w)
{
   const DcfgCall* top = dcfg_calls_top(w->calls, 0);

   return top == NULL
          || (w->watcher->enter != NULL && w->deeper == 0
              && top->function != NO_FUNCTION);
}

static void need_memory(bool ok)
{
   if (!ok)
      die("out of memory");
}

static void take(Walk* w, uint32_t edge)
{
   const DcfgEdge* e = &w->p->edges[edge];

   if (e->source < w->p->n_blocks) {
      if (!w->begun) {
         need_memory(dcfg_calls_first(w->calls, e->source));
         w->begun = dcfg_calls_active(w->calls) > 0;
      }
      w->at += w->counted[e->source];
      if (w->watcher->block != NULL)
         w->watcher->block(w->watcher->arg, e->source, is_told(w));
   }
   need_memory(dcfg_calls_edge(w->calls, edge));
   if (w->watcher->edge != NULL)
      w->watcher->edge(w->watcher->arg, e, dcfg_calls_active(w->calls));
}

/*--- The trace                                            ---*/

static void begin_thread(Walk* w, uint32_t thread)
{
   w->at = 0;
   w->begun = false;
   if (w->watcher->begin != NULL)
      w->watcher->begin(w->watcher->arg, thread);
}

static uint64_t end_thread(Walk* w)
{
   need_memory(dcfg_calls_end(w->calls));
   if (w->watcher->end != NULL)
      w->watcher->end(w->watcher->arg, w->at);
   return w->at;
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
         take(w, edge);
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
   Walk            w = { .p = f->g.p, .watcher = watcher };
   DcfgCallWatcher own = { watcher->enter == NULL ? NULL : begin_call,
                           watcher->enter == NULL ? NULL : end_call, &w };
   DcfgCallFunctions functions = { f->of, f->begins, f->n };
   DcfgOptions     options = read_options(NULL, NULL);
   DcfgError       err;
   DcfgTrace*      t = dcfg_trace_open(path, &options, &err);
   uint64_t        sum;

   if (t == NULL)
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, w.p->id, thread);
   dcfg_trace_count_with(t, w.p);
   w.calls = dcfg_calls_of_trace(w.p, &functions, &own, &err);
   need_memory(w.calls != NULL);
   w.counted = zalloc(w.p->n_blocks, sizeof(*w.counted));
   for (uint32_t i = 0; i < w.p->n_blocks; i++)
      if (watcher->only == NULL || is_selected(watcher->only, i))
         w.counted[i] = w.p->nodes[i].n_instrs;
   sum = walk_trace(&w, t, path);
   if (dcfg_calls_lost(w.calls))
      complain("more than %d calls were active at a time; further ones count "
               "as their callers", DCFG_CALLS_MOST);
   dcfg_calls_free(w.calls);
   free(w.counted);
   dcfg_trace_close(t);
   return sum;
}
