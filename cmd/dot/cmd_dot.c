/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg dot: pictures of a routine, or of the calls. */

/* Owns: the subcommand dot: its command line, both drawings, and their way
   through Graphviz.  Handed: a command line.

   In the drawing of a routine, blocks are boxes, redder for a larger share of
   the routine's instructions.  Loops are frames around their blocks.  Edges are
   thicker the more frequent they are.  A call is a dashed line to the return
   site, with the callee's name.

   If the run has recorded calls, the drawing of the calls has the functions that
   cost most with what they called, and what each call cost altogether.  Else
   the drawing of the calls has the hottest routines, and for each of them
   its most frequent caller, up to the program's begin. */

#include "cmd/commands.h"

#include "cmd/base/terminal.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/calls/called.h"
#include "cmd/program/code.h"
#include "cmd/page/graphviz.h"

/* Drawing: the program, the options and the output of a drawing. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      FILE*              out;
      uint32_t           thread;
      double             min;           // percent; parts below are left out;
                                        // negative for a routine: automatic
      int                plain;         // left to Graphviz: 1: the vertical
                                        // order; 2: also no frames for loops
      uint64_t           hot;           // blocks around a routine's hottest
                                        // one; 0: all
      const Selection*   selected;      // the hottest one is among these
      Code*              code;          // NULL: without instructions
      uint64_t           top;           // routines in a call graph; 0: all
   }
   Drawing;

typedef
   struct {
      Drawing*           d;
      const DcfgProcess* p;
      FILE*              out;
      uint32_t           routine;
      const uint32_t*    nodes;
      uint32_t           n_nodes;
      uint64_t           total;         // the routine's instructions
      uint64_t           hottest;       // the largest number of a block
      uint64_t           busiest;       // the largest count of an edge
      uint32_t           hidden;        // blocks left out
      uint64_t           cold;          // instructions of these blocks
      bool*              shown;         // by node - nodes[0]
      bool*              done;
   }
   RoutineDrawing;

/*--- A routine's blocks                                   ---*/

static uint64_t instrs_of(const RoutineDrawing* w, uint32_t node)
{
   return dcfg_node_instrs(w->p, node, w->d->thread);
}

static bool is_shown(const RoutineDrawing* w, uint32_t node)
{
   return node < w->p->n_blocks && w->p->nodes[node].routine == w->routine
          && w->shown[node - w->nodes[0]];
}

static void put_instr(void* arg, const Instr* i)
{
   RoutineDrawing* w = arg;

   dot_text(w->out, text_shorten(text_clean(i->text), 60));
   fputs("\\l", w->out);
}

/* Return the source lines of a block: "file.c:12-15". */
static const char* source_lines(const RoutineDrawing* w, uint32_t node)
{
   const DcfgNode*   n = &w->p->nodes[node];
   uint32_t          first = dcfg_source_at(w->p, n->image, n->addr);
   uint32_t          last = dcfg_source_at(w->p, n->image,
                                           n->addr + n->last_offset);
   const char*       text = node_source(&w->d->g, node);
   const DcfgSource* a;
   const DcfgSource* b;

   if (first == DCFG_NONE || last == DCFG_NONE)
      return text;
   a = &w->p->sources[first];
   b = &w->p->sources[last];
   return a->file != b->file || b->line <= a->line ? text
          : text_format("%s-%" PRIu32, text, b->line);
}

static bool returns(const RoutineDrawing* w, uint32_t node)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(w->p, node, &n);

   for (uint32_t i = 0; i < n; i++)
      if (w->p->edges[out[i]].type == DCFG_EDGE_RETURN
          && dcfg_edge_count(w->p, out[i], w->d->thread) > 0)
         return true;
   return false;
}

static void draw_block(RoutineDrawing* w, uint32_t node, int indent)
{
   const DcfgNode* n = &w->p->nodes[node];
   uint64_t        instrs = instrs_of(w, node);
   uint64_t        runs = dcfg_node_executions(w->p, node, w->d->thread);
   uint64_t        entry = w->p->nodes[w->p->routines[w->routine].entry].addr;
   const char*     source = source_lines(w, node);

   w->done[node - w->nodes[0]] = true;
   fprintf(w->out, "%*sn%" PRIu32 " [label=\"", indent, "", n->id);
   if (source[0] != 0) {
      dot_text(w->out, source);
      fputs("\\n", w->out);
   }
   fprintf(w->out, "%s0x%" PRIx64 "\\n", n->addr >= entry ? "+" : "-",
           n->addr >= entry ? n->addr - entry : entry - n->addr);
   fprintf(w->out, "%s x %" PRIu32 " instr%s\\n", text_rounded(runs),
           n->n_instrs, n->n_instrs == 1 ? "" : "s");
   fprintf(w->out, "%s", text_share(instrs, w->total));
   if (returns(w, node))
      fputs("\\nreturn", w->out);
   if (w->d->code != NULL) {
      fputs("\\n\\n", w->out);
      code_block(w->d->code, node, put_instr, w);
   }
   fprintf(w->out, "\", fillcolor=\"%s\", fontcolor=\"%s\", tooltip=\"block %"
           PRIu32 " at 0x%" PRIx64 ": %s executions, %s instructions\"",
           heat_colour(instrs, w->hottest), ink_colour(instrs, w->hottest),
           n->id, n->addr, text_count(runs), text_count(instrs));
   if (returns(w, node))
      fputs(", peripheries=2", w->out);
   fputs("];\n", w->out);
   text_forget();
}

