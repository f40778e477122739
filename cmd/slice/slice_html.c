/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice as a page for a browser. */

/* Owns: the page's data.  Handed: a slice.

   Names, values and uses of inputs are those of dcfg why.

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
      threadNames               by thread, "" if it is not in the slice
      tables                    all executions of a line, as dcfg why --table has
                                them: .file, .line; .columns: what stands above
                                the values; by execution, .thread and .shown,
                                an instance or -1; .values, by column and
                                execution: a text, [text, number], or null */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/program/lines.h"
#include "cmd/page/page.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_omitted.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/slice_views.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* PageInstr: an executed instruction of the trace. */
typedef
   struct {
      DcfgWetInstr is;
      uint32_t     instr;       // its number
      uint32_t     file, line;  // in the page
      bool         in_slice;
   }
   PageInstr;

/* SlicePage: a slice, and the data for its page. */
typedef
   struct {
      const SliceView* v;
      const DcfgSlice* s;
      FILE*            out;     // the page's data
      PageInstr*       places;  // by source and line; without a source last
      uint32_t         n_places;
      uint32_t*        number;  // by instruction: its number in the page
      const char*      program; // the program's file, or NULL
      bool             forward;
   }
   SlicePage;

/* Return the node that is number T in order of time. */
static uint32_t page_node(const SlicePage* p, uint32_t t)
{
   return p->forward ? t : p->s->n_nodes - 1 - t;
}

/* PortName: the name and the type of a place that an instruction reads or
   writes, as numbers of texts.  Number 0 is no text. */
typedef
   struct {
      bool         done;
      bool         moves;       // each instance may write another place
      uint32_t     name, type;
      VariableType of;
   }
   PortName;

/* InputWords: an input in words.  .name, .type and .value are numbers of
   texts. */
typedef
   struct {
      uint32_t name, type, value;
      uint8_t  use;
      uint32_t on;              // the input that a copy hands on, from 1
   }
   InputWords;

typedef
   struct {
      const SlicePage* p;
      Sliced*          f;
      WhyCards         cards;
      PageTexts*       texts;
      KeyMap*          ports;   // instruction, kind and register
      PortName*        names;   // by number in .ports
      size_t           room;
   }
   Words;

/*--- Names                                                ---*/

static PortName* port_name(Words* y, uint32_t instr, unsigned kind,
                           unsigned reg)
{
   uint32_t n = keymap_number(y->ports, (uint64_t)instr << 32
                                        | (uint64_t)kind << 16 | reg);

   while (n >= y->room) {
      size_t before = y->room;
      GROW(y->names, y->room, y->room);
      memset(y->names + before, 0, (y->room - before) * sizeof(*y->names));
   }
   return &y->names[n];
}

static void set_name(Words* y, PortName* at, const char* name)
{
   at->done = true;
   at->name = name == NULL ? 0 : page_text(y->texts, text_clean(name));
   at->type = at->of.known
              ? page_text(y->texts, text_clean(variables_type_name(&at->of)))
              : 0;
}

/* Return the name of the memory or register that node N wrote. */
static PortName* written_name(Words* y, const DcfgSliceNode* n)
{
   const DcfgWetInstr in = *dcfg_wet_instr(y->f->w, n->instr);
   PortName*          at = port_name(y, n->instr, UINT8_MAX, 0);
   const char*        name = NULL;
   InstrEffect        e;

   if (!at->done) {
      if (in.stores)
         name = variables_name_memory(y->f->program, n->instr,
                                      VARIABLES_WRITTEN, 0, 0, &at->of);
      else if (instr_effect(&in, &e) && e.to != NO_REGISTER && !e.flow)
         name = variables_name_register(y->f->program, n->instr, e.to, true,
                                        &at->of);
      at->moves = in.stores && (name == NULL || strchr(name, '[') != NULL);
      set_name(y, at, name);
   }
   if (at->moves)
      set_name(y, at, variables_name_memory(y->f->program, n->instr,
                                            VARIABLES_WRITTEN, n->addr,
                                            n->order, &at->of));
   return at;
}

/* Return whether .from of N is the address of the only memory operand that N
   read. */
static bool has_address(const DcfgSlice* s, const DcfgSliceNode* n)
{
   const DcfgSliceInput* in = &s->inputs[n->first_input];
   const DcfgSliceInput* only = NULL;

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      if (in[k].port != DCFG_WET_MEMORY)
         continue;
      if (only != NULL && only->reg != in[k].reg)
         return false;
      only = &in[k];
   }
   return n->from != 0;
}

