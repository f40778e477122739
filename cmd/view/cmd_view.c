/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg view: writes a page that shows a run in a browser. */

/* Owns: the subcommand view: its command line, the choice of routines and
   blocks for the page.  Handed: a command line.

   The page's data is a JSON object.  Arrays whose names begin with the same
   letter are the columns of a table.  A count above 2^53 - 1, which JavaScript
   would round, is a text.

   program, file, trace, process, part, processes, routines, edges, nodes,
      instrs, threads           the run; threads has each one's instructions.
      images                    .path, .name, .build, .load, .own, .routines,
                                .blocks, .instrs.
      hot                       the first HOT rows have code.
      log, profile              names of an XRay log and a profile, or "".
      command, surroundings     the command line, and when and where it ran, if
                                the graph tells; or the command line that a
                                profile has, or "".

   rName, rSource, rImage, rSelf, rCalls, rEntries, rLoops, rNode, rFunction
                                rows: routines that were executed, the hottest
                                first.  Names are numbers of texts; -1: none.
      rFirst                    by row: its first block; one element more, the
                                number of blocks.
      bId, bOffset, bInstrs, bRuns, bLoop, bSource, bLast, bOut
                                blocks.  The offset is in the image; bOut is the
                                number of edges that leave the block.

   eId, eTo, eType, eCount   edges, block after block.  eTo is -1 if the
                                target is not in the page.
      types                     names of the types of edges.
      lHead, lRow, lParent, lDepth, lEntries, lIterations, lInstrs, lBlocks
                                loops.
      graphs                    [row, width, height, [block, x, y, width,
                                height, ..], [[from, to, label's x, y, x1, y1,
                                ..], ..]]; a sketch also has [leader, loop,
                                ..]: view_layout.c.
      bCode                     by block of hot rows: the number of instructions.
      iText, iSize, iFile, iLine, iBranch
                                instructions; files are numbers in sources,
                                from 1.
      sources                   .name, .text: [first line, [lines]].

   hFile, hLine, hInstrs, hTimes, hText
                                the hottest lines: those of the program; if it
                                executed less than a hundredth of all
                                instructions, those of libraries, too.  hTimes is -1 if it is not
                                known.
      fName, fImage, fSelf, fCalls, fRow        functions of the source, with
                                the stubs that they enter.
      fInclusive                their inclusive costs, if anything has them:
                                view_calls.c.
      cFrom, cTo, cCount, cCost calls between functions, and their costs.  If
                                calls were recorded, functions are those of
                                k...; else of f..., and there is no cCost.
      kName, kImage, kSelf, kInclusive, kRow, kFunction
                                functions of recorded calls.  kFunction is
                                there with an older run.
      trips                     with a trace: iterations by loop: view_calls.c.

   sName, sParent, sTotal, sSelf, stacksLeft
                                the trace's stacks, and how many smaller ones
                                are not in the page.
      sThreads                  by thread, if there are several: [stack,
                                instructions in it, ..].

   nName, nSource, nImage, nInstrs, nInlined, nCalls, nEntries, nSites, nRow
                                with --inline: the rows of dcfg report
                                --inline.
      iChain                    with --inline: by instruction, the text on the
                                functions that it was inlined into.
      first                     with --old-wet: where both runs part, by thread,
                                as dcfg first --json tells.
      old                       the older run, if there is one: .program, .file,
                                .trace, .process, .threads, .nodes, .edges,
                                .instrs, .rebuilt.

   rOld, bOld, bOldInstrs, eOld, lOldIterations, fOldInclusive, sOldTotal, sOldSelf
                                the older run's counts, by row, block and so
                                on; -1: the older run did not execute it.

   oFrom, oTo, oCount, oCost
                                the older run's calls, between functions of the
                                source of the newer run.

   dName, dSource, dImage, dA, dB, dRow, dGuess
                                all functions of both runs, A and B, and their
                                instructions; -1: not in that run.
      xName, .. xGuess          all loops of both runs, and their iterations.
      slice                     with --at: the object that slice_html.c writes.
      shorts                    names of functions and routines, each followed
                                by its short form.
      texts                     the texts that other columns have numbers of */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/page/page.h"
#include "cmd/view/view.h"

#include <unistd.h>