/*--- Loops                                                ---*/

/* Return whether a block of the loop is shown. */
static bool is_loop_shown(const RoutineDrawing* w, uint32_t loop)
{
   uint32_t        n;
   const uint32_t* nodes = dcfg_loop_nodes(w->p, loop, &n);

   for (uint32_t i = 0; i < n; i++)
      if (is_shown(w, nodes[i]))
         return true;
   return false;
}

/* Draw a loop, inner loops first, so that each block is drawn in its innermost
   loop. */
static void draw_loop(RoutineDrawing* w, uint32_t loop)
{
   static const char* const shade[] = {
      "#f4f7fb", "#e6edf6", "#d7e2f0", "#c8d7ea"
   };
   const DcfgRoutine* r = &w->p->routines[w->routine];
   const DcfgLoop*    l = &w->p->loops[loop];
   uint64_t           instrs = dcfg_loop_instrs(w->p, loop, w->d->thread);
   uint64_t           entries = dcfg_loop_entries(w->p, loop, w->d->thread);
   uint64_t           turns = dcfg_loop_iterations(w->p, loop, w->d->thread);
   uint32_t           n, depth = l->depth > 4 ? 4 : l->depth;
   const uint32_t*    nodes = dcfg_loop_nodes(w->p, loop, &n);
   int                indent = (int)(l->depth < 20 ? l->depth : 20) * 2;
   double             per = entries == 0 ? 0
                            : (double)turns / (double)entries;

   fprintf(w->out, "%*ssubgraph cluster_%" PRIu32 " {\n%*s  label=\"loop  %s"
           "\\l%s entr%s x %s iterations\\l\"; labeljust=l; style=\"filled,"
           "rounded\"; fillcolor=\"%s\"; color=\"%s\"; penwidth=%.1f; "
           "fontsize=10; tooltip=\"%s iterations, %s instructions\";\n",
           indent, "", w->p->nodes[l->head].id, indent, "",
           text_share(instrs, w->total), text_rounded(entries),
           entries == 1 ? "y" : "ies", per < 100 && entries > 1
           ? text_format("%.1f", per) : text_rounded((uint64_t)(per + 0.5)),
           depth == 0 ? shade[0] : shade[depth - 1],
           heat_colour(instrs, w->total),
           1 + 3 * (double)instrs / (double)(w->total + 1),
           text_count(turns), text_count(instrs));
   for (uint32_t i = 0; i < r->n_loops; i++)
      if (w->p->loops[r->first_loop + i].parent == loop
          && is_loop_shown(w, r->first_loop + i))
         draw_loop(w, r->first_loop + i);
   for (uint32_t i = 0; i < n; i++)
      if (is_shown(w, nodes[i]) && !w->done[nodes[i] - w->nodes[0]])
         draw_block(w, nodes[i], indent + 2);
   fprintf(w->out, "%*s}\n", indent, "");
}

/*--- Edges                                                ---*/

/* Return the most frequent callee of a block, and the number of others. */
static const char* callee_of(const RoutineDrawing* w, uint32_t node,
                             uint64_t* calls)
{
   uint32_t        n, best = DCFG_NONE, others = 0;
   const uint32_t* out = dcfg_out_edges(w->p, node, &n);
   uint64_t        most = 0;

   *calls = 0;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &w->p->edges[out[i]];
      uint64_t        count = dcfg_edge_count(w->p, out[i], w->d->thread);
      if ((!dcfg_is_call(e->type) && e->type != DCFG_EDGE_CONTEXT_CHANGE)
          || count == 0)
         continue;
      add_count(calls, count);
      others++;
      if (count > most) {
         most = count;
         best = e->target;
      }
   }
   if (best == DCFG_NONE)
      return NULL;
   return others == 1 ? text_shorten(text_brief(node_name(&w->d->g, best)), 30)
          : text_format("%s, %" PRIu32 " other%s",
                        text_shorten(text_brief(node_name(&w->d->g, best)),
                                     24), others - 1,
                        others == 2 ? "" : "s");
}

