/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The call graph as a drawing. */

/* Owns: drawing a call graph.  Handed: a process.  Taken by: cmd_dot.c.

   The drawing has the hottest routines, and for each of them its most frequent
   caller, up to the program's begin. */

#include "cmd/dot/dot.h"
#include "cmd/shared/dot_style.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <stdlib.h>

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
      CallSum*              calls;
      size_t             n, room;
      uint32_t*          instead;       // for each stub: the target of its jump
      bool*              shown;
      uint64_t*          instrs;        // for each routine
      uint64_t           hottest, busiest, total;
   }
   Draw;

COMPARE(by_ends, CallSum, UP(from) ?: UP(to))

static uint32_t routine_of(const Draw* w, uint32_t node)
{
   return node < w->p->n_blocks ? w->p->nodes[node].routine : DCFG_NONE;
}

/* Find stubs of procedure linkage tables: a few instructions without a symbol
   that jump to a function.  They are not drawn. */
static void find_stubs(Draw* w)
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
static uint32_t behind(const Draw* w, uint32_t routine)
{
   for (int i = 0; i < 4 && routine != DCFG_NONE; i++)
      routine = w->instead[routine];
   return routine;
}

static void collect(Draw* w)
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
static uint32_t main_caller(const Draw* w, uint32_t routine)
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

static void choose(Draw* w)
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

/*--- Drawing                                              ---*/

static void draw_node(const Draw* w, uint32_t r)
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

void draw_calls(Drawing* d)
{
   Draw     w = { .d = d, .p = d->p };
   uint32_t n = d->p->n_routines, n_shown = 0;

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
   fputs("digraph calls {\n"
         "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\""
         ", fontsize=10, color=\"#555555\", margin=\"0.12,0.05\"];\n"
         "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7, "
         "color=\"#2b5f9e\", fontcolor=\"#2b5f9e\"];\n"
         "  graph [fontname=\"Helvetica\", ranksep=0.45, nodesep=0.25];\n"
         "  label=\"", d->out);
   dot_text(d->out, program_name(&d->g));
   fprintf(d->out, "\\n%s instructions; %" PRIu32 " of %" PRIu32
           " routines: the hottest, and who called them\\n \"; labelloc=t; "
           "fontsize=14;\n", text_count(w.total), n_shown, n);
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
   free(w.calls);
   free(w.instead);
   free(w.shown);
   free(w.instrs);
}
