/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg blocks: prints tables of blocks and superblocks. */

/* Owns: the subcommand blocks: its input, the form of tables, the choice of edges;
   choosing, counting and printing superblocks; its files.  Handed: a command line.

   The library makes the tables, from a graph and its trace or from Lackey's text.
   Nothing is written before everything has been read.  Files get their names when
   they are complete.  Other programs compare text and its order byte by byte, so
   it does not tell where the blocks come from.

   A superblock is a frequent path of blocks that is only entered at the first.  A
   block is in at most one path.  So two numbers tell the present path and the
   place in it: the next block continues the path, or begins one, or is in
   none. */

#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/commands.h"
#include "cmd/page/graphviz.h"
#include "lib/dcfg_blocks.h"

#include <sys/stat.h>

typedef enum { ROWS_TEXT, ROWS_CSV, ROWS_JSON, ROWS_DOT } RowForm;

/* Percent: exactly as written: NUMBER / SCALE. */
typedef
   struct {
      uint64_t number, scale;
   }
   Percent;

/* BlockRun: the input, and how tables of it are written. */
typedef
   struct {
      const char*        lackey;        // NULL: none
      const char*        graph;
      const char*        trace;         // NULL: none
      Dcfg*              d;
      const DcfgProcess* p;
      uint32_t           thread;
      Selection*         sel;           // NULL: all
      FILE*              out;
      const char*        prefix;        // names of files; NULL: stdout
      RowForm            form;
      bool               all;           // all edges, or THRESHOLD and more
      Percent            threshold;
   }
   BlockRun;

/* Return whether the block that begins at ADDR is selected. */
static bool is_wanted(const BlockRun* run, uint64_t addr)
{
   return run->sel == NULL
          || is_selected(run->sel, dcfg_node_at(run->p, addr));
}

/*--- Shares                                               ---*/

/* Read the value of --NAME. */
static Percent percent_value(const char* name, const char* value)
{
   Percent     p = { 0, 1 };
   const char* point = strchr(value, '.');

   for (const char* s = value; *s != 0; s++) {
      if (s == point)
         continue;
      if (*s < '0' || *s > '9' || p.scale > 100000 || p.number >= 1000000000)
         die("--%s needs a percentage, not `%s'", name, value);
      p.number = 10 * p.number + (uint64_t)(*s - '0');
      p.scale *= point != NULL && s > point ? 10 : 1;
   }
   if (p.number > 100 * p.scale || strspn(value, ".") == strlen(value))
      die("--%s needs a percentage, not `%s'", name, value);
   return p;
}

/* Return whether PART is less than P of WHOLE. */
static bool is_less(uint64_t part, uint64_t whole, Percent p)
{
   __extension__ typedef unsigned __int128 Wide;

   return (Wide)part * 100 * p.scale < (Wide)whole * p.number;
}

/* Return the number of a block's edges to print.  The others, which are less
   frequent, are behind them; *REST is their sum. */
static uint32_t edges_told(const BlockRun* run, const DcfgStreamBlock* b,
                           const DcfgStreamEdge* e, uint64_t* rest)
{
   uint32_t n = b->n_edges;

   *rest = 0;
   while (!run->all && b->n_edges > 2 && n > 0
          && is_less(e[n - 1].count, b->departures, run->threshold))
      add_count(rest, e[--n].count);
   return n;
}

/*--- Tables: text, CSV and JSON                           ---*/

static const char* const kinds[] = { "NB", "UB", "CB", "IJ" };

/* Extensions of files, by form. */
static const char* const extensions[] = { "", ".csv", ".json", ".dot" };