static void draw_line(RoutineDrawing* w, const char* label, uint64_t count,
                      const char* colour, const char* style, bool back)
{
   fputs(" [label=\" ", w->out);
   if (label != NULL) {
      dot_text(w->out, label);
      fputs("\\n ", w->out);
   }
   fprintf(w->out, "%s \", color=\"%s\", fontcolor=\"%s\", style=\"%s\", "
           "penwidth=%.1f, tooltip=\"%s\"%s];\n", text_rounded(count), colour,
           colour, style, line_width(count, w->busiest), text_count(count),
           back ? ", dir=back" : "");
}

static void draw_edge(RoutineDrawing* w, uint32_t edge)
{
   const DcfgEdge* e = &w->p->edges[edge];
   const DcfgNode* s = &w->p->nodes[e->source];
   const DcfgNode* t = &w->p->nodes[e->target];
   uint64_t        count = dcfg_edge_count(w->p, edge, w->d->thread);
   uint32_t        loop = dcfg_loop_by_head(w->p, e->target);
   bool            back = loop != DCFG_NONE
                          && dcfg_loop_contains(w->p, loop, e->source);
   bool            turned;
   const char*     label = NULL;
   const char*     colour = "#2b5f9e";
   const char*     style = "solid";

   switch (e->type) {
      case DCFG_EDGE_CALL_BYPASS: case DCFG_EDGE_CONTEXT_CHANGE_BYPASS: {
         uint64_t calls;
         label = callee_of(w, e->source, &calls);
         if (label != NULL && e->type == DCFG_EDGE_CALL_BYPASS)
            label = text_format("call %s", label);
         else
            label = "signal";
         count = count > 0 ? count : calls;
         colour = "#6b4c9a";
         style = "dashed";
         break;
      }
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
         label = "system call";
         colour = "#6b4c9a";
         style = "dashed";
         break;
      case DCFG_EDGE_FALL_THROUGH:
         colour = "#555555";
         break;
      case DCFG_EDGE_REP:
         label = "rep";
         break;
      case DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH:
         label = "indirect";
         break;
      case DCFG_EDGE_EXCLUDED_CODE_BYPASS:
         label = "excluded";
         style = "dotted";
         break;
      default:
         break;
   }
   if (count == 0)
      return;
   if (back && e->type != DCFG_EDGE_CALL_BYPASS)
      colour = "#c0392b";
   /* Graphviz draws from top to bottom, and a loop's head belongs at the
      top. */
   turned = back && w->d->plain == 0;
   fprintf(w->out, "  n%" PRIu32 " -> n%" PRIu32, turned ? t->id : s->id,
           turned ? s->id : t->id);
   draw_line(w, label, count, colour, style, turned);
   text_forget();
}

/* Draw an edge out of the routine: a jump, or a call that never returned. */
static void draw_exit(RoutineDrawing* w, uint32_t edge)
{
   const DcfgEdge* e = &w->p->edges[edge];
   uint64_t        count = dcfg_edge_count(w->p, edge, w->d->thread);
   bool            end = e->type == DCFG_EDGE_EXIT;
   uint32_t        n;
   const uint32_t* out;

   if (count == 0 || e->type == DCFG_EDGE_RETURN
       || e->type == DCFG_EDGE_CONTEXT_CHANGE
       || e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN)
      return;
   if (dcfg_is_call(e->type)) {
      /* If it returned, or a jump has the same ends, there is a line
         already. */
      out = dcfg_out_edges(w->p, e->source, &n);
      for (uint32_t i = 0; i < n; i++)
         if (w->p->edges[out[i]].type == DCFG_EDGE_CALL_BYPASS)
            return;
   }
   fprintf(w->out, "  x%" PRIu32 " [shape=plaintext, style=\"\", "
           "fontcolor=\"#6b4c9a\", label=\"", e->id);
   dot_text(w->out, end ? "END"
            : text_shorten(text_brief(node_name(&w->d->g, e->target)), 30));
   fprintf(w->out, "\"];\n  n%" PRIu32 " -> x%" PRIu32,
           w->p->nodes[e->source].id, e->id);
   draw_line(w, dcfg_is_call(e->type) ? "call" : NULL, count, "#6b4c9a",
             dcfg_is_call(e->type) ? "dashed" : "solid", false);
   text_forget();
}