/* Return the name of the place from which N read IN. */
static const PortName* read_name(Words* y, const DcfgSliceNode* n,
                                 const DcfgSliceInput* in)
{
   PortName*   at = port_name(y, n->instr, in->port, in->reg);
   const char* name;

   if (!at->done) {
      name      = why_place_name(y->f->program, n->instr, in, &at->of);
      at->moves = in->port == DCFG_WET_MEMORY && name == NULL;
      set_name(y, at, name);
   }
   if (at->moves && has_address(y->p->s, n))
      set_name(y, at, variables_name_memory(y->f->program, n->instr, in->reg,
                                            n->from, n->order, &at->of));
   return at;
}

/*--- Inputs                                               ---*/

/* Set the words of *OUT for input IN of node ME, of which a place is asked for. */
static void asked_words(const Words* y, uint32_t me, const DcfgSliceInput* in,
                        InputWords* out)
{
   const VariableType* type = &y->f->of_type;

   out->name  = page_text(y->texts, text_clean(y->f->of));
   out->type  = type->known ? page_text(y->texts,
                                        text_clean(variables_type_name(type)))
                : 0;
   out->value = page_text(y->texts, why_input_value(y->f, me, in, type));
}

/* The same for input IN of other nodes. */
static void read_words(Words* y, uint32_t me, const DcfgSliceInput* in,
                       InputWords* out)
{
   const PortName* at = read_name(y, &y->p->s->nodes[me], in);
   const char*     name;

   out->name = at->name;
   out->type = at->type;
   if (at->name == 0 && (name = why_returned(y->f, me, in)) != NULL)
      out->name = page_text(y->texts, name);
   if (out->name != 0 || !why_is_library(y->f, me))
      out->value = page_text(y->texts, why_input_value(y->f, me, in, &at->of));
}

static void find_words(Words* y, uint32_t me, InputWords* out)
{
   const DcfgSlice*     s = y->p->s;
   const DcfgSliceNode* n = &s->nodes[me];

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      const DcfgSliceInput* next = NULL;
      uint64_t              bytes;
      out[k].use = (uint8_t)why_use(&y->cards, me, in, USE_VALUE);
      if (in->port != DCFG_WET_CONTROL) {
         if (slice_asks_place(y->f, me))
            asked_words(y, me, in, &out[k]);
         else
            read_words(y, me, in, &out[k]);
         bytes = why_bytes(y->f, in, ALL_BYTES);
         if (in->node < DCFG_SLICE_NOT)
            next = why_behind_copy(y->f, in->node, in, &bytes);
      }
      if (next != NULL)
         out[k].on = (uint32_t)(next - s->inputs
                                - s->nodes[in->node].first_input) + 1;
   }
   text_forget();
}

/* The names of ports; then come general and vector registers. */
static const char* const ports[] = { "control", "flags", "x87", "memory" };
#define N_PORTS   (sizeof(ports) / sizeof(ports[0]))
#define N_VECTORS 32

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

static void put_ports(const Words* y)
{
   const Processor* is = processor_of(y->f->w);
   FILE*            out = y->p->out;

   page_column(out, "ports");
   for (uint32_t i = 0; i < N_PORTS; i++) {
      page_between(out, i == 0);
      page_words(out, ports[i]);
   }
   for (unsigned i = 0; i < MAX_GENERAL; i++) {
      putc(',', out);
      page_words(out, is->general[i]);
   }
   for (unsigned i = 0; i < N_VECTORS; i++) {
      putc(',', out);
      page_words(out, text_format("%s%u", is->vector, i));
   }
   putc(']', out);
}

typedef enum { PORT, BACK, NAME, TYPE, VALUE, USE, ON } InputColumn;

static void put_input(const Words* y, uint32_t me, const DcfgSliceInput* in,
                      const InputWords* words, InputColumn c)
{
   FILE* out = y->p->out;

   switch (c) {
      case PORT:  page_number(out, port_of(in)); break;
      case NAME:  page_number(out, words->name); break;
      case TYPE:  page_number(out, words->type); break;
      case VALUE: page_number(out, words->value); break;
      case USE:   page_number(out, words->use); break;
      case ON:    page_number(out, words->on); break;
      default:
         if (in->node == DCFG_SLICE_NOT)
            fputs("-1", out);
         else if (in->node == DCFG_SLICE_NOBODY)
            putc('0', out);
         else
            page_number(out, y->p->forward ? me - in->node : in->node - me);
   }
}

