/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as a page for a browser. */

/* Owns: the page's data.  Handed: a slice.  Taken by: dcfg slice.

   The page is slice_page.html, which needs nothing else; in it stands a JSON
   object with

      title, asked, notes       texts
      window                    there is more that was executed
      executed                  how many lines were, in all sources
      threads                   how many
      files                     of lines in the slice: .name; .source, or an
                                image, of which there is code only; .own: the
                                program's, not a library's; .last line;
                                .text, [first line, [lines]]; .executed lines
      addr, code, function, file, line   of instructions in the slice; a line of
                                an image is its code's row
      functions, ports          names
      instr, instance, distance, thread, value   of instances, in order of time
      count                     of inputs of each instance
      port, back                of inputs: the name; the instance, so many
                                before, 0: nothing executed, -1: not followed */

#include "cmd/slice/slice_views.h"

#include "base/put.h"
#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/roles.h"
#include "cmd/machine/source_file.h"
#include "cmd/base/own.h"
#include "cmd/shared/wet_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char page[] =
#include "slice_page.inc"
;

#define WHOLE   20000           // lines of a file of which all are in the page
#define AROUND  20              // or those around one of the slice

/* PageInstr: an instruction that was executed. */
typedef
   struct {
      DcfgWetInstr is;
      uint32_t     instr;       // its number
      uint32_t     file, line;  // in the page
      bool         in_slice;
   }
   PageInstr;

typedef
   struct {
      DcfgWet*         w;
      const DcfgSlice* s;
      FILE*         out;
      PageInstr*           places;  // by source and line; last those without
      uint32_t         n_places;
      uint32_t*        number;  // by instruction: its number in the page
      const char*      program; // the program's file, or NULL
      bool             forward;
   }
   Page;

/*--- JSON                                                 ---*/

/* Bytes of the character at S, of LENGTH bytes; 0 if it is none in UTF-8. */
static size_t character(const char* s, size_t length)
{
   const unsigned char* c = (const unsigned char*)s;
   size_t               n = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0
                            : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3
                            : c[0] < 0xF5 ? 4 : 0;

   if (n > length)
      return 0;
   for (size_t i = 1; i < n; i++)
      if ((c[i] & 0xC0) != 0x80)
         return 0;
   if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F)
       || (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
      return 0;
   return n;
}

/* A string that may also stand in a script element. */
static void put_string(FILE* out, const char* s, size_t length)
{
   static const char digits[] = "0123456789abcdef";

   putc('"', out);
   for (size_t n; length > 0; s += n, length -= n) {
      unsigned char c = (unsigned char)*s;
      n = character(s, length);
      if (n == 0 || (n > 1 && DCFG_(hidden)((const UChar*)s) != 0)) {
         fputs("\\ufffd", out);
         n = n == 0 ? 1 : n;
      } else if (c < ' ' || c == 0x7F || c == '"' || c == '\\' || c == '<'
                 || c == '>' || c == '&') {
         fputs("\\u00", out);
         putc(digits[c >> 4], out);
         putc(digits[c & 15], out);
      } else {
         for (size_t i = 0; i < n; i++)
            putc(s[i], out);
      }
   }
   putc('"', out);
}

static void put_words(FILE* out, const char* s)
{
   put_string(out, s, strlen(s));
}

static void put_number(FILE* out, uint64_t n)
{
   fprintf(out, "%" PRIu64, n);
}

/* The name of a column, which becomes the current one. */
static void begin_column(FILE* out, const char* name)
{
   fputs(",\n", out);
   put_words(out, name);
   fputs(":[", out);
}

static void between(FILE* out, bool first)
{
   if (!first)
      putc(',', out);
}

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

static void find_places(Page* p)
{
   uint32_t n = dcfg_wet_instrs(p->w);

   p->places = zalloc(n + (size_t)1, sizeof(PageInstr));
   p->number = zalloc(n + (size_t)1, sizeof(uint32_t));
   for (uint32_t i = 0; i < n; i++)
      if (p->s->totals[i].executed > 0) {
         PageInstr* at = &p->places[p->n_places++];
         at->is = *dcfg_wet_instr(p->w, i);
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

/* Behind the last of those of the file of places[I]. */
static uint32_t end_of_file(const Page* p, uint32_t i)
{
   uint32_t end = i + 1;

   while (end < p->n_places && same_file(&p->places[i], &p->places[end]))
      end++;
   return end;
}

static uint64_t executed_lines(const Page* p)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < p->n_places && p->places[i].is.source != NULL; i++)
      n += i == 0 || !same_file(&p->places[i], &p->places[i - 1])
           || p->places[i].is.line != p->places[i - 1].is.line;
   return n;
}

/*--- Files                                                ---*/