static void draw_edges(RoutineDrawing* w)
{
   for (uint32_t i = 0; i < w->n_nodes; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(w->p, w->nodes[i], &n);
      if (!is_shown(w, w->nodes[i]))
         continue;
      for (uint32_t k = 0; k < n; k++) {
         const DcfgEdge* e = &w->p->edges[out[k]];
         if (is_shown(w, e->target) && dcfg_is_local(e->type))
            draw_edge(w, out[k]);
         else if (e->target >= w->p->n_blocks
                  || w->p->nodes[e->target].routine != w->routine)
            draw_exit(w, out[k]);
      }
   }
}

/* In a neighbourhood: draw how often control comes to NODE from hidden blocks
   of the routine, or goes to them. */
static void draw_hidden(RoutineDrawing* w, uint32_t node, bool inward)
{
   uint32_t        n, id = w->p->nodes[node].id;
   const uint32_t* edges = inward ? dcfg_in_edges(w->p, node, &n)
                           : dcfg_out_edges(w->p, node, &n);
   uint64_t        count = 0;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &w->p->edges[edges[i]];
      uint32_t        other = inward ? e->source : e->target;
      if (other < w->p->n_blocks && w->p->nodes[other].routine == w->routine
          && dcfg_is_local(e->type) && !is_shown(w, other))
         add_count(&count, dcfg_edge_count(w->p, edges[i], w->d->thread));
   }
   if (count == 0)
      return;
   fprintf(w->out, "  %c%" PRIu32 " [shape=plaintext, style=\"\", "
           "label=\"...\"];\n", inward ? 'i' : 'o', id);
   if (inward)
      fprintf(w->out, "  i%" PRIu32 " -> n%" PRIu32, id, id);
   else
      fprintf(w->out, "  n%" PRIu32 " -> o%" PRIu32, id, id);
   draw_line(w, NULL, count, "#999999", "dotted", false);
}

static void draw_surroundings(RoutineDrawing* w)
{
   for (uint32_t i = 0; i < w->n_nodes; i++)
      if (is_shown(w, w->nodes[i])) {
         draw_hidden(w, w->nodes[i], true);
         draw_hidden(w, w->nodes[i], false);
         text_forget();
      }
}

/* --- The whole routine                                    --- */

/* More blocks than Graphviz can draw in a few seconds, or people want to
   see. */
#define MANY_BLOCKS 150

COMPARE(by_count, uint64_t, ORDER(*y, *x))

/* Return how many instructions a block must have to be shown. */
static uint64_t least_shown(const RoutineDrawing* w)
{
   uint64_t* heat;
   uint64_t  least = 1;

   if (w->d->min >= 0) {
      double x = w->d->min / 100 * (double)w->total;
      return x < 1 ? 1 : (uint64_t)x;
   }
   if (w->n_nodes <= MANY_BLOCKS)
      return 1;
   heat = zalloc(w->n_nodes, sizeof(*heat));
   for (uint32_t i = 0; i < w->n_nodes; i++)
      heat[i] = instrs_of(w, w->nodes[i]);
   qsort(heat, w->n_nodes, sizeof(*heat), by_count);
   if (heat[MANY_BLOCKS] > 0)
      least = heat[MANY_BLOCKS - 1];
   free(heat);
   return least;
}

/* Return the hottest block, among selected ones or all. */
static uint32_t hottest_block(const RoutineDrawing* w, bool selected)
{
   uint32_t best = DCFG_NONE;
   uint64_t most = 0;

   for (uint32_t i = 0; i < w->n_nodes; i++) {
      uint64_t instrs = instrs_of(w, w->nodes[i]);
      if (instrs > most
          && (!selected || is_selected(w->d->selected, w->nodes[i]))) {
         most = instrs;
         best = w->nodes[i];
      }
   }
   return best != DCFG_NONE || !selected ? best : hottest_block(w, false);
}

/* Find the most frequent edge that joins NODE to a block that is not shown yet,
   if it is more frequent than *MOST. */
static void find_neighbour(const RoutineDrawing* w, uint32_t node,
                           uint64_t* most, uint32_t* found)
{
   for (int inward = 0; inward < 2; inward++) {
      uint32_t        n;
      const uint32_t* edges = inward ? dcfg_in_edges(w->p, node, &n)
                              : dcfg_out_edges(w->p, node, &n);
      for (uint32_t i = 0; i < n; i++) {
         const DcfgEdge* e = &w->p->edges[edges[i]];
         uint32_t        other = inward ? e->source : e->target;
         uint64_t        count = dcfg_edge_count(w->p, edges[i],
                                                 w->d->thread);
         if (e->type == DCFG_EDGE_CALL_BYPASS && count == 0)
            count = dcfg_node_executions(w->p, e->target, w->d->thread);
         if (count > *most && other < w->p->n_blocks
             && w->p->nodes[other].routine == w->routine
             && dcfg_is_local(e->type) && !is_shown(w, other)) {
            *most = count;
            *found = other;
         }
      }
   }
}