static void put_inputs(Words* y)
{
   static const char* const columns[] = { "port", "back", "name", "type",
                                          "shown", "use", "on" };
   const DcfgSlice* s = y->p->s;
   InputWords*      words = zalloc(s->n_inputs + 1, sizeof(*words));

   for (uint32_t i = 0; i < s->n_nodes; i++)
      find_words(y, i, words + s->nodes[i].first_input);
   put_ports(y);
   for (InputColumn c = PORT; c <= ON; c++) {
      bool first = true;
      page_column(y->p->out, columns[c]);
      for (uint32_t t = 0; t < s->n_nodes; t++) {
         uint32_t             me = page_node(y->p, t);
         const DcfgSliceNode* n = &s->nodes[me];
         for (uint32_t k = 0; k < n->n_inputs; k++) {
            page_between(y->p->out, first);
            first = false;
            put_input(y, me, &s->inputs[n->first_input + k],
                      &words[n->first_input + k], c);
         }
      }
      putc(']', y->p->out);
   }
   free(words);
}

/*--- Instances                                            ---*/

static void put_bytes(FILE* out, const uint8_t* bytes, uint32_t n)
{
   if (n == 0) {
      putc('0', out);
      return;
   }
   while (n > 1 && bytes[n - 1] == 0)
      n--;
   putc('"', out);
   for (uint32_t i = n; i-- > 0; )
      fprintf(out, i + 1 == n ? "%x" : "%02x", bytes[i]);
   putc('"', out);
}

static void put_nodes(const SlicePage* p)
{
   static const char* const columns[] = { "instr", "instance", "distance",
                                          "thread", "count", "value" };

   for (unsigned c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
      page_column(p->out, columns[c]);
      for (uint32_t t = 0; t < p->s->n_nodes; t++) {
         const DcfgSliceNode* d = &p->s->nodes[page_node(p, t)];
         const uint64_t       numbers[] = { p->number[d->instr], d->instance,
                                            d->distance, d->thread,
                                            d->n_inputs };
         page_between(p->out, t == 0);
         if (c < sizeof(numbers) / sizeof(numbers[0]))
            page_number(p->out, numbers[c]);
         else
            put_bytes(p->out, p->s->values + d->value, d->value_size);
      }
      putc(']', p->out);
   }
}

/* Write the columns of results: for each instance the name, type and value
   of the place that it wrote. */
static void put_written(Words* y)
{
   static const char* const columns[] = { "wrote", "wroteType", "result" };
   const DcfgSlice* s = y->p->s;
   uint32_t*        texts[3];

   for (unsigned c = 0; c < 3; c++)
      texts[c] = zalloc(s->n_nodes + (size_t)1, sizeof(uint32_t));
   for (uint32_t t = 0; t < s->n_nodes; t++) {
      uint32_t             me = page_node(y->p, t);
      const DcfgSliceNode* n = &s->nodes[me];
      const PortName*      at;
      if (n->value_size == 0 || why_is_call(y->f, me))
         continue;
      at          = written_name(y, n);
      texts[0][t] = at->name;
      texts[1][t] = at->type;
      texts[2][t] = page_text(y->texts, why_value(y->f, n, &at->of));
      text_forget();
   }
   for (unsigned c = 0; c < 3; c++) {
      page_column(y->p->out, columns[c]);
      for (uint32_t t = 0; t < s->n_nodes; t++) {
         page_between(y->p->out, t == 0);
         page_number(y->p->out, texts[c][t]);
      }
      putc(']', y->p->out);
      free(texts[c]);
   }
}

/* Write the column of callers.  For each instance it has the call that began
   the instance's activation, as the number of instances between them in
   order of time.  0: the call is not known, or not in the slice. */
