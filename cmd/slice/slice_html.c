/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as a page for a browser. */

/* Owns: the page's data.  Handed: a slice.

   The data is a JSON object with

   title, asked, notes       texts
      window, forward           the trace is only a part of the run; the slice
                                is a forward one
      instances, executed       number of instances in the slice, in the run
      lines                     number of executed lines of the program
      threads                   number of threads
      crossings                 sentences on values that went from thread to
                                thread
      omitted                   sentences on stores that did not run
      files                     files of lines in the slice: .name; .source:
                                false for code without lines; .own: the
                                program's, not a library's; .last line;
                                .text, [first line, [lines]]; .executed lines
      images                    .name; .own: the program's
      addr, code, function, file, line, image, role
                                of instructions in the slice.  Code without
                                lines has its row for a line.  A role is a sum:
                                1: it calls, 2: it is a library's, 4: it stores,
                                8: its code has no lines.
      functions, ports, texts   names; texts are named by their numbers
      instr, instance, distance, thread, value   of instances, in order of time
      wrote, wroteType, result  texts: what an instance wrote, and the value
      caller                    the instance, so many before, whose call began
                                the activation; 0: it is not known
      count                     of inputs of each instance
      port, back                of inputs: the name; the instance, so many
                                before, 0: nothing executed, -1: not followed
      name, type, shown         texts: what an input is called, and the value
      use                       0: as a value, 1: as an address, 2: as what let
                                it run, 4: as a frame pointer or the like
      on                        the input's instance is a copy, and hands on its
                                own input of this number, from 1
      threadNames               by thread, "" if it is not in the slice */

#include "cmd/slice/slice_page.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/own.h"
#include "cmd/machine/processor.h"
#include "cmd/program/lines.h"
#include "cmd/page/page.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_omitted.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const PageFile body =
#include "slice_page.html.inc"
;
static const PageFile style =
#include "slice_page.css.inc"
;
static const PageFile tables =
#include "slice_tables.js.inc"
;
static const PageFile cards =
#include "slice_cards.js.inc"
;
static const PageFile script =
#include "slice_page.js.inc"
;
static const PageFile alone =
#include "slice_alone.js.inc"
;
static const Page page = {
   .body = &body, .styles = (const PageFile* const[]){ &style, NULL },
   .scripts = (const PageFile* const[]){ &tables, &cards, &script, &alone,
                                         NULL }
};
const Page slice_guest_page = {
   .body = &body, .styles = (const PageFile* const[]){ &style, NULL },
   .scripts = (const PageFile* const[]){ &tables, &cards, &script, NULL }
};

#define WHOLE   20000           // a file of at most so many lines is whole
#define AROUND  20              // else: lines around a line of the slice

/*--- Places                                               ---*/

static int by_place(const void* x, const void* y)
{
   const PageInstr* a = x;
   const PageInstr* b = y;
   const char*  m = a->is.source;
   const char*  n = b->is.source;
   int          d = m == n ? 0 : m == NULL ? 1 : n == NULL ? -1 : strcmp(m, n);

   if (d != 0)
      return d;
   if (m != NULL && a->is.line != b->is.line)
      return a->is.line < b->is.line ? -1 : 1;
   if (a->is.image != b->is.image)
      return a->is.image < b->is.image ? -1 : 1;
   return a->is.addr < b->is.addr ? -1 : a->is.addr > b->is.addr;
}

static void find_places(SlicePage* p)
{
   uint32_t n = dcfg_wet_instrs(p->v->w);

   p->places = zalloc(n + (size_t)1, sizeof(PageInstr));
   p->number = zalloc(n + (size_t)1, sizeof(uint32_t));
   for (uint32_t i = 0; i < n; i++)
      if (p->s->totals[i].executed > 0) {
         PageInstr* at = &p->places[p->n_places++];
         at->is = *dcfg_wet_instr(p->v->w, i);
         at->instr = i;
         at->in_slice = p->s->totals[i].in_slice > 0;
      }
   qsort(p->places, p->n_places, sizeof(PageInstr), by_place);
}

