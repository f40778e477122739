/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Break points of a slice. */

/* Owns: a script for gdb that stops at a slice's instances.  Handed: a
   slice.

   The script is slice_stops.py with a table: for each instruction its place
   in its file, and its instances.  A run without Valgrind executes other
   instructions in the system's libraries.  So only code whose source can be
   read has stops, if the slice has such code. */

#include "cmd/slice/slice_views.h"

#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/program/mapping.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char script[] =
#include "slice_stops.inc"
;

/* Stop: an instance at which gdb stops. */
typedef
   struct {
      uint32_t node, instr;
      uint64_t instance;
      uint32_t number;          // in order of time, from 1
   }
   Stop;

typedef
   struct {
      const SliceView* v;
      FILE*            out;
      bool*            wanted;  // by instruction
      uint64_t*        offsets; // by instruction
      Stop*            stops;   // by instruction and instance
      uint32_t         n_stops;
   }
   Script;

/* Write S as a string literal of Python; see text() in the script. */
static void put_string(FILE* out, const char* s)
{
   fputs("text(b\"", out);
   for (; *s != 0; s++)
      if ((unsigned char)*s < ' ' || (unsigned char)*s >= 0x7F || *s == '"'
          || *s == '\\')
         fprintf(out, "\\x%02x", (unsigned char)*s);
      else
         putc(*s, out);
   fputs("\")", out);
}

static bool is_readable(const DcfgWetInstr* in)
{
   return in->source != NULL && access(in->source, R_OK) == 0;
}

/* Return whether the slice has an instruction of the image from FIRST to
   END; with SOURCE, one whose source can be read. */
static bool has_any(const Script* c, uint32_t first, uint32_t end, bool source)
{
   for (uint32_t i = first; i < end; i++)
      if (c->v->s->totals[i].in_slice > 0
          && (!source || is_readable(dcfg_wet_instr(c->v->w, i))))
         return true;
   return false;
}

/* Set .wanted and .offsets of the instructions of images that have stops.
   SOURCE: as in has_any(). */
static void choose_images(Script* c, bool source)
{
   uint32_t n = dcfg_wet_instrs(c->v->w);

   for (uint32_t first = 0, end; first < n; first = end) {
      uint64_t offset, begin = dcfg_wet_instr(c->v->w, first)->addr;
      end = image_end(c->v->w, first);
      if (!has_any(c, first, end, source))
         continue;
      const char* why = image_place(c->v->w, first, c->v->root, &offset);
      if (why != NULL) {
         complain("the script has no stops in one file: %s", why);
         continue;
      }
      for (uint32_t i = first; i < end; i++) {
         c->wanted[i] = true;
         c->offsets[i] = offset + dcfg_wet_instr(c->v->w, i)->addr - begin;
      }
   }
}

COMPARE(by_instr, Stop, UP(instr) ?: UP(instance))

static void find_stops(Script* c)
{
   const DcfgSlice* s = c->v->s;
   bool             down = s->n_nodes > 1
                           && s->nodes[0].order > s->nodes[1].order;

   c->stops = zalloc(s->n_nodes + (size_t)1, sizeof(Stop));
   for (uint32_t t = 0; t < s->n_nodes; t++) {
      uint32_t             k = down ? s->n_nodes - 1 - t : t;
      const DcfgSliceNode* d = &s->nodes[k];
      if (c->wanted[d->instr]) {
         c->stops[c->n_stops] = (Stop){ k, d->instr, d->instance,
                                        c->n_stops + 1 };
         c->n_stops++;
      }
   }
   qsort(c->stops, c->n_stops, sizeof(Stop), by_instr);
}

static void put_value(const Script* c, const DcfgSliceNode* d)
{
   const uint8_t* bytes = c->v->s->values + d->value;
   uint32_t       n = d->value_size;

   while (n > 1 && bytes[n - 1] == 0)
      n--;
   putc('"', c->out);
   for (uint32_t i = n; i-- > 0; )
      fprintf(c->out, i + 1 == n ? "%x" : "%02x", bytes[i]);
   putc('"', c->out);
}

/* Write a point of the script: the instruction that stops FROM up to END
   share, with these stops. */
static void put_point(const Script* c, uint32_t from, uint32_t end,
                      uint32_t image)
{
   const DcfgWetInstr* in = dcfg_wet_instr(c->v->w, c->stops[from].instr);
   char                text[256];

   instr_text(in, text, sizeof(text));
   fprintf(c->out, "(%" PRIu32 ", 0x%" PRIx64 ", ", image,
           c->offsets[c->stops[from].instr]);
   put_string(c->out, text_clean(in->source != NULL
              ? text_format("%s:%" PRIu32, text_base(in->source), in->line)
              : in->function != NULL ? in->function : ""));
   fputs(", ", c->out);
   put_string(c->out, text);
   fputs(", [", c->out);
   for (uint32_t i = from; i < end; i++) {
      const DcfgSliceNode* d = &c->v->s->nodes[c->stops[i].node];
      fprintf(c->out, "(%" PRIu64 ", %" PRIu32 ", %" PRIu32 ", ",
              d->instance, c->stops[i].number, d->distance);
      put_value(c, d);
      fputs(i + 1 < end ? "), " : ")", c->out);
   }
   fputs("]),\n", c->out);
   text_forget();
}

/* Go through the images of the stops in their order.  With NAMES write the
   name of each image, else its points. */
static void put_images(const Script* c, bool names)
{
   uint32_t image = 0, last = UINT32_MAX;

   for (uint32_t from = 0, end; from < c->n_stops; from = end) {
      const DcfgWetInstr* in = dcfg_wet_instr(c->v->w, c->stops[from].instr);
      if (last != UINT32_MAX && in->image != last)
         image++;
      if (names && (last == UINT32_MAX || in->image != last)) {
         put_string(c->out, in->image_name);
         fputs(", ", c->out);
      }
      last = in->image;
      for (end = from + 1; end < c->n_stops
                           && c->stops[end].instr == c->stops[from].instr; )
         end++;
      if (!names)
         put_point(c, from, end, image);
   }
}

static void write_gdb(const SliceView* v, FILE* out)
{
   static const char head[] = "@HEAD@", data[] = "@DATA@";
   uint32_t          n = dcfg_wet_instrs(v->w);
   Script            c = { .v = v, .out = out,
                           .wanted = zalloc(n + (size_t)1, sizeof(bool)),
                           .offsets = zalloc(n + (size_t)1, sizeof(uint64_t)) };
   const char*       at_head = strstr(script, head);
   const char*       at_data = strstr(script, data);
   bool              source = false;

   for (uint32_t i = 0; i < n && !source; i++)
      source = v->s->totals[i].in_slice > 0
               && is_readable(dcfg_wet_instr(v->w, i));
   choose_images(&c, source);
   find_stops(&c);
   fwrite(script, 1, (size_t)(at_head - script), out);
   fputs("IMAGES = [", out);
   put_images(&c, true);
   fprintf(out, "]\nSTOPS = %" PRIu32, c.n_stops);
   at_head += sizeof(head) - 1;
   fwrite(at_head, 1, (size_t)(at_data - at_head), out);
   put_images(&c, false);
   fputs(at_data + sizeof(data) - 1, out);
   free(c.stops);
   free(c.offsets);
   free(c.wanted);
}

const SliceForm slice_form_gdb = {
   .choice = { "gdb", "a script for gdb that stops at them in order", NULL },
   .keeps_instances = true, .write = write_gdb
};
