/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the layouts of the graphs of a page. */

/* Owns: the places of blocks and edges.  Handed: the hottest routines.

   A routine whose graph is too large to be read gets a sketch of it: its hottest
   blocks and the loops around them.  All other blocks of such a loop are one node,
   and so is a loop without hot blocks.  The edges between two nodes are one edge.

   Several runs of Graphviz's dot share the routines.  Each writes its layouts
   in the format "plain", one graph after the other.  If dot fails at a graph,
   another run tries it without the frames of loops.  If that fails, too, the
   graph is left out, and the page lists its blocks. */

#include "cmd/view/view.h"

#include "cmd/page/graphviz.h"

#include <unistd.h>

#define MOST_BLOCKS  120        // a graph with more is hard to read
#define MOST_EDGES   300
#define MOST_HOT     48         // blocks in a sketch,
#define FEW_HOT      24         // blocks, if the routine has a share of the
#define LITTLE       0.001      // run that is below this one
#define HOT_SHARE    0.95       // hot blocks have this share of the routine's
                                // instructions, if they are not too many
#define LEAST_LOOP   0.005      // share of a loop that is a node in a sketch
#define MOST_RUNS    8          // at a time
#define SECONDS      60         // processor time of one run,
#define TRIAL_SECONDS 5         // and of the first, which draws nothing
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
   const char* fault;           // why dot cannot draw any graph, or NULL
   LayoutRun   runs[MOST_RUNS];
   uint32_t    n;               // runs; none with a fault
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
static bool is_whole(const RunView* view, uint32_t row)
{
   uint32_t edges = 0;

   for (uint32_t i = view->first[row]; i < view->first[row + 1]; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n);
      for (uint32_t k = 0; k < n; k++)
         edges += target_in(view, row, out[k]) != DCFG_NONE;
   }
   return n_nodes(view, row) <= MOST_BLOCKS && edges <= MOST_EDGES
          && view->p->routines[view->rows[row]].n_loops <= MOST_BLOCKS;
}

/*--- What is a node                                       ---*/

/* Sketch: the nodes of a routine's graph.  A node that stands for several blocks
   has the number of one of them, its leader. */
typedef
   struct {
      uint32_t  row;
      bool      whole;          // each block is a node
      uint32_t* node;           // by block of the row: its node, a block
      bool*     hot;            // likewise: it is a node of its own
      bool*     framed;         // by loop of the routine: it has a hot block
      bool*     large;          // likewise: hot enough to be a node
      uint32_t* leader;         // likewise: of its other blocks, or DCFG_NONE
      uint32_t  outside;        // leader of blocks in none of these loops
   }
   Sketch;

/* HotBlock: a block that may become a node of its own. */
typedef
   struct {
      uint64_t instrs;
      uint32_t block;
   }
   HotBlock;

COMPARE(by_instrs, HotBlock, DOWN(instrs) ?: UP(block))

/* Choose the hot blocks of S, and its entry. */
static void choose_hot(const RunView* view, Sketch* s)
{
   uint32_t           first = view->first[s->row], n = n_nodes(view, s->row);
   uint32_t           routine = view->rows[s->row];
   const DcfgRoutine* r = &view->p->routines[routine];
   HotBlock*          blocks = zalloc(n + (size_t)1, sizeof(*blocks));
   double             all = (double)dcfg_routine_instrs(view->p, routine,
                                                        DCFG_ALL_THREADS);
   double             run = (double)dcfg_process_instrs(view->p,
                                                        DCFG_ALL_THREADS);
   double             left = HOT_SHARE * all;
   uint32_t           most = all < LITTLE * run ? FEW_HOT : MOST_HOT;

   for (uint32_t i = 0; i < n; i++)
      blocks[i] = (HotBlock){ dcfg_node_instrs(view->p, view->blocks[first + i],
                                               DCFG_ALL_THREADS), i };
   qsort(blocks, n, sizeof(*blocks), by_instrs);
   for (uint32_t i = 0; i < n && i < most && left > 0; i++) {
      s->hot[blocks[i].block] = true;
      left -= (double)blocks[i].instrs;
   }
   if (r->entry < view->p->n_blocks && view->block[r->entry] != DCFG_NONE)
      s->hot[view->block[r->entry] - first] = true;
   free(blocks);
}

/* Return the place in S of the leader of block I, which is not hot: that of the
   innermost loop around it that is framed, or hot enough to be a node. */