static bool same_file(const PageInstr* a, const PageInstr* b)
{
   if (a->is.source == NULL || b->is.source == NULL)
      return a->is.source == b->is.source && a->is.image == b->is.image;
   return strcmp(a->is.source, b->is.source) == 0;
}

/* Return the end of the places that are in the same file as place I. */
static uint32_t end_of_file(const SlicePage* p, uint32_t i)
{
   uint32_t end = i + 1;

   while (end < p->n_places && same_file(&p->places[i], &p->places[end]))
      end++;
   return end;
}

/* Return whether AT is code of the program, and of no library or header of
   the distribution. */
static bool is_own(const SlicePage* p, const PageInstr* at)
{
   return is_of_program(at->is.image_name, p->program, p->v->own)
          && !is_of_system(at->is.source);
}

static uint64_t executed_lines(const SlicePage* p)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < p->n_places && p->places[i].is.source != NULL; i++)
      n += is_own(p, &p->places[i])
           && (i == 0 || !same_file(&p->places[i], &p->places[i - 1])
               || p->places[i].is.line != p->places[i - 1].is.line);
   return n;
}

/*--- Files                                                ---*/

/* Write lines FROM to TO, both included, as an element of .text.  FIRST: it
   is the first element. */
static void put_lines(FILE* out, const SourceFile* f, uint32_t from,
                      uint32_t to, bool first)
{
   page_between(out, first);
   putc('[', out);
   page_number(out, from);
   fputs(",[", out);
   for (uint32_t i = from; i <= to; i++) {
      size_t      length;
      const char* line = source_file_line(f, i, &length);
      page_between(out, i == from);
      page_string(out, line, length);
   }
   fputs("]]", out);
}

/* Write the elements of .text of file F, which places FROM up to END are in. */
static void put_source(const SlicePage* p, const SourceFile* f, uint32_t from,
                       uint32_t end)
{
   uint32_t n = source_file_lines(f), done = 0;

   if (n <= WHOLE) {
      if (n > 0)
         put_lines(p->out, f, 1, n, true);
      return;
   }
   for (uint32_t i = from; i < end && done < n; ) {
      uint32_t line = p->places[i].is.line;
      uint32_t low = line > done + AROUND ? line - AROUND : done + 1;
      uint32_t high = line;
      if (!p->places[i].in_slice || line > n) {
         i++;
         continue;
      }
      for (; i < end && p->places[i].is.line <= high + 2 * AROUND; i++)
         if (p->places[i].in_slice)
            high = p->places[i].is.line;
      high = high < n - AROUND ? high + AROUND : n;
      put_lines(p->out, f, low, high, done == 0);
      done = high;
   }
}

static void put_executed(const SlicePage* p, uint32_t from, uint32_t end)
{
   for (uint32_t i = from; i < end; i++)
      if (i == from || p->places[i].is.line != p->places[i - 1].is.line) {
         page_between(p->out, i == from);
         page_number(p->out, p->places[i].is.line);
      }
}

static void put_file(const SlicePage* p, uint32_t from, uint32_t end)
{
   const PageInstr* at = &p->places[from];
   SourceFile*  f = at->is.source == NULL ? NULL
                    : source_file_open(at->is.source);

   fputs("{\"name\":", p->out);
   page_words(p->out, at->is.source != NULL ? at->is.source
            : at->is.image_name != NULL ? at->is.image_name : "?");
   fputs(at->is.source != NULL ? ",\"source\":true"
            : ",\"source\":false", p->out);
   fputs(is_own(p, at) ? ",\"own\":true" : ",\"own\":false", p->out);
   fputs(",\"last\":", p->out);
   page_number(p->out, f == NULL ? 0 : source_file_lines(f));
   fputs(",\"text\":[", p->out);
   if (f != NULL)
      put_source(p, f, from, end);
   fputs("],\"executed\":[", p->out);
   if (at->is.source != NULL)
      put_executed(p, from, end);
   fputs("]}", p->out);
   source_file_close(f);
}

/* Write the files that have code of the slice.  Set number, file and line of
   the instructions in the slice. */