static void put_callers(const Words* y)
{
   const DcfgSlice* s = y->p->s;
   uint32_t*        callers = zalloc(s->n_nodes + (size_t)1, sizeof(uint32_t));

   page_column(y->p->out, "caller");
   for (uint32_t t = 0; t < s->n_nodes; t++) {
      uint32_t me = page_node(y->p, t);
      uint32_t c = why_control(s, me);
      if (c < s->n_nodes) {
         uint32_t before = page_node(y->p, c);  // its own inverse
         if (before < t)
            callers[t] = why_is_call(y->f, c) ? before + 1 : callers[before];
      }
      page_between(y->p->out, t == 0);
      page_number(y->p->out, callers[t] == 0 ? 0 : t - (callers[t] - 1));
   }
   putc(']', y->p->out);
   free(callers);
}

/* Write the names of the threads that are in the slice, by number.  Any
   other thread has an empty name. */
static void put_threads(const SlicePage* p)
{
   uint64_t all = 0;

   for (uint32_t i = 0; i < dcfg_wet_instrs(p->v->w); i++)
      all |= p->s->totals[i].threads;
   page_column(p->out, "threadNames");
   for (uint32_t t = 0; t < 63 && all >> t != 0 && slice_has_threads(p->v);
        t++) {
      page_between(p->out, t == 0);
      page_words(p->out, all >> t & 1 ? slice_thread(p->v, t) : NULL);
      text_forget();
   }
   putc(']', p->out);
}

/* Write the columns of instances and of their inputs, with names, values and
   callers. */
static void page_instances(const SlicePage* p)
{
   Words y = { .p = p, .f = p->v->found, .texts = page_texts_new(),
               .ports = keymap_new() };

   why_cards_start(&y.cards, y.f);
   put_nodes(p);
   put_inputs(&y);
   put_written(&y);
   put_callers(&y);
   put_threads(p);
   page_texts_write(y.texts, p->out);
   why_cards_end(&y.cards);
   keymap_free(y.ports);
   free(y.names);
}

#include "slice_page.html.inc"
#include "slice_page.css.inc"
#include "slice_tables.js.inc"
#include "slice_cards.js.inc"
#include "slice_rows.js.inc"
#include "slice_page.js.inc"
#include "slice_alone.js.inc"
static const Page page = {
   .body = &slice_page_html,
   .styles = (const PageFile* const[]){ &slice_page_css, NULL },
   .scripts = (const PageFile* const[]){ &slice_tables_js, &slice_cards_js,
      &slice_rows_js, &slice_page_js, &slice_alone_js, NULL }
};
const Page slice_guest_page = {
   .body = &slice_page_html,
   .styles = (const PageFile* const[]){ &slice_page_css, NULL },
   .scripts = (const PageFile* const[]){ &slice_tables_js, &slice_cards_js,
      &slice_rows_js, &slice_page_js, NULL }
};

#define WHOLE   20000           // a file of at most so many lines is whole
#define AROUND  20              // else: lines around a line of the slice

/*--- Places                                               ---*/

COMPARE(by_place, PageInstr,
        ORDER(x->is.source == NULL, y->is.source == NULL)
        ?: (x->is.source == NULL ? 0
            : strcmp(x->is.source, y->is.source) ?: UP(is.line))
        ?: UP(is.image) ?: UP(is.addr))

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

/*--- All executions of lines                              ---*/

#define MOST_ROWS 2000          // executions of a line with a table
#define MOST_OF_ALL 20000       // executions of all lines with tables
#define MOST_WORK 200000000     // instructions that are read for tables

/* LineTable: a line of the slice that ran more than once. */
typedef
   struct {
      uint32_t place;           // the first that is in the slice
      uint32_t distance;
      uint64_t times;           // executions at most
   }
   LineTable;

COMPARE(by_distance, LineTable, UP(distance) ?: UP(place))

/* Shown: the numbers of the page's instances. */
typedef
   struct {
      const SlicePage* p;
      KeyMap*          keys;
      uint32_t*        instances;       // by key's number
   }
   Shown;

static uint64_t instance_key(const DcfgSliceNode* n)
{
   return (uint64_t)n->instr << 40 ^ n->instance;
}

static int64_t page_shows(void* arg, const DcfgSliceNode* n)
{
   const Shown*         y = arg;
   uint32_t             k = keymap_find(y->keys, instance_key(n));
   const DcfgSliceNode* found;

   if (k == UINT32_MAX)
      return -1;
   found = &y->p->s->nodes[page_node(y->p, y->instances[k])];
   return found->instr == n->instr && found->instance == n->instance
          ? (int64_t)y->instances[k] : -1;
}