#include "view.html.inc"
#include "view.css.inc"
#include "view_data.js.inc"
#include "view_table.js.inc"
#include "pane_run.js.inc"
#include "pane_functions.js.inc"
#include "pane_graph.js.inc"
#include "pane_code.js.inc"
#include "pane_calls.js.inc"
#include "flame_tree.js.inc"
#include "pane_flame.js.inc"
#include "pane_loops.js.inc"
#include "pane_diff.js.inc"
#include "pane_first.js.inc"
#include "pane_slice.js.inc"
#include "view.js.inc"
static const Page page = {
   .body = &view_html, .styles = (const PageFile* const[]){ &view_css, NULL },
   .scripts = (const PageFile* const[]){ &view_data_js, &view_table_js,
      &pane_run_js, &pane_functions_js, &pane_graph_js, &pane_code_js,
      &pane_calls_js, &flame_tree_js, &pane_flame_js, &pane_loops_js,
      &pane_diff_js, &pane_first_js, &pane_slice_js, &view_js, NULL }
};

#define HOT_SHARE   0.995       // share of instructions in routines with code
#define MOST_GRAPHS 300         // routines with code

/*--- Rows and blocks                                      ---*/

/* Row: a routine and its instructions. */
typedef struct { uint64_t instrs; uint32_t routine; } Row;

COMPARE(by_heat, Row, DOWN(instrs) ?: UP(routine))

/* Set the rows of VIEW.  The first GRAPHS of them get graph and code; if that
   is NOT_GIVEN, as many as have HOT_SHARE of all instructions, but at most
   MOST_GRAPHS: Graphviz takes milliseconds for each. */
static void find_rows(RunView* view, uint64_t graphs)
{
   const DcfgProcess* p = view->p;
   double             share = 0, all;
   Row*               rows = zalloc(p->n_routines + (size_t)1, sizeof(*rows));

   view->rows = zalloc(p->n_routines + (size_t)1, sizeof(*view->rows));
   view->row  = zalloc(p->n_routines + (size_t)1, sizeof(*view->row));
   for (uint32_t i = 0; i < p->n_routines; i++) {
      uint64_t instrs = dcfg_routine_instrs(p, i, DCFG_ALL_THREADS);
      view->row[i] = DCFG_NONE;
      if (instrs > 0)
         rows[view->n_rows++] = (Row){ instrs, i };
   }
   qsort(rows, view->n_rows, sizeof(*rows), by_heat);
   all = (double)dcfg_process_instrs(p, DCFG_ALL_THREADS);
   for (uint32_t i = 0; i < view->n_rows; i++) {
      view->rows[i]              = rows[i].routine;
      view->row[rows[i].routine] = i;
      if (i < (graphs == NOT_GIVEN ? MOST_GRAPHS : graphs)
          && (graphs != NOT_GIVEN || share < HOT_SHARE * all))
         view->n_hot = i + 1;
      share += (double)rows[i].instrs;
   }
   free(rows);
}

/* Number the blocks of VIEW, row after row. */
static void find_blocks(RunView* view)
{
   view->first  = zalloc(view->n_rows + (size_t)1, sizeof(*view->first));
   view->blocks = zalloc(view->p->n_blocks + (size_t)1, sizeof(*view->blocks));
   view->block  = zalloc(view->p->n_nodes + (size_t)1, sizeof(*view->block));
   memset(view->block, 0xFF, view->p->n_nodes * sizeof(*view->block));
   for (uint32_t i = 0; i < view->n_rows; i++) {
      uint32_t        n;
      const uint32_t* nodes = dcfg_routine_nodes(view->p, view->rows[i], &n);
      view->first[i] = view->n_blocks;
      for (uint32_t k = 0; k < n; k++)
         if (nodes[k] < view->p->n_blocks
             && view->block[nodes[k]] == DCFG_NONE) {
            view->block[nodes[k]] = view->n_blocks;
            view->blocks[view->n_blocks++] = nodes[k];
         }
   }
   view->first[view->n_rows] = view->n_blocks;
}

static void free_view(RunView* view)
{
   inline_view_free(view->inlined);
   functions_free(view->f);
   code_free(view->code);
   FREE_ALL(view->rows, view->row, view->first, view->blocks, view->block);
}

/*--- The command                                          ---*/

static void write_page(RunView* view, FILE* out, const char* wet,
                       const char* old_wet, const char* at)
{
   Page    p = page;
   Layout* l = view_layout_start(view);

   if (at != NULL)
      p.guest = page_guest()->page;
   view->out   = page_begin(out, &p);
   view->texts = page_texts_new();
   view_run(view);
   view_names(view);
   view_blocks(view);
   view_code(view);
   view_calls(view);
   view_stacks(view);
   view_inline(view);
   view_diff(view);
   if (at != NULL) {
      fputs(",\"slice\":", view->out);
      page_guest()->write(view->out, wet, at, view->root);
   }
   if (old_wet != NULL)
      view_first(view->out, old_wet, wet, view->root);
   view_layout_end(view, l);
   page_texts_write(view->texts, view->out);
   putc('}', view->out);
   page_end(out, view->out, &p);
}