static void put_files(SlicePage* p)
{
   uint32_t n_files = 0, n = 0;

   page_column(p->out, "files");
   for (uint32_t from = 0, end; from < p->n_places; from = end) {
      bool     any = false;
      uint32_t row = 0;
      end = end_of_file(p, from);
      for (uint32_t i = from; i < end; i++) {
         PageInstr* at = &p->places[i];
         if (!at->in_slice)
            continue;
         any = true;
         at->file = n_files;
         at->line = at->is.source != NULL ? at->is.line : row++;
         p->number[at->instr] = n++;
      }
      if (!any)
         continue;
      page_between(p->out, n_files++ == 0);
      put_file(p, from, end);
   }
   putc(']', p->out);
}

/*--- Instructions                                         ---*/

/* Return the function of AT, if asked for with the functions that its code
   was inlined into; "" without a name.  The caller frees the text. */
static char* function_of(const SlicePage* p, const PageInstr* at)
{
   InlinedTrace* inlined = p->v->inlined;
   const char*   chain = inlined == NULL ? ""
                         : inlined_trace_text(inlined, at->instr);
   char*         name = text_copy(chain[0] != 0 ? chain
                                  : at->is.function == NULL ? ""
                                  : text_demangle(at->is.function));

   text_forget();
   return name;
}

/* Write the names of functions, and set FUNCTION, by place, to the number of
   its name.  Consecutive places mostly have the same function. */
static void put_functions(const SlicePage* p, uint32_t* function)
{
   char*    last = NULL;
   uint32_t n = 0;

   page_column(p->out, "functions");
   for (uint32_t i = 0; i < p->n_places; i++) {
      char* name;
      if (!p->places[i].in_slice)
         continue;
      name = function_of(p, &p->places[i]);
      if (last == NULL || strcmp(name, last) != 0) {
         page_between(p->out, n++ == 0);
         page_words(p->out, name);
      }
      free(last);
      last = name;
      function[i] = n - 1;
   }
   free(last);
   putc(']', p->out);
}

typedef enum { ADDR, CODE, FUNCTION, IN_FILE, LINE, IMAGE, ROLE } InstrColumn;

static unsigned role_of(const SlicePage* p, const PageInstr* at)
{
   const Sliced* f = p->v->found;

   return (f->roles.calls[at->instr] ? 1 : 0)
          | (why_is_library_code(f, at->instr) ? 2 : 0)
          | (at->is.stores ? 4 : 0) | (at->is.line == 0 ? 8 : 0);
}

static void put_instr(const SlicePage* p, uint32_t i, const uint32_t* function,
                      InstrColumn column)
{
   const PageInstr* at = &p->places[i];
   char         text[256];

   switch (column) {
      case ADDR:
         putc('"', p->out);
         fprintf(p->out, "%" PRIx64, at->is.addr);
         putc('"', p->out);
         break;
      case CODE:
         instr_text(&at->is, text, sizeof(text));
         page_words(p->out, text);
         break;
      case FUNCTION: page_number(p->out, function[i]); break;
      case IN_FILE:  page_number(p->out, at->file); break;
      case IMAGE:    page_number(p->out, at->is.image); break;
      case ROLE:     page_number(p->out, role_of(p, at)); break;
      default:       page_number(p->out, at->line);
   }
}

static void put_instrs(const SlicePage* p)
{
   static const char* const names[] = { "addr", "code", "function", "file",
                                        "line", "image", "role" };
   uint32_t*                function = zalloc(p->n_places + (size_t)1,
                                              sizeof(uint32_t));

   put_functions(p, function);
   for (InstrColumn c = ADDR; c <= ROLE; c++) {
      bool first = true;
      page_column(p->out, names[c]);
      for (uint32_t i = 0; i < p->n_places; i++)
         if (p->places[i].in_slice) {
            page_between(p->out, first);
            put_instr(p, i, function, c);
            first = false;
         }
      putc(']', p->out);
   }
   free(function);
}

