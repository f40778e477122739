/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg blocks. */

/* Owns: the command line of dcfg blocks, and its files.  Handed: files.

   Nothing is written before everything has been read.  Files get their names
   when they are complete. */

#include "cmd/commands.h"

#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/blocks/superblocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_PATHS 10

/* Source: the input. */
typedef
   struct {
      const char*        lackey;        // NULL: none
      const char*        graph;
      const char*        trace;         // NULL: none
      Dcfg*              d;
      const DcfgProcess* p;
      uint32_t           thread;
      Selection*         sel;           // NULL: all
   }
   Source;

/*--- Reading                                              ---*/

static _Noreturn void die_reading(const Source* s, const DcfgError* err)
{
   die("%s", unreadable(err, s->trace != NULL ? KIND_TRACE
                             : s->lackey != NULL ? KIND_LACKEY : KIND_GRAPH));
}

static void read_trace(const Source* s, DcfgBlocks* b)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(s->trace, &options, &err);

   if (t == NULL)
      die_reading(s, &err);
   dcfg_trace_select(t, s->p->id, s->thread);
   if (!dcfg_blocks_trace(b, s->p, t, &err))
      die_reading(s, &err);
   dcfg_trace_close(t);
}

/* Add the whole input to B, in the first or the second pass. */
static void read_source(const Source* s, DcfgBlocks* b)
{
   DcfgError err;
   uint64_t  unknown;

   if (s->trace != NULL) {
      read_trace(s, b);
   } else if (s->lackey != NULL) {
      if (!dcfg_blocks_lackey(b, s->lackey, &err))
         die_reading(s, &err);
   } else {
      if (!dcfg_blocks_graph(b, s->p, s->thread, &unknown, &err))
         die_reading(s, &err);
      if (unknown > 0)
         complain("%s signals came where control could go on in several ways: "
                  "their edges are not counted, because only a trace tells the "
                  "way", text_count(unknown));
   }
}

/* Return whether the input can be read a second time. */
static bool is_rereadable(const Source* s)
{
   const char* path = s->lackey != NULL ? s->lackey : s->trace;
   struct stat st;

   return path != NULL && strcmp(path, "-") != 0 && stat(path, &st) == 0
          && S_ISREG(st.st_mode);
}

static DcfgBlocks* make_blocks(const Source* s)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgBlocks* b = dcfg_blocks_new(s->lackey != NULL ? s->lackey
                                   : s->trace != NULL ? s->trace : s->graph,
                                   &options, &err);

   if (b == NULL)
      die_reading(s, &err);
   read_source(s, b);
   if (!dcfg_blocks_finish(b, &err))
      die_reading(s, &err);
   if (dcfg_blocks_static(b)->n_blocks == 0)
      die("%s has nothing of process %" PRIu64 "%s",
          s->trace != NULL ? s->trace : s->graph, s->p->id,
          s->thread != DCFG_ALL_THREADS ? " and this thread" : "");
   return b;
}

/* Return, for each block of the table, whether its first instruction is in a
   selected block of the graph; NULL: all are. */
static bool* wanted_blocks(const Source* s, const DcfgBlockTable* t)
{
   bool* wanted;

   if (s->sel == NULL || is_everything(s->sel))
      return NULL;
   wanted = zalloc(t->n_blocks, sizeof(*wanted));
   for (uint32_t i = 0; i < t->n_blocks; i++)
      wanted[i] = is_selected(s->sel, dcfg_node_at(s->p, t->blocks[i].first));
   return wanted;
}

static Paths* make_paths(const Source* s, DcfgBlocks* b, Percent likely)
{
   const DcfgBlockTable* t = dcfg_blocks_dynamic(b);
   Paths*                p = paths_new(t != NULL ? t : dcfg_blocks_static(b),
                                       likely);
   bool*                 wanted;

   if (t != NULL && is_rereadable(s)) {
      paths_begin_count(p);
      dcfg_blocks_visit(b, paths_visit, p);
      read_source(s, b);
      paths_end_count(p);
   }
   wanted = wanted_blocks(s, p->t);
   if (wanted != NULL)
      paths_keep(p, wanted);
   free(wanted);
   return p;
}