/* Return the page's name for a DCFG: "run.html" for "run.json.gz".  Valid until
   text_forget(). */
static const char* page_of(const char* file)
{
   const char* base = text_base(file);
   size_t      n = (size_t)(compressed_suffix(base) - base);

   if (strcmp(file, "-") == 0)
      die("-o FILE is needed for a DCFG from the standard input");
   if (n > 5 && memcmp(base + n - 5, ".json", 5) == 0)
      n -= 5;
   return text_format("%.*s.html", (int)n, base);
}

/* Companion: a file of the same process as a graph. */
typedef
   struct {
      FileKind    kind;
      const char* path;         // as named, or found; NULL: there is none
      char*       found;        // to be freed, or NULL
   }
   Companion;

/* If the user did not name companion C, look for it beside GRAPH, and report
   it.  C->path stays NULL if there is none. */
static void find_companion(const char* graph, Companion* c)
{
   if (c->path != NULL) {
      refuse_other_kind(c->path, c->kind);
      return;
   }
   c->path = c->found = file_beside(graph, c->kind);
   if (c->path != NULL)
      complain("with %s, %s of the same process", text_clean(c->path),
               c->kind == KIND_TRACE ? "the trace"
               : c->kind == KIND_XRAY ? "the log of calls"
               : c->kind == KIND_PROFILE ? "the profile"
               : "the whole execution trace");
}

/* Find the whole execution trace for --at.  Die if there is none, or --wet is
   given without --at and OLD, the older run's. */
static void find_wet(const char* graph, Companion* c, const char* at,
                     const char* old)
{
   if (at == NULL && old == NULL && c->path != NULL)
      die("--wet is for --at=FILE:LINE, which says what the slice is of, and for "
          "--old-wet");
   if (old != NULL && c->path == NULL)
      die("--old-wet needs --wet=FILE, too: the whole execution traces of both runs");
   if (at == NULL)
      return;
   find_companion(graph, c);
   if (c->path == NULL)
      die("--at needs --wet=FILE: there is no whole execution trace of the same "
          "process beside %s", text_clean(graph));
}

/* Return the DCFG in FILE, and set PROGRAM and *PROCESS to its main process.
   Die if there is none. */
static Dcfg* load_run(const char* file, Program* program,
                      const DcfgProcess** process)
{
   Dcfg* d = load_dcfg(file);

   if (d->n_processes == 0)
      die("there is no process in %s", file);
   program->d = d;
   *process   = program->p = main_process(d);
   return d;
}

static void show_page(const char* path, bool open)
{
   complain(open ? "wrote %s" : "wrote %s: open it in a browser, or use --open",
            text_clean(path));
   if (!open)
      return;
   execlp("xdg-open", "xdg-open", path, (char*)NULL);
   die("there is no program xdg-open (on Debian, the package xdg-utils): "
       "open %s in a browser", text_clean(path));
}

/* Read OLD, the run in FILE.  COMPANION: its trace, as named. */
static Dcfg* load_old(ViewOld* old, const char* file, bool mangled,
                      Companion* companion)
{
   old->file      = file;
   old->g.mangled = mangled;
   find_companion(file, companion);
   old->trace     = companion->path;
   return load_run(file, &old->g, &old->p);
}

/* Find the companions of the run of VIEW, also the whole execution trace, and
   set the paths in VIEW. */
static void find_companions(RunView* view, Companion* trace, Companion* log,
                            Companion* profile, Companion* wet,
                            const char* old_wet, const char* at)
{
   find_companion(view->file, trace);
   if (trace->path == NULL || log->path != NULL)
      find_companion(view->file, log);
   find_companion(view->file, profile);
   find_wet(view->file, wet, at, old_wet);
   view->trace   = trace->path;
   view->log     = log->path;
   view->profile = profile->path;
}

/* Write the page to the file at PATH; NULL: to page_of() the DCFG.  With OPEN,
   show it. */
static void put_page(RunView* view, const char* path, const char* wet,
                     const char* old_wet, const char* at, bool open)
{
   char* to  = text_copy(path != NULL ? path : page_of(view->file));
   FILE* out = open_result(to);

   write_page(view, out, wet, old_wet, at);
   close_results();
   if (strcmp(to, "-") != 0)
      show_page(to, open);
   free(to);
}

