/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as instances, one a line. */

/* Owns: a slice instance by instance, for people.  Handed: a slice. */

#include "cmd/slice/slice_views.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"

#include <inttypes.h>

static void put_input(const SliceView* v, const DcfgSliceInput* in,
                      FILE* out)
{
   fprintf(out, " %s=", slice_port(v->w, in));
   if (in->node == DCFG_SLICE_NOBODY)
      fputs(dcfg_wet_is_window(v->w) ? "before-window-or-nobody" : "nobody",
            out);
   else if (in->node == DCFG_SLICE_NOT)
      fputs("not-followed", out);
   else
      fputs(slice_instance(v->w, &v->s->nodes[in->node]), out);
}

static void write_instances(const SliceView* v, FILE* out)
{
   char text[256];

   fprintf(out, "# %s: %s\n", v->title, v->criterion);
   for (unsigned i = 0; v->not_followed[i] != NULL; i++)
      fprintf(out, "# not followed: %s\n", v->not_followed[i]);
   fputs("# distance instance [thread] place: instruction = value <- inputs\n",
         out);
   for (uint32_t i = 0; i < v->s->n_nodes; i++) {
      const DcfgSliceNode* n = &v->s->nodes[i];
      const DcfgWetInstr   in = *dcfg_wet_instr(v->w, n->instr);
      const char*          value = slice_value(v, n);
      instr_text(&in, text, sizeof(text));
      fprintf(out, "%" PRIu32 " %s", n->distance, slice_instance(v->w, n));
      if (dcfg_wet_threads(v->w) > 1)
         fprintf(out, " [%" PRIu32 "]", n->thread);
      const char*          around = v->inlined == NULL ? ""
                                    : inlined_trace_text(v->inlined, n->instr);
      fprintf(out, " %s%s%s: %s%s%s <-", slice_place(&in),
              around[0] == 0 ? "" : " ", around, text,
              value[0] == 0 ? "" : " = ", value);
      for (uint32_t k = 0; k < n->n_inputs; k++)
         put_input(v, &v->s->inputs[n->first_input + k], out);
      putc('\n', out);
      text_forget();
   }
}

const SliceForm slice_form_instances = {
   .choice = { "instances", "one a line, with what each used", NULL },
   .keeps_instances = true, .write = write_instances
};