/*--- Writing                                              ---*/

typedef
   struct {
      RowStyle    style;
      const char* prefix;       // NULL: the standard output
      const Source* source;
   }
   BlockWriter;

/* Open the next file; NAME is the end of its name. */
static void begin_file(BlockWriter* w, const char* name)
{
   const char* suffix;

   w->style.out = stdout;
   if (w->prefix == NULL)
      return;
   suffix = compressed_suffix(w->prefix);
   w->style.out = open_result(text_format("%.*s.%s%s%s",
                                          (int)(suffix - w->prefix),
                                          w->prefix, name,
                                          form_extension(w->style.form),
                                          suffix));
   text_forget();
}

static void end_file(const BlockWriter* w)
{
   if (w->prefix != NULL)
      finish_result(w->style.out);
}

/* Print text around tables in JSON.  On the standard output, one object has all
   tables. */
static void frame(const BlockWriter* w, const char* text, bool of_all)
{
   if (w->style.form == ROWS_JSON && of_all == (w->prefix == NULL))
      fputs(text, w->style.out);
}

static void write_table(BlockWriter* w, const DcfgBlockTable* t,
                        const char* name,
                        bool first)
{
   bool* wanted = wanted_blocks(w->source, t);

   begin_file(w, name);
   w->style.wanted = wanted;
   frame(w, "{\n", false);
   if (first || w->prefix != NULL)
      print_blocks_header(&w->style);
   print_blocks(&w->style, t, name);
   frame(w, "\n}\n", false);
   end_file(w);
   w->style.wanted = NULL;
   free(wanted);
}

static void write_paths(BlockWriter* w, const Paths* p, uint64_t top,
                        uint64_t instrs)
{
   begin_file(w, "paths");
   frame(w, "{\n", false);
   print_paths(&w->style, p, top, instrs);
   frame(w, "\n}\n", false);
   end_file(w);
}

static void write_all(BlockWriter* w, const DcfgBlocks* b, const Paths* p,
                      uint64_t top)
{
   const DcfgBlockTable* dynamics = dcfg_blocks_dynamic(b);

   w->style.out = stdout;
   frame(w, "{\n", true);
   if (p == NULL || w->prefix != NULL) {
      write_table(w, dcfg_blocks_static(b), "sbb", true);
      if (dynamics != NULL) {
         frame(w, ",\n", true);
         write_table(w, dynamics, "dbb", false);
      }
   }
   if (p != NULL)
      write_paths(w, p, top, dcfg_blocks_instrs(b));
   frame(w, "\n}\n", true);
   name_results();
}

/*--- The command line                                     ---*/

static RowForm one_form(bool csv, bool json, bool dot)
{
   if (csv + json + dot > 1)
      die("one of --csv, --json and --dot, not several");
   return csv ? ROWS_CSV : json ? ROWS_JSON : dot ? ROWS_DOT : ROWS_TEXT;
}

static void find_source(Source* s, const char** files, int n_files,
                        const Select* what)
{
   s->thread = DCFG_ALL_THREADS;
   if (s->lackey != NULL) {
      if (n_files > 0)
         die("--lackey=FILE or a DCFG, not both");
      if (what->thread != NOT_GIVEN)
         die("Lackey's trace does not say which thread ran: no --thread "
             "with --lackey");
      if (what->image != NULL || what->routine != NULL
          || what->function != NULL || what->source != NULL)
         die("Lackey's trace has addresses only: no --image, --routine, "
             "--function or --source with --lackey");
      return;
   }
   if (n_files == 0)
      default_files(&blocks_command, files, false);
   s->graph = files[0];
   s->trace = n_files == 2 ? files[1] : NULL;
   if (s->trace != NULL && strcmp(s->graph, "-") == 0
       && strcmp(s->trace, "-") == 0)
      die("only one of the files can be the standard input");
   s->d = load_dcfg(s->graph);
   s->p = main_process(s->d);
   s->thread = need_thread(s->d, what->thread);
   s->sel = selection_new(&(Program){ s->d, s->p, false }, what);
   if (!is_found(s->sel))
      exit(STATUS_BAD);
}

