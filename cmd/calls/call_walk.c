/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace. */

/* Owns: telling watchers of the calls along a trace.  Handed: a trace,
   functions by functions.c.  dcfg_calls.h has the rules.

   Along a whole execution trace an activation has the function of its latest
   instruction.  If that changes, it was a tail call. */

#include "cmd/calls/call_walk.h"

#include "cmd/base/operands.h"
#include "lib/dcfg_calls.h"

#include <inttypes.h>
#include <stdlib.h>

typedef
   struct {
      const Functions*   f;
      const DcfgProcess* p;
      const CallWatcher* watcher;
      uint32_t*          counted;       // by block: instructions that count
      DcfgCalls*         calls;
      uint32_t           depth;         // calls that the watcher was told of
      uint32_t           deeper;        // calls above them
      uint64_t           at;
      bool               begun;         // a call is active
      uint32_t*          functions;     // by activation, along a whole
                                        // execution trace
      size_t             n, room;
   }
   Walk;

static void enter(Walk* w, uint32_t function)
{
   if (w->watcher->enter == NULL)
      return;
   if (w->deeper > 0 || (!w->watcher->all && w->depth == MAX_DEPTH)) {
      w->deeper++;
      return;
   }
   w->depth++;
   w->watcher->enter(w->watcher->arg, function, w->at);
}

static void leave(Walk* w)
{
   if (w->watcher->enter == NULL)
      return;
   if (w->deeper > 0) {
      w->deeper--;
      return;
   }
   w->depth--;
   w->watcher->leave(w->watcher->arg, w->at);
}

static void begin_call(void* arg, const DcfgCall* call)
{
   enter(arg, call->function);
}

static void end_call(void* arg, const DcfgCall* call)
{
   (void)call;
   leave(arg);
}

/* Return whether the watcher was told of the call on top. */
static bool is_told(const Walk* w)
{
   const DcfgCall* top = dcfg_calls_top(w->calls, 0);

   return top == NULL || (w->deeper == 0 && top->function != NO_FUNCTION);
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

static uint64_t walk_edges(Walk* w, const char* path, uint32_t thread)
{
   DcfgCallWatcher   own = { begin_call, end_call, w };
   DcfgCallFunctions functions = { w->f->of, w->f->begins, w->f->n };
   DcfgOptions       options = read_options(NULL, NULL);
   DcfgError         err;
   DcfgTrace*        t = dcfg_trace_open(path, &options, &err);
   uint64_t          sum;

   if (t == NULL)
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, w->p->id, thread);
   dcfg_trace_count_with(t, w->p);
   w->calls = dcfg_calls_of_trace(w->p, &functions, &own, &err);
   need_memory(w->calls != NULL);
   sum = walk_trace(w, t, path);
   dcfg_trace_close(t);
   return sum;
}

/*--- The whole execution trace                            ---*/

static void begin_activation(void* arg, const DcfgCall* call)
{
   Walk* w = arg;

   (void)call;
   GROW(w->functions, w->n, w->room);
   w->functions[w->n++] = NO_FUNCTION;
}

static void end_activation(void* arg, const DcfgCall* call)
{
   Walk* w = arg;

   (void)call;
   if (w->functions[--w->n] != NO_FUNCTION)
      leave(w);
}

/* Take event E of the present thread.  BLOCKS: by instruction. */
static void take_event(Walk* w, const DcfgWetEvent* e, const uint32_t* blocks)
{
   bool     runs = e->kind == DCFG_WET_INSTR;
   uint32_t block = runs ? blocks[e->instr] : DCFG_NONE, function;

   if (runs && block == DCFG_NONE)
      die("the instruction at 0x%" PRIx64 " is not in the DCFG: do the files "
          "belong together?", e->addr);
   if (runs && w->n > 0) {
      function = w->f->of[block];
      if (function != NO_FUNCTION && w->functions[w->n - 1] != function) {
         if (w->functions[w->n - 1] != NO_FUNCTION)
            leave(w);
         w->functions[w->n - 1] = function;
         enter(w, function);
      }
   }
   w->at += runs && w->counted[block] > 0;
   need_memory(dcfg_calls_event(w->calls, e));
}

/* Follow THREAD through WET.  BLOCKS: by instruction. */
static uint64_t walk_thread(Walk* w, DcfgWet* wet, const uint32_t* blocks,
                            uint32_t thread)
{
   DcfgCallWatcher own = { begin_activation, end_activation, w };
   DcfgWetFilter   filter = { .thread = thread, .to = UINT64_MAX };
   DcfgWetEvents*  events = load_events(wet, &filter);
   DcfgWetEvent    e = { .kind = DCFG_WET_CREATED, .thread = thread };
   DcfgError       err;

   w->calls = dcfg_calls_of_wet(wet, &own, &err);
   need_memory(w->calls != NULL && dcfg_calls_event(w->calls, &e));
   begin_thread(w, thread);
   while (dcfg_wet_next(events, &e, &err))
      if (e.thread == thread)
         take_event(w, &e, blocks);
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_WET));
   end_thread(w);
   dcfg_calls_free(w->calls);
   w->calls = NULL;
   dcfg_wet_events_free(events);
   return w->at;
}

static uint64_t walk_instances(Walk* w, const char* path, uint32_t thread)
{
   DcfgWet*  wet = load_wet(path);
   uint32_t* blocks = zalloc(dcfg_wet_instrs(wet) + (size_t)1,
                             sizeof(*blocks));
   uint64_t  sum = 0;

   if (w->watcher->enter == NULL || w->watcher->block != NULL)
      die("%s is a whole execution trace: loops and inlined functions need a "
          "DCFG-trace, which --trace=yes writes", path);
   for (uint32_t i = 0; i < dcfg_wet_instrs(wet); i++)
      blocks[i] = dcfg_node_at(w->p, dcfg_wet_instr(wet, i)->addr);
   for (uint32_t i = 0; i < dcfg_wet_threads(wet); i++)
      if (thread == DCFG_ALL_THREADS || i == thread)
         sum += walk_thread(w, wet, blocks, i);
   dcfg_wet_close(wet);
   free(blocks);
   free(w->functions);
   return sum;
}

uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher)
{
   Walk     w = { .f = f, .p = f->g.p, .watcher = watcher };
   uint64_t sum;

   w.counted = zalloc(w.p->n_blocks, sizeof(*w.counted));
   for (uint32_t i = 0; i < w.p->n_blocks; i++)
      if (watcher->only == NULL || is_selected(watcher->only, i))
         w.counted[i] = w.p->nodes[i].n_instrs;
   sum = is_wet(path) ? walk_instances(&w, path, thread)
         : walk_edges(&w, path, thread);
   if (w.calls != NULL && dcfg_calls_lost(w.calls))
      complain("more than %d calls were active at a time; further ones count "
               "as their callers", DCFG_CALLS_MOST);
   dcfg_calls_free(w.calls);
   free(w.counted);
   return sum;
}
