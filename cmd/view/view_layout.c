/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the layouts of the graphs of a page. */

/* Owns: the places of blocks and edges.  Handed: the hottest routines.

   Several runs of Graphviz's dot share the routines.  Each writes its layouts
   in the format "plain", one graph after the other.  If dot fails at a graph,
   another run tries it without the frames of loops.  If that fails, too, the
   graph is left out, and the page lists its blocks. */

#include "cmd/view/view.h"

#include "cmd/page/graphviz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BLOCKS  120        // a graph with more is hard to read
#define MOST_EDGES   300
#define MOST_RUNS    8          // at a time
#define SECONDS      60         // processor time of one run
#define LETTER       6.7        // points: a letter in a box,
#define LINE         14.0       // and a line
#define POINTS       72.0       // an inch

/* LayoutRun: routines that one run of dot lays out: rows .next, .next + .step
   and so on. */
typedef
   struct {
      Graphviz dot;
      uint32_t next, step;
      bool     plain;           // only .next, without frames
      bool     running;
   }
   LayoutRun;

struct Layout {
   LayoutRun runs[MOST_RUNS];
   uint32_t  n;
};

/*--- Input for dot                                        ---*/

static uint32_t n_nodes(const RunView* view, uint32_t row)
{
   return view->first[row + 1] - view->first[row];
}

/* Return the number of the block that EDGE leads to within ROW; DCFG_NONE if
   the edge leaves the routine. */
static uint32_t target_in(const RunView* view, uint32_t row, uint32_t edge)
{
   const DcfgEdge* e = &view->p->edges[edge];

   return e->target < view->p->n_blocks && dcfg_is_local(e->type)
          && view->p->nodes[e->target].routine == view->rows[row]
          ? view->block[e->target] : DCFG_NONE;
}

/* Return whether the graph of ROW is small enough to be read. */
static bool is_drawn(const RunView* view, uint32_t row)
{
   uint32_t edges = 0;

   for (uint32_t i = view->first[row]; i < view->first[row + 1]; i++) {
      uint32_t n;
      dcfg_out_edges(view->p, view->blocks[i], &n);
      edges += n;
   }
   return n_nodes(view, row) <= MOST_BLOCKS && edges <= MOST_EDGES
          && view->p->routines[view->rows[row]].n_loops <= MOST_BLOCKS;
}

/* Return whether block I calls or returns, so that its box has one more
   line. */
static bool has_calls(const RunView* view, uint32_t i)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n);

   for (uint32_t k = 0; k < n; k++)
      if (dcfg_is_call(view->p->edges[out[k]].type)
          || view->p->edges[out[k]].type == DCFG_EDGE_RETURN)
         return true;
   return false;
}

static void put_box(const RunView* view, FILE* dot, uint32_t i)
{
   const DcfgNode* n = &view->p->nodes[view->blocks[i]];
   size_t          first = text_width(node_source(&view->g, view->blocks[i]))
                           + 8;
   size_t          second = text_width(text_count(dcfg_node_executions(
                                          view->p, view->blocks[i],
                                          DCFG_ALL_THREADS)))
                            + text_width(text_count(n->n_instrs)) + 12;
   size_t          letters = first > second ? first : second;
   bool            calls = has_calls(view, i);

   if (calls && letters < 24)
      letters = 24;
   if (letters > 40)
      letters = 40;
   fprintf(dot, "n%" PRIu32 " [width=%.2f, height=%.2f];\n", i,
           ((double)letters * LETTER + 12) / POINTS,
           ((calls ? 3 : 2) * LINE + (view->old != NULL ? LINE : 0)
            + 8) / POINTS);
   text_forget();
}

/* Put a frame around the blocks of LOOP, with frames for its inner loops in it.
   DONE has the blocks that are in a frame. */
static void put_frame(const RunView* view, FILE* dot, uint32_t loop, bool* done)
{
   const DcfgLoop*    l = &view->p->loops[loop];
   const DcfgRoutine* r = &view->p->routines[l->routine];
   uint32_t           n;
   const uint32_t*    nodes = dcfg_loop_nodes(view->p, loop, &n);

   fprintf(dot, "subgraph cluster_%" PRIu32 " { margin=10; label=\"x\";\n",
           loop);
   for (uint32_t i = 0; i < r->n_loops; i++)
      if (view->p->loops[r->first_loop + i].parent == loop)
         put_frame(view, dot, r->first_loop + i, done);
   for (uint32_t i = 0; i < n; i++) {
      uint32_t block = nodes[i] < view->p->n_blocks ? view->block[nodes[i]]
                       : DCFG_NONE;
      uint32_t row = view->row[l->routine];
      if (block == DCFG_NONE || block < view->first[row]
          || block >= view->first[row + 1] || done[block - view->first[row]])
         continue;
      done[block - view->first[row]] = true;
      fprintf(dot, "n%" PRIu32 ";\n", block);
   }
   fputs("}\n", dot);
}