/* Show blocks from the hottest one on, along the most frequent edges. */
static void show_neighbourhood(RoutineDrawing* w)
{
   uint32_t* shown = zalloc(w->n_nodes, sizeof(*shown));
   uint32_t  n = 0, next = hottest_block(w, true);

   while (next != DCFG_NONE && n < w->n_nodes && n < w->d->hot) {
      uint64_t most = 0;
      shown[n++] = next;
      w->shown[next - w->nodes[0]] = true;
      next = DCFG_NONE;
      for (uint32_t i = 0; i < n; i++)
         find_neighbour(w, shown[i], &most, &next);
   }
   free(shown);
}

static void measure(RoutineDrawing* w)
{
   uint64_t least = w->d->hot > 0 ? UINT64_MAX : least_shown(w);

   if (w->d->hot > 0)
      show_neighbourhood(w);

   for (uint32_t i = 0; i < w->n_nodes; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(w->p, w->nodes[i], &n);
      uint64_t        instrs = instrs_of(w, w->nodes[i]);
      bool            shown = instrs >= least || is_shown(w, w->nodes[i]);
      w->shown[w->nodes[i] - w->nodes[0]] = shown;
      w->hidden += instrs > 0 && !shown;
      add_count(&w->cold, shown ? 0 : instrs);
      if (instrs > w->hottest)
         w->hottest = instrs;
      for (uint32_t k = 0; k < n; k++) {
         uint64_t count = dcfg_edge_count(w->p, out[k], w->d->thread);
         if (count > w->busiest)
            w->busiest = count;
      }
   }
}

static void draw_title(RoutineDrawing* w)
{
   const DcfgRoutine* r = &w->p->routines[w->routine];
   uint64_t           entries = dcfg_routine_entries(w->p, w->routine,
                                                     w->d->thread);

   fputs("  label=\"", w->out);
   dot_text(w->out, text_shorten(routine_name(&w->d->g, w->routine), 100));
   fprintf(w->out, "  (");
   dot_text(w->out, image_name(&w->d->g, r->image));
   fprintf(w->out, ")\\n%s instructions, %s of the process; entered %s time%s"
           ", %" PRIu32 " block%s, %" PRIu32 " loop%s", text_count(w->total),
           text_share(w->total, dcfg_process_instrs(w->p, w->d->thread)),
           text_count(entries), entries == 1 ? "" : "s", r->n_nodes,
           r->n_nodes == 1 ? "" : "s", r->n_loops,
           r->n_loops == 1 ? "" : "s");
   if (w->hidden > 0)
      fprintf(w->out, "; not shown are %s%s, with %s of its instructions",
              w->d->hot > 0 ? "" : "the ",
              text_format(w->d->hot > 0 ? "%s others" : "%s coldest",
                          text_count(w->hidden)),
              text_share(w->cold, w->total));
   fputs("\\n \"; labelloc=t; fontsize=14;\n", w->out);
   if (is_shown(w, r->entry)) {
      fprintf(w->out, "  entry [shape=point, width=0.12, color=\"#333333\"];"
              "\n  entry -> n%" PRIu32, w->p->nodes[r->entry].id);
      draw_line(w, NULL, entries, "#333333", "solid", false);
   }
}

static void draw_routine(Drawing* d, uint32_t routine)
{
   RoutineDrawing     w = { .d = d, .p = d->p, .out = d->out,
                            .routine = routine };
   const DcfgRoutine* r = &d->p->routines[routine];
   uint32_t           span;

   w.nodes = dcfg_routine_nodes(d->p, routine, &w.n_nodes);
   if (w.n_nodes == 0)
      die("the routine has no blocks");
   span = w.nodes[w.n_nodes - 1] - w.nodes[0] + 1;
   w.shown = zalloc(span, sizeof(bool));
   w.done = zalloc(span, sizeof(bool));
   w.total = dcfg_routine_instrs(d->p, routine, d->thread);
   measure(&w);
   fputs("digraph routine {\n"
         "  node [shape=box, style=filled, fontname=\"Helvetica\", "
         "fontsize=10, color=\"#555555\", margin=\"0.12,0.05\"];\n"
         "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n"
         "  graph [fontname=\"Helvetica\", ranksep=0.35, nodesep=0.3];\n",
         d->out);
   draw_title(&w);
   for (uint32_t i = 0; d->plain < 2 && i < r->n_loops; i++)
      if (d->p->loops[r->first_loop + i].parent == DCFG_NONE
          && is_loop_shown(&w, r->first_loop + i))
         draw_loop(&w, r->first_loop + i);
   for (uint32_t i = 0; i < w.n_nodes; i++)
      if (is_shown(&w, w.nodes[i]) && !w.done[w.nodes[i] - w.nodes[0]])
         draw_block(&w, w.nodes[i], 2);
   draw_edges(&w);
   if (d->hot > 0)
      draw_surroundings(&w);
   fputs("}\n", d->out);
   FREE_ALL(w.shown, w.done);
   text_forget();
}

