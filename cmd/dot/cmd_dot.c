/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg dot. */

/* Owns: the subcommand dot.  Handed: a command line.  Taken by: commands.c. */

#include "cmd/commands.h"
#include "cmd/dot/dot.h"
#include "cmd/base/clean.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/shared/graphviz.h"

#include <inttypes.h>
#include <stdlib.h>

/*--- Graphviz                                             ---*/

static void draw(Drawing* d, uint32_t routine)
{
   if (routine == DCFG_NONE)
      draw_calls(d);
   else
      draw_routine(d, routine);
}

/* Write the picture in FROM to the file at PATH. */
static void write_picture(FILE* from, const char* path)
{
   FILE*  out = open_result(path);
   char   bytes[1 << 14];
   size_t n;

   while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0)
      fwrite(bytes, 1, n, out);
   close_results();
}

/* Make a picture.  Graphviz cannot lay out every graph with given order and
   frames.  If it fails, try again with fewer of them. */
static void make_picture(Drawing* d, uint32_t routine, const char* format,
                         const char* file)
{
   bool done = false;

   for (d->plain = 0; !done; d->plain++) {
      Graphviz g = graphviz_new();
      bool     last = d->plain == 2 || routine == DCFG_NONE;
      d->out = g.in;
      draw(d, routine);
      graphviz_start(&g, format, !last, 0);
      done = graphviz_end(&g);
      if (g.missing)
         die("there is no program dot: pictures need Graphviz (on Debian, the "
             "package graphviz)");
      if (done)
         write_picture(g.out, file);
      graphviz_free(&g);
      if (!done && last)
         die("dot could not draw the graph: %s is not written", file);
   }
}

/* The number of blocks that people can read. */
#define DEFAULT_HOT 40

/* Return the routine to draw if none is asked for. */
static uint32_t hottest_routine(const Drawing* d, bool own)
{
   uint32_t best = DCFG_NONE;
   uint64_t most = 0;

   for (uint32_t i = 0; i < d->p->n_routines; i++) {
      uint64_t n = dcfg_routine_instrs(d->p, i, d->thread);
      if (n > most && routine_selected(d->selected, i)) {
         best = i;
         most = n;
      }
   }
   if (best == DCFG_NONE && own && dcfg_process_instrs(d->p, d->thread) > 0)
      die("%s executed no routine of the program: --all draws the hottest of "
          "the libraries", d->thread == DCFG_ALL_THREADS ? "the process"
          : text_format("thread %" PRIu32, d->thread));
   if (best == DCFG_NONE)
      die("the file has no routine that ran");
   complain("drawing %s, the hottest routine, with %s of the instructions; "
            "--routine=WHAT draws another one",
            text_brief(routine_name(&d->g, best)),
            text_share(most, dcfg_process_instrs(d->p, d->thread)));
   return best;
}