static int run(int argc, char** argv)
{
   uint64_t    graphs = NOT_GIVEN;
   Companion   trace = { .kind = KIND_TRACE };
   Companion   old_trace = { .kind = KIND_TRACE };
   Companion   log = { .kind = KIND_XRAY };
   Companion   profile = { .kind = KIND_PROFILE };
   Companion   wet = { .kind = KIND_WET };
   Companion* const all[] = { &trace, &old_trace, &log, &profile, &wet };
   const char* at = NULL;
   const char* old_wet = NULL;
   const char* path = NULL;
   RunView     v = { .trace = NULL };
   ViewOld     old = { .trace = NULL };
   Select      what = SELECT_ALL;
   Selection*  sel = NULL;
   bool        open = false;
   const Opt   opts[] = {
      { "trace", OPT_TEXT, &trace.path, "FILE",
        "the DCFG-trace of the same run, for stacks, inclusive costs and "
        "iterations of loops [that of the same process beside FILE]" },
      { "old-trace", OPT_TEXT, &old_trace.path, "FILE",
        "read the trace of OLD [that of the same process beside it]" },
      { "xray", OPT_TEXT, &log.path, "FILE",
        "without a trace, read stacks and inclusive costs from this XRay log "
        "of the same run [that of the same process beside FILE]" },
      { "callgrind", OPT_TEXT, &profile.path, "FILE",
        "read the arguments from this profile of the same run and, without a "
        "trace and a log, inclusive costs [that of the same process beside "
        "FILE]" },
      { "at", OPT_TEXT, &at, "FILE:LINE[#N]",
        "show the slice of execution N of this line, from 0 [the last]" },
      { "wet", OPT_TEXT, &wet.path, "FILE",
        "read the slice from this whole execution trace [that of the same "
        "process beside FILE]" },
      { "old-wet", OPT_TEXT, &old_wet, "FILE",
        "with --wet, the whole execution trace of OLD: show where both runs "
        "part, and why" },
      { "o", OPT_TEXT, &path, "FILE",
        "write to FILE [the DCFG's name, in this directory, with .html]" },
      { "graphs", OPT_COUNT, &graphs, "N",
        "graphs and code of the N hottest routines only [those with 99.5% of "
        "instructions, at most 300]" },
      OPT_INLINE(&what.inlined, "show inlined functions, too: a table, their "
                 "names in the code, and frames of stacks"),
      { "open", OPT_FLAG, &open, NULL, "show the page in the browser" },
      OPT_ROOT(&v.root), OPT_MANGLED(&v.g.mangled)
   };
   const char* files[2];
   int         n = parse_args(&view_command, OPTS(opts), argc, argv, files, 0,
                              2);
   Dcfg*       d[2] = { NULL, NULL };

   if (open && path != NULL && strcmp(path, "-") == 0)
      die("--open needs a file: name one by -o");
   if (n == 0)
      default_files(&view_command, files, false);
   only_one_input(files, (uint32_t)n);
   if (n == 2)
      d[1] = load_old(&old, files[0], v.g.mangled, &old_trace);
   else if (old_trace.path != NULL)
      die("--old-trace is the trace of OLD: name both graphs, OLD and FILE");
   v.file = files[n == 2];
   if (old_wet != NULL && n != 2)
      die("--old-wet is a trace of OLD: name both graphs, OLD and FILE");
   find_companions(&v, &trace, &log, &profile, &wet, old_wet, at);
   d[0]   = load_run(v.file, &v.g, &v.p);
   v.f    = functions_new(&v.g);
   v.code = code_quiet(&v.g, v.root);
   if (n == 2) {
      old.builds = builds_new(&old.g, &v.g);
      v.old      = &old;
   }
   v.recorded = v.p->calls != NULL && (n != 2 || old.p->calls != NULL);
   if (what.inlined) {
      sel       = selection_new(&v.g, &what);
      v.inlined = inline_view_new(&v.g, &what, sel, v.root);
   }
   find_rows(&v, graphs);
   find_blocks(&v);
   put_page(&v, path, wet.path, old_wet, at, open);
   free_view(&v);
   if (sel != NULL)
      selection_free(sel);
   if (n == 2)
      builds_free(old.builds);
   for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      free(all[i]->found);
   dcfg_free(d[0]);
   dcfg_free(d[1]);
   return STATUS_OK;
}

const Command view_command = {
   "view", "[[OLD] FILE]", "one page for a browser that shows a run",
   "Writes a page that shows a run: its hottest functions and lines first.\n"
   "Each function has its graph, its code beside the source, its callers and\n"
   "its callees, with what their calls cost, if they were recorded.  The page\n"
   "also has the loops and, with a trace, the stacks of calls.  It is one file,\n"
   "which needs neither a server nor a network, and can be sent.\n"
   "\n"
   "With OLD, the graph of another run or build, each pane also has what FILE\n"
   "has more or less than that, and one pane lists all changes.\n",
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg ./prog && dcfg view\n"
   "  dcfg view --trace=trace.json -o run.html out.json\n"
   "  dcfg view -o change.html before.json after.json\n",
   run
};