/*--- The call graph                                       ---*/

/* CallSum: all calls from one routine to another. */
typedef
   struct {
      uint32_t from, to;        // routines; .from is DCFG_NONE for the begin
      uint64_t count;
      bool     jump;            // are they all jumps?
   }
   CallSum;

typedef
   struct {
      Drawing*           d;
      const DcfgProcess* p;
      CallSum*           calls;
      size_t             n, room;
      uint32_t*          instead;       // for each stub: the target of its jump
      bool*              shown;
      uint64_t*          instrs;        // for each routine
      uint64_t           hottest, busiest, total;
   }
   CallDrawing;

COMPARE(by_ends, CallSum, UP(from) ?: UP(to))

static uint32_t routine_of(const CallDrawing* w, uint32_t node)
{
   return node < w->p->n_blocks ? w->p->nodes[node].routine : DCFG_NONE;
}

/* Find stubs of procedure linkage tables: a few instructions without a symbol
   that jump to a function.  They are not drawn. */
static void find_stubs(CallDrawing* w)
{
   for (uint32_t i = 0; i < w->p->n_routines; i++) {
      const DcfgRoutine* r = &w->p->routines[i];
      uint64_t           most = 0;
      uint32_t           n, s;
      const uint32_t*    nodes = dcfg_routine_nodes(w->p, i, &n);
      w->instead[i] = i;
      s = dcfg_symbol_of(w->p, r->entry);
      if (n > 2 || (s != DCFG_NONE
                    && w->p->symbols[s].addr == w->p->nodes[r->entry].addr))
         continue;
      for (uint32_t k = 0; k < n; k++) {
         uint32_t        m;
         const uint32_t* out = dcfg_out_edges(w->p, nodes[k], &m);
         for (uint32_t j = 0; j < m; j++) {
            const DcfgEdge* e = &w->p->edges[out[j]];
            uint64_t count = dcfg_edge_count(w->p, out[j], w->d->thread);
            uint32_t to = routine_of(w, e->target);
            if (to == i || to == DCFG_NONE)
               continue;
            if (!dcfg_is_local(e->type)) {
               most = 0;
               w->instead[i] = i;
               k = n - 1;
               break;
            }
            if (count > most) {
               most = count;
               w->instead[i] = to;
            }
         }
      }
   }
}

/* Follow stubs from ROUTINE.  A chain of them ends, or is a circle. */
static uint32_t behind(const CallDrawing* w, uint32_t routine)
{
   for (int i = 0; i < 4 && routine != DCFG_NONE; i++)
      routine = w->instead[routine];
   return routine;
}

static void collect(CallDrawing* w)
{
   size_t n = 0;

   for (uint32_t i = 0; i < w->p->n_edges; i++) {
      const DcfgEdge* e = &w->p->edges[i];
      uint64_t        count = dcfg_edge_count(w->p, i, w->d->thread);
      uint32_t        from = routine_of(w, e->source);
      uint32_t        to = routine_of(w, e->target);
      bool            call = dcfg_is_call(e->type)
                             || e->type == DCFG_EDGE_CONTEXT_CHANGE
                             || e->type == DCFG_EDGE_ENTRY;
      if (count == 0 || to == DCFG_NONE
          || (!call && (from == to || !dcfg_is_local(e->type)))
          || (from != DCFG_NONE && w->instead[from] != from))
         continue;
      GROW(w->calls, w->n, w->room);
      w->calls[w->n++] = (CallSum){ from, behind(w, to), count, !call };
   }
   if (w->n == 0)
      return;
   qsort(w->calls, w->n, sizeof(*w->calls), by_ends);
   for (size_t i = 1; i < w->n; i++)
      if (by_ends(&w->calls[n], &w->calls[i]) == 0) {
         add_count(&w->calls[n].count, w->calls[i].count);
         w->calls[n].jump = w->calls[n].jump && w->calls[i].jump;
      } else {
         w->calls[++n] = w->calls[i];
      }
   w->n = n + 1;
}

/* Return the most frequent caller; DCFG_NONE for the begin. */
static uint32_t main_caller(const CallDrawing* w, uint32_t routine)
{
   uint64_t most = 0;
   uint32_t best = DCFG_NONE;

   for (size_t i = 0; i < w->n; i++)
      if (w->calls[i].to == routine && w->calls[i].from != routine
          && w->calls[i].count > most && w->calls[i].from != DCFG_NONE) {
         most = w->calls[i].count;
         best = w->calls[i].from;
      }
   return best;
}

