/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as JSON. */

/* Owns: a slice instance by instance, for programs.  Handed: a slice. */

#include "cmd/slice/slice_omitted.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"

#include <inttypes.h>

static void json_text(const char* key, const char* s, FILE* out)
{
   if (s == NULL)
      return;
   fprintf(out, ", \"%s\": ", key);
   put_json_string(s, out);
}

static void json_node(const SliceView* v, const DcfgSliceNode* n, FILE* out)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, n->instr);
   const char*        value = slice_value(v, n);
   char               text[256];

   instr_text(&in, text, sizeof(text));
   fprintf(out, "    {\"address\": \"0x%" PRIx64 "\", \"instance\": %" PRIu64
           ", \"thread\": %" PRIu32 ", \"order\": %" PRIu64
           ", \"distance\": %" PRIu32, in.addr, n->instance, n->thread,
           n->order, n->distance);
   json_text("instruction", text, out);
   json_text("image", in.image_name, out);
   json_text("function", in.function, out);
   if (in.line != 0) {
      json_text("source", in.source, out);
      fprintf(out, ", \"line\": %" PRIu32, in.line);
   }
   slice_put_inlined(v, n->instr, out);
   if (value[0] != 0)
      json_text("value", value, out);
   fputs(", \"inputs\": [", out);
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* i = &v->s->inputs[n->first_input + k];
      bool unseen = input_is_unseen(v->found->initial, v->s,
                                    (uint32_t)(n - v->s->nodes), i);
      fprintf(out, "%s{\"port\": \"%s\", ", k == 0 ? "" : ", ",
              slice_port(v->w, i));
      if (i->node < DCFG_SLICE_NOT)
         fprintf(out, "\"node\": %" PRIu32 "}", i->node);
      else
         fprintf(out, "\"followed\": %s%s%s}",
                 i->node == DCFG_SLICE_NOBODY ? "true" : "false",
                 unseen ? ", \"unseen\": true" : "",
                 i->node == DCFG_SLICE_NOBODY && !unseen
                 && dcfg_wet_is_window(v->w) ? ", \"in_window\": false" : "");
   }
   fputs("]}", out);
   text_forget();
}

static void write_json(const SliceView* v, FILE* out)
{
   fputs("{\n  \"file\": ", out);
   put_json_string(v->file, out);
   fputs(",\n  \"criterion\": ", out);
   put_json_string(v->criterion, out);
   fputs(",\n  \"not_followed\": [", out);
   for (unsigned i = 0; v->not_followed[i] != NULL; i++) {
      fputs(i == 0 ? "" : ", ", out);
      put_json_string(v->not_followed[i], out);
   }
   fprintf(out, "],\n  \"executed\": %" PRIu64 ",\n  \"criteria\": [",
           v->s->n_executed);
   for (uint32_t i = 0; i < v->s->n_criteria; i++)
      fprintf(out, "%s%" PRIu32, i == 0 ? "" : ", ", v->s->criteria[i]);
   fputs("],\n  \"nodes\": [\n", out);
   for (uint32_t i = 0; i < v->s->n_nodes; i++) {
      json_node(v, &v->s->nodes[i], out);
      fputs(i + 1 < v->s->n_nodes ? ",\n" : "\n", out);
   }
   fputs("  ]", out);
   if (v->omitted != NULL)
      slice_json_omitted(out, v->omitted);
   fputs("\n}\n", out);
}

const SliceForm slice_form_json = {
   .choice = { "json", "for programs", NULL },
   .keeps_instances = true, .write = write_json
};