/* Return whether EDGE is a back edge, which dot must not use to decide which
   block stands above another. */
static bool is_back(const DcfgProcess* process, uint32_t edge)
{
   uint32_t loop = dcfg_loop_by_head(process, process->edges[edge].target);

   return loop != DCFG_NONE
          && dcfg_loop_contains(process, loop, process->edges[edge].source);
}

/* Return whether the labels of block I's edges have shares: if at least two
   edges within the routine were taken. */
static bool has_share(const RunView* view, uint32_t i)
{
   uint32_t        n, ways = 0;
   const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n);

   for (uint32_t k = 0; k < n; k++)
      ways += dcfg_is_local(view->p->edges[out[k]].type)
              && dcfg_edge_count(view->p, out[k], DCFG_ALL_THREADS) > 0;
   return ways > 1;
}

static void put_graph(const RunView* view, FILE* dot, uint32_t row, bool plain)
{
   const DcfgRoutine* r = &view->p->routines[view->rows[row]];
   bool*              done = zalloc(n_nodes(view, row) + (size_t)1,
                                    sizeof(bool));

   fputs("digraph g {\nnode [shape=box, fixedsize=true, label=\"\"];\n"
         "edge [fontname=\"Courier\", fontsize=10];\n"
         "graph [ranksep=0.4, nodesep=0.35];\n", dot);
   /* Name the entry first: dot puts that block at the top. */
   if (r->entry < view->p->n_blocks && view->block[r->entry] != DCFG_NONE)
      fprintf(dot, "n%" PRIu32 ";\n", view->block[r->entry]);
   for (uint32_t i = view->first[row]; i < view->first[row + 1]; i++)
      put_box(view, dot, i);
   for (uint32_t i = 0; !plain && i < r->n_loops; i++)
      if (view->p->loops[r->first_loop + i].parent == DCFG_NONE)
         put_frame(view, dot, r->first_loop + i, done);
   for (uint32_t i = view->first[row]; i < view->first[row + 1]; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n);
      for (uint32_t k = 0; k < n; k++) {
         uint32_t to = target_in(view, row, out[k]);
         uint64_t count = dcfg_edge_count(view->p, out[k], DCFG_ALL_THREADS);
         if (to != DCFG_NONE)
            fprintf(dot, "n%" PRIu32 " -> n%" PRIu32 " [label=\" %s%s \"%s];\n",
                    i, to, text_rounded(count), has_share(view, i)
                    ? " 100%" : "",
                    is_back(view->p, out[k]) ? ", constraint=false" : "");
      }
      text_forget();
   }
   fputs("}\n", dot);
   free(done);
}

/*--- Output of dot                                        ---*/

/* Graph: the page's form of a layout that is being read. */
typedef
   struct {
      FILE*  out;               // into memory
      char*  text;
      size_t size;
   }
   Graph;

static int points(double inches)
{
   return (int)(inches * POINTS + 0.5);
}

/* Read N numbers at *AT into X, and move *AT behind them.  Return false if
   there are fewer. */
static bool read_numbers(char** at, double* x, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      char* end;
      x[i] = strtod(*at, &end);
      if (end == *at)
         return false;
      *at = end;
   }
   return true;
}

/* Read a block's name at *AT, "n" and a number. */
static bool read_name(char** at, unsigned long* number)
{
   char* end;

   while (**at == ' ')
      ++*at;
   if (**at != 'n')
      return false;
   *number = strtoul(*at + 1, &end, 10);
   *at     = end;
   return true;
}

/* Read the line "edge TAIL HEAD N X1 Y1 .. XN YN [LABEL X Y] STYLE COLOUR" of
   dot, AT being behind "edge".  Append [tail, head, label's x and y, x1, y1,
   ..] to G, with 0, 0 for an edge without label.  HEIGHT is the graph's, for
   dot counts y from below.  Return false if the line is malformed. */
static bool read_edge(char* at, Graph* g, bool first, double height)
{
   unsigned long tail, head;
   double        n, x[2], label[2] = { 0, height };
   char*         rest;

   if (!read_name(&at, &tail) || !read_name(&at, &head)
       || !read_numbers(&at, &n, 1) || n < 1 || n > 10000)
      return false;
   page_between(g->out, first);
   fprintf(g->out, "[%lu,%lu", tail, head);
   rest = at;
   for (unsigned i = 0; i < (unsigned)n; i++)
      if (!read_numbers(&rest, x, 2))
         return false;
   while (*rest == ' ')
      rest++;
   if (*rest == '"') {
      rest += 1 + strcspn(rest + 1, "\"");
      rest += *rest == '"';
      if (!read_numbers(&rest, label, 2))
         return false;
   }
   fprintf(g->out, ",%d,%d", points(label[0]), points(height - label[1]));
   for (unsigned i = 0; i < (unsigned)n; i++) {
      if (!read_numbers(&at, x, 2))
         return false;
      fprintf(g->out, ",%d,%d", points(x[0]), points(height - x[1]));
   }
   putc(']', g->out);
   return true;
}

