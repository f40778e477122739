/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a recording: their costs by stack, function and loop. */

/* Owns: telling watchers of the calls along a trace, and what is summed up
   of them: stacks by name, self and inclusive costs of functions, iterations
   of each entry to a loop.  Handed: a trace, functions by functions.c.
   dcfg_calls.h has the rules.

   Along a whole execution trace an activation has the function of its latest
   instruction.  If that changes, it was a tail call.

   Watchers are told of one thread after the other.  A stack that a thread left may
   go on in another one.  So if threads load their stack pointers with what may be
   of another stack, all threads are followed for each of them. */

#include "cmd/calls/call_walk.h"

#include "cmd/base/operands.h"

#include "lib/dcfg_calls.h"

/* Lane: the calls of a thread along a whole execution trace. */
typedef
   struct {
      uint32_t* functions;      // by activation, outermost first
      size_t    n, room;
   }
   Lane;

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
      Lane*              lanes;         // by thread, along a whole execution
                                        // trace
      Lane*              lane;          // the one that runs
      bool               tells;         // the watcher is told of it
   }
   Walk;

/* Tell of a call of FUNCTION, which goes on if RESUMED. */
static void enter(Walk* w, uint32_t function, bool resumed)
{
   const CallWatcher* to = w->watcher;

   if (to->enter == NULL || !w->tells)
      return;
   if (w->deeper > 0 || (!w->watcher->all && w->depth == MAX_DEPTH)) {
      w->deeper++;
      return;
   }
   w->depth++;
   (resumed && to->resume != NULL ? to->resume : to->enter)(to->arg, function,
                                                            w->at);
}

static void leave(Walk* w)
{
   if (w->watcher->enter == NULL || !w->tells)
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
   enter(arg, call->function, false);
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
   if (w->watcher->end != NULL)
      w->watcher->end(w->watcher->arg, w->at);
   return w->at;
}

/* End a thread that has edges. */
static uint64_t end_edges(Walk* w)
{
   need_memory(dcfg_calls_end(w->calls));
   return end_thread(w);
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
            sum += end_edges(w);
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
      sum += end_edges(w);
   need_file(err.status == DCFG_OK, &err, KIND_TRACE);
   if (thread == UINT64_MAX)
      refuse_other_run(path, w->p->id, false);
   return sum;
}

static uint64_t walk_edges(Walk* w, const char* path, uint32_t thread)
{
   DcfgCallWatcher   own = { .begin = begin_call, .end = end_call, .arg = w };
   DcfgCallFunctions functions = { w->f->of, w->f->begins, w->f->n };
   DcfgTrace*        t = load_trace(w->p, path, thread);
   DcfgError         err;
   uint64_t          sum;

   w->calls = dcfg_calls_of_trace(w->p, &functions, &own, &err);
   need_memory(w->calls != NULL);
   sum = walk_trace(w, t, path);
   dcfg_trace_close(t);
   return sum;
}

/*--- The whole execution trace                            ---*/

static void begin_activation(void* arg, const DcfgCall* call)
{
   Lane* lane = ((Walk*)arg)->lane;

   (void)call;
   GROW(lane->functions, lane->n, lane->room);
   lane->functions[lane->n++] = NO_FUNCTION;
}

static void end_activation(void* arg, const DcfgCall* call)
{
   Walk* w = arg;

   (void)call;
   if (w->lane->functions[--w->lane->n] != NO_FUNCTION)
      leave(w);
}

static void leave_activation(void* arg, DcfgCall* call)
{
   Walk* w = arg;

   call->function = w->lane->functions[w->lane->n - 1];
   end_activation(arg, call);
}

static void resume_activation(void* arg, DcfgCall* call)
{
   Walk* w = arg;

   begin_activation(arg, call);
   w->lane->functions[w->lane->n - 1] = call->function;
   if (call->function != NO_FUNCTION)
      enter(w, call->function, true);
}

/* Take event E.  Only those of THREAD are told.  BLOCKS: by instruction. */
static void take_event(Walk* w, const DcfgWetEvent* e, const uint32_t* blocks,
                       uint32_t thread)
{
   Lane*    lane = &w->lanes[e->thread];
   bool     runs = e->kind == DCFG_WET_INSTR;
   uint32_t block = runs ? blocks[e->instr] : DCFG_NONE, function;

   if (runs && block == DCFG_NONE)
      die("the instruction at 0x%" PRIx64 " is not in the DCFG: do the files "
          "belong together?", e->addr);
   w->lane  = lane;
   w->tells = e->thread == thread;
   need_memory(dcfg_calls_arrive(w->calls, e));
   if (runs && lane->n > 0) {
      function = w->f->of[block];
      if (function != NO_FUNCTION && lane->functions[lane->n - 1] != function) {
         if (lane->functions[lane->n - 1] != NO_FUNCTION)
            leave(w);
         lane->functions[lane->n - 1] = function;
         enter(w, function, false);
      }
   }
   w->at += w->tells && runs && w->counted[block] > 0;
   need_memory(dcfg_calls_event(w->calls, e));
}