static int run(int argc, char** argv)
{
   const char* routine = NULL;
   const char* svg = NULL;
   const char* png = NULL;
   const char* min = NULL;
   const char* root = NULL;
   Select      what = SELECT_ALL;
   bool        calls = false, code = false, all = false;
   Selection*  selected;
   Drawing     d = { .top = 30 };
   const Opt   opts[] = {
      { "routine", OPT_TEXT, &routine, "WHAT",
        "this routine: its name (of C++, with or without parameters), an "
        "address in it, or #NODE_ID [the hottest one]" },
      { "callgraph", OPT_FLAG, &calls, NULL,
        "the hottest routines, and who called them most often; stubs of "
        "linkage tables are left out" },
      { "svg", OPT_TEXT, &svg, "OUT", NULL },
      { "png", OPT_TEXT, &png, "OUT",
        "run Graphviz's dot to write a picture" },
      { "top", OPT_COUNT, &d.top, "N",
        "begin with the N hottest routines; 0: all [30]" },
      { "min", OPT_TEXT, &min, "PERCENT",
        "leave out blocks with less than PERCENT of the routine's "
        "instructions, or routines with less of the program's [a routine's "
        "hottest 150 blocks; for --callgraph 0.5]" },
      { "hot", OPT_COUNT_OR_NOT, &d.hot, "N",
        "draw only N blocks around the hottest one, along the most frequent "
        "edges: for large routines [40]" },
      SELECT_IMAGE(&what), SELECT_FUNCTION(&what), SELECT_SOURCE(&what),
      OPT_REMARK("(the hottest routine or block is one of these)"),
      SELECT_EVERYTHING(&all),
      { "code", OPT_FLAG, &code, NULL,
        "with the instructions in the boxes" },
      OPT_ROOT(&root), SELECT_THREAD(&what), OPT_MANGLED(&d.g.mangled)
   };
   const char* file;
   int         n_args;
   char*       end;
   Dcfg*       dcfg;
   uint32_t    which = DCFG_NONE;
   int         status = STATUS_OK;

   n_args = parse_args(&dot_command, OPTS(opts), argc, argv, &file, 0, 1);
   if (routine != NULL && calls)
      die("--routine=WHAT or --callgraph, not both");
   if (calls && (d.hot > 0 || what.image != NULL || what.function != NULL
                 || what.source != NULL))
      die("--hot, --image, --function and --source choose in a routine: they "
          "do not go with --callgraph");
   if (svg != NULL && png != NULL)
      die("--svg or --png, not both");
   d.min = calls ? 0.5 : -1;
   if (min != NULL) {
      d.min = strtod(min, &end);
      if (end == min || *end != 0 || !(d.min >= 0))
         die("--min needs a percentage, not `%s'", min);
   }
   if (n_args == 0)
      default_files(&dot_command, &file, false);
   dcfg = load_dcfg(file);
   d.g.d = dcfg;
   d.p = d.g.p = main_process(dcfg);
   d.thread = need_thread(dcfg, what.thread);
   select_own(&what, all || calls || routine != NULL);
   d.selected = selected = selection_new(&d.g, &what);
   if (!is_found(selected))
      exit(STATUS_BAD);
   if (n_selected(selected) == 0 && !is_everything(selected))
      die("the options select no code that ran: there is nothing to draw");
   if (d.hot == NO_VALUE)
      d.hot = DEFAULT_HOT;
   if (routine != NULL)
      which = the_routine(&d.g, routine);
   else if (!calls)
      which = hottest_routine(&d, what.own);
   if (code)
      d.code = code_new(&d.g, root, false);
   d.out = stdout;
   if (svg != NULL)
      make_picture(&d, which, "-Tsvg", svg);
   else if (png != NULL) {
      do_not_clean_stdout();
      make_picture(&d, which, "-Tpng", png);
   } else
      draw(&d, which);
   if (d.code != NULL && code_was_other(d.code))
      status = STATUS_BAD;
   if (d.code != NULL)
      code_free(d.code);
   selection_free(selected);
   dcfg_free(dcfg);
   return status;
}

const Command dot_command = {
   "dot", "[FILE]", "pictures: a routine's graph, or who calls whom",
   "Draws a routine's control flow, or the program's calls, with Graphviz.\n"
   "Redder boxes executed more instructions.  Without --svg or --png the\n"
   "output is a graph in Graphviz's language.\n"
   "\n"
   "A box is a block, with its source lines, its distance from the entry,\n"
   "executions x instructions, and its share of the routine's instructions.\n"
   "A double frame marks a block that returns.  A frame around boxes is a\n"
   "loop, with its share, entries, and iterations per entry.  Thicker lines\n"
   "were taken more often.  A grey line falls through, a blue one is a jump,\n"
   "a red one goes back to a loop's head, a dashed one passes a call.\n",
   "\n"
   "examples:\n"
   "  dcfg dot --routine=main --svg=main.svg out.json\n"
   "  dcfg dot --callgraph --top=15 --png=calls.png out.json\n",
   run
};
