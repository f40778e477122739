/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg flame. */

/* Owns: the subcommand flame: its command line.  Handed: a command line. */

#include "cmd/commands.h"
#include "cmd/flame/flame_tree.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_OF_FORM(name) &flame_form_##name,
static const FlameForm* const forms[] = { FLAME_FORMS(ADDRESS_OF_FORM) };
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

/* Load the graph GRAPH with TRACE; NULL: with its recorded calls. */
static Traced load_traced(const char* graph, const char* trace,
                          const Select* what, bool mangled, const char* root)
{
   Traced  r = { .d = load_dcfg(graph), .trace = trace };
   Program g = { r.d, main_process(r.d), mangled };

   if (trace == NULL && g.p->calls == NULL)
      one_is_missing(&flame_command, graph);
   need_thread(r.d, what->thread);
   r.f = functions_new(&g);
   r.sel = selection_new(&g, what);
   if (what->inlined)
      r.inlined = inline_view_new(&r.f->g, what, r.sel, root);
   return r;
}

/* Return whether the first of N files is an XRay log, so that all belong to
   logs: the log and its map; with DIFF, two logs, and perhaps their maps. */
static bool are_logs(const char* const* files, int n, bool diff)
{
   return (diff ? n == 2 || n == 4 : n == 1 || n == 2)
          && file_kind(files[0]) == KIND_XRAY;
}

static void load_logs(const char* const* files, int n, int n_runs,
                      const Select* what, bool mangled, Traced* runs)
{
   if (what->image != NULL || what->routine != NULL || what->function != NULL
       || what->source != NULL || what->thread != NOT_GIVEN)
      die("--image, --routine, --function, --source and --thread choose a part "
          "of a DCFG and its trace, not of an XRay log");
   if (what->inlined)
      die("--inline needs a DCFG and its trace: an XRay log has no code");
   for (int i = 0; i < n_runs; i++)
      runs[i] = (Traced){ .log = files[i], .mangled = mangled,
                          .map = n > n_runs ? files[n_runs + i] : NULL };
}

/* Die unless WHAT is all that recorded calls have. */
static void need_whole(const Select* what)
{
   if (what->image != NULL || what->routine != NULL || what->function != NULL
       || what->source != NULL || what->inlined)
      die("--image, --routine, --function, --source and --inline need a trace "
          "beside the DCFG: --trace=yes writes it");
}

/* Exit, after a message, if WHAT selects nothing in any of the runs. */
static void need_parts(const Traced* runs, int n, const Select* what)
{
   Program    g[2];
   Selection* sel[2];

   for (int i = 0; i < n; i++) {
      g[i]   = runs[i].f->g;
      sel[i] = runs[i].sel;
   }
   need_found(g, sel, n, what);
}

static void free_traced(Traced* r)
{
   if (r->log != NULL)
      return;
   inline_view_free(r->inlined);
   selection_free(r->sel);
   functions_free(r->f);
   dcfg_free(r->d);
}

static void check_inputs(const char* const* files, int n)
{
   int n_inputs = 0;

   for (int i = 0; i < n; i++)
      n_inputs += strcmp(files[i], "-") == 0;
   if (n_inputs > 1)
      die("only one of the files can be the standard input");
}

/* Return the form whose option was given; the first form without an option.
   Die if two were.  *PATH gets the path; NULL for the standard output. */
static const FlameForm* the_form(const char* const* paths, const char** path)
{
   const FlameForm* found = NULL;

   *path = NULL;
   for (size_t i = 0; i < N_FORMS; i++) {
      if (paths[i] == NULL)
         continue;
      if (found != NULL)
         die("one of --folded, --svg and --speedscope, not several");
      found = forms[i];
      *path = paths[i][0] != 0 ? paths[i] : NULL;
   }
   return found != NULL ? found : forms[0];
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   bool        diff = false, mangled = false;
   const char* paths[N_FORMS] = { NULL };
   const char* path;
   const char* root = NULL;
   const Opt   others[] = {
      { "diff", OPT_FLAG, &diff, NULL,
        "compare two runs, A TRACE-A B TRACE-B, or two logs: both counts, or a "
        "picture of B, red where B has more than A" },
      SELECT_PLACES(&what),
      OPT_REMARK("(stacks are whole; instructions of such blocks count)"),
      SELECT_THREAD(&what), OPT_MANGLED(&mangled),
      OPT_INLINE(&what.inlined, "inlined functions are frames, too, with names "
                 "that end in " INLINED_SUFFIX),
      OPT_ROOT(&root)
   };
   Opt         opts[N_FORMS + sizeof(others) / sizeof(others[0])];
   const char* files[4];
   int         n, n_runs;
   bool        logs, calls;
   const FlameForm* form;
   Traced      runs[2];
   FILE*       out;

   for (size_t i = 0; i < N_FORMS; i++)
      opts[i] = (Opt){ forms[i]->choice.name, OPT_TEXT_OR_NOT, &paths[i],
                       forms[i]->choice.value, forms[i]->choice.help };
   memcpy(opts + N_FORMS, others, sizeof(others));
   n      = parse_args(&flame_command, OPTS(opts), argc, argv, files, 0, 4);
   n_runs = diff ? 2 : 1;
   form   = the_form(paths, &path);
   if (diff && form->one_run)
      die("%s shows one run: --%s or --diff, not both", form->choice.name,
          form->choice.name);
   if (n == 0 && !diff)
      n = default_recording(&flame_command, files);
   logs = are_logs(files, n, diff);
   if (logs && form->no_log)
      die("--%s needs a DCFG and its trace, not an XRay log",
          form->choice.name);
   calls = !logs && n == n_runs;
   if (calls && form->no_log)
      die("--%s needs a DCFG and its trace, not calls alone",
          form->choice.name);
   if (calls && !diff && file_kind(files[0]) != KIND_GRAPH)
      one_is_missing(&flame_command, files[0]);
   if (!logs && !calls && n != (diff ? 4 : 2))
      die(diff ? "--diff needs A TRACE-A B TRACE-B, two DCFGs with calls, or two "
                 "XRay logs"
          : "a DCFG and its trace are needed; usage: dcfg %s %s",
          flame_command.name, flame_command.args);
   check_inputs(files, n);
   if (logs)
      load_logs(files, n, n_runs, &what, mangled, runs);
   if (calls)
      need_whole(&what);
   what.quiet = true;
   for (int i = 0; i < n_runs && !logs; i++)
      runs[i] = load_traced(files[calls ? i : 2 * i],
                            calls ? NULL : files[2 * i + 1], &what, mangled,
                            root);
   if (!logs)
      need_parts(runs, n_runs, &what);
   out = open_result(path);
   form->write(runs, n_runs, out);
   close_results();
   for (int i = 0; i < n_runs; i++)
      free_traced(&runs[i]);
   return STATUS_OK;
}

const Command flame_command = {
   "flame", "[FILE [TRACE]|LOG [MAP]]",
   "which functions called which: flame graphs",
   "Adds up the instructions that were executed in each stack of calls.  The\n"
   "sums are exact, because a trace has every call; so has an XRay log LOG.\n"
   "Functions are those of the source, not routines of the graph.\n"
   "\n"
   "Without a trace, a DCFG with recorded calls (--calls=yes) will do: its\n"
   "stacks are estimated, as it tells what each function spent in which other,\n"
   "but not in which stacks.\n",
   "\n"
   "Without OUT it goes to the standard output.\n"
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg --trace=yes ./prog && dcfg flame --svg=flame.svg\n"
   "  dcfg flame --diff --svg=change.svg a.json a-trace.json b.json \\\n"
   "     b-trace.json\n",
   run
};
