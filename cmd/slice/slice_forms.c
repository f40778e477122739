/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices as source, as instances, and as JSON. */

/* Owns: the annotated source, which has the lines around those of the slice;
   the list of instances, one a line, with their inputs; the same as JSON.
   Handed: a slice.

   Source stands in the order of files and lines, instances in the order of the
   slice. */

#include "cmd/base/format.h"
#include "cmd/base/terminal.h"
#include "cmd/machine/processor.h"
#include "cmd/program/lines.h"
#include "cmd/slice/slice_omitted.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/slice_views.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 1               // lines around a line of the slice
#define TEXT_AT 38              // columns before the text of a line

/* AnnotatedLine: a source line, or a function without lines: the sum of its
   instructions. */
typedef
   struct {
      const char* source;       // or NULL
      uint32_t    line;
      const char* function;
      const char* image;
      uint64_t    in_slice, executed;
      uint64_t    threads;      // as in DcfgSliceTotal
      uint32_t    distance;
   }
   AnnotatedLine;

static int compare_text(const char* a, const char* b)
{
   return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

/* Order of rows: by source and line; functions without lines are last. */
COMPARE(compare, AnnotatedLine, ORDER(x->source == NULL, y->source == NULL)
        ?: (x->source == NULL ? compare_text(x->image, y->image)
                                ?: compare_text(x->function, y->function)
            : strcmp(x->source, y->source) ?: UP(line)))

COMPARE(by_instances, AnnotatedLine, DOWN(in_slice) ?: compare(x, y))

static void add_row(AnnotatedLine* sum, const AnnotatedLine* row)
{
   sum->in_slice += row->in_slice;
   sum->executed += row->executed;
   sum->threads  |= row->threads;
   if (row->distance < sum->distance)
      sum->distance = row->distance;
}

/* Return the rows of all executed code, in order, and set *N to their
   number.  The caller frees them. */
static AnnotatedLine* make_rows(const SliceView* v, size_t* n)
{
   uint32_t       all = dcfg_wet_instrs(v->w);
   AnnotatedLine* rows = zalloc(all + (size_t)1, sizeof(*rows));
   size_t         k = 0;

   for (uint32_t i = 0; i < all; i++) {
      const DcfgWetInstr*   in = dcfg_wet_instr(v->w, i);
      const DcfgSliceTotal* t = &v->s->totals[i];
      if (t->executed > 0)
         rows[k++] = (AnnotatedLine){ in->line != 0 ? in->source : NULL,
                                      in->line, in->function,
                                      in->image_name, t->in_slice,
                                      t->executed, t->threads, t->distance };
   }
   qsort(rows, k, sizeof(*rows), compare);
   *n = 0;
   for (size_t i = 0; i < k; i++) {
      if (*n == 0 || compare(&rows[*n - 1], &rows[i]) != 0)
         rows[(*n)++] = rows[i];
      else
         add_row(&rows[*n - 1], &rows[i]);
   }
   return rows;
}

/* Write the columns of numbers before the line; WITH_THREADS, also the
   column of threads. */
static void put_row(FILE* out, const AnnotatedLine* row, bool with_threads)
{
   slice_put_numbers(out, row->distance, row->in_slice, row->executed);
   if (with_threads)
      slice_put_threads(out, row->threads);
}

static void put_line(FILE* out, const SourceFile* f, uint32_t line,
                     const AnnotatedLine* row, bool with_threads)
{
   int width = with_threads ? THREADS_WIDTH : 0;
   size_t      length = 0;
   const char* text = source_file_line(f, line, &length);

   if (text == NULL)
      length = 0;
   if (row != NULL && row->in_slice > 0)
      put_row(out, row, with_threads);
   else
      fprintf(out, "%*s", 29 + width, "");
   fprintf(out, " %6" PRIu32 "%s%s\n", line, length > 0 ? "  " : "",
           length > 0 ? text_cut(text_clean_line(text, length),
                                 terminal_room(out, TEXT_AT + (size_t)width))
           : "");
   text_forget();
}

/* Write the lines of the slice in file F, with context.  The N ROWS are of
   F. */
static void put_file(FILE* out, const AnnotatedLine* rows, size_t n,
                     const SourceFile* f, bool with_threads)
{
   uint32_t next = 1, lines = source_file_lines(f);
   bool     begun = false;

   fprintf(out, "\n%s\n", text_clean(rows[0].source));
   for (size_t i = 0; i < n; i++) {
      uint32_t line = rows[i].line;
      uint32_t from = line > CONTEXT ? line - CONTEXT : 1;
      if (rows[i].in_slice == 0)
         continue;
      if (from < next)
         from = next;
      if (begun && from > next)
         fprintf(out, "%*s\n", 36 + (with_threads ? THREADS_WIDTH : 0), "...");
      for (; from < line; from++)
         put_line(out, f, from, NULL, with_threads);
      put_line(out, f, line, &rows[i], with_threads);
      begun = true;
      next  = line + 1;
      /* Show the line behind this one, unless the next row follows closely. */
      size_t k = i + 1;
      while (k < n && rows[k].in_slice == 0)
         k++;
      if ((k == n || rows[k].line > next) && next <= lines)
         put_line(out, f, next++, NULL, with_threads);
   }
}

/* Return the lines of the N rows that are in the slice, as "5, 6, 8-12". */
static const char* list_lines(const AnnotatedLine* rows, size_t n)
{
   const char* all = "";

   for (size_t i = 0; i < n; i++) {
      size_t last = i;
      if (rows[i].in_slice == 0)
         continue;
      while (last + 1 < n && rows[last + 1].in_slice > 0
             && rows[last + 1].line == rows[last].line + 1)
         last++;
      if (strlen(all) > 40)
         return text_format("%s, ...", all);
      all = text_format(last == i ? "%s%s%" PRIu32 : "%s%s%" PRIu32 "-%" PRIu32,
                        all, all[0] == 0 ? "" : ", ", rows[i].line,
                        rows[last].line);
      i = last;
   }
   return all;
}

/* Return the sum of N rows. */
static AnnotatedLine sum_of(const AnnotatedLine* rows, size_t n)
{
   AnnotatedLine sum = rows[0];

   for (size_t i = 1; i < n; i++)
      add_row(&sum, &rows[i]);
   return sum;
}

static void put_elsewhere(FILE* out, AnnotatedLine* rows, size_t n,
                          bool with_threads)
{
   size_t k = 0;

   for (size_t i = 0; i < n; i++)
      if (rows[i].in_slice > 0)
         rows[k++] = rows[i];
   if (k == 0)
      return;
   qsort(rows, k, sizeof(*rows), by_instances);
   fputs("\ncode without source lines\n", out);
   for (size_t i = 0; i < k && i < 20; i++) {
      put_row(out, &rows[i], with_threads);
      fprintf(out, "         %s (%s)\n",
              rows[i].function == NULL ? "?"
              : text_clean(text_brief(text_demangle(rows[i].function))),
              rows[i].image == NULL ? "?"
              : text_clean(text_base(rows[i].image)));
      text_forget();
   }
   if (k > 20)
      fprintf(out, "%30s and %zu functions more\n", "", k - 20);
}

/* Write the files of the N ROWS: first files that can be read, with their
   text; then the others, with numbers of lines. */
static void put_files(FILE* out, const AnnotatedLine* rows, size_t n,
                      bool with_threads)
{
   bool said = false;

   for (int readable = 1; readable >= 0; readable--)
      for (size_t i = 0, k; i < n; i = k) {
         SourceFile*   f;
         AnnotatedLine sum;
         for (k = i + 1; k < n && strcmp(rows[k].source, rows[i].source) == 0; )
            k++;
         sum = sum_of(rows + i, k - i);
         if (sum.in_slice == 0)
            continue;
         f = source_file_open(rows[i].source);
         if (f != NULL && readable) {
            put_file(out, rows + i, k - i, f, with_threads);
         } else if (f == NULL && !readable) {
            if (!said)
               fputs("\nfiles that cannot be read, and their lines\n", out);
            said = true;
            put_row(out, &sum, with_threads);
            fprintf(out, "         %s: %s\n", text_clean(rows[i].source),
                    list_lines(rows + i, k - i));
         }
         source_file_close(f);
         text_forget();
      }
}

static void write_source(const SliceView* v, FILE* out)
{
   size_t         n, with = 0, lines = 0, lines_in = 0;
   AnnotatedLine* rows = make_rows(v, &n);
   bool           threads = slice_has_threads(v);

   for (; with < n && rows[with].source != NULL; with++) {
      lines++;
      lines_in += rows[with].in_slice > 0;
   }
   slice_put_head(out, v, lines_in, lines, "source");
   fputs("\ndistance    instances   share", out);
   if (threads)
      slice_put_threads_head(out);
   fputs("   line\n", out);
   put_files(out, rows, with, threads);
   put_elsewhere(out, rows + with, n - with, threads);
   slice_put_crossings(out, v);
   free(rows);
}

const SliceForm slice_form_source = {
   .choice = { "source", "lines of source, with distance and share", NULL },
   .keeps_instances = false, .write = write_source
};

static void put_input(const SliceView* v, const DcfgSliceInput* in,
                      FILE* out)
{
   fprintf(out, " %s=", slice_port(v->w, in));
   if (in->node == DCFG_SLICE_NOBODY)
      fputs(wet_begins_late(v->w) ? "before-window-or-nobody" : "nobody",
            out);
   else if (in->node == DCFG_SLICE_NOT)
      fputs("not-followed", out);
   else
      fputs(instance_text(v->w, &v->s->nodes[in->node]), out);
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
      fprintf(out, "%" PRIu32 " %s", n->distance, instance_text(v->w, n));
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

static void json_text(const char* key, const char* s, FILE* out)
{
   if (s != NULL)
      put_json_member(", ", key, s, out);
}

static void json_node(const SliceView* v, const DcfgSliceNode* n, FILE* out)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, n->instr);
   const char*        value = slice_hex(v, n);
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
                 && wet_begins_late(v->w) ? ", \"in_window\": false" : "");
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