static uint32_t* leader_of(const RunView* view, Sketch* s, uint32_t i)
{
   const DcfgProcess* p = view->p;
   const DcfgRoutine* r = &p->routines[view->rows[s->row]];
   uint32_t           found = DCFG_NONE;

   for (uint32_t l = p->nodes[view->blocks[i]].loop; l != DCFG_NONE;
        l = p->loops[l].parent) {
      if (p->loops[l].routine != view->rows[s->row])
         continue;
      if (s->framed[l - r->first_loop]) {
         if (found == DCFG_NONE)
            found = l;
         break;
      }
      if (s->large[l - r->first_loop])
         found = l;
   }
   return found == DCFG_NONE ? &s->outside : &s->leader[found - r->first_loop];
}

/* Return the nodes of ROW's graph. */
static Sketch sketch_new(const RunView* view, uint32_t row)
{
   const DcfgProcess* p = view->p;
   const DcfgRoutine* r = &p->routines[view->rows[row]];
   uint32_t           first = view->first[row], n = n_nodes(view, row);
   Sketch             s = { .row = row, .whole = is_whole(view, row),
                            .outside = DCFG_NONE };
   double             least = LEAST_LOOP * (double)dcfg_routine_instrs(
                                 p, view->rows[row], DCFG_ALL_THREADS);

   s.node   = zalloc(n + (size_t)1, sizeof(*s.node));
   s.hot    = zalloc(n + (size_t)1, sizeof(*s.hot));
   s.framed = zalloc(r->n_loops + (size_t)1, sizeof(*s.framed));
   s.large  = zalloc(r->n_loops + (size_t)1, sizeof(*s.large));
   s.leader = zalloc(r->n_loops + (size_t)1, sizeof(*s.leader));
   memset(s.leader, 0xFF, r->n_loops * sizeof(*s.leader));
   if (s.whole)
      memset(s.hot, 1, n * sizeof(*s.hot));
   else
      choose_hot(view, &s);
   for (uint32_t i = 0; i < r->n_loops && !s.whole; i++)
      s.large[i] = (double)dcfg_loop_instrs(p, r->first_loop + i,
                                            DCFG_ALL_THREADS) >= least;
   for (uint32_t i = 0; i < n; i++)
      for (uint32_t l = p->nodes[view->blocks[first + i]].loop;
           s.hot[i] && l != DCFG_NONE; l = p->loops[l].parent)
         if (p->loops[l].routine == view->rows[row])
            s.framed[l - r->first_loop] = true;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t* leader = s.hot[i] ? NULL : leader_of(view, &s, first + i);
      if (leader != NULL && *leader == DCFG_NONE)
         *leader = first + i;
      s.node[i] = leader != NULL ? *leader : first + i;
   }
   return s;
}

static void sketch_free(Sketch* s)
{
   FREE_ALL(s->node, s->hot, s->framed, s->large, s->leader);
}

/* Write the leaders of S, each with its loop, or -1. */
static void put_leaders(const RunView* view, FILE* out, const Sketch* s)
{
   const DcfgRoutine* r = &view->p->routines[view->rows[s->row]];
   bool               first = true;

   for (uint32_t i = 0; i < r->n_loops; i++)
      if (s->leader[i] != DCFG_NONE) {
         page_between(out, first);
         fprintf(out, "%" PRIu32 ",%" PRIu32, s->leader[i], r->first_loop + i);
         first = false;
      }
   if (s->outside != DCFG_NONE) {
      page_between(out, first);
      fprintf(out, "%" PRIu32 ",-1", s->outside);
   }
}

/*--- Input for dot: nodes, edges, frames                  ---*/

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

/* Put the box of block I's node, which stands for several blocks. */
static void put_group(FILE* dot, uint32_t i)
{
   fprintf(dot, "n%" PRIu32 " [width=%.2f, height=%.2f];\n", i,
           (26 * LETTER + 12) / POINTS, (2 * LINE + 8) / POINTS);
}

/* Put a frame around the blocks of LOOP, with frames for its inner loops in it.
   DONE has the blocks that are in a frame. */