/* Lines FROM up to TO, both included, after what was put before. */
static void put_lines(FILE* out, const SourceFile* f, uint32_t from,
                      uint32_t to, bool first)
{
   between(out, first);
   putc('[', out);
   put_number(out, from);
   fputs(",[", out);
   for (uint32_t i = from; i <= to; i++) {
      size_t      length;
      const char* line = source_file_line(f, i, &length);
      between(out, i == from);
      put_string(out, line, length);
   }
   fputs("]]", out);
}

/* The text of a file that places FROM up to END are in. */
static void put_source(const Page* p, const SourceFile* f, uint32_t from,
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

static void put_executed(const Page* p, uint32_t from, uint32_t end)
{
   for (uint32_t i = from; i < end; i++)
      if (i == from || p->places[i].is.line != p->places[i - 1].is.line) {
         between(p->out, i == from);
         put_number(p->out, p->places[i].is.line);
      }
}

static void put_file(const Page* p, uint32_t from, uint32_t end)
{
   const PageInstr* at = &p->places[from];
   SourceFile*  f = at->is.source == NULL ? NULL
                    : source_file_open(at->is.source);

   fputs("{\"name\":", p->out);
   put_words(p->out, at->is.source != NULL ? at->is.source
            : at->is.image_name != NULL ? at->is.image_name : "?");
   fputs(at->is.source != NULL ? ",\"source\":true"
            : ",\"source\":false", p->out);
   fputs(is_of_program(at->is.image_name, p->program, NULL)
         && !is_of_system(at->is.source) ? ",\"own\":true" : ",\"own\":false",
         p->out);
   fputs(",\"last\":", p->out);
   put_number(p->out, f == NULL ? 0 : source_file_lines(f));
   fputs(",\"text\":[", p->out);
   if (f != NULL)
      put_source(p, f, from, end);
   fputs("],\"executed\":[", p->out);
   if (at->is.source != NULL)
      put_executed(p, from, end);
   fputs("]}", p->out);
   source_file_close(f);
}

/* The files that have something of the slice; of their instructions in the
   slice, number, file and line. */
static void put_files(Page* p)
{
   uint32_t n_files = 0, n = 0;

   begin_column(p->out, "files");
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
      between(p->out, n_files++ == 0);
      put_file(p, from, end);
   }
   putc(']', p->out);
}

/*--- Instructions                                         ---*/

/* Names of functions; consecutive places mostly have the same. */
static void put_functions(const Page* p, uint32_t* function)
{
   const char* last = NULL;
   uint32_t    n = 0;

   begin_column(p->out, "functions");
   for (uint32_t i = 0; i < p->n_places; i++) {
      const char* name = p->places[i].is.function;
      if (!p->places[i].in_slice)
         continue;
      if (n == 0 || (name == NULL) != (last == NULL)
          || (name != NULL && strcmp(name, last) != 0)) {
         between(p->out, n++ == 0);
         put_words(p->out, name == NULL ? "" : text_demangle(name));
         text_forget();
      }
      last = name;
      function[i] = n - 1;
   }
   putc(']', p->out);
}

typedef enum { ADDR, CODE, FUNCTION, IN_FILE, LINE } InstrColumn;

static void put_instr(const Page* p, uint32_t i, const uint32_t* function,
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
         put_words(p->out, text);
         break;
      case FUNCTION: put_number(p->out, function[i]); break;
      case IN_FILE:  put_number(p->out, at->file); break;
      default:       put_number(p->out, at->line);
   }
}

static void put_instrs(const Page* p)
{
   static const char* const names[] = { "addr", "code", "function", "file",
                                        "line" };
   uint32_t*                function = zalloc(p->n_places + (size_t)1,
                                              sizeof(uint32_t));

   put_functions(p, function);
   for (InstrColumn c = ADDR; c <= LINE; c++) {
      bool first = true;
      begin_column(p->out, names[c]);
      for (uint32_t i = 0; i < p->n_places; i++)
         if (p->places[i].in_slice) {
            between(p->out, first);
            put_instr(p, i, function, c);
            first = false;
         }
      putc(']', p->out);
   }
   free(function);
}

/*--- Instances                                            ---*/

/* Node number T in order of time. */
static uint32_t node_at(const Page* p, uint32_t t)
{
   return p->forward ? t : p->s->n_nodes - 1 - t;
}

static void put_value(const Page* p, const DcfgSliceNode* d)
{
   const uint8_t* bytes = p->s->values + d->value;
   uint32_t       n = d->value_size;

   if (n == 0) {
      putc('0', p->out);
      return;
   }
   while (n > 1 && bytes[n - 1] == 0)
      n--;
   putc('"', p->out);
   for (uint32_t i = n; i-- > 0; )
      fprintf(p->out, i + 1 == n ? "%x" : "%02x", bytes[i]);
   putc('"', p->out);
}

typedef enum { INSTR, INSTANCE, DISTANCE, THREAD, VALUE, COUNT } NodeColumn;