/* Formats of a block, behind which its edges stand, and of an edge, by form. */
static const char* const block_formats[] = {
   "%" PRIu32 "\t%08" PRIx64 "\t%08" PRIx64 "\t%" PRIu32 "\t%" PRIu64
   "\t%s\t",
   "%" PRIu32 ",0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu32 ",%" PRIu64 ",%s,",
   "    { \"id\": %" PRIu32 ", \"start\": \"0x%" PRIx64 "\", \"end\": \"0x%"
   PRIx64 "\", \"instrs\": %" PRIu32 ", \"count\": %" PRIu64
   ", \"kind\": \"%s\", \"edges\": ["
};
static const char* const edge_formats[] = {
   "%s%" PRIu32 ":%" PRIu64 "%s", "%s%" PRIu32 ":%" PRIu64 "%s",
   "%s{ \"id\": %" PRIu32 ", \"count\": %" PRIu64 ", \"ft\": %s }"
};

static const char comment[] =
   "# START, END: addresses of the first and the last instruction; "
   "INSTRS: how many there are;\n"
   "# COUNT: executions; KIND of the end: NB fell through, UB went to "
   "one other place,\n"
   "# CB did one or the other, IJ all else; EDGES to the blocks executed "
   "next, ID:COUNT,\n"
   "# (ft) for falling through, ..N:COUNT for N rare ones together.\n"
   "# ID\tSTART\tEND\tINSTRS\tCOUNT\tKIND\tEDGES\n";

/* Print the edges E of B, and the end of its row. */
static void print_edges(const BlockRun* run, const DcfgStreamBlock* b,
                        const DcfgStreamEdge* e, const char* name)
{
   bool     json = run->form == ROWS_JSON;
   uint64_t rest;
   uint32_t n = edges_told(run, b, e, &rest);

   for (uint32_t i = 0; i < n; i++)
      fprintf(run->out, edge_formats[run->form],
              i == 0 ? "" : json ? ", " : " ", e[i].target + 1, e[i].count,
              json ? (e[i].falls ? "true" : "false")
              : e[i].falls ? "(ft)" : "");
   if (json)
      fprintf(run->out, "], \"rare_edges\": %" PRIu32 ", \"rare_count\": %"
              PRIu64 " }", b->n_edges - n, rest);
   else if (n < b->n_edges)
      fprintf(run->out, "%s..%" PRIu32 ":%" PRIu64, n > 0 ? " " : "",
              b->n_edges - n, rest);
   if (!json)
      fprintf(run->out, run->form == ROWS_CSV ? ",%s\n" : "\n", name);
}

/* Print a table; NAME is "sbb" or "dbb".  CSV is without the header; JSON is a
   member of an object. */
static void print_rows(const BlockRun* run, const DcfgBlockTable* t,
                       const char* name)
{
   bool        json = run->form == ROWS_JSON;
   const char* before = json ? "\n" : "";

   if (run->form == ROWS_TEXT)
      fprintf(run->out, "%s%s", strcmp(name, "sbb") == 0
         ? "# Static basic blocks: every instruction that was executed is in "
           "one of them.\n"
         : "# Dynamic basic blocks: each goes on from its first instruction to "
           "one that jumps.\n", comment);
   else if (json)
      fprintf(run->out, "  \"%s\": [", name);
   for (uint32_t i = 0; i < t->n_blocks; i++) {
      const DcfgStreamBlock* b = &t->blocks[i];
      if (!is_wanted(run, b->first))
         continue;
      fputs(before, run->out);
      fprintf(run->out, block_formats[run->form], i + 1, b->first, b->last,
              b->n_instrs, b->count, kinds[b->kind]);
      print_edges(run, b, t->edges + b->first_edge, name);
      before = json ? ",\n" : "";
   }
   if (json)
      fputs(*before == ',' ? "\n  ]" : "]", run->out);
}

/*--- Tables: pictures                                     ---*/

