/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg flame. */

/* Owns: the subcommand flame.  Handed: a command line.  Taken by:
   commands.c. */

#include "cmd/commands.h"
#include "cmd/flame/flame_tree.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/flame/speedscope.h"

#include <stdlib.h>
#include <string.h>

/* A run: its graph, and the functions in that. */
typedef
   struct {
      Dcfg*       d;
      Functions*  f;
      const char* trace;
      Selection*  sel;
   }
   Traced;

static Traced load_traced(const char* const* files, const Select* what,
                          bool mangled)
{
   Traced  r = { .d = load_dcfg(files[0]), .trace = files[1] };
   Program g = { r.d, main_process(r.d), mangled };

   need_thread(r.d, what->thread);
   r.f = functions_new(&g);
   r.sel = selection_new(&g, what);
   return r;
}

static void free_traced(Traced* r)
{
   selection_free(r->sel);
   functions_free(r->f);
   dcfg_free(r->d);
}

static void write_tree(const Traced* runs, int n, bool draw, FILE* out)
{
   FlameTree*  t = tree_new();
   const char* title = text_copy(program_name(&runs[0].f->g));

   for (int i = 0; i < n; i++)
      tree_add(t, runs[i].f, runs[i].trace, runs[i].sel, i);
   if (draw)
      tree_draw(t, n == 2, title, out);
   else
      tree_fold(t, n == 2, out);
   tree_free(t);
   free((char*)title);
}

static void check_inputs(const char* const* files, int n)
{
   int n_inputs = 0;

   for (int i = 0; i < n; i++)
      n_inputs += strcmp(files[i], "-") == 0;
   if (n_inputs > 1)
      die("only one of the files can be the standard input");
}

/* The one form that is asked for; where it goes to *PATH, NULL for the standard
   output. */
typedef enum { FOLDED, SVG, SPEEDSCOPE } Shape;

static Shape one_shape(bool folded, const char* svg, const char* speedscope,
                       const char** path)
{
   if (folded + (svg != NULL) + (speedscope != NULL) > 1)
      die("one of --folded, --svg and --speedscope, not several");
   *path = svg != NULL ? svg : speedscope;
   if (*path != NULL && (*path)[0] == 0)
      *path = NULL;
   return svg != NULL ? SVG : speedscope != NULL ? SPEEDSCOPE : FOLDED;
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   bool        folded = false, diff = false, mangled = false;
   const char* svg = NULL;
   const char* speedscope = NULL;
   const char* path;
   const Opt   opts[] = {
      { "folded", OPT_FLAG, &folded }, { "svg", OPT_TEXT_OR_NOT, &svg },
      { "speedscope", OPT_TEXT_OR_NOT, &speedscope },
      { "diff", OPT_FLAG, &diff }, SELECT_OPTIONS(&what),
      { "mangled", OPT_FLAG, &mangled }
   };
   const char* files[4];
   int         n = parse_args(&flame_command, opts,
                              sizeof(opts) / sizeof(opts[0]), argc, argv,
                              files, 0, 4);
   Shape       shape = one_shape(folded, svg, speedscope, &path);
   Traced      runs[2];
   FILE*       out;

   if (diff && shape == SPEEDSCOPE)
      die("speedscope shows one run: --speedscope or --diff, not both");
   if (n == 0 && !diff) {
      default_files(&flame_command, files, true);
      n = 2;
   }
   if (n != (diff ? 4 : 2))
      die(diff ? "--diff needs A TRACE-A B TRACE-B" : "a DCFG and its trace "
          "are needed; usage: dcfg %s %s", flame_command.name,
          flame_command.args);
   check_inputs(files, n);
   for (int i = 0; i < n / 2; i++)
      runs[i] = load_traced(files + 2 * i, &what, mangled);
   out = open_result(path);
   if (shape == SPEEDSCOPE)
      write_speedscope(runs[0].f, runs[0].trace, runs[0].sel, out);
   else
      write_tree(runs, n / 2, shape == SVG, out);
   close_results();
   for (int i = 0; i < n / 2; i++)
      free_traced(&runs[i]);
   return STATUS_OK;
}

const Command flame_command = {
   "flame", "[FILE TRACE]", "which functions called which: flame graphs",
   "Adds up, for each stack of calls, the instructions that were executed in\n"
   "it: exactly, for a trace has every call.  Functions are those of the\n"
   "source, not routines of the graph.\n"
   "\n"
   "options:\n"
   "  --folded           lines `main;work;area 17', as other programs for\n"
   "                     such graphs read them; so it is without an option\n"
   "  --svg[=OUT]        a flame graph for a browser; a click shows a part\n"
   "  --speedscope[=OUT] all calls in their order, for speedscope\n"
   "  --diff             of two runs, A TRACE-A B TRACE-B: both counts, or a\n"
   "                     picture of B, red where it has more than A\n"
   "  --thread=N         what thread N did, counted from 0 [all together]\n"
   SELECT_HELP
   "                     (stacks are whole; instructions of such blocks count)\n"
   "  --mangled          names of C++ and Rust as the linker sees them\n"
   "\n"
   "Without OUT it goes to the standard output.\n"
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg --trace=yes ./prog && dcfg flame --svg=flame.svg\n"
   "  dcfg flame --diff --svg=change.svg a.json a-trace.json b.json \\\n"
   "     b-trace.json\n",
   run, NULL
};
