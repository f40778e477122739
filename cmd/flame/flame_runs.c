/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls of runs. */

/* Owns: the tree of several runs, and adding an XRay log to it.  Handed: calls
   by xray_walk.c.  Taken by: flame_svg.c, flame_folded.c. */

#include "cmd/flame/flame_tree.h"

#include "cmd/base/operands.h"
#include "cmd/shared/log_names.h"
#include "cmd/shared/xray_walk.h"

#include <inttypes.h>
#include <stdlib.h>

/* Lines about each broken rule of a log. */
#define MOST_LINES 20

typedef
   struct {
      StackTree*         t;
      const DcfgXrayMap* map;
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

static void enter(void* arg, XrayCall* call, XrayCall* caller, uint64_t depth)
{
   Adding* a = arg;

   call->view = depth >= MAX_DEPTH ? caller->view
                : tree_child(a->t, caller == NULL ? 0 : (uint32_t)caller->view,
                             name_of(a, call->function));
   text_forget();
}

static void leave(void* arg, XrayCall* call, XrayCall* caller, uint64_t depth)
{
   Adding*   a = arg;
   uint64_t* self = &a->t->stacks[call->view].self[a->run];

   (void)caller;
   (void)depth;
   *self = capped_sum(*self, ticks_between(call->inside,
                                           ticks_between(call->from,
                                                         call->to)));
}

static void on_problem(void* arg, const DcfgProblem* problem)
{
   broken(arg, problem->rule, "%s: %s", text_clean(problem->place),
          text_clean(problem->what));
}

static void add_log(StackTree* t, const Traced* r, int run)
{
   Rules*       rules = rules_new(MOST_LINES, stderr);
   DcfgOptions  options = read_options(on_problem, rules);
   char*        beside = r->map == NULL ? map_beside(r->log) : NULL;
   DcfgError    err;
   Adding       a = { .t = t, .mangled = r->mangled, .run = run };
   XrayWatcher  watcher = { .enter = enter, .leave = leave, .arg = &a };
   DcfgXrayMap* map;
   DcfgXray*    log;

   refuse_other_kind(r->log, KIND_XRAY);
   if (r->map == NULL && beside == NULL)
      die("there is no map %s.map, which has the names", r->log);
   map = dcfg_xray_map_load(r->map != NULL ? r->map : beside, &options, &err);
   if (map == NULL)
      die("%s", unreadable(&err, KIND_MAP));
   log = dcfg_xray_open(r->log, &options, &err);
   if (log == NULL)
      die("%s", unreadable(&err, KIND_XRAY));
   a.map = map;
   a.names = zalloc(map->n_functions + (size_t)1, sizeof(*a.names));
   xray_run_free(xray_walk(log, map, rules, &watcher));
   rules_finish(rules);
   rules_free(rules);
   dcfg_xray_map_free(map);
   free(a.names);
   free(beside);
}

/* Add a trace.  Tell the user if it has fewer instructions than its graph. */
static void add_trace(StackTree* t, const Traced* r, int run,
                      const char* suffix)
{
   uint64_t sum = r->inlined != NULL ? tree_add_inlined(t, r->f, r->trace, r->sel,
                                                    r->inlined, run, suffix)
                  : tree_add(t, r->f, r->trace, r->sel, run);
   uint64_t all = dcfg_process_instrs(r->f->g.p, selected_thread(r->sel));

   if (sum != all && is_everything(r->sel))
      complain("%s has %s of %s instructions", r->trace, text_count(sum),
               text_count(all));
}

StackTree* tree_of(const Traced* runs, int n)
{
   StackTree* t = tree_new();

   for (int i = 0; i < n; i++)
      if (runs[i].log != NULL)
         add_log(t, &runs[i], i);
      else
         add_trace(t, &runs[i], i, n == 1 ? INLINED_SUFFIX : "");
   return t;
}