static void draw_block(const BlockRun* run, const DcfgBlockTable* t,
                       uint32_t id, uint64_t hottest, uint64_t most)
{
   const DcfgStreamBlock* b = &t->blocks[id - 1];
   const DcfgStreamEdge*  e = t->edges + b->first_edge;
   uint64_t               rest, instrs = b->count * b->n_instrs;
   uint32_t               n = edges_told(run, b, e, &rest);

   fprintf(run->out, "  b%" PRIu32 " [label=\"%" PRIu32 "  %08" PRIx64
           " - %08" PRIx64 "\\n%s x %" PRIu32 " instructions  %s\", "
           "fillcolor=\"%s\", fontcolor=\"%s\"];\n", id, id, b->first,
           b->last, text_count(b->count), b->n_instrs, kinds[b->kind],
           heat_colour(instrs, hottest), ink_colour(instrs, hottest));
   for (uint32_t i = 0; i < n; i++)
      if (is_wanted(run, t->blocks[e[i].target].first))
         fprintf(run->out, "  b%" PRIu32 " -> b%" PRIu32 " [label=\"%s%s\", "
                 "color=\"%s\", penwidth=%.2f];\n", id, e[i].target + 1,
                 text_count(e[i].count), e[i].falls ? " (ft)" : "",
                 e[i].falls ? "#888888" : "#2b6cb0",
                 line_width(e[i].count, most));
   if (n < b->n_edges)
      fprintf(run->out, "  r%" PRIu32 " [label=\"..%" PRIu32 "\", "
              "shape=plaintext, style=\"\"];\n"
              "  b%" PRIu32 " -> r%" PRIu32 " [label=\"%s\", style=dotted];\n",
              id, b->n_edges - n, id, id, text_count(rest));
   text_forget();
}

static void draw_blocks(const BlockRun* run, const DcfgBlockTable* t,
                        const char* name)
{
   uint64_t hottest = 0, most = 0;

   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (t->blocks[i].count * t->blocks[i].n_instrs > hottest)
         hottest = t->blocks[i].count * t->blocks[i].n_instrs;
   for (uint32_t i = 0; i < t->n_edges; i++)
      if (t->edges[i].count > most)
         most = t->edges[i].count;
   fprintf(run->out, "digraph %s {\n"
           "  node [shape=box, style=filled, fontname=\"monospace\", "
           "fontsize=10];\n"
           "  edge [fontname=\"monospace\", fontsize=9];\n", name);
   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (is_wanted(run, t->blocks[i].first))
         draw_block(run, t, i + 1, hottest, most);
   fputs("}\n", run->out);
}

/*--- Superblocks: choosing                                ---*/

/* Path: a sequence of blocks that is only entered at the first.  When control
   comes to another one from elsewhere, it is not in the path. */
typedef
   struct {
      uint32_t first, n;        // index and number in .order
      uint32_t seed;            // its first block
      uint64_t n_instrs;        // sum over its blocks
      uint64_t entered;         // executions of its first block
      uint64_t completed;       // executions to the end of its last block
      uint64_t executed;        // instructions executed in it until it was left
   }
   Path;

/* InPath: a block's path, DCFG_NONE if it is in none, and its index in it. */
typedef
   struct {
      uint32_t path, place;
   }
   InPath;

typedef
   struct {
      const DcfgBlockTable* t;
      Path*                 paths;      // by instructions, most first
      uint32_t              n;
      uint32_t*             order;      // blocks of all paths
      InPath*               of;         // for each block
      InPath                here;       // present place, while counting
      bool                  counted;    // counts are not estimates
   }
   Paths;

typedef
   struct {
      uint64_t count;
      uint32_t block;
   }
   Seed;

COMPARE(by_count, Seed, DOWN(count) ?: UP(block))

/* Grow a path from its first block along the most frequent edges, while at least
   LIKELY of the departures take them. */
static void grow(Paths* p, uint32_t seed, uint32_t* used, Percent likely)
{
   Path path = { .first = *used, .seed = seed };

   for (uint32_t b = seed; p->of[b].path == DCFG_NONE; ) {
      const DcfgStreamBlock* block = &p->t->blocks[b];
      const DcfgStreamEdge*  e = p->t->edges + block->first_edge;
      p->of[b] = (InPath){ p->n, path.n++ };
      p->order[(*used)++] = b;
      path.n_instrs += block->n_instrs;
      if (block->n_edges == 0
          || is_less(e->count, block->departures, likely))
         break;
      b = e->target;
   }
   path.entered = p->t->blocks[seed].count;
   p->paths[p->n++] = path;
}

