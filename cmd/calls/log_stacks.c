/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls in an XRay log. */

/* Owns: adding the calls of an XRay log to a tree of stacks.  Handed: calls
   by xray_walk.c. */

#include "cmd/calls/log_stacks.h"

#include "cmd/base/operands.h"
#include "cmd/calls/log_names.h"
#include "cmd/calls/xray_walk.h"

#include <inttypes.h>
#include <stdlib.h>

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

XrayRun* log_walk(const char* file, const char* map_file, LogMap* use, void* arg)
{
   Rules*       rules = rules_new(MOST_LINES, stderr);
   DcfgOptions  options = read_options(on_problem, rules);
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
   if (map == NULL)
      die("%s", unreadable(&err, KIND_MAP));
   log = dcfg_xray_open(file, &options, &err);
   if (log == NULL)
      die("%s", unreadable(&err, KIND_XRAY));
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
   return (XrayWatcher){ .enter = enter, .leave = leave, .arg = a };
}

void tree_add_log(StackTree* t, const char* file, const char* map_file,
                  bool mangled, int run)
{
   Adding a = { .t = t, .mangled = mangled, .run = run };

   xray_run_free(log_walk(file, map_file, add_calls, &a));
   dcfg_xray_map_free(a.map);
   free(a.names);
}