/* Loads of the stack pointer over so many bytes may lead to another stack. */
#define FAR 4096u

/* Return whether a thread of WET may leave its stack. */
static bool may_leave_stacks(DcfgWet* wet)
{
   bool*          loads = zalloc(dcfg_wet_instrs(wet) + (size_t)1, 1);
   DcfgWetFilter  filter = { .instrs = loads, .thread = DCFG_NONE,
                             .to = UINT64_MAX };
   DcfgWetEvents* events;
   DcfgWetEvent   e;
   DcfgError      err;
   bool           any = false, far = false;

   for (uint32_t i = 0; i < dcfg_wet_instrs(wet); i++)
      any |= loads[i] = dcfg_wet_instr(wet, i)->loads_stack;
   events = any ? load_events(wet, &filter) : NULL;
   while (any && !far && dcfg_wet_next(events, &e, &err))
      far = e.kind == DCFG_WET_INSTR
            && e.stack - e.stack_before + FAR > 2 * FAR;
   dcfg_wet_events_free(events);
   free(loads);
   return far;
}

/* Follow THREAD through WET, and ALL others if stacks go from thread to thread.
   BLOCKS: by instruction. */
static uint64_t walk_thread(Walk* w, DcfgWet* wet, const uint32_t* blocks,
                            uint32_t thread, bool all)
{
   DcfgCallWatcher own = { begin_activation, end_activation, leave_activation,
                           resume_activation, w };
   DcfgWetFilter   filter = { .thread = all ? DCFG_NONE : thread,
                              .to = UINT64_MAX };
   DcfgWetEvents*  events = load_events(wet, &filter);
   DcfgWetEvent    e = { .kind = DCFG_WET_CREATED, .thread = thread };
   DcfgError       err;

   w->lanes = zalloc(dcfg_wet_threads(wet), sizeof(*w->lanes));
   w->lane  = &w->lanes[thread];
   w->calls = dcfg_calls_of_wet(wet, &own, &err);
   need_memory(w->calls != NULL && dcfg_calls_event(w->calls, &e));
   begin_thread(w, thread);
   while (dcfg_wet_next(events, &e, &err))
      if (all || e.thread == thread)
         take_event(w, &e, blocks, thread);
   need_file(err.status == DCFG_OK, &err, KIND_WET);
   w->lane  = &w->lanes[thread];
   w->tells = true;
   while (w->lane->n > 0)
      end_activation(w, NULL);
   end_thread(w);
   for (uint32_t i = 0; i < dcfg_wet_threads(wet); i++)
      free(w->lanes[i].functions);
   free(w->lanes);
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
   bool      all;

   if (w->watcher->enter == NULL || w->watcher->block != NULL)
      die("%s is a whole execution trace: loops and inlined functions need a "
          "DCFG-trace, which --trace=yes writes", path);
   for (uint32_t i = 0; i < dcfg_wet_instrs(wet); i++)
      blocks[i] = dcfg_node_at(w->p, dcfg_wet_instr(wet, i)->addr);
   all = dcfg_wet_threads(wet) > 1 && may_leave_stacks(wet);
   for (uint32_t i = 0; i < dcfg_wet_threads(wet); i++)
      if (thread == DCFG_ALL_THREADS || i == thread)
         sum += walk_thread(w, wet, blocks, i, all);
   dcfg_wet_close(wet);
   free(blocks);
   return sum;
}

uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher)
{
   Walk     w = { .f = f, .p = f->g.p, .watcher = watcher, .tells = true };
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
   if (w.calls != NULL && dcfg_calls_astray(w.calls) > 0)
      complain("control came %" PRIu64 " times back to functions that were not "
               "active, as coroutines do: edges do not tell stacks apart, so "
               "callers may be wrong; --calls=yes and --wet=yes know stacks",
               dcfg_calls_astray(w.calls));
   dcfg_calls_free(w.calls);
   free(w.counted);
   return sum;
}

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

static void cost_enter(void* arg, uint32_t function, uint64_t at)
{
   CostStack* c = arg;

   costs_enter(c, function, at);
   c->spent[function].calls++;
}

static void cost_resume(void* arg, uint32_t function, uint64_t at)
{
   costs_enter(arg, function, at);
}

static void cost_leave(void* arg, uint64_t at)
{
   costs_leave(arg, at);
}

FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total)
{
   CostStack   c = { .spent = zalloc(f->n + (size_t)1, sizeof(FunctionCost)) };
   CallWatcher w = { .begin = begin, .enter = cost_enter,
                     .resume = cost_resume,
                     .leave = cost_leave, .all = true, .arg = &c };

   for (uint32_t i = 0; i < f->n; i++)
      c.spent[i].function = i;
   *total = walk_calls(f, path, thread, &w);
   free(c.open);
   return c.spent;
}

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
   FREE_ALL(l.last, l.turning);
   return l.trips;
}