/* Estimate a path's numbers, as if at each block it did not matter how control
   came there. */
static void estimate(const Paths* p, Path* path)
{
   double reached = (double)path->entered, executed = 0;

   for (uint32_t i = 0; i < path->n; i++) {
      const DcfgStreamBlock* b = &p->t->blocks[p->order[path->first + i]];
      executed += reached * b->n_instrs;
      if (i + 1 < path->n)
         reached *= (double)p->t->edges[b->first_edge].count
                    / (double)b->count;
   }
   path->completed = (uint64_t)(reached + 0.5);
   path->executed = (uint64_t)(executed + 0.5);
}

COMPARE(by_executed, Path, DOWN(executed) ?: UP(seed))

/* Sort paths by executed instructions, and adapt the blocks' references. */
static void sort_paths(Paths* p)
{
   SORT(p->paths, p->n, by_executed);
   for (uint32_t i = 0; i < p->n; i++)
      for (uint32_t k = 0; k < p->paths[i].n; k++)
         p->of[p->order[p->paths[i].first + k]].path = i;
}

/* Find all paths of P's table: each begins with the most executed block that is
   in none.  Counts are estimated from edges. */
static void find_paths(Paths* p, Percent likely)
{
   uint32_t n = p->t->n_blocks, used = 0;
   Seed*    seeds = zalloc(n, sizeof(*seeds));

   p->paths = zalloc(n, sizeof(*p->paths));
   p->order = zalloc(n, sizeof(*p->order));
   p->of = zalloc(n, sizeof(*p->of));
   for (uint32_t i = 0; i < n; i++) {
      seeds[i] = (Seed){ p->t->blocks[i].count, i };
      p->of[i].path = DCFG_NONE;
   }
   SORT(seeds, n, by_count);
   for (uint32_t i = 0; i < n; i++)
      if (p->of[seeds[i].block].path == DCFG_NONE)
         grow(p, seeds[i].block, &used, likely);
   free(seeds);
   for (uint32_t i = 0; i < p->n; i++)
      estimate(p, &p->paths[i]);
   sort_paths(p);
}

/*--- Superblocks: counting                                ---*/

/* Count block BLOCK, which is executed next: for dcfg_blocks_visit(). */
static void visit(void* paths, uint32_t block)
{
   Paths* p = paths;
   InPath here = p->here, to;
   Path*  path;

   p->here.path = DCFG_NONE;
   if (block == DCFG_NONE)
      return;
   to = p->of[block];
   path = &p->paths[to.path];
   if (to.place == 0)
      path->entered++;
   else if (here.path != to.path || here.place + 1 != to.place)
      return;
   p->here = to;
   path->executed += p->t->blocks[block].n_instrs;
   path->completed += to.place + 1 == path->n;
}

/*--- Superblocks: printing                                ---*/

/* Formats of a path, behind which its blocks stand, by form. */
static const char* const path_formats[] = {
   "%" PRIu32 "\t%s%.2f%%\t%s%" PRIu64 "\t%" PRIu64 "\t%s%" PRIu64 "\t%"
   PRIu64 "\t%08" PRIx64 "\t",
   "%" PRIu32 ",%s%.6g,%s%" PRIu64 ",%" PRIu64 ",%s%" PRIu64 ",%" PRIu64
   ",0x%" PRIx64 ",",
   "    { \"path\": %" PRIu32 ", \"share\": %s%.6g, \"executed\": %s%" PRIu64
   ", \"entered\": %" PRIu64 ", \"completed\": %s%" PRIu64 ", \"instrs\": %"
   PRIu64 ", \"start\": \"0x%" PRIx64 "\", \"estimated\": "
};

