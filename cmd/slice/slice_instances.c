/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as instances. */

/* Owns: a slice instance by instance: for people, for programs, as a picture.
   Handed: a slice.  Taken by: dcfg slice, dcfg why. */

#include "cmd/slice/slice_views.h"

#include "cmd/shared/dot_style.h"
#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/roles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*------------------------------------------------------------*/
/*--- Words                                                ---*/
/*------------------------------------------------------------*/

const char* slice_port(DcfgWet* w, const DcfgSliceInput* in)
{
   const Processor* p = processor_of(w);
   const char*      name;

   switch (in->port) {
      case DCFG_WET_CONTROL: return "control";
      case DCFG_WET_GENERAL:
         name = p->general[in->reg % MAX_GENERAL];
         return name == NULL ? "?" : name;
      case DCFG_WET_FLAGS:   return "flags";
      case DCFG_WET_VECTOR:  return text_format("%s%u", p->vector, in->reg);
      case DCFG_WET_X87:     return "x87";
      default:               return "memory";
   }
}

const char* slice_value(const SliceView* v, const DcfgSliceNode* n)
{
   const uint8_t* bytes = v->s->values + n->value;
   uint32_t       k = n->value_size;
   char           text[2 + 2 * 64 + 1];
   char*          at = text + 2;

   if (k == 0)
      return "";
   if (k > 64)
      return "...";
   while (k > 1 && bytes[k - 1] == 0)
      k--;
   memcpy(text, "0x", 2);
   at += sprintf(at, "%x", bytes[--k]);
   while (k-- > 0)
      at += sprintf(at, "%02x", bytes[k]);
   return text_format("%s", text);
}

/* "price.c:21", or "main (price)"; "" if nothing is known. */
static const char* place(const DcfgWetInstr* in)
{
   if (in->line != 0)
      return text_clean(text_format("%s:%" PRIu32, text_base(in->source),
                                    in->line));
   if (in->function == NULL)
      return in->image_name == NULL ? ""
             : text_clean(text_base(in->image_name));
   return text_clean(text_brief(text_demangle(in->function)));
}

/* Whose code it is, in words that last. */
static const char* instance(DcfgWet* w, const DcfgSliceNode* n)
{
   return text_format("0x%" PRIx64 "#%" PRIu64,
                      dcfg_wet_instr(w, n->instr)->addr, n->instance);
}

/*------------------------------------------------------------*/
/*--- Text                                                 ---*/
/*------------------------------------------------------------*/

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
      fputs(instance(v->w, &v->s->nodes[in->node]), out);
}

void slice_write_instances(const SliceView* v, FILE* out)
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
      fprintf(out, "%" PRIu32 " %s", n->distance, instance(v->w, n));
      if (dcfg_wet_threads(v->w) > 1)
         fprintf(out, " [%" PRIu32 "]", n->thread);
      fprintf(out, " %s: %s%s%s <-", place(&in), text,
              value[0] == 0 ? "" : " = ", value);
      for (uint32_t k = 0; k < n->n_inputs; k++)
         put_input(v, &v->s->inputs[n->first_input + k], out);
      putc('\n', out);
      text_forget();
   }
}

/*------------------------------------------------------------*/
/*--- JSON                                                 ---*/
/*------------------------------------------------------------*/

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
   if (value[0] != 0)
      json_text("value", value, out);
   fputs(", \"inputs\": [", out);
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* i = &v->s->inputs[n->first_input + k];
      fprintf(out, "%s{\"port\": \"%s\", ", k == 0 ? "" : ", ",
              slice_port(v->w, i));
      if (i->node < DCFG_SLICE_NOT)
         fprintf(out, "\"node\": %" PRIu32 "}", i->node);
      else
         fprintf(out, "\"followed\": %s%s}",
                 i->node == DCFG_SLICE_NOBODY ? "true" : "false",
                 i->node == DCFG_SLICE_NOBODY && dcfg_wet_is_window(v->w)
                 ? ", \"in_window\": false" : "");
   }
   fputs("]}", out);
   text_forget();
}

void slice_write_json(const SliceView* v, FILE* out)
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
   fputs("  ]\n}\n", out);
}

/*------------------------------------------------------------*/
/*--- A picture                                            ---*/
/*------------------------------------------------------------*/

static int compare(const void* a, const void* b)
{
   const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;

   return x < y ? -1 : x > y;
}

/* The greatest distance of the TOP nearest nodes. */
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
   fprintf(out, "\\n%s  ", instance(v->w, n));
   dot_text(out, place(&in));
   fprintf(out, "\", fillcolor=\"%s\", fontcolor=\"%s\"]\n",
           heat_colour(near, farthest), ink_colour(near, farthest));
   text_forget();
}

void slice_write_dot(const SliceView* v, uint64_t top, FILE* out)
{
   const DcfgSlice* s = v->s;
   uint32_t         most = reach(s, top), farthest = 1, left = 0;

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