typedef struct { uint64_t instrs; uint32_t routine; } Hot;

COMPARE(by_instrs, Hot, DOWN(instrs) ?: UP(routine))

static void choose(CallDrawing* w)
{
   uint32_t n = 0;
   Hot*     hot = zalloc(w->p->n_routines, sizeof(*hot));

   for (uint32_t i = 0; i < w->p->n_routines; i++) {
      w->instrs[i] = dcfg_routine_instrs(w->p, i, w->d->thread);
      if (w->instrs[i] > w->hottest)
         w->hottest = w->instrs[i];
      if (w->instrs[i] > 0 && w->instead[i] == i
          && 100.0 * (double)w->instrs[i]
             >= w->d->min * (double)w->total)
         hot[n++] = (Hot){ w->instrs[i], i };
   }
   qsort(hot, n, sizeof(*hot), by_instrs);
   if (w->d->top > 0 && n > w->d->top)
      n = (uint32_t)w->d->top;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t r = hot[i].routine;
      for (int k = 0; k < 30 && r != DCFG_NONE && !w->shown[r]; k++) {
         w->shown[r] = true;
         r = main_caller(w, r);
      }
   }
   free(hot);
}

static void draw_node(const CallDrawing* w, uint32_t r)
{
   FILE*       out = w->d->out;
   uint64_t    instrs = w->instrs[r];
   const char* source = node_source(&w->d->g, w->p->routines[r].entry);
   uint64_t    entries = dcfg_routine_entries(w->p, r, w->d->thread);

   fprintf(out, "  r%" PRIu32 " [label=\"", r);
   dot_text(out, text_shorten(text_brief(routine_name(&w->d->g, r)), 36));
   fputs("\\n", out);
   dot_text(out, image_name(&w->d->g, w->p->routines[r].image));
   fprintf(out, "\\n%s\", fillcolor=\"%s\", fontcolor=\"%s\", fontsize=%.0f, "
           "tooltip=\"", text_share(instrs, w->total),
           heat_colour(instrs, w->hottest), ink_colour(instrs, w->hottest),
           10 + 8 * (double)instrs / (double)(w->hottest + 1));
   dot_text(out, routine_name(&w->d->g, r));
   if (source[0] != 0) {
      fputs("  ", out);
      dot_text(out, source);
   }
   fprintf(out, ": %s instructions, entered %s times\"];\n",
           text_count(instrs), text_count(entries));
   text_forget();
}

/* Begin the drawing, which has SHOWN of N functions as WHAT says. */
static void put_calls_head(const Drawing* d, uint64_t total, uint32_t shown,
                           uint32_t n, const char* what)
{
   fputs("digraph calls {\n"
         "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\""
         ", fontsize=10, color=\"#555555\", margin=\"0.12,0.05\"];\n"
         "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7, "
         "color=\"#2b5f9e\", fontcolor=\"#2b5f9e\"];\n"
         "  graph [fontname=\"Helvetica\", ranksep=0.45, nodesep=0.25];\n"
         "  label=\"", d->out);
   dot_text(d->out, program_name(&d->g));
   fprintf(d->out, "\\n%s instructions; %" PRIu32 " of %" PRIu32
           " %s\\n \"; labelloc=t; fontsize=14;\n", text_count(total), shown, n,
           what);
}

static void draw_calls(Drawing* d)
{
   CallDrawing w = { .d = d, .p = d->p };
   uint32_t    n = d->p->n_routines, n_shown = 0;

   if (n == 0)
      die("the file has no routines");
   w.instead = zalloc(n, sizeof(uint32_t));
   w.shown = zalloc(n, sizeof(bool));
   w.instrs = zalloc(n, sizeof(uint64_t));
   w.total = dcfg_process_instrs(d->p, d->thread);
   find_stubs(&w);
   collect(&w);
   choose(&w);
   for (uint32_t i = 0; i < n; i++)
      n_shown += w.shown[i];
   put_calls_head(d, w.total, n_shown, n,
                  "routines: the hottest, and who called them");
   for (uint32_t i = 0; i < n; i++)
      if (w.shown[i])
         draw_node(&w, i);
   for (size_t i = 0; i < w.n; i++)
      if (w.calls[i].from != DCFG_NONE && w.shown[w.calls[i].from]
          && w.shown[w.calls[i].to] && w.calls[i].count > w.busiest)
         w.busiest = w.calls[i].count;
   for (size_t i = 0; i < w.n; i++) {
      const CallSum* c = &w.calls[i];
      if (c->from == DCFG_NONE || !w.shown[c->from] || !w.shown[c->to])
         continue;
      fprintf(d->out, "  r%" PRIu32 " -> r%" PRIu32 " [label=\" %s \", "
              "penwidth=%.1f, tooltip=\"%s %s\"%s];\n", c->from, c->to,
              text_rounded(c->count), line_width(c->count, w.busiest),
              text_count(c->count), c->jump ? "jumps" : "calls",
              c->jump ? ", style=dashed" : "");
      text_forget();
   }
   fputs("}\n", d->out);
   FREE_ALL(w.calls, w.instead, w.shown, w.instrs);
}