/* Print a row; INSTRS were executed in all. */
static void print_path(const BlockRun* run, const Paths* p, uint32_t number,
                       uint64_t instrs)
{
   const Path* path = &p->paths[number];
   bool        text = run->form == ROWS_TEXT, json = run->form == ROWS_JSON;
   const char* mark = !text || p->counted ? "" : "~";
   double      whole = text ? 100 : 1;
   double      share = instrs == 0 ? 0
                       : whole * (double)path->executed / (double)instrs;

   fprintf(run->out, path_formats[run->form], number + 1, mark, share, mark,
           path->executed, path->entered, mark, path->completed,
           path->n_instrs, p->t->blocks[path->seed].first);
   if (json)
      fprintf(run->out, "%s, \"blocks\": [", p->counted ? "false" : "true");
   else if (!text)
      fputs(p->counted ? "no," : "yes,", run->out);
   for (uint32_t i = 0; i < path->n; i++)
      fprintf(run->out, "%s%" PRIu32, i == 0 ? "" : json ? ", " : " ",
              p->order[path->first + i] + 1);
   fputs(json ? "] }" : "\n", run->out);
}

static void print_begin(const BlockRun* run, const Paths* p)
{
   if (run->form == ROWS_CSV)
      fputs("path,share,executed,entered,completed,instrs,start,estimated,"
            "blocks\n", run->out);
   else if (run->form == ROWS_JSON)
      fputs("  \"paths\": [", run->out);
   else
      fprintf(run->out,
         "# Superblocks: blocks that are likely to be executed one after the "
         "other.\n"
         "# SHARE of all instructions, EXECUTED in it after it was ENTERED at "
         "its first block;\n"
         "# COMPLETED: how often it ran to its end; INSTRS it has; BLOCKS by "
         "id.\n%s"
         "# PATH\tSHARE\tEXECUTED\tENTERED\tCOMPLETED\tINSTRS\tSTART\tBLOCKS"
         "\n", p->counted ? "" : "# ~: estimated from the edges of each block "
         "by itself.\n");
}

/* Print the first TOP paths; INSTRS were executed in all. */
static void print_paths(const BlockRun* run, const Paths* p, uint64_t top,
                        uint64_t instrs)
{
   bool     json = run->form == ROWS_JSON;
   uint32_t n = top < p->n ? (uint32_t)top : p->n;
   uint64_t sum = 0;

   print_begin(run, p);
   for (uint32_t i = 0; i < n; i++) {
      add_count(&sum, p->paths[i].executed);
      if (json)
         fputs(i > 0 ? ",\n" : "\n", run->out);
      print_path(run, p, i, instrs);
   }
   if (json)
      fputs(n > 0 ? "\n  ]" : "]", run->out);
   else if (run->form == ROWS_TEXT)
      fprintf(run->out, "# %" PRIu32 " of %" PRIu32 " have %s%.2f%% of all "
              "instructions.\n", n, p->n, p->counted ? "" : "~",
              instrs == 0 ? 0 : 100 * (double)sum / (double)instrs);
}

/*--- Reading                                              ---*/

#define DEFAULT_PATHS 10

static _Noreturn void die_reading(const BlockRun* run, const DcfgError* err)
{
   die("%s", unreadable(err, run->trace != NULL ? KIND_TRACE
                             : run->lackey != NULL ? KIND_LACKEY : KIND_GRAPH));
}

static bool read_trace(const BlockRun* run, DcfgBlocks* blocks, DcfgError* err)
{
   DcfgTrace*  t = dcfg_trace_open(run->trace, plain_options(), err);
   bool        ok;

   if (t == NULL)
      return false;
   dcfg_trace_select(t, run->p->id, run->thread);
   ok = dcfg_blocks_trace(blocks, run->p, t, err);
   dcfg_trace_close(t);
   return ok;
}