static void put_nodes(const Page* p)
{
   static const char* const names[] = { "instr", "instance", "distance",
                                        "thread", "value", "count" };

   for (NodeColumn c = INSTR; c <= COUNT; c++) {
      begin_column(p->out, names[c]);
      for (uint32_t t = 0; t < p->s->n_nodes; t++) {
         const DcfgSliceNode* d = &p->s->nodes[node_at(p, t)];
         between(p->out, t == 0);
         switch (c) {
            case INSTR:    put_number(p->out, p->number[d->instr]); break;
            case INSTANCE: put_number(p->out, d->instance); break;
            case DISTANCE: put_number(p->out, d->distance); break;
            case THREAD:   put_number(p->out, d->thread); break;
            case VALUE:    put_value(p, d); break;
            default:       put_number(p->out, d->n_inputs);
         }
      }
      putc(']', p->out);
   }
}

/* The names of ports; then come general and vector registers. */
static const char* const ports[] = { "control", "flags", "x87", "memory" };
#define N_PORTS (sizeof(ports) / sizeof(ports[0]))

static uint32_t port_of(const DcfgSliceInput* in)
{
   switch ((DcfgWetPortKind)in->port) {
      case DCFG_WET_CONTROL: return 0;
      case DCFG_WET_FLAGS:   return 1;
      case DCFG_WET_X87:     return 2;
      case DCFG_WET_MEMORY:  return 3;
      case DCFG_WET_GENERAL: return N_PORTS + in->reg % MAX_GENERAL;
      default:               return N_PORTS + MAX_GENERAL + in->reg;
   }
}

#define N_VECTORS 32

static void put_inputs(const Page* p)
{
   const Processor* is = processor_of(p->w);

   begin_column(p->out, "ports");
   for (uint32_t i = 0; i < N_PORTS; i++) {
      between(p->out, i == 0);
      put_words(p->out, ports[i]);
   }
   for (unsigned i = 0; i < MAX_GENERAL; i++) {
      putc(',', p->out);
      put_words(p->out, is->general[i] == NULL ? "" : is->general[i]);
   }
   for (unsigned i = 0; i < N_VECTORS; i++) {
      putc(',', p->out);
      put_words(p->out, text_format("vector %u", i));
   }
   putc(']', p->out);
   for (int back = 0; back <= 1; back++) {
      bool first = true;
      begin_column(p->out, back ? "back" : "port");
      for (uint32_t t = 0; t < p->s->n_nodes; t++) {
         uint32_t             me = node_at(p, t);
         const DcfgSliceNode* d = &p->s->nodes[me];
         for (uint32_t k = 0; k < d->n_inputs; k++) {
            const DcfgSliceInput* in = &p->s->inputs[d->first_input + k];
            between(p->out, first);
            first = false;
            if (!back)
               put_number(p->out, port_of(in));
            else if (in->node == DCFG_SLICE_NOT)
               fputs("-1", p->out);
            else if (in->node == DCFG_SLICE_NOBODY)
               putc('0', p->out);
            else
               put_number(p->out, p->forward ? me - in->node
                           : in->node - me);
         }
      }
      putc(']', p->out);
   }
}

static void put_criteria(const Page* p)
{
   begin_column(p->out, "criterion");
   for (uint32_t i = 0; i < p->s->n_criteria; i++) {
      between(p->out, i == 0);
      put_number(p->out, node_at(p, p->s->criteria[i]));
   }
   putc(']', p->out);
}

static void write_html(const SliceView* v, FILE* out)
{
   static const char here[] = "@DATA@";
   const char*       data = strstr(page, here);
   const DcfgSlice*  s = v->s;
   Page              p = { .w = v->w, .s = s, .out = out,
                           .program = wet_program(v->w) };

   p.forward = s->n_nodes > 1 && s->nodes[0].order < s->nodes[1].order;
   find_places(&p);
   fwrite(page, 1, (size_t)(data - page), out);
   fprintf(out, "{\"window\":%s,\"title\":",
           dcfg_wet_is_window(v->w) ? "true" : "false");
   put_words(out, v->title);
   fputs(",\"asked\":", out);
   put_words(out, v->criterion);
   begin_column(out, "notes");
   for (size_t i = 0; v->not_followed[i] != NULL; i++) {
      between(out, i == 0);
      put_words(out, v->not_followed[i]);
   }
   fputs("],\"executed\":", out);
   put_number(out, executed_lines(&p));
   fputs(",\"threads\":", out);
   put_number(out, dcfg_wet_threads(v->w));
   put_files(&p);
   put_instrs(&p);
   put_nodes(&p);
   put_inputs(&p);
   put_criteria(&p);
   putc('}', out);
   fputs(data + sizeof(here) - 1, out);
   free(p.places);
   free(p.number);
}

const SliceForm slice_form_html = {
   .choice = { "html", "a page for a browser", NULL },
   .keeps_instances = true, .write = write_html
};
