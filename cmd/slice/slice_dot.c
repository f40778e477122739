/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as a picture. */

/* Owns: a slice in Graphviz's language.  Handed: a slice. */

#include "cmd/slice/slice_views.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/page/graphviz.h"

#include <inttypes.h>
#include <stdlib.h>

COMPARE(compare, uint32_t, ORDER(*x, *y))

/* Return the greatest distance among the TOP nearest nodes; no limit if TOP
   is 0.  All nodes of one distance are in or out together. */
static uint32_t reach(const DcfgSlice* s, uint64_t top)
{
   uint32_t* all = zalloc(s->n_nodes + (size_t)1, sizeof(*all));
   uint32_t  most;

   for (uint32_t i = 0; i < s->n_nodes; i++)
      all[i] = s->nodes[i].distance;
   qsort(all, s->n_nodes, sizeof(*all), compare);
   most = top == 0 || top >= s->n_nodes ? UINT32_MAX
          : all[top] > 0 ? all[top] - 1 : 0;
   free(all);
   return most;
}

static void dot_node(const SliceView* v, uint32_t i, uint32_t farthest,
                     FILE* out)
{
   const DcfgSliceNode* n = &v->s->nodes[i];
   const DcfgWetInstr   in = *dcfg_wet_instr(v->w, n->instr);
   const char*          value = slice_value(v, n);
   uint64_t             near = farthest - n->distance;
   char                 text[256];

   instr_text(&in, text, sizeof(text));
   fprintf(out, "  n%" PRIu32 " [label=\"", i);
   dot_text(out, text);
   if (value[0] != 0)
      fprintf(out, " = %s", value);
   fprintf(out, "\\n%s  ", slice_instance(v->w, n));
   dot_text(out, slice_place(&in));
   fprintf(out, "\", fillcolor=\"%s\", fontcolor=\"%s\"]\n",
           heat_colour(near, farthest), ink_colour(near, farthest));
   text_forget();
}

static void write_dot(const SliceView* v, FILE* out)
{
   const DcfgSlice* s = v->s;
   uint32_t         most = reach(s, v->top), farthest = 1, left = 0;

   for (uint32_t i = 0; i < s->n_nodes; i++) {
      uint32_t d = s->nodes[i].distance;
      left += d > most;
      if (d <= most && d > farthest)
         farthest = d;
   }
   fputs("digraph slice {\n  label=\"", out);
   dot_text(out, v->title);
   fputs(": ", out);
   dot_text(out, v->criterion);
   if (left > 0)
      fprintf(out, "\\n%s instances that are farther are left out",
              text_count(left));
   fputs("\"\n  node [shape=box, style=filled, fontname=\"monospace\"]\n",
         out);
   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (s->nodes[i].distance <= most)
         dot_node(v, i, farthest, out);
   for (uint32_t i = 0; i < s->n_nodes; i++)
      for (uint32_t k = 0; k < s->nodes[i].n_inputs; k++) {
         const DcfgSliceInput* in = &s->inputs[s->nodes[i].first_input + k];
         if (in->node >= DCFG_SLICE_NOT || s->nodes[i].distance > most
             || s->nodes[in->node].distance > most)
            continue;
         fprintf(out, "  n%" PRIu32 " -> n%" PRIu32, i, in->node);
         if (in->port == DCFG_WET_CONTROL)
            fputs(" [style=dashed]\n", out);
         else
            fprintf(out, " [label=\"%s\"]\n", slice_port(v->w, in));
      }
   fputs("}\n", out);
   text_forget();
}

const SliceForm slice_form_dot = {
   .choice = { "dot", "for Graphviz", NULL },
   .keeps_instances = true, .write = write_dot
};