/* Add the whole input to BLOCKS, in the first or the second pass. */
static void read_source(const BlockRun* run, DcfgBlocks* blocks)
{
   DcfgError err;
   uint64_t  unknown = 0;

   if (!(run->trace != NULL ? read_trace(run, blocks, &err)
         : run->lackey != NULL ? dcfg_blocks_lackey(blocks, run->lackey, &err)
         : dcfg_blocks_graph(blocks, run->p, run->thread, &unknown, &err)))
      die_reading(run, &err);
   if (unknown > 0)
      complain("%s signals came where control could go on in several ways: "
               "their edges are not counted, because only a trace tells the "
               "way", text_count(unknown));
}

/* Return whether the input can be read a second time. */
static bool is_rereadable(const BlockRun* run)
{
   const char* path = run->lackey != NULL ? run->lackey : run->trace;
   struct stat st;

   return path != NULL && strcmp(path, "-") != 0 && stat(path, &st) == 0
          && S_ISREG(st.st_mode);
}

static DcfgBlocks* make_blocks(const BlockRun* run)
{
   const char* name = run->lackey != NULL ? run->lackey
                      : run->trace != NULL ? run->trace : run->graph;
   DcfgError   err;
   DcfgBlocks* b = dcfg_blocks_new(name, plain_options(), &err);

   if (b == NULL)
      die_reading(run, &err);
   read_source(run, b);
   if (!dcfg_blocks_finish(b, &err))
      die_reading(run, &err);
   if (dcfg_blocks_static(b)->n_blocks == 0)
      die("%s has nothing of process %" PRIu64 "%s", name, run->p->id,
          run->thread != DCFG_ALL_THREADS ? " and this thread" : "");
   return b;
}

/* Make the paths that begin with a wanted block.  They are counted exactly if
   the input can be read once more. */
static void make_paths(const BlockRun* run, DcfgBlocks* blocks, Percent likely,
                       Paths* p)
{
   const DcfgBlockTable* dynamics = dcfg_blocks_dynamic(blocks);
   uint32_t              n = 0;

   p->t = dynamics != NULL ? dynamics : dcfg_blocks_static(blocks);
   find_paths(p, likely);
   p->counted = dynamics != NULL && is_rereadable(run);
   if (p->counted) {
      for (uint32_t i = 0; i < p->n; i++)
         p->paths[i].entered = p->paths[i].completed = p->paths[i].executed = 0;
      p->here.path = DCFG_NONE;
      dcfg_blocks_visit(blocks, visit, p);
      read_source(run, blocks);
      sort_paths(p);
   }
   for (uint32_t i = 0; i < p->n; i++)
      if (is_wanted(run, p->t->blocks[p->paths[i].seed].first))
         p->paths[n++] = p->paths[i];
   p->n = n;
}

/*--- Writing                                              ---*/

/* Open the file whose name ends in NAME; text in JSON is an object of its own.
   On the standard output, one object has all tables. */
static void begin_file(BlockRun* run, const char* name)
{
   const char* suffix;

   if (run->prefix == NULL)
      return;
   suffix = compressed_suffix(run->prefix);
   run->out = open_result(text_format("%.*s.%s%s%s",
                                      (int)(suffix - run->prefix), run->prefix,
                                      name, extensions[run->form], suffix));
   text_forget();
   fputs(run->form == ROWS_JSON ? "{\n" : "", run->out);
}

static void end_file(const BlockRun* run)
{
   if (run->prefix == NULL)
      return;
   fputs(run->form == ROWS_JSON ? "\n}\n" : "", run->out);
   finish_result(run->out);
}

static void write_table(BlockRun* run, const DcfgBlockTable* t,
                        const char* name)
{
   begin_file(run, name);
   if (run->form == ROWS_CSV && (run->prefix != NULL || *name == 's'))
      fputs("id,start,end,instrs,count,kind,edges,table\n", run->out);
   if (run->form == ROWS_DOT)
      draw_blocks(run, t, name);
   else
      print_rows(run, t, name);
   end_file(run);
}

