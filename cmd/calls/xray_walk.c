/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The calls in an XRay log, and their costs. */

/* Owns: call stacks of a log, each function's costs with their quantiles,
   the names of functions without a symbol, and the path of a log's map.
   Handed: records by the library.

   An exit that is not the innermost call's breaks a rule.  If its function
   is active, all calls within it end with it; else the exit is ignored.  So
   one error in a log stays one error.

   A Spread has the numbers for medians and other quantiles.  The calls of a
   function take few different numbers of instructions.  So a number is kept
   once, with its count.  New numbers are collected until there are as many
   as old ones, then sorted and merged: that costs a logarithm for each. */

#include "cmd/calls/xray_walk.h"

#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"
#include "cmd/program/elf_file.h"

#include <sys/stat.h>

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

static void spread_add(Spread* s, uint64_t value)
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
   FREE_ALL(s->runs, s->news);
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

char* map_beside(const char* log)
{
   const char* path = text_format("%s.map", log);
   struct stat st;

   return strcmp(log, "-") != 0 && stat(path, &st) == 0 ? text_copy(path)
          : NULL;
}

const char* log_symbol(const DcfgXrayFunction* f)
{
   char*    end;
   uint64_t addr;

   if (strncmp(f->name, "0x", 2) != 0)
      return f->name;
   addr = strtoull(f->name, &end, 16);
   if (strcmp(f->image, "???") == 0)
      return text_format("0x%" PRIx64 "%s", addr, end);
   return text_format("%s+0x%" PRIx64 "%s", text_base(f->image),
                      addr - link_base(f->image), end);
}

#define N_RECORDS 1024

typedef
   struct {
      XrayCall* calls;
      size_t    n, room;
      uint64_t  others;         // instructions of other threads
   }
   CallStack;

typedef
   struct {
      const DcfgXrayMap* map;
      Rules*             rules;
      const XrayWatcher* watcher;
      XrayRun*           run;
      size_t             pairs_room, threads_room;
      KeyMap*            pair_of;       // keys: thread and function
      CallStack*             stacks;        // by thread
   }
   Walk;

static uint64_t plus(uint64_t a, uint64_t b)
{
   return capped_sum(a, b);
}

/* Return "BUFFERS[3].RECORDS[17] (byte 1234): thread 1". */
static const char* place(const DcfgXrayRecord* r)
{
   return text_format("BUFFERS[%" PRIu64 "].RECORDS[%" PRIu64 "]: thread %"
                      PRId32, r->buffer, r->number, r->thread_id);
}

/* Return "function 7 (main)". */
static const char* label(const Walk* w, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(w->map, function);

   return f == NULL ? text_format("function %" PRIu32, function)
          : text_format("function %" PRIu32 " (%s)", function,
                        text_shorten(text_clean(f->name), 60));
}

/* Return the index of the figures for the record's function and thread. */
static uint32_t find_pair(Walk* w, const DcfgXrayRecord* r)
{
   uint64_t key = (uint64_t)r->thread << 32 | r->function;
   uint32_t i = keymap_number(w->pair_of, key);
   XrayRun* run = w->run;

   if (i < run->n_pairs)
      return i;
   GROW(run->pairs, run->n_pairs, w->pairs_room);
   run->pairs[run->n_pairs++] = (XrayFigures){ .function = r->function,
                                               .thread = r->thread };
   if (w->map != NULL && dcfg_xray_function(w->map, r->function) == NULL)
      broken(w->rules, "function-unknown", "%s: function %" PRIu32
             " is not in the map, which has %" PRIu32, place(r),
             r->function, w->map->n_functions);
   return i;
}

/* Find the record's thread; this may be its first record. */
static void find_thread(Walk* w, const DcfgXrayRecord* r)
{
   XrayRun*           run = w->run;
   XrayThreadFigures* t;

   while (run->n_threads <= r->thread) {
      size_t room = w->threads_room;
      GROW(run->threads, run->n_threads, w->threads_room);
      if (room != w->threads_room)
         w->stacks = need(realloc(w->stacks,
                                  w->threads_room * sizeof(*w->stacks)));
      w->stacks[run->n_threads] = (CallStack){ 0 };
      run->threads[run->n_threads++] = (XrayThreadFigures){ 0 };
   }
   t = &run->threads[r->thread];
   if (!t->begun)
      *t = (XrayThreadFigures){ .begun = true, .id = r->thread_id,
                                .first = r->tick };
   t->last = r->tick;
}

