/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls of runs. */

/* Owns: the tree of several runs.  Handed: traces and logs.  Taken by:
   flame_svg.c, flame_folded.c. */

#include "cmd/flame/flame_tree.h"

#include "cmd/shared/log_stacks.h"

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
         tree_add_log(t, runs[i].log, runs[i].map, runs[i].mangled, i);
      else
         add_trace(t, &runs[i], i, n == 1 ? INLINED_SUFFIX : "");
   return t;
}