static void put_images(const SlicePage* p)
{
   uint32_t     last = 0;
   const char** names;

   for (uint32_t i = 0; i < p->n_places; i++)
      if (p->places[i].is.image > last)
         last = p->places[i].is.image;
   names = zalloc(last + (size_t)1, sizeof(*names));
   for (uint32_t i = 0; i < p->n_places; i++)
      names[p->places[i].is.image] = p->places[i].is.image_name;
   page_column(p->out, "images");
   for (uint32_t i = 0; i <= last; i++) {
      page_between(p->out, i == 0);
      fputs("{\"name\":", p->out);
      page_words(p->out, names[i] == NULL ? "?" : names[i]);
      fprintf(p->out, ",\"own\":%s}",
              is_of_program(names[i], p->program, p->v->own) ? "true"
              : "false");
   }
   putc(']', p->out);
   free(names);
}

/*--- The whole                                            ---*/

static void put_criteria(const SlicePage* p)
{
   page_column(p->out, "criterion");
   for (uint32_t i = 0; i < p->s->n_criteria; i++) {
      page_between(p->out, i == 0);
      page_number(p->out, page_node(p, p->s->criteria[i]));
   }
   putc(']', p->out);
}

static void tell_crossings(const SliceView* v, FILE* out)
{
   slice_put_crossings(out, v);
}

static void tell_omitted(const SliceView* v, FILE* out)
{
   if (v->found->never_ran != NULL)
      fprintf(out, "%s\n", v->found->never_ran);
   if (v->omitted != NULL)
      slice_put_omitted(out, v->omitted, SIZE_MAX);
}

/* Write a column with the lines that TELL prints, as the listing has them. */
static void put_sentences(const SlicePage* p, const char* column,
                          void (*tell)(const SliceView* v, FILE* out))
{
   char*  text = NULL;
   size_t size;
   FILE*  f = open_memstream(&text, &size);
   bool   first = true;

   page_column(p->out, column);
   if (f == NULL)
      die("out of memory");
   tell(p->v, f);
   fclose(f);
   for (char* line = strtok(text, "\n"); line != NULL;
        line = strtok(NULL, "\n")) {
      page_between(p->out, first);
      page_words(p->out, line);
      first = false;
   }
   putc(']', p->out);
   free(text);
}

static void put_head(const SlicePage* p)
{
   const SliceView* v = p->v;

   fprintf(p->out, "{\"window\":%s,\"forward\":%s,\"title\":",
           dcfg_wet_is_window(v->w) ? "true" : "false",
           p->forward ? "true" : "false");
   page_words(p->out, text_format("%s of %s", v->title,
                                  p->program == NULL ? text_base(v->file)
                                  : text_base(p->program)));
   fputs(",\"asked\":", p->out);
   page_words(p->out, v->criterion);
   page_column(p->out, "notes");
   for (size_t i = 0; v->not_followed[i] != NULL; i++) {
      page_between(p->out, i == 0);
      page_words(p->out, v->not_followed[i]);
   }
   fprintf(p->out, "],\"instances\":%" PRIu64 ",\"executed\":%" PRIu64
           ",\"lines\":%" PRIu64 ",\"threads\":%" PRIu32,
           p->s->n_instances, p->s->n_executed, executed_lines(p),
           dcfg_wet_threads(v->w));
}

void slice_page_data(const SliceView* v, FILE* out)
{
   SlicePage p = { .v = v, .s = v->s, .out = out,
                   .program = wet_program(v->w) };

   p.forward = v->found->q.forward;
   find_places(&p);
   put_head(&p);
   put_files(&p);
   put_images(&p);
   put_instrs(&p);
   page_instances(&p);
   put_sentences(&p, "crossings", tell_crossings);
   put_sentences(&p, "omitted", tell_omitted);
   put_criteria(&p);
   putc('}', p.out);
   free(p.places);
   free(p.number);
}

static void write_html(const SliceView* v, FILE* out)
{
   FILE* data = page_begin(out, &page);

   slice_page_data(v, data);
   page_end(out, data, &page);
}

const SliceForm slice_form_html = {
   .choice = { "html", "a page for a browser", NULL },
   .keeps_instances = true, .write = write_html
};