/*--- Calls                                                ---*/

static XrayCall* top(CallStack* s)
{
   return s->n > 0 ? &s->calls[s->n - 1] : NULL;
}

static void enter(Walk* w, const DcfgXrayRecord* r)
{
   CallStack*   s = &w->stacks[r->thread];
   uint32_t pair = find_pair(w, r);

   GROW(s->calls, s->n, s->room);
   s->calls[s->n] = (XrayCall){ .function = r->function, .thread = r->thread,
                                .thread_id = r->thread_id, .pair = pair,
                                .from = r->tick,
                                .begin = plus(r->tick, s->others) };
   w->run->pairs[pair].active++;
   w->run->n_calls++;
   w->run->threads[r->thread].calls++;
   if (w->watcher != NULL && w->watcher->enter != NULL)
      w->watcher->enter(w->watcher->arg, &s->calls[s->n], top(s), s->n);
   s->n++;
   if (s->n > w->run->threads[r->thread].depth)
      w->run->threads[r->thread].depth = s->n;
}

/* End the innermost call. */
static void leave(Walk* w, uint32_t thread, uint64_t tick)
{
   CallStack*       s = &w->stacks[thread];
   XrayCall*    c = &s->calls[--s->n];
   XrayCall*    caller = top(s);
   XrayFigures* f = &w->run->pairs[c->pair];
   uint64_t     ticks = ticks_between(c->from, tick);

   c->to = tick;
   c->end = plus(tick, s->others);
   f->active--;
   f->calls++;
   f->sum = plus(f->sum, ticks);
   f->self = plus(f->self, ticks_between(c->inside, ticks));
   if (f->active == 0)
      f->inclusive = plus(f->inclusive, ticks);
   spread_add(&f->spread, ticks);
   if (caller != NULL)
      caller->inside = plus(caller->inside, ticks);
   if (w->watcher != NULL && w->watcher->leave != NULL)
      w->watcher->leave(w->watcher->arg, c, caller, s->n);
}

static void take_exit(Walk* w, const DcfgXrayRecord* r)
{
   CallStack*   s = &w->stacks[r->thread];
   uint32_t pair;

   if (s->n > 0 && top(s)->function == r->function) {
      leave(w, r->thread, r->tick);
      return;
   }
   if (!rules_open(w->rules, "exit"))
      broken(w->rules, "exit", "%s", "");
   else if (s->n == 0)
      broken(w->rules, "exit", "%s leaves %s, and none is active", place(r),
             label(w, r->function));
   else
      broken(w->rules, "exit", "%s leaves %s, where %s is innermost",
             place(r), label(w, r->function), label(w, top(s)->function));
   pair = keymap_find(w->pair_of, (uint64_t)r->thread << 32 | r->function);
   if (pair == UINT32_MAX || w->run->pairs[pair].active == 0)
      return;
   while (top(s)->pair != pair)
      leave(w, r->thread, r->tick);
   leave(w, r->thread, r->tick);
}

static void take_record(Walk* w, const DcfgXrayRecord* r)
{
   find_thread(w, r);
   switch (r->kind) {
      case DCFG_XRAY_ENTER:
      case DCFG_XRAY_ENTER_ARGS:
         enter(w, r);
         break;
      case DCFG_XRAY_EXIT:
      case DCFG_XRAY_TAIL_EXIT:
         w->run->n_jumps += r->kind == DCFG_XRAY_TAIL_EXIT;
         take_exit(w, r);
         break;
      case DCFG_XRAY_EVENT:
         w->run->n_events++;
         if (w->watcher != NULL && w->watcher->event != NULL)
            w->watcher->event(w->watcher->arg, r,
                              plus(r->tick, w->stacks[r->thread].others),
                              w->stacks[r->thread].n);
         break;
      case DCFG_XRAY_OTHERS:
         w->stacks[r->thread].others = r->value;
         break;
      case DCFG_XRAY_ARGUMENT:
         break;
   }
}

/* End the calls that have no exit. */
static void end_threads(Walk* w)
{
   for (uint32_t i = 0; i < w->run->n_threads; i++) {
      const XrayThreadFigures* t = &w->run->threads[i];
      CallStack*                   s = &w->stacks[i];
      if (s->n > 0)
         broken(w->rules, "no-exit", "thread %" PRId32 ": %s and %zu more "
                "active at the end", t->id, label(w, top(s)->function),
                s->n - 1);
      while (s->n > 0)
         leave(w, i, t->last);
      free(s->calls);
   }
   free(w->stacks);
}

