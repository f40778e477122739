/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A routine's graph as a drawing. */

/* Owns: drawing a routine.  Handed: a routine.  Taken by: cmd_dot.c.

   Blocks are boxes, redder for a larger share of the routine's instructions.
   Loops are frames around their blocks.  Edges are thicker the more frequent
   they are.  A call is a dashed line to the return site, with the callee's
   name. */

#include "cmd/dot/dot.h"
#include "cmd/shared/dot_style.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <stdlib.h>

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
   Draw;

static uint64_t instrs_of(const Draw* w, uint32_t node)
{
   return dcfg_node_instrs(w->p, node, w->d->thread);
}

static bool is_shown(const Draw* w, uint32_t node)
{
   return node < w->p->n_blocks && w->p->nodes[node].routine == w->routine
          && w->shown[node - w->nodes[0]];
}

/*--- Blocks                                               ---*/

static void put_instr(void* arg, const Instr* i)
{
   Draw* w = arg;

   dot_text(w->out, text_shorten(text_clean(i->text), 60));
   fputs("\\l", w->out);
}

/* Return the source lines of a block: "file.c:12-15". */
static const char* source_lines(const Draw* w, uint32_t node)
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

static bool returns(const Draw* w, uint32_t node)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(w->p, node, &n);

   for (uint32_t i = 0; i < n; i++)
      if (w->p->edges[out[i]].type == DCFG_EDGE_RETURN
          && dcfg_edge_count(w->p, out[i], w->d->thread) > 0)
         return true;
   return false;
}

static void draw_block(Draw* w, uint32_t node, int indent)
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
static bool is_loop_shown(const Draw* w, uint32_t loop)
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
static void draw_loop(Draw* w, uint32_t loop)
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
static const char* callee_of(const Draw* w, uint32_t node, uint64_t* calls)
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

static void draw_line(Draw* w, const char* label, uint64_t count,
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

static void draw_edge(Draw* w, uint32_t edge)
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
static void draw_exit(Draw* w, uint32_t edge)
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

static void draw_edges(Draw* w)
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
static void draw_hidden(Draw* w, uint32_t node, bool inward)
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

static void draw_surroundings(Draw* w)
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
static uint64_t least_shown(const Draw* w)
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
static uint32_t hottest_block(const Draw* w, bool selected)
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
static void find_neighbour(const Draw* w, uint32_t node, uint64_t* most,
                           uint32_t* found)
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
static void show_neighbourhood(Draw* w)
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

static void measure(Draw* w)
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

static void draw_title(Draw* w)
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

void draw_routine(Drawing* d, uint32_t routine)
{
   Draw               w = { .d = d, .p = d->p, .out = d->out,
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
   free(w.shown);
   free(w.done);
   text_forget();
}
