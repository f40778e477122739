/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances in a slice's page. */

/* Owns: columns of instances and their inputs.  Handed: a slice.

   Names, values and uses are those of dcfg why. */

#include "cmd/slice/slice_page.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/machine/processor.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/why.h"
#include "cmd/slice/why_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
                                      VARIABLES_WRITTEN, 0, 0, 0, &at->of);
      else if (instr_effect(&in, &e) && e.to != NO_REGISTER && !e.flow)
         name = variables_name_register(y->f->program, n->instr, e.to, true,
                                        &at->of);
      at->moves = in.stores && (name == NULL || strchr(name, '[') != NULL);
      set_name(y, at, name);
   }
   if (at->moves)
      set_name(y, at, variables_name_memory(y->f->program, n->instr,
                                            VARIABLES_WRITTEN, n->addr,
                                            n->order, 0, &at->of));
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
                                            n->from, n->order, 0, &at->of));
   return at;
}

/*--- Inputs                                               ---*/

static void find_words(Words* y, uint32_t me, InputWords* out)
{
   const DcfgSlice*     s = y->p->s;
   const DcfgSliceNode* n = &s->nodes[me];
   bool                 library = why_is_library(y->f, me);

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      const DcfgSliceInput* next = NULL;
      const PortName*       at = NULL;
      const char*           name;
      out[k].use = (uint8_t)why_use(&y->cards, me, in, USE_VALUE);
      if (in->port != DCFG_WET_CONTROL) {
         at          = read_name(y, n, in);
         out[k].name = at->name;
         out[k].type = at->type;
         if (at->name == 0 && (name = why_returned(y->f, me, in)) != NULL)
            out[k].name = page_text(y->texts, name);
         if (out[k].name != 0 || !library)
            out[k].value = page_text(y->texts,
                                     why_input_value(y->f, me, in, &at->of));
         if (in->node < DCFG_SLICE_NOT)
            next = why_behind_copy(y->f, in->node, in);
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

void page_instances(const SlicePage* p)
{
   Words y = { .p = p, .f = p->v->found, .texts = page_texts_new(),
               .ports = keymap_new() };

   why_cards_start(&y.cards, y.f);
   put_nodes(p);
   put_inputs(&y);
   put_written(&y);
   put_callers(&y);
   put_threads(p);
   page_texts_write(y.texts, p->out, "texts");
   why_cards_end(&y.cards);
   keymap_free(y.ports);
   free(y.names);
}