static Shown shown_by(const SlicePage* p)
{
   Shown y = { .p = p, .keys = keymap_new() };

   y.instances = zalloc(p->s->n_nodes + (size_t)1, sizeof(uint32_t));
   for (uint32_t t = 0; t < p->s->n_nodes; t++)
      y.instances[keymap_number(y.keys,
                  instance_key(&p->s->nodes[page_node(p, t)]))] = t;
   return y;
}

static bool same_line(const PageInstr* a, const PageInstr* b)
{
   return same_file(a, b) && a->is.line == b->is.line;
}

/* Return the program's lines in the slice that ran more than once, but not too
   often, the nearest first, and set *N.  The caller frees them. */
static LineTable* find_lines(const SlicePage* p, uint32_t* n)
{
   LineTable* lines = zalloc(p->n_places + (size_t)1, sizeof(*lines));

   *n = 0;
   for (uint32_t i = 0, end; i < p->n_places && p->places[i].is.source != NULL;
        i = end) {
      LineTable at = { .distance = UINT32_MAX };
      for (end = i; end < p->n_places
                    && same_line(&p->places[i], &p->places[end]); end++) {
         const DcfgSliceTotal* t = &p->s->totals[p->places[end].instr];
         at.times = t->executed > at.times ? t->executed : at.times;
         if (!p->places[end].in_slice || t->distance >= at.distance)
            continue;
         at.place    = end;
         at.distance = t->distance;
      }
      if (at.distance != UINT32_MAX && at.times > 1 && at.times <= MOST_ROWS
          && is_own(p, &p->places[at.place]))
         lines[(*n)++] = at;
   }
   qsort(lines, *n, sizeof(*lines), by_distance);
   return lines;
}

/* Write the table of the line of place AT.  INSTRS: space for a bool by
   instruction, all false.  Return false if memory does not suffice. */
static bool put_table(const SlicePage* p, const PageInstr* at, bool* instrs,
                      Shown* y, bool first)
{
   Sliced*    f = p->v->found;
   DcfgSlice* before = f->s;
   DcfgSlice* every;

   for (uint32_t i = 0; i < p->n_places; i++)
      instrs[p->places[i].instr] = same_line(&p->places[i], at);
   every = slice_every(f, instrs);
   if (every == NULL)
      return false;
   page_between(p->out, first);
   fprintf(p->out, "{\"file\":%" PRIu32 ",\"line\":%" PRIu32, at->file,
           at->line);
   f->s = every;
   why_table_data(f, p->out, page_shows, y);
   f->s = before;
   putc('}', p->out);
   dcfg_slice_free(every);
   return true;
}

/* Write the tables of as many lines as take little time. */
static void put_tables(const SlicePage* p)
{
   uint32_t   n, most;
   LineTable* lines = find_lines(p, &n);
   Shown      y = shown_by(p);
   bool*      instrs = zalloc(dcfg_wet_instrs(p->v->w) + (size_t)1, 1);
   uint64_t   rows = 0;

   most = (uint32_t)(MOST_WORK / (p->s->n_executed + 1)) + 1;
   page_column(p->out, "tables");
   for (uint32_t i = 0; i < n && i < most && rows < MOST_OF_ALL; i++)
      if (put_table(p, &p->places[lines[i].place], instrs, &y, rows == 0))
         rows += lines[i].times;
   putc(']', p->out);
   keymap_free(y.keys);
   FREE_ALL(y.instances, instrs, lines);
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

static void tell_omitted(FILE* out, const SliceView* v)
{
   if (v->found->never_ran != NULL)
      fprintf(out, "%s\n", v->found->never_ran);
   if (v->omitted != NULL)
      slice_put_omitted(out, v->omitted, SIZE_MAX);
}

/* Write a column with the lines that TELL prints, as the listing has them. */
static void put_sentences(const SlicePage* p, const char* column,
                          void (*tell)(FILE* out, const SliceView* v))
{
   char*  text = NULL;
   size_t size;
   FILE*  f = open_memstream(&text, &size);
   bool   first = true;

   page_column(p->out, column);
   if (f == NULL)
      die("out of memory");
   tell(f, p->v);
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
           wet_begins_late(v->w) ? "true" : "false",
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
   put_sentences(&p, "crossings", slice_put_crossings);
   put_sentences(&p, "omitted", tell_omitted);
   put_criteria(&p);
   put_tables(&p);
   putc('}', p.out);
   FREE_ALL(p.places, p.number);
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