void loop_trips_free(const Functions* f, LoopTrips** trips)
{
   for (uint32_t i = 0; i < f->g.p->n_loops; i++)
      free(trips[i]);
   free(trips);
}

/* More different stacks than any picture shows.  Instructions of further stacks
   count for their parents. */
#define MAX_STACKS 4000000

StackTree* tree_new(void)
{
   StackTree* t = zalloc(1, sizeof(*t));

   t->keys = keymap_new();
   t->names = interned_new();
   t->name_numbers = keymap_new();
   GROW(t->stacks, t->n, t->room);
   t->stacks[t->n++] = (Stack){ .name = "all" };
   return t;
}

void tree_free(StackTree* t)
{
   FREE_EACH(keymap_free, t->keys, t->name_numbers);
   interned_free(t->names);
   FREE_ALL(t->stacks, t);
}

uint32_t tree_child(StackTree* t, uint32_t parent, const char* name)
{
   uint32_t i = t->stacks[parent].latest;
   uint64_t key;

   if (i != 0 && t->stacks[i].name == name)
      return i;
   key = (uint64_t)parent << 32
         | keymap_number(t->name_numbers, (uintptr_t)name);
   if (t->stacks[parent].depth == MAX_DEPTH)
      return parent;
   if (t->n == MAX_STACKS && keymap_find(t->keys, key) == UINT32_MAX) {
      if (!t->is_full)
         complain("there are more than %d stacks of calls; further ones count "
                  "as those that they are on top of", MAX_STACKS);
      t->is_full = true;
      return parent;
   }
   i = keymap_number(t->keys, key) + 1;
   if (i == t->n) {
      GROW(t->stacks, t->n, t->room);
      t->stacks[t->n++] = (Stack){ .name = name, .parent = parent,
                                   .depth = t->stacks[parent].depth + 1 };
   }
   t->stacks[parent].latest = i;
   return i;
}

/*--- Calls                                                ---*/

typedef
   struct {
      StackTree*       t;
      const Functions* f;
      int              run;
      const char**     names;   // by function; NULL: not needed yet
      uint32_t         now;     // the present stack
      uint32_t         over;    // calls above it that found no room
      uint64_t         from;    // when it became the present one
   }
   Growing;

static void tree_spend(Growing* g, uint64_t at)
{
   uint64_t* self = &g->t->stacks[g->now].self[g->run];

   *self += at - g->from;
   g->from = at;
}

static void tree_begin(void* arg, uint32_t thread)
{
   Growing* g = arg;

   (void)thread;
   g->now = g->over = 0;
   g->from = 0;
}

static const char* name_of(Growing* g, uint32_t function)
{
   if (g->names[function] == NULL) {
      g->names[function] = intern(g->t->names, function_name(g->f, function));
      text_forget();
   }
   return g->names[function];
}

static void tree_enter(void* arg, uint32_t function, uint64_t at)
{
   Growing*    g = arg;
   const char* name = name_of(g, function);
   uint32_t    i;

   tree_spend(g, at);
   i = g->over > 0 ? g->now : tree_child(g->t, g->now, name);
   g->over += i == g->now;
   g->now = i;
}

static void tree_leave(void* arg, uint64_t at)
{
   Growing* g = arg;

   tree_spend(g, at);
   if (g->over > 0)
      g->over--;
   else
      g->now = g->t->stacks[g->now].parent;
}

static void end(void* arg, uint64_t at)
{
   tree_spend(arg, at);
}

uint64_t tree_add(StackTree* t, const Functions* f, const char* path,
                  const Selection* sel, int run)
{
   Growing     g = { .t = t, .f = f, .run = run };
   CallWatcher watcher = { .begin = tree_begin, .enter = tree_enter,
                           .leave = tree_leave,
                           .end = end, .only = sel, .arg = &g };
   uint64_t    sum;

   g.names = zalloc(f->n, sizeof(*g.names));
   sum     = walk_calls(f, path, selected_thread(sel), &watcher);
   free(g.names);
   return sum;
}

/*--- The tree                                             ---*/

static const Stack* sorting;

static int by_parent(const void* a, const void* b)
{
   const Stack* x = &sorting[*(const uint32_t*)a];
   const Stack* y = &sorting[*(const uint32_t*)b];

   return UP(parent) ?: strcmp(x->name, y->name);
}

uint32_t* tree_finish(StackTree* t)
{
   uint32_t* order = zalloc(t->n, sizeof(*order));

   for (uint32_t i = 0; i < t->n; i++) {
      order[i] = i;
      memcpy(t->stacks[i].total, t->stacks[i].self,
             sizeof(t->stacks[i].total));
   }
   for (uint32_t i = t->n; i-- > 1; )
      for (int k = 0; k < 2; k++)
         t->stacks[t->stacks[i].parent].total[k] += t->stacks[i].total[k];
   sorting = t->stacks;
   qsort(order + 1, t->n - 1, sizeof(*order), by_parent);
   return order;
}