/* Read one graph from F, and write it to OUT as [row, width, height, [block, x,
   y, width, height, ..], [edges]].  x and y are the middle of a block.  Return
   false if there is no graph, or it is not complete. */
static bool read_graph(FILE* f, uint32_t row, FILE* out, bool first)
{
   Graph  g = { .text = NULL };
   char*  line = NULL;
   size_t room = 0;
   double x[4], height = 0;
   bool   good = false, any = false, edges = false;

   g.out = need(open_memstream(&g.text, &g.size));
   while (getline(&line, &room, f) > 0) {
      unsigned long block;
      char*         at = strchr(line, ' ');
      if (strncmp(line, "stop", 4) == 0) {
         good = any;
         break;
      }
      if (at == NULL)
         break;
      if (strncmp(line, "graph ", 6) == 0) {
         if (!read_numbers(&at, x, 3))
            break;
         height = x[2];
         fprintf(g.out, "[%" PRIu32 ",%d,%d,[", row, points(x[1]),
                 points(x[2]));
      } else if (strncmp(line, "node ", 5) == 0) {
         if (!read_name(&at, &block) || !read_numbers(&at, x, 4))
            break;
         fprintf(g.out, "%s%lu,%d,%d,%d,%d", any ? "," : "", block,
                 points(x[0]), points(height - x[1]), points(x[2]),
                 points(x[3]));
         any = true;
      } else if (strncmp(line, "edge ", 5) == 0) {
         if (!edges)
            fputs("],[", g.out);
         if (!read_edge(at, &g, !edges, height))
            break;
         edges = true;
      }
   }
   fputs(edges ? "]]" : "],[]]", g.out);
   fclose(g.out);
   if (good) {
      page_between(out, first);
      fwrite(g.text, 1, g.size, out);
   }
   free(g.text);
   free(line);
   return good;
}

/*--- Runs                                                 ---*/

/* Start a run of dot for the graphs that R has not laid out yet. */
static void start(const RunView* view, LayoutRun* r)
{
   r->dot = graphviz_new();
   for (uint32_t i = r->next; i < view->n_hot; i += r->step) {
      if (is_drawn(view, i))
         put_graph(view, r->dot.in, i, r->plain);
      if (r->plain)
         break;
   }
   graphviz_start(&r->dot, "-Tplain", true, SECONDS);
   r->running = true;
}

static bool take_graph(const RunView* view, LayoutRun* r, bool* first)
{
   bool good = read_graph(r->dot.out, r->next, view->out, *first);

   *first = *first && !good;
   return good;
}

/* Read the graphs that R has laid out.  .next becomes the graph that dot failed
   at, to be tried without frames; if it was without frames, the one behind it.
   Return false if there is no program dot. */
static bool finish(const RunView* view, LayoutRun* r, bool* first)
{
   bool there;

   graphviz_end(&r->dot);
   there      = !r->dot.missing;
   r->running = false;
   if (!there) {
      r->next = view->n_hot;
   } else if (r->plain) {
      take_graph(view, r, first);
      r->next += r->step;
      r->plain = false;
   } else {
      while (r->next < view->n_hot
             && (!is_drawn(view, r->next) || take_graph(view, r, first)))
         r->next += r->step;
      r->plain = r->next < view->n_hot;
   }
   graphviz_free(&r->dot);
   return there;
}

Layout* view_layout_start(const RunView* view)
{
   Layout* l = zalloc(1, sizeof(*l));
   long    n = sysconf(_SC_NPROCESSORS_ONLN);

   l->n = n < 1 ? 1 : n > MOST_RUNS ? MOST_RUNS : (uint32_t)n;
   for (uint32_t i = 0; i < l->n; i++) {
      l->runs[i] = (LayoutRun){ .next = i, .step = l->n };
      if (i < view->n_hot)
         start(view, &l->runs[i]);
   }
   return l;
}

void view_layout_end(const RunView* view, Layout* l)
{
   bool first = true, there = true;

   page_column(view->out, "graphs");
   for (uint32_t i = 0; i < l->n; i++)
      while (l->runs[i].running) {
         there = finish(view, &l->runs[i], &first) && there;
         if (l->runs[i].next < view->n_hot)
            start(view, &l->runs[i]);
      }
   putc(']', view->out);
   free(l);
   if (!there)
      complain("there is no program dot: the page lists blocks in place of "
               "graphs, which need Graphviz (on Debian, the package graphviz)");
}