static void put_frame(const RunView* view, const Sketch* s, FILE* dot,
                      uint32_t loop, bool* done)
{
   const DcfgLoop*    l = &view->p->loops[loop];
   const DcfgRoutine* r = &view->p->routines[l->routine];
   uint32_t           first = view->first[s->row];
   uint32_t           n;
   const uint32_t*    nodes = dcfg_loop_nodes(view->p, loop, &n);

   if (!s->framed[loop - r->first_loop])
      return;
   fprintf(dot, "subgraph cluster_%" PRIu32 " { margin=10; label=\"x\";\n",
           loop);
   for (uint32_t i = 0; i < r->n_loops; i++)
      if (view->p->loops[r->first_loop + i].parent == loop)
         put_frame(view, s, dot, r->first_loop + i, done);
   for (uint32_t i = 0; i < n; i++) {
      uint32_t block = nodes[i] < view->p->n_blocks ? view->block[nodes[i]]
                       : DCFG_NONE;
      if (block == DCFG_NONE || block < first
          || block >= view->first[s->row + 1])
         continue;
      block = s->node[block - first];
      if (done[block - first])
         continue;
      done[block - first] = true;
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

/* Line: the edges from one node to another: their count, and whether each is a
   back edge. */
typedef
   struct {
      uint32_t from, to;
      uint64_t count;
      bool     is_back;
   }
   Line;

COMPARE(by_nodes, Line, UP(from) ?: UP(to))

/* Return the *N lines of S, by their nodes, to be freed.  Edges within a node
   that stands for several blocks are none. */
static Line* lines_of(const RunView* view, const Sketch* s, size_t* n)
{
   uint32_t first = view->first[s->row];
   Line*    lines = NULL;
   size_t   all = 0, room = 0;

   for (uint32_t i = first; i < view->first[s->row + 1]; i++) {
      uint32_t        n_out;
      const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n_out);
      for (uint32_t k = 0; k < n_out; k++) {
         uint32_t to = target_in(view, s->row, out[k]);
         Line     l = { s->node[i - first], to, 0, is_back(view->p, out[k]) };
         if (to == DCFG_NONE)
            continue;
         l.to    = s->node[to - first];
         l.count = dcfg_edge_count(view->p, out[k], DCFG_ALL_THREADS);
         if (l.from == l.to && !s->hot[l.from - first])
            continue;
         GROW(lines, all, room);
         lines[all++] = l;
      }
   }
   if (all > 0 && !s->whole)
      qsort(lines, all, sizeof(*lines), by_nodes);
   *n = 0;
   for (size_t i = 0; i < all; i++)
      if (*n > 0 && !s->whole && by_nodes(&lines[*n - 1], &lines[i]) == 0) {
         add_count(&lines[*n - 1].count, lines[i].count);
         lines[*n - 1].is_back &= lines[i].is_back;
      } else {
         lines[(*n)++] = lines[i];
      }
   return lines;
}

/* Return whether the labels of lines from LINES[I]'s node have shares: if at
   least two of the N lines from there were taken. */
static bool has_share(const Line* lines, size_t n, size_t i)
{
   uint32_t ways = 0;
   size_t   from = i;

   while (from > 0 && lines[from - 1].from == lines[i].from)
      from--;
   for (size_t k = from; k < n && lines[k].from == lines[i].from; k++)
      ways += lines[k].count > 0;
   return ways > 1;
}

static void put_lines(const RunView* view, const Sketch* s, FILE* dot)
{
   size_t n;
   Line*  lines = lines_of(view, s, &n);

   for (size_t i = 0; i < n; i++) {
      fprintf(dot, "n%" PRIu32 " -> n%" PRIu32 " [label=\" %s%s \"%s];\n",
              lines[i].from, lines[i].to, text_rounded(lines[i].count),
              has_share(lines, n, i) ? " 100%" : "",
              lines[i].is_back ? ", constraint=false" : "");
      text_forget();
   }
   free(lines);
}

static void put_graph(const RunView* view, FILE* dot, uint32_t row, bool plain)
{
   const DcfgRoutine* r = &view->p->routines[view->rows[row]];
   uint32_t           first = view->first[row];
   Sketch             s = sketch_new(view, row);
   bool*              done = zalloc(n_nodes(view, row) + (size_t)1,
                                    sizeof(bool));

   fputs("digraph g {\nnode [shape=box, fixedsize=true, label=\"\"];\n"
         "edge [fontname=\"Courier\", fontsize=10];\n"
         "graph [ranksep=0.4, nodesep=0.35];\n", dot);
   /* Name the entry first: dot puts that block at the top. */
   if (r->entry < view->p->n_blocks && view->block[r->entry] != DCFG_NONE)
      fprintf(dot, "n%" PRIu32 ";\n", view->block[r->entry]);
   for (uint32_t i = first; i < view->first[row + 1]; i++)
      if (s.hot[i - first])
         put_box(view, dot, i);
      else if (s.node[i - first] == i)
         put_group(dot, i);
   for (uint32_t i = 0; !plain && i < r->n_loops; i++)
      if (view->p->loops[r->first_loop + i].parent == DCFG_NONE)
         put_frame(view, &s, dot, r->first_loop + i, done);
   put_lines(view, &s, dot);
   fputs("}\n", dot);
   free(done);
   sketch_free(&s);
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

/* Read the graph of ROW from F, and write it to the page as [row, width, height,
   [block, x, y, width, height, ..], [edges], [leaders of a sketch]].  x and y are
   the middle of a block.  Return false if there is no graph, or it is not
   complete. */
static bool read_graph(const RunView* view, FILE* f, uint32_t row, bool first)
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
   fputs(edges ? "]" : "],[]", g.out);
   fclose(g.out);
   if (good) {
      Sketch s = sketch_new(view, row);
      page_between(view->out, first);
      fwrite(g.text, 1, g.size, view->out);
      fputs(s.whole ? "" : ",[", view->out);
      put_leaders(view, view->out, &s);
      fputs(s.whole ? "]" : "]]", view->out);
      sketch_free(&s);
   }
   FREE_ALL(g.text, line);
   return good;
}

/*--- Runs                                                 ---*/

/* Start a run of dot for the graphs that R has not laid out yet. */
static void start(const RunView* view, LayoutRun* r)
{
   r->dot = graphviz_new();
   for (uint32_t i = r->next; i < view->n_hot; i += r->step) {
      put_graph(view, r->dot.in, i, r->plain);
      if (r->plain)
         break;
   }
   graphviz_start(&r->dot, "-Tplain", true, SECONDS);
   r->running = true;
}

static bool take_graph(const RunView* view, LayoutRun* r, bool* first)
{
   bool good = read_graph(view, r->dot.out, r->next, *first);

   *first = *first && !good;
   return good;
}

/* Read the graphs that R has laid out.  .next becomes the graph that dot failed
   at, to be tried without frames; if it was without frames, the one behind
   it. */
static void finish(const RunView* view, LayoutRun* r, bool* first)
{
   graphviz_end(&r->dot);
   r->running = false;
   if (r->plain) {
      take_graph(view, r, first);
      r->next += r->step;
      r->plain = false;
   } else {
      while (r->next < view->n_hot && take_graph(view, r, first))
         r->next += r->step;
      r->plain = r->next < view->n_hot;
   }
   graphviz_free(&r->dot);
}

/* Return why dot cannot draw any graph, or NULL. */
static const char* find_fault(void)
{
   Graphviz    g = graphviz_new();
   const char* fault = NULL;

   fputs("graph {}\n", g.in);
   graphviz_start(&g, "-Tplain", true, TRIAL_SECONDS);
   if (!graphviz_end(&g))
      fault = g.missing ? "there is no program dot" : "the program dot fails";
   graphviz_free(&g);
   return fault;
}

Layout* view_layout_start(const RunView* view)
{
   Layout* l = zalloc(1, sizeof(*l));
   long    n = sysconf(_SC_NPROCESSORS_ONLN);

   l->fault = find_fault();
   l->n = l->fault != NULL ? 0 : n < 1 ? 1 : n > MOST_RUNS ? MOST_RUNS
          : (uint32_t)n;
   for (uint32_t i = 0; i < l->n; i++) {
      l->runs[i] = (LayoutRun){ .next = i, .step = l->n };
      if (i < view->n_hot)
         start(view, &l->runs[i]);
   }
   return l;
}

void view_layout_end(const RunView* view, Layout* l)
{
   bool first = true;

   page_column(view->out, "graphs");
   for (uint32_t i = 0; i < l->n; i++)
      while (l->runs[i].running) {
         finish(view, &l->runs[i], &first);
         if (l->runs[i].next < view->n_hot)
            start(view, &l->runs[i]);
      }
   putc(']', view->out);
   if (l->fault != NULL)
      complain("%s: the page lists blocks in place of graphs, which need "
               "Graphviz (on Debian, the package graphviz)", l->fault);
   free(l);
}