/* Write all tables, and the first TOP of PATHS, which may be NULL. */
static void write_all(BlockRun* run, const DcfgBlocks* blocks,
                      const Paths* paths, uint64_t top)
{
   const DcfgBlockTable* dynamics = dcfg_blocks_dynamic(blocks);
   bool framed = run->form == ROWS_JSON && run->prefix == NULL;

   run->out = stdout;
   fputs(framed ? "{\n" : "", stdout);
   if (paths == NULL || run->prefix != NULL) {
      write_table(run, dcfg_blocks_static(blocks), "sbb");
      if (dynamics != NULL) {
         fputs(framed ? ",\n" : "", stdout);
         write_table(run, dynamics, "dbb");
      }
   }
   if (paths != NULL) {
      begin_file(run, "paths");
      print_paths(run, paths, top, dcfg_blocks_instrs(blocks));
      end_file(run);
   }
   fputs(framed ? "\n}\n" : "", stdout);
   name_results();
}

/*--- The command line                                     ---*/

static void find_source(BlockRun* run, const char** files, int n_files,
                        const Select* what)
{
   run->thread = DCFG_ALL_THREADS;
   if (run->lackey != NULL) {
      if (n_files > 0)
         die("--lackey=FILE or a DCFG, not both");
      if (what->thread != NOT_GIVEN)
         die("Lackey's trace does not say which thread ran: no --thread "
             "with --lackey");
      if (names_place(what))
         die("Lackey's trace has addresses only: no --image, --routine, "
             "--function or --source with --lackey");
      return;
   }
   if (n_files == 0)
      default_files(&blocks_command, files, false);
   run->graph = files[0];
   run->trace = n_files == 2 ? files[1] : NULL;
   only_one_input(files, run->trace != NULL ? 2 : 1);
   run->d = load_dcfg(run->graph);
   run->p = main_process(run->d);
   run->thread = need_thread(run->d, what->thread);
   run->sel = selection_new(&(Program){ run->d, run->p, false }, what);
   if (!is_found(run->sel))
      exit(STATUS_BAD);
   if (is_everything(run->sel)) {
      selection_free(run->sel);
      run->sel = NULL;
   }
}

static int run(int argc, char** argv)
{
   uint64_t    top = NOT_GIVEN;
   Select      what = SELECT_ALL;
   bool        csv = false, json = false, dot = false;
   const char* threshold = "10";
   const char* likely = "60";
   BlockRun         r = { 0 };
   const Opt   opts[] = {
      { "lackey", OPT_TEXT, &r.lackey, "IN",
        "a trace of Lackey's, see below; -: standard input" },
      { "o", OPT_TEXT, &r.prefix, "PREFIX",
        "write PREFIX.sbb and PREFIX.dbb [both to the standard output]; "
        "compressed if PREFIX ends in .gz, .bz2, .xz or .zst, and then so do "
        "they" },
      { "a", OPT_FLAG, &r.all, NULL, "all edges" },
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
   DcfgBlocks* blocks;
   Paths       p = { .n = 0 };

   n_files = parse_args(&blocks_command, OPTS(opts), argc, argv, files, 0, 2);
   if (csv + json + dot > 1)
      die("one of --csv, --json and --dot, not several");
   r.form = csv ? ROWS_CSV : json ? ROWS_JSON : dot ? ROWS_DOT : ROWS_TEXT;
   r.threshold = percent_value("threshold", threshold);
   likely_percent = percent_value("likely", likely);
   if (top != NOT_GIVEN && dot)
      die("--paths are not drawn: not with --dot");
   find_source(&r, files, n_files, &what);
   blocks = make_blocks(&r);
   if (top != NOT_GIVEN)
      make_paths(&r, blocks, likely_percent, &p);
   write_all(&r, blocks, top != NOT_GIVEN ? &p : NULL,
             top == NO_VALUE ? DEFAULT_PATHS : top);
   FREE_ALL(p.paths, p.order, p.of);
   dcfg_blocks_free(blocks);
   if (r.sel != NULL)
      selection_free(r.sel);
   dcfg_free(r.d);
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