XrayRun* xray_walk(DcfgXray* x, const DcfgXrayMap* map, Rules* rules,
                   const XrayWatcher* watcher)
{
   static DcfgXrayRecord records[N_RECORDS];
   Walk      w = { map, rules, watcher, zalloc(1, sizeof(XrayRun)), 0, 0,
                   keymap_new(), NULL };
   DcfgError err;
   size_t    n;

   while ((n = dcfg_xray_next(x, records, N_RECORDS, &err)) > 0) {
      if (watcher != NULL && watcher->process != NULL)
         *watcher->process = dcfg_xray_process(x);
      for (size_t i = 0; i < n; i++)
         take_record(&w, &records[i]);
      text_forget();
   }
   need_file(err.status == DCFG_OK, &err, KIND_XRAY);
   end_threads(&w);
   w.run->header = *dcfg_xray_header(x);
   w.run->process = dcfg_xray_process(x);
   w.run->n_buffers = dcfg_xray_buffers(x);
   keymap_free(w.pair_of);
   dcfg_xray_close(x);
   return w.run;
}

void xray_run_free(XrayRun* run)
{
   for (size_t i = 0; i < run->n_pairs; i++)
      spread_free(&run->pairs[i].spread);
   FREE_ALL(run->pairs, run->threads, run);
}

/* The most lines about one broken rule of a log. */
#define MOST_LINES 20

typedef
   struct {
      StackTree*         t;
      DcfgXrayMap*       map;
      const char**       names;     // by function; NULL: not needed yet
      bool               mangled;   // do not demangle names
      int                run;
   }
   Adding;

static const char* name_of(const Adding* a, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(a->map, function);
   const char*             symbol;

   if (f == NULL)
      return intern(a->t->names, text_format("#%" PRIu32, function));
   if (a->names[function] == NULL) {
      symbol = log_symbol(f);
      a->names[function] = intern(a->t->names,
                                  text_clean(a->mangled ? symbol
                                             : text_demangle(symbol)));
   }
   return a->names[function];
}

static void tree_enter(void* arg, XrayCall* call, XrayCall* caller,
                       uint64_t depth)
{
   Adding* a = arg;

   call->view = depth >= MAX_DEPTH ? caller->view
                : tree_child(a->t, caller == NULL ? 0 : (uint32_t)caller->view,
                             name_of(a, call->function));
   text_forget();
}

static void tree_leave(void* arg, XrayCall* call, XrayCall* caller,
                       uint64_t depth)
{
   Adding*   a = arg;
   uint64_t* self = &a->t->stacks[call->view].self[a->run];

   (void)caller;
   (void)depth;
   *self = capped_sum(*self, ticks_between(call->inside,
                                           ticks_between(call->from,
                                                         call->to)));
}

XrayRun* log_walk(const char* file, const char* map_file, LogMap* use, void* arg)
{
   Rules*       rules = rules_new(MOST_LINES, stderr);
   DcfgOptions  options = read_options(broken_in_file, rules);
   char*        beside = map_file == NULL ? map_beside(file) : NULL;
   DcfgError    err;
   DcfgXrayMap* map;
   DcfgXray*    log;
   XrayWatcher  watcher;
   XrayRun*     run;

   refuse_other_kind(file, KIND_XRAY);
   if (map_file == NULL && beside == NULL)
      die("there is no map %s.map, which has the names", file);
   map = dcfg_xray_map_load(map_file != NULL ? map_file : beside, &options,
                            &err);
   need_file(map != NULL, &err, KIND_MAP);
   log = dcfg_xray_open(file, &options, &err);
   need_file(log != NULL, &err, KIND_XRAY);
   watcher = use(arg, map);
   run     = xray_walk(log, map, rules, &watcher);
   rules_finish(rules);
   rules_free(rules);
   free(beside);
   return run;
}

static XrayWatcher add_calls(void* arg, DcfgXrayMap* map)
{
   Adding* a = arg;

   a->map   = map;
   a->names = zalloc(map->n_functions + (size_t)1, sizeof(*a->names));
   return (XrayWatcher){ .enter = tree_enter, .leave = tree_leave, .arg = a };
}

void tree_add_log(StackTree* t, const char* file, const char* map_file,
                  bool mangled, int run)
{
   Adding a = { .t = t, .mangled = mangled, .run = run };

   xray_run_free(log_walk(file, map_file, add_calls, &a));
   dcfg_xray_map_free(a.map);
   free(a.names);
}
