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

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/base/sums.h"
#include "cmd/commands.h"
#include "cmd/page/graphviz.h"
#include "lib/dcfg_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*--- Tables                                               ---*/

typedef enum { ROWS_TEXT, ROWS_CSV, ROWS_JSON, ROWS_DOT } RowForm;

/* Percent: exactly as written: NUMBER / SCALE. */
typedef
   struct {
      uint64_t number, scale;
   }
   Percent;

/* RowStyle: how to print a table. */
typedef
   struct {
      FILE*   out;
      RowForm form;
      bool    all;              // all edges, or those of THRESHOLD and more
      Percent threshold;
      const bool* wanted;       // for each block: is it selected?  NULL: all
   }
   RowStyle;

static inline bool is_wanted_block(const RowStyle* style, uint32_t block)
{
   return style->wanted == NULL || style->wanted[block];
}

/*--- Tables: shares                                       ---*/

/* Read the value of --NAME. */
static Percent percent_value(const char* name, const char* value)
{
   Percent p = { 0, 1 };
   bool    point = false, digit = false;

   for (const char* s = value; *s != 0; s++) {
      if (*s == '.' && !point) {
         point = true;
      } else if (*s >= '0' && *s <= '9' && p.scale < 1000000
                 && p.number < 1000000000) {
         p.number = 10 * p.number + (uint64_t)(*s - '0');
         p.scale *= point ? 10 : 1;
         digit = true;
      } else {
         digit = false;
         break;
      }
   }
   if (!digit || p.number > 100 * p.scale)
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
static uint32_t edges_told(const RowStyle* style, const DcfgBlockTable* t,
                           const DcfgStreamBlock* b, uint64_t* rest)
{
   const DcfgStreamEdge* e = t->edges + b->first_edge;
   uint32_t              n = b->n_edges;

   *rest = 0;
   if (style->all || n <= 2)
      return n;
   while (n > 0 && is_less(e[n - 1].count, b->departures, style->threshold))
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

static void print_comment(FILE* out, bool is_static)
{
   fprintf(out, is_static
      ? "# Static basic blocks: every instruction that was executed is in one "
        "of them.\n"
      : "# Dynamic basic blocks: each goes on from its first instruction to "
        "one that jumps.\n");
   fputs("# START, END: addresses of the first and the last instruction; "
         "INSTRS: how many there are;\n"
         "# COUNT: executions; KIND of the end: NB fell through, UB went to "
         "one other place,\n"
         "# CB did one or the other, IJ all else; EDGES to the blocks executed "
         "next, ID:COUNT,\n"
         "# (ft) for falling through, ..N:COUNT for N rare ones together.\n"
         "# ID\tSTART\tEND\tINSTRS\tCOUNT\tKIND\tEDGES\n", out);
}

/* Print the edges of B, and the end of its row. */
static void print_edges(const RowStyle* style, const DcfgBlockTable* t,
                        const DcfgStreamBlock* b, const char* name)
{
   const DcfgStreamEdge* e = t->edges + b->first_edge;
   bool                  json = style->form == ROWS_JSON;
   uint64_t              rest;
   uint32_t              n = edges_told(style, t, b, &rest);

   for (uint32_t i = 0; i < n; i++)
      fprintf(style->out, edge_formats[style->form],
              i == 0 ? "" : json ? ", " : " ", e[i].target + 1, e[i].count,
              json ? (e[i].falls ? "true" : "false")
              : e[i].falls ? "(ft)" : "");
   if (json)
      fprintf(style->out, "], \"rare_edges\": %" PRIu32 ", \"rare_count\": %"
              PRIu64 " }", b->n_edges - n, rest);
   else if (n < b->n_edges)
      fprintf(style->out, "%s..%" PRIu32 ":%" PRIu64, n > 0 ? " " : "",
              b->n_edges - n, rest);
   if (style->form == ROWS_CSV)
      fprintf(style->out, ",%s\n", name);
   else if (!json)
      fputc('\n', style->out);
}

static void print_rows(const RowStyle* style, const DcfgBlockTable* t,
                       const char* name)
{
   bool json = style->form == ROWS_JSON, any = false;

   if (style->form == ROWS_TEXT)
      print_comment(style->out, strcmp(name, "sbb") == 0);
   else if (json)
      fprintf(style->out, "  \"%s\": [", name);
   for (uint32_t i = 0; i < t->n_blocks; i++) {
      const DcfgStreamBlock* b = &t->blocks[i];
      if (!is_wanted_block(style, i))
         continue;
      if (json)
         fputs(any ? ",\n" : "\n", style->out);
      fprintf(style->out, block_formats[style->form], i + 1, b->first, b->last,
              b->n_instrs, b->count, kinds[b->kind]);
      print_edges(style, t, b, name);
      any = true;
   }
   if (json)
      fputs(any ? "\n  ]" : "]", style->out);
}

/*--- Tables: pictures                                     ---*/

static void draw_block(const RowStyle* style, const DcfgBlockTable* t,
                       uint32_t block, uint64_t hottest, uint64_t most)
{
   const DcfgStreamBlock* b = &t->blocks[block];
   const DcfgStreamEdge*  e = t->edges + b->first_edge;
   uint64_t               rest, instrs = b->count * b->n_instrs;
   uint32_t               n = edges_told(style, t, b, &rest);

   fprintf(style->out, "  b%" PRIu32 " [label=\"%" PRIu32 "  %08" PRIx64
           " - %08" PRIx64 "\\n%s x %" PRIu32 " instructions  %s\", "
           "fillcolor=\"%s\", fontcolor=\"%s\"];\n", block + 1, block + 1,
           b->first, b->last, text_count(b->count), b->n_instrs,
           kinds[b->kind], heat_colour(instrs, hottest),
           ink_colour(instrs, hottest));
   for (uint32_t i = 0; i < n; i++) {
      if (!is_wanted_block(style, e[i].target))
         continue;
      fprintf(style->out, "  b%" PRIu32 " -> b%" PRIu32 " [label=\"%s%s\", "
              "color=\"%s\", penwidth=%.2f];\n", block + 1, e[i].target + 1,
              text_count(e[i].count), e[i].falls ? " (ft)" : "",
              e[i].falls ? "#888888" : "#2b6cb0",
              line_width(e[i].count, most));
   }
   if (n < b->n_edges)
      fprintf(style->out, "  r%" PRIu32 " [label=\"..%" PRIu32 "\", "
              "shape=plaintext, style=\"\"];\n"
              "  b%" PRIu32 " -> r%" PRIu32 " [label=\"%s\", style=dotted];\n",
              block + 1, b->n_edges - n, block + 1, block + 1,
              text_count(rest));
   text_forget();
}

static void draw_blocks(const RowStyle* style, const DcfgBlockTable* t,
                        const char* name)
{
   uint64_t hottest = 0, most = 0;

   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (t->blocks[i].count * t->blocks[i].n_instrs > hottest)
         hottest = t->blocks[i].count * t->blocks[i].n_instrs;
   for (uint32_t i = 0; i < t->n_edges; i++)
      if (t->edges[i].count > most)
         most = t->edges[i].count;
   fprintf(style->out, "digraph %s {\n"
           "  node [shape=box, style=filled, fontname=\"monospace\", "
           "fontsize=10];\n"
           "  edge [fontname=\"monospace\", fontsize=9];\n", name);
   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (is_wanted_block(style, i))
         draw_block(style, t, i, hottest, most);
   fputs("}\n", style->out);
}

/* Print a table; NAME is "sbb" or "dbb".  CSV is without the header; JSON is a
   member of an object. */
static void print_blocks(const RowStyle* style, const DcfgBlockTable* t,
                         const char* name)
{
   if (style->form == ROWS_DOT)
      draw_blocks(style, t, name);
   else
      print_rows(style, t, name);
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

typedef
   struct {
      const DcfgBlockTable* t;
      Path*                 paths;      // by instructions, most first
      uint32_t              n;
      uint32_t*             order;      // blocks of all paths
      uint32_t*             path_of;    // for each block
      uint32_t*             place_of;   // for each block: its index in its path
      uint32_t              path, place;        // present place, while counting
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

/* Return the block that comes next often enough to continue the path; or
   DCFG_NONE. */
static uint32_t likely_next(const DcfgBlockTable* t, uint32_t block,
                            Percent likely)
{
   const DcfgStreamBlock* b = &t->blocks[block];
   const DcfgStreamEdge*  e = t->edges + b->first_edge;

   if (b->n_edges == 0 || is_less(e->count, b->departures, likely))
      return DCFG_NONE;
   return e->target;
}

static void grow(Paths* p, uint32_t seed, uint32_t* used, Percent likely)
{
   Path path = { .first = *used, .seed = seed };

   for (uint32_t b = seed; b != DCFG_NONE && p->path_of[b] == DCFG_NONE;
        b = likely_next(p->t, b, likely)) {
      p->path_of[b] = p->n;
      p->place_of[b] = path.n++;
      p->order[(*used)++] = b;
      path.n_instrs += p->t->blocks[b].n_instrs;
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
   if (p->n > 0)
      qsort(p->paths, p->n, sizeof(*p->paths), by_executed);
   for (uint32_t i = 0; i < p->n; i++)
      for (uint32_t k = 0; k < p->paths[i].n; k++)
         p->path_of[p->order[p->paths[i].first + k]] = i;
}

/* Find all paths of a table.  A path begins with the most executed block that
   is in none.  It continues along the most frequent edge while at least LIKELY
   of the block's departures take it.  Counts are estimated from edges. */
static Paths* paths_new(const DcfgBlockTable* t, Percent likely)
{
   Paths*   p = zalloc(1, sizeof(*p));
   uint32_t n = t->n_blocks, used = 0;
   Seed*    seeds = zalloc(n, sizeof(*seeds));

   p->t = t;
   p->paths = zalloc(n, sizeof(*p->paths));
   p->order = zalloc(n, sizeof(*p->order));
   p->path_of = zalloc(n, sizeof(*p->path_of));
   p->place_of = zalloc(n, sizeof(*p->place_of));
   for (uint32_t i = 0; i < n; i++) {
      seeds[i] = (Seed){ t->blocks[i].count, i };
      p->path_of[i] = DCFG_NONE;
   }
   if (n > 0)
      qsort(seeds, n, sizeof(*seeds), by_count);
   for (uint32_t i = 0; i < n; i++)
      if (p->path_of[seeds[i].block] == DCFG_NONE)
         grow(p, seeds[i].block, &used, likely);
   free(seeds);
   for (uint32_t i = 0; i < p->n; i++)
      estimate(p, &p->paths[i]);
   sort_paths(p);
   return p;
}

static void paths_free(Paths* p)
{
   free(p->paths);
   free(p->order);
   free(p->path_of);
   free(p->place_of);
   free(p);
}

/*--- Superblocks: counting                                ---*/

/* Count exactly: call paths_visit(), a function for dcfg_blocks_visit(), for
   all blocks in the order of execution. */
static void paths_begin_count(Paths* p)
{
   for (uint32_t i = 0; i < p->n; i++)
      p->paths[i].entered = p->paths[i].completed = p->paths[i].executed = 0;
   p->path = DCFG_NONE;
}

static void paths_visit(void* paths, uint32_t block)
{
   Paths* p = paths;
   Path*  path;

   if (block == DCFG_NONE) {
      p->path = DCFG_NONE;
      return;
   }
   if (p->place_of[block] == 0) {
      p->path = p->path_of[block];
      p->place = 0;
      p->paths[p->path].entered++;
   } else if (p->path == p->path_of[block]
              && p->place + 1 == p->place_of[block]) {
      p->place++;
   } else {
      p->path = DCFG_NONE;
      return;
   }
   path = &p->paths[p->path];
   path->executed += p->t->blocks[block].n_instrs;
   path->completed += p->place + 1 == path->n;
}

static void paths_end_count(Paths* p)
{
   p->counted = true;
   sort_paths(p);
}

/*--- Superblocks: printing                                ---*/

/* Print a row; INSTRS were executed in all. */
static void print_path(const RowStyle* style, const Paths* p, uint32_t number,
                       uint64_t instrs)
{
   const Path* path = &p->paths[number];
   const char* mark = p->counted ? "" : "~";
   bool        json = style->form == ROWS_JSON;
   uint64_t    start = p->t->blocks[path->seed].first;
   double      whole = style->form == ROWS_TEXT ? 100 : 1;
   double      share = instrs == 0 ? 0
                       : whole * (double)path->executed / (double)instrs;

   if (style->form == ROWS_TEXT)
      fprintf(style->out, "%" PRIu32 "\t%s%.2f%%\t%s%" PRIu64 "\t%" PRIu64
              "\t%s%" PRIu64 "\t%" PRIu64 "\t%08" PRIx64 "\t", number + 1,
              mark, share, mark, path->executed, path->entered, mark,
              path->completed, path->n_instrs, start);
   else
      fprintf(style->out, json
                 ? "    { \"path\": %" PRIu32 ", \"share\": %.6g, \"executed\": %"
                   PRIu64 ", \"entered\": %" PRIu64 ", \"completed\": %" PRIu64
                   ", \"instrs\": %" PRIu64 ", \"start\": \"0x%" PRIx64
                   "\", \"estimated\": %s, \"blocks\": ["
                 : "%" PRIu32 ",%.6g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%"
                   PRIu64 ",0x%" PRIx64 ",%s,",
              number + 1, share, path->executed, path->entered,
              path->completed, path->n_instrs, start,
              json ? (p->counted ? "false" : "true")
              : p->counted ? "no" : "yes");
   for (uint32_t i = 0; i < path->n; i++)
      fprintf(style->out, "%s%" PRIu32, i == 0 ? "" : json ? ", " : " ",
              p->order[path->first + i] + 1);
   fputs(json ? "] }" : "\n", style->out);
}

/* Keep paths that begin with a wanted block; WANTED has an element for each
   block of the table. */
static void paths_keep(Paths* p, const bool* wanted)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < p->n; i++)
      if (wanted[p->paths[i].seed])
         p->paths[n++] = p->paths[i];
   p->n = n;
}

static void print_begin(const RowStyle* style, const Paths* p)
{
   if (style->form == ROWS_CSV)
      fputs("path,share,executed,entered,completed,instrs,start,estimated,"
            "blocks\n", style->out);
   else if (style->form == ROWS_JSON)
      fputs("  \"paths\": [", style->out);
   else
      fprintf(style->out,
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
static void print_paths(const RowStyle* style, const Paths* p, uint64_t top,
                        uint64_t instrs)
{
   uint32_t n = top < p->n ? (uint32_t)top : p->n;
   uint64_t sum = 0;

   print_begin(style, p);
   for (uint32_t i = 0; i < n; i++) {
      add_count(&sum, p->paths[i].executed);
      if (style->form == ROWS_JSON)
         fputs(i > 0 ? ",\n" : "\n", style->out);
      print_path(style, p, i, instrs);
   }
   if (style->form == ROWS_JSON)
      fprintf(style->out, "%s]", n > 0 ? "\n  " : "");
   else if (style->form == ROWS_TEXT)
      fprintf(style->out, "# %" PRIu32 " of %" PRIu32 " have %s%.2f%% of all "
              "instructions.\n", n, p->n, p->counted ? "" : "~",
              instrs == 0 ? 0 : 100 * (double)sum / (double)instrs);
}

/*--- Input and output                                     ---*/

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

static void read_trace(const Source* s, DcfgBlocks* blocks)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(s->trace, &options, &err);

   if (t == NULL)
      die_reading(s, &err);
   dcfg_trace_select(t, s->p->id, s->thread);
   if (!dcfg_blocks_trace(blocks, s->p, t, &err))
      die_reading(s, &err);
   dcfg_trace_close(t);
}

/* Add the whole input to BLOCKS, in the first or the second pass. */
static void read_source(const Source* s, DcfgBlocks* blocks)
{
   DcfgError err;
   uint64_t  unknown;

   if (s->trace != NULL) {
      read_trace(s, blocks);
   } else if (s->lackey != NULL) {
      if (!dcfg_blocks_lackey(blocks, s->lackey, &err))
         die_reading(s, &err);
   } else {
      if (!dcfg_blocks_graph(blocks, s->p, s->thread, &unknown, &err))
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

static Paths* make_paths(const Source* s, DcfgBlocks* blocks, Percent likely)
{
   const DcfgBlockTable* t = dcfg_blocks_dynamic(blocks);
   Paths*                p = paths_new(t != NULL ? t
                                       : dcfg_blocks_static(blocks), likely);
   bool*                 wanted;

   if (t != NULL && is_rereadable(s)) {
      paths_begin_count(p);
      dcfg_blocks_visit(blocks, paths_visit, p);
      read_source(s, blocks);
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
                                          extensions[w->style.form],
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
      fputs(w->style.form == ROWS_CSV
            ? "id,start,end,instrs,count,kind,edges,table\n" : "",
            w->style.out);
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

static void write_all(BlockWriter* w, const DcfgBlocks* blocks, const Paths* p,
                      uint64_t top)
{
   const DcfgBlockTable* dynamics = dcfg_blocks_dynamic(blocks);

   w->style.out = stdout;
   frame(w, "{\n", true);
   if (p == NULL || w->prefix != NULL) {
      write_table(w, dcfg_blocks_static(blocks), "sbb", true);
      if (dynamics != NULL) {
         frame(w, ",\n", true);
         write_table(w, dynamics, "dbb", false);
      }
   }
   if (p != NULL)
      write_paths(w, p, top, dcfg_blocks_instrs(blocks));
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