/*--- The call graph, with costs                           ---*/

/* Return the functions of CALLS that cost most with what they called, the most
   expensive one first, and their number in *N; to be freed. */
static Hot* expensive_functions(const Drawing* d, uint64_t total, uint32_t* n)
{
   const DcfgCallSums* calls = d->p->calls;
   Hot*                hot = zalloc(calls->n_functions, sizeof(*hot));

   *n = 0;
   for (uint32_t i = 0; i < calls->n_functions; i++) {
      uint64_t all = dcfg_function_inclusive(d->p, i, d->thread);
      if (all > 0 && 100.0 * (double)all >= d->min * (double)total)
         hot[(*n)++] = (Hot){ all, i };
   }
   qsort(hot, *n, sizeof(*hot), by_instrs);
   if (d->top > 0 && *n > d->top)
      *n = (uint32_t)d->top;
   return hot;
}

/* Draw function F, of TOTAL instructions; the most expensive one has MOST. */
static void draw_function(const Drawing* d, const Hot* f, uint64_t total,
                          uint64_t most)
{
   uint64_t    self = dcfg_function_self(d->p, f->routine, d->thread);
   const char* source = called_source(&d->g, f->routine);

   fprintf(d->out, "  f%" PRIu32 " [label=\"", f->routine);
   dot_text(d->out, text_shorten(text_brief(called_name(&d->g, f->routine)),
                                 36));
   fputs("\\n", d->out);
   dot_text(d->out, called_image(&d->g, f->routine));
   fprintf(d->out, "\\n%s, self %s\", fillcolor=\"%s\", fontcolor=\"%s\", "
           "tooltip=\"", text_share(f->instrs, total), text_share(self, total),
           heat_colour(f->instrs, most), ink_colour(f->instrs, most));
   dot_text(d->out, called_name(&d->g, f->routine));
   if (source[0] != 0) {
      fputs("  ", d->out);
      dot_text(d->out, source);
   }
   fprintf(d->out, ": %s instructions, self %s\"];\n", text_count(f->instrs),
           text_count(self));
   text_forget();
}

/* Draw the functions of recorded calls, and what each of them spent in which
   other. */
static void draw_costs(Drawing* d)
{
   const DcfgCallSums* calls = d->p->calls;
   uint64_t            total = dcfg_process_instrs(d->p, d->thread);
   bool*               shown = zalloc(calls->n_functions, sizeof(*shown));
   uint32_t            n;
   Hot*                hot = expensive_functions(d, total, &n);

   put_calls_head(d, total, n, calls->n_functions,
                  "functions: the most expensive ones, with what they called");
   for (uint32_t i = 0; i < n; i++) {
      draw_function(d, &hot[i], total, hot[0].instrs);
      shown[hot[i].routine] = true;
   }
   for (uint32_t i = 0; i < calls->n_pairs; i++) {
      const DcfgPair* c = &calls->pairs[i];
      uint64_t        cost = dcfg_pair_inclusive(d->p, i, d->thread);
      if (cost == 0 || !shown[c->caller] || !shown[c->callee]
          || 100.0 * (double)cost < d->min * (double)total)
         continue;
      fprintf(d->out, "  f%" PRIu32 " -> f%" PRIu32 " [label=\" %s \", "
              "penwidth=%.1f, tooltip=\"%s instructions in %s calls\"];\n",
              c->caller, c->callee, text_share(cost, total),
              line_width(cost, total), text_count(cost),
              text_count(dcfg_pair_calls(d->p, i, d->thread)));
      text_forget();
   }
   fputs("}\n", d->out);
   FREE_ALL(hot, shown);
}

/*--- Pictures                                             ---*/

static void draw(Drawing* d, uint32_t routine)
{
   if (routine == DCFG_NONE)
      (d->p->calls != NULL ? draw_costs : draw_calls)(d);
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
        "linkage tables are left out; with recorded calls, the functions that "
        "cost most with what they called, and what their calls cost" },
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
   d.min = min != NULL ? percentage("min", min) : calls ? 0.5 : -1;
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