static int run(int argc, char** argv)
{
   uint64_t    top = NOT_GIVEN;
   Select      what = SELECT_ALL;
   bool        csv = false, json = false, dot = false;
   const char* threshold = "10";
   const char* likely = "60";
   Source      s = { 0 };
   BlockWriter      writer = { 0 };
   BlockWriter*     w = &writer;
   const Opt   opts[] = {
      { "lackey", OPT_TEXT, &s.lackey, "IN",
        "a trace of Lackey's, see below; -: standard input" },
      { "o", OPT_TEXT, &w->prefix, "PREFIX",
        "write PREFIX.sbb and PREFIX.dbb [both to the standard output]; "
        "compressed if PREFIX ends in .gz, .bz2, .xz or .zst, and then so do "
        "they" },
      { "a", OPT_FLAG, &w->style.all, NULL, "all edges" },
      { "threshold", OPT_TEXT, &threshold, "PERCENT",
        "where there are more than two edges, leave out those below PERCENT of "
        "the departures [10]" },
      { "paths", OPT_COUNT_OR_NOT, &top, "N",
        "the N hottest superblocks [10]; with -o in PREFIX.paths, else instead "
        "of the tables" },
      { "likely", OPT_TEXT, &likely, "PERCENT",
        "superblocks go on along an edge that is taken at least so often "
        "[60]" },
      SELECT_PLACES(&what),
      OPT_REMARK("(blocks, and superblocks, that begin there)"),
      SELECT_THREAD(&what),
      OPT_CSV_JSON(&csv, &json, "for programs"),
      { "dot", OPT_FLAG, &dot, NULL, "a picture in Graphviz's language" }
   };
   const char* files[2];
   int         n_files;
   Percent     likely_percent;
   DcfgBlocks* b;
   Paths*      p = NULL;

   n_files = parse_args(&blocks_command, OPTS(opts), argc, argv, files, 0, 2);
   w->style.form = one_form(csv, json, dot);
   w->style.threshold = percent_value("threshold", threshold);
   likely_percent = percent_value("likely", likely);
   if (top != NOT_GIVEN && dot)
      die("--paths are not drawn: not with --dot");
   find_source(&s, files, n_files, &what);
   w->source = &s;
   b = make_blocks(&s);
   if (top != NOT_GIVEN)
      p = make_paths(&s, b, likely_percent);
   write_all(w, b, p, top == NO_VALUE ? DEFAULT_PATHS : top);
   if (p != NULL)
      paths_free(p);
   dcfg_blocks_free(b);
   if (s.sel != NULL)
      selection_free(s.sel);
   dcfg_free(s.d);
   return STATUS_OK;
}

const Command blocks_command = {
   "blocks", "[FILE [TRACE]]", "basic blocks of an address stream; superblocks",
   "Divides the code that ran into basic blocks, by the addresses of\n"
   "instructions alone: an instruction jumps if an instruction that does not\n"
   "stand behind it ever followed it.  Static blocks (SBB) divide the code:\n"
   "each instruction is in one.  Dynamic blocks (DBB) begin wherever control\n"
   "came to, and end with the first instruction that jumps.\n"
   "\n"
   "The input is Lackey's trace (--lackey), or a DCFG-trace with the DCFG of\n"
   "the same run (FILE TRACE).  A DCFG alone gives static blocks only.\n",
   "\n"
   "With -o the names of other forms end in .csv, .json, .dot.\n"
   "\n"
   "examples:\n"
   "  valgrind --tool=lackey --trace-mem=yes --vex-guest-chase=no \\\n"
   "     --log-fd=9 ./prog 9>&1 >/dev/null | dcfg blocks --lackey=- -o prog\n"
   "  dcfg blocks -o prog out.json trace.json\n"
   "  dcfg blocks --paths=5 out.json trace.json\n",
   run
};
