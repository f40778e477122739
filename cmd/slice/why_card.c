/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Steps of dcfg why. */

/* Owns: which instances are one step, a card; the order of its inputs; which
   stores that did not run are among them; words for values and inputs.
   Handed: a slice.

   Instances of a line ran together if one branch or call of another line let
   them run.  A step has an instruction only once: its next instance belongs to
   another iteration.

   In a large program dozens of stores could have changed a value.  A card
   prints the best omission of each line, and MOST_PRINTED of them at most. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_query.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_WIDTH 48       // columns of a name; templates are longer

const char* why_value(const Sliced* f, const DcfgSliceNode* n,
                      const VariableType* type)
{
   return n->value_size == 0 ? ""
          : why_bytes_value(f, n->instr, type, f->s->values + n->value,
                            n->value_size);
}

const char* why_bytes_value(const Sliced* f, uint32_t instr,
                            const VariableType* type, const uint8_t* bytes,
                            size_t size)
{
   uint64_t    value = 0;
   const char* real = slice_float(f, instr, bytes, size);
   const char* text = type->known ? variables_value(type, bytes, size) : NULL;

   /* A union's first member may be a pointer. */
   if (real != NULL && (text == NULL || strncmp(text, "0x", 2) == 0))
      return real;
   if (text != NULL)
      return text;
   for (size_t k = size < 8 ? size : 8; k-- > 0; )
      value = value << 8 | bytes[k];
   return value < 1000000 ? text_format("%" PRIu64, value)
          : text_format("0x%" PRIx64, value);
}

const char* why_function(const DcfgWetInstr* in)
{
   return text_shorten(text_clean(text_brief(text_demangle(in->function))),
                       FUNCTION_WIDTH);
}

const char* why_place_name(TraceProgram* names, uint32_t user,
                           const DcfgSliceInput* in, VariableType* type)
{
   *type = (VariableType){ .known = false };
   if (in->port == DCFG_WET_MEMORY)
      return variables_name_memory(names, user, in->reg, 0, 0, type);
   if (in->port == DCFG_WET_GENERAL)
      return variables_name_register(names, user, in->reg, false, type);
   return NULL;
}

/* Return the value that the memory asked for of N had before it, as one of TYPE:
   input IN leads to one that made it. */
static const char* asked_memory(const Sliced* f, const DcfgSliceNode* n,
                                const DcfgSliceInput* in,
                                const VariableType* type)
{
   uint8_t bytes[8];

   return f->q.size > sizeof(bytes)
          || !memory_value(f->program, f->s, n, slice_asked_address(f),
                           f->q.size, bytes)
          ? "" : why_bytes_value(f, in->node < DCFG_SLICE_NOT
                                    ? f->s->nodes[in->node].instr : n->instr,
                                 type, bytes, f->q.size);
}

const char* why_input_value(const Sliced* f, uint32_t user,
                            const DcfgSliceInput* in, const VariableType* type)
{
   const DcfgSliceNode* n = &f->s->nodes[user];

   if (in->port == DCFG_WET_MEMORY && slice_asks_place(f, user))
      return asked_memory(f, n, in, type);
   if (in->port == DCFG_WET_MEMORY && f->roles.copies[n->instr])
      return why_value(f, n, type);
   return in->node >= DCFG_SLICE_NOT ? ""
          : why_value(f, &f->s->nodes[in->node], type);
}

const char* why_returned(const Sliced* f, uint32_t user,
                         const DcfgSliceInput* in)
{
   const Processor* p = processor_of(f->w);
   DcfgWetInstr     reader, writer;

   if (in->port != DCFG_WET_GENERAL || in->reg != 0 || p->arguments[0] == 0
       || in->node >= DCFG_SLICE_NOT)
      return NULL;
   reader = *dcfg_wet_instr(f->w, f->s->nodes[user].instr);
   writer = *dcfg_wet_instr(f->w, f->s->nodes[in->node].instr);
   return reader.function == NULL || writer.function == NULL
          || strcmp(reader.function, writer.function) == 0 ? NULL
          : text_format("%s()", why_function(&writer));
}

size_t why_choice(const char* line)
{
   char*         end;
   unsigned long n = line[0] < '0' || line[0] > '9' ? 0
                     : strtoul(line, &end, 10);

   return n == 0 || end[strspn(end, " \t\r\n")] != 0 ? 0 : n;
}

bool why_says(const char* line, const char* word)
{
   size_t n = strcspn(line, " \t\r\n");

   return (n == 1 || n == strlen(word)) && strncmp(line, word, n) == 0
          && line[n + strspn(line + n, " \t\r\n")] == 0;
}

void why_no_answer(const char* line, size_t n, bool lists)
{
   size_t k = why_choice(line);

   if (why_says(line, "back"))
      puts("this is the first step: there is no way back");
   else if (k >= 1 && k <= n)
      printf("input %zu has no step to explain: nothing that was recorded made "
             "it\n", k);
   else
      printf("`%s' is no answer: %sb goes back,%s q quits\n",
             text_clean(text_format("%.*s", (int)strcspn(line, "\r\n"), line)),
             n == 0 ? "" : n == 1 ? "1 explains the input, "
             : text_format("a number from 1 to %zu explains that input, ", n),
             lists ? " l lists the steps," : "");
}

#define BIT(reg) (UINT32_C(1) << (reg))

/*--- Copies                                               ---*/

uint64_t why_bytes(const Sliced* f, const DcfgSliceInput* in, uint64_t bytes)
{
   const DcfgSliceNode* n;
   uint64_t             of = in->bytes;

   if (in->node >= DCFG_SLICE_NOT || in->port == DCFG_WET_CONTROL || of == 0
       || f->q.bytes == NULL)
      return ALL_BYTES;
   n = &f->s->nodes[in->node];
   if (!f->q.bytes[n->instr].each)
      return ALL_BYTES;
   if (bytes != ALL_BYTES)
      of &= bytes;
   return in->behind < 0 ? of >> -in->behind : of << in->behind;
}

bool why_has_bytes(const Sliced* f, uint32_t node, const DcfgSliceInput* in,
                   uint64_t wanted, uint64_t* bytes)
{
   *bytes = dcfg_slice_bytes(&f->roles.bytes[f->s->nodes[node].instr], wanted,
                             in->port, in->reg);
   if (*bytes == 0
       || (*bytes != ALL_BYTES && in->bytes != 0 && (*bytes & in->bytes) == 0))
      return false;
   *bytes = why_bytes(f, in, *bytes);
   return true;
}

/* Return whether N moves bytes of a vector register to other places of one. */
static bool shuffles(const Sliced* f, const DcfgSliceNode* n)
{
   return f->roles.bytes[n->instr].shuffle != NULL;
}

/* Return whether N is a constant, which a register of 8 bytes got; set *SET to those
   of its bytes that are not zero. */
static bool is_mask(const Sliced* f, const DcfgSliceNode* n, uint64_t* set)
{
   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (f->s->inputs[n->first_input + k].port != DCFG_WET_CONTROL)
         return false;
   *set = 0;
   for (unsigned j = 0; j < 8 && n->value_size == 8; j++)
      *set |= f->s->values[n->value + j] != 0 ? UINT64_C(1) << j : 0;
   return n->value_size == 8;
}

/* Return whether NODE made its bytes WANTED of nothing: they are zero, because it
   shifts or extends, or because its other operand is a constant mask. */
static bool is_blank(const Sliced* f, uint32_t node, uint64_t wanted)
{
   const DcfgSliceNode*  n = &f->s->nodes[node];
   const DcfgSliceBytes* b = &f->roles.bytes[n->instr];
   const DcfgSliceInput* in = &f->s->inputs[n->first_input];

   if (wanted == ALL_BYTES || wanted >> 8 != 0 || !b->each)
      return false;
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      uint64_t set;
      if (f->roles.joins[n->instr] == MASKS && in[k].node < DCFG_SLICE_NOT
          && in[k].port == DCFG_WET_GENERAL
          && is_mask(f, &f->s->nodes[in[k].node], &set)
          && (set & wanted) == 0)
         return true;
   }
   return (wanted & ~(uint64_t)b->zero) == 0;
}

/* Return the only input of copy NODE that made the bytes *BYTES which NODE
   hands on; NULL if there is none, or several.  *BYTES gets those of the result
   of the input's writer. */
static const DcfgSliceInput* handed_on(const Sliced* f, uint32_t node,
                                       uint64_t* bytes)
{
   const DcfgSliceNode*  n = &f->s->nodes[node];
   uint64_t              of, wanted = *bytes;
   const DcfgSliceInput* in = &f->s->inputs[n->first_input];
   const DcfgSliceInput* found = NULL;
   bool                  memory = false, shuffle = shuffles(f, n);

   for (uint32_t k = 0; k < n->n_inputs && !shuffle; k++)
      memory |= in[k].port == DCFG_WET_MEMORY;
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      if (memory ? in[k].port != DCFG_WET_MEMORY
          : in[k].port == DCFG_WET_CONTROL
            || (in[k].port == DCFG_WET_GENERAL
                && (f->roles.addresses[n->instr] >> in[k].reg & 1)))
         continue;
      if (!why_has_bytes(f, node, &in[k], wanted, &of)
          || (f->roles.joins[n->instr] == JOINS && in[k].node < DCFG_SLICE_NOT
              && is_blank(f, in[k].node, of)))
         continue;
      if (found != NULL)
         return NULL;
      found  = &in[k];
      *bytes = of;
   }
   return found;
}

/* Return whether VIA may have the value that N handed on: N is a copy or a shuffle,
   or joins registers, and VIA is not a pointer that N moved. */
static bool is_handed_on(const Sliced* f, const DcfgSliceNode* n,
                         const DcfgSliceInput* via)
{
   return (f->roles.copies[n->instr] || shuffles(f, n)
           || f->roles.joins[n->instr] == JOINS)
          && !(via->port == DCFG_WET_GENERAL
               && (f->roles.moved[n->instr] >> via->reg & 1));
}

/* Return whether A made all bytes WANTED that N hands on, or computed nothing.
   A copy writes all of a general register, though it may have read less. */
static bool made_all(const DcfgSlice* s, uint32_t a, const DcfgSliceNode* n,
                     uint64_t wanted)
{
   return wanted != ALL_BYTES || a >= DCFG_SLICE_NOT
          || s->nodes[a].value_size == 0 || n->value_size <= 8
          || s->nodes[a].value_size >= n->value_size;
}

const DcfgSliceInput* why_behind_copy(const Sliced* f, uint32_t node,
                                      const DcfgSliceInput* via,
                                      uint64_t* bytes)
{
   const DcfgSliceNode*  n = &f->s->nodes[node];
   const DcfgSliceInput* next;
   uint64_t              wanted = *bytes;

   if (!is_handed_on(f, n, via))
      return NULL;
   next = handed_on(f, node, bytes);
   return next == NULL || next->node == DCFG_SLICE_NOT
          || !made_all(f->s, next->node, n, wanted) ? NULL : next;
}

/*--- What ran together                                    ---*/

DcfgWetInstr why_instr(const Sliced* f, uint32_t instr)
{
   DcfgWetInstr in = *dcfg_wet_instr(f->w, instr);
   CodeLine     l = told_line(f->code, instr);

   in.source   = l.source;
   in.line     = l.line;
   in.function = l.function;
   return in;
}

static bool is_one_line(const Sliced* f, uint32_t a, uint32_t b)
{
   const CodeLine x = told_line(f->code, a);
   const CodeLine y = told_line(f->code, b);

   return x.line != 0 && x.line == y.line && x.source != NULL
          && y.source != NULL && strcmp(x.source, y.source) == 0
          && x.function != NULL && y.function != NULL
          && strcmp(x.function, y.function) == 0;
}

uint32_t why_control(const DcfgSlice* s, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (s->inputs[n->first_input + k].port == DCFG_WET_CONTROL)
         return s->inputs[n->first_input + k].node;
   return DCFG_SLICE_NOBODY;
}

bool why_is_call(const Sliced* f, uint32_t node)
{
   return f->roles.calls[f->s->nodes[node].instr];
}

/* Return whether C, which let node I run, is a node of the same line, and no
   call.  It has a greater number. */
static bool is_of_line(const Sliced* f, uint32_t i, uint32_t c)
{
   return c < DCFG_SLICE_NOT && c > i && !why_is_call(f, c)
          && is_one_line(f, f->s->nodes[i].instr, f->s->nodes[c].instr);
}

void why_cards_start(WhyCards* y, Sliced* f)
{
   uint32_t n = f->s->n_nodes;

   *y = (WhyCards){ .f = f, .runs = zalloc(n + (size_t)1, sizeof(uint32_t)),
                    .seen = zalloc(n + (size_t)1, sizeof(WhySeen)),
                    .cut = zalloc(n + (size_t)1, sizeof(uint32_t)) };
   for (uint32_t i = n; i-- > 0; ) {
      uint32_t c = why_control(f->s, i);
      y->runs[i] = is_of_line(f, i, c) ? y->runs[c] : c;
   }
}

void why_cards_end(WhyCards* y)
{
   FREE_ALL(y->runs, y->seen, y->cut);
}

static bool is_library_code(const Sliced* f, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(f->w, instr);

   return (f->foreign[instr]
           && (in.line == 0 || is_of_system(in.image_name)))
          || (is_of_system(in.source)
              && innermost_line(f->code, instr).line == 0);
}

bool why_is_library_code(const Sliced* f, uint32_t instr)
{
   enum { UNKNOWN, NO, YES };
   uint8_t* is = &f->library[instr];

   if (*is == UNKNOWN)
      *is = is_library_code(f, instr) ? YES : NO;
   return *is == YES;
}

/* CALLS_MAIN: a part of the names of the C library's functions that call
   main(): __libc_start_main(), in newer glibc __libc_start_call_main(), in
   musl libc_start_main_stage2().  FIRST_CODE: the symbol of the code that the
   kernel or the dynamic linker starts, which calls them. */
#define CALLS_MAIN "libc_start"
#define FIRST_CODE "_start"

/* Return whether NODE is in the code that calls main(), or in the program's
   first code.  That control came from there explains nothing: the program was
   started. */
static bool is_start(const Sliced* f, uint32_t node)
{
   const char* name = dcfg_wet_instr(f->w, f->s->nodes[node].instr)->function;

   return name != NULL && (strstr(name, CALLS_MAIN) != NULL
                           || strcmp(name, FIRST_CODE) == 0);
}

bool why_is_library(const Sliced* f, uint32_t node)
{
   return why_is_library_code(f, f->s->nodes[node].instr);
}

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Note that the slice has to go on from NODE, unless it does. */
static void need_more(WhyCards* y, WhyCard* c, uint32_t node)
{
   const DcfgSlice* s = y->f->s;
   uint64_t         order = s->nodes[node].order;

   if (y->cut[node] == y->n_cards || slice_starts(y->f, order)
       || bsearch(&node, s->criteria, s->n_criteria, sizeof(node), by_number))
      return;
   y->cut[node] = y->n_cards;
   GROW(c->cut, c->n_cut, c->cut_room);
   c->cut[c->n_cut++] = (DcfgSliceStart){ order, why_is_library(y->f, node) };
}

/* Most slices in which a card looks for what let its line run.  A line may be a loop
   of the whole run. */
#define RUN_ROUNDS 8

/* Note that the slice does not tell what let NODE's line run. */
static void need_run(WhyCards* y, WhyCard* c, uint32_t node)
{
   if (y->round >= RUN_ROUNDS)
      return;
   for (uint32_t next; is_of_line(y->f, node, next = why_control(y->f->s, node)); )
      node = next;
   need_more(y, c, node);
}

/* Return whether NODE belongs to card C. */
static bool joins(WhyCards* y, WhyCard* c, uint32_t node)
{
   const DcfgSlice* s = y->f->s;
   uint32_t         with = y->runs[c->head], runs = y->runs[node];

   if (s->nodes[node].thread != s->nodes[c->head].thread
       || !is_one_line(y->f, s->nodes[node].instr, s->nodes[c->head].instr))
      return false;
   if (runs == DCFG_SLICE_NOT)
      need_run(y, c, node);
   if (with == DCFG_SLICE_NOT)
      need_run(y, c, c->head);
   if (runs != with)
      return false;
   for (size_t i = 0; i < c->n_members; i++)
      if (c->members[i] != node
          && s->nodes[c->members[i]].instr == s->nodes[node].instr)
         return false;
   return true;
}

/*--- Inputs                                               ---*/

/* Note that card C needs the inputs of NODE; ALL: also what let it run. */
static void need_inputs(WhyCards* y, WhyCard* c, uint32_t node, bool all)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];

   if (n->distance >= y->f->q.steps
       || (all && y->f->roles.copies[n->instr] && !y->f->foreign[n->instr]
           && why_control(y->f->s, node) == DCFG_SLICE_NOT))
      need_more(y, c, node);
}

/* Return whether IN of NODE is the stack pointer or the frame pointer. */
static bool is_pointer_input(const WhyCards* y, uint32_t node,
                       const DcfgSliceInput* in)
{
   const Processor* p = processor_of(y->f->w);

   return in->port == DCFG_WET_GENERAL
          && (in->reg == p->stack
              || (in->reg == p->frame
                  && y->f->frames[y->f->s->nodes[node].instr]));
}

WhyUse why_use(const WhyCards* y, uint32_t node, const DcfgSliceInput* in,
               WhyUse outer)
{
   const Sliced*    f = y->f;
   uint32_t         i = f->s->nodes[node].instr;
   const Processor* p = processor_of(f->w);
   WhyUse           use = USE_VALUE;

   if (in->port == DCFG_WET_CONTROL)
      use = in->node == DCFG_SLICE_NOT
            || (in->node < DCFG_SLICE_NOT && is_start(f, in->node))
            ? USE_FRAME : USE_BRANCH;
   else if (is_pointer_input(y, node, in)
            || (in->port == DCFG_WET_GENERAL
                && (f->roles.saves[i] >> in->reg & 1)
                && (f->roles.moved[i] >> p->stack & 1)))
      use = USE_FRAME;
   else if (in->port == DCFG_WET_MEMORY && f->roles.copies[i]
            && (f->roles.moved[i] >> p->stack & 1)
            && in->node < DCFG_SLICE_NOT
            && f->roles.saves[f->s->nodes[in->node].instr] != 0)
      use = USE_FRAME;
   else if (in->port == DCFG_WET_GENERAL
            && (f->roles.addresses[i] >> in->reg & 1)
            && (!f->roles.lookups[i] || !why_is_library(f, node)))
      use = USE_ADDRESS;
   return use > outer ? use : outer;
}

/* Return whether IN, which comes from NODE, has the same value as K, or
   another part of that value. */
static bool is_the_same(const Sliced* f, const WhyInput* k, uint32_t node,
                        const WhyInput* in)
{
   const DcfgSlice* s = f->s;
   bool same_port = k->input->port == in->input->port
                    && k->input->reg == in->input->reg;
   bool same_place = same_port && k->user == in->user;

   if (k->unseen != in->unseen)
      return false;
   if (k->node == node)
      return node < DCFG_SLICE_NOT || same_place
             || (same_port && k->use == USE_FRAME && in->use == USE_FRAME);
   if (k->node >= DCFG_SLICE_NOT || node >= DCFG_SLICE_NOT || !same_place
       || (in->high != 0 && (in->low >= k->high || k->low >= in->high)))
      return false;
   /* Inside of a library, several instances of one line often lead to the
      same place. */
   if (in->library && k->library && in->use >= USE_ADDRESS)
      return is_one_line(f, s->nodes[k->node].instr, s->nodes[node].instr);
   return k->use == in->use && (in->use == USE_BRANCH || in->library)
          && s->nodes[k->node].instr == s->nodes[node].instr;
}

/* If C already has the input IN, which comes from NODE, count IN there and
   return true. */
static bool is_known(const Sliced* f, WhyCard* c, uint32_t node,
                     const WhyInput* in)
{
   for (size_t i = 0; i < c->n_inputs; i++) {
      WhyInput* k = &c->inputs[i];
      if (!is_the_same(f, k, node, in))
         continue;
      k->n_more += k->node != node;
      if (in->high != 0 && in->low < k->low)
         k->low = in->low;
      if (in->high > k->high)
         k->high = in->high;
      return true;
   }
   return false;
}

/* Set .low and .high of IN to the printed bytes that it has, if its user is
   a criterion that printed some. */
static void find_printed(const Sliced* f, WhyInput* in)
{
   const DcfgSliceNode* user = &f->s->nodes[in->user];
   const DcfgSliceNode* by;

   if (f->q.parts == NULL || in->input->port != DCFG_WET_MEMORY
       || in->input->node >= DCFG_SLICE_NOT)
      return;
   by = &f->s->nodes[in->input->node];
   for (uint32_t i = 0; i < f->q.n_parts; i++) {
      const DcfgSlicePart* p = &f->q.parts[i];
      uint64_t low = p->place > by->addr ? p->place : by->addr;
      uint64_t high = p->place + p->size;
      if (p->instr != user->instr || p->instance != user->instance)
         continue;
      if (by->addr + by->value_size < high)
         high = by->addr + by->value_size;
      if (low >= high)
         continue;
      if (in->high == 0 || low < in->low)
         in->low = low;
      if (high > in->high)
         in->high = high;
   }
}

static void add_passed(WhyCard* c, uint32_t node)
{
   GROW(c->passed, c->n_passed, c->passed_room);
   c->passed[c->n_passed++] = node;
}

static void add_input(const Sliced* f, WhyCard* c, WhyInput in, uint32_t node)
{
   find_printed(f, &in);
   if (is_known(f, c, node, &in))
      return;
   in.node     = node;
   in.n_passed = (uint32_t)c->n_passed - in.first;
   GROW(c->inputs, c->n_inputs, c->inputs_room);
   c->inputs[c->n_inputs++] = in;
}

/* Made: bytes of the result of a node. */
typedef
   struct {
      uint32_t node;
      uint64_t bytes;
   }
   Made;

/* Found: nodes that were found for a card, by their use.  Nodes with the
   most telling use are followed first. */
typedef
   struct {
      Made*  nodes[USE_FRAME];
      size_t n[USE_FRAME], room[USE_FRAME];
   }
   Found;

static void add_found(Found* l, WhyUse use, Made made)
{
   GROW(l->nodes[use], l->n[use], l->room[use]);
   l->nodes[use][l->n[use]++] = made;
}

/* Return whether the present card has met all bytes of MADE already.  It has
   now. */
static bool is_seen(WhyCards* y, Made made)
{
   WhySeen* s = &y->seen[made.node];
   uint64_t before = s->card == y->n_cards ? s->bytes : 0;

   *s = (WhySeen){ y->n_cards, before | made.bytes };
   return (made.bytes & ~before) == 0;
}

/* Add MADE to L, unless the present card has met it already. */
static void add_new(WhyCards* y, Found* l, WhyUse use, Made made)
{
   if (!is_seen(y, made))
      add_found(l, use, made);
}

/* Return the input behind VIA, a library's copy, through which the program's
   value came, and set *BYTES as why_behind_copy() does.  All nodes on the way
   are copies of a library: memcpy() made no value.  Return NULL if there is no
   such input.  With C, add the nodes to the passed ones. */
static const DcfgSliceInput* behind_library(WhyCards* y, WhyCard* c,
                                            const DcfgSliceInput* via,
                                            uint64_t* bytes)
{
   while (via != NULL && via->node < DCFG_SLICE_NOT
          && why_is_library(y->f, via->node)) {
      if (c != NULL)
         add_passed(c, via->node);
      via = why_behind_copy(y->f, via->node, via, bytes);
   }
   return via == NULL || via->node >= DCFG_SLICE_NOT ? NULL : via;
}

/* Return the node that computed the bytes *BYTES, of the result of IN's writer,
   and add the copies on the way to the passed nodes.  *BYTES gets the bytes of
   the node's result.  It is a node of the program or of a library, or
   DCFG_SLICE_NOBODY or DCFG_SLICE_NOT.  A copy is not passed if it got its
   value from a library, or loaded one that nobody wrote: it chose the value. */
static uint32_t behind_copies(WhyCards* y, WhyCard* c,
                              const DcfgSliceInput* in, uint64_t* bytes)
{
   const DcfgSliceInput* via = in;

   if (in->unseen)
      return DCFG_SLICE_NOBODY;

   while (via->node < DCFG_SLICE_NOT && in->port != DCFG_WET_CONTROL
          && !why_is_library(y->f, via->node) && !joins(y, c, via->node)) {
      uint64_t              of = *bytes, end;
      const DcfgSliceInput* next = why_behind_copy(y->f, via->node, via, &of);
      if (next == NULL)
         break;
      need_inputs(y, c, via->node, false);
      end = of;
      if (next->node == DCFG_SLICE_NOBODY
          || behind_library(y, NULL, next, &end) == NULL)
         break;
      add_passed(c, via->node);
      *bytes = of;
      via    = behind_library(y, c, next, bytes);
   }
   return via->node;
}

static void pass_library(WhyCards* y, WhyCard* c, Found* l, WhyInput in,
                         Made first);
static void follow(WhyCards* y, WhyCard* c, Found* l, WhyInput in);

/* Follow the addresses from which passed copies loaded, from copy FIRST on.
   Such an address is an input of the card: the pointer may be wrong, and not
   the value. */
static void follow_places(WhyCards* y, WhyCard* c, Found* l, uint32_t first)
{
   const DcfgSlice* s = y->f->s;
   size_t           end = c->n_passed;

   for (size_t i = first; i < end; i++) {
      uint32_t             at = c->passed[i];
      const DcfgSliceNode* n = &s->nodes[at];
      for (uint32_t k = 0; k < n->n_inputs; k++) {
         const DcfgSliceInput* to = &s->inputs[n->first_input + k];
         if (dcfg_wet_instr(y->f->w, n->instr)->loads
             && to->port == DCFG_WET_GENERAL && to->node < DCFG_SLICE_NOT
             && why_use(y, at, to, USE_VALUE) == USE_ADDRESS)
            follow(y, c, l, (WhyInput){ .use = USE_ADDRESS, .user = at,
                                        .input = to, .of_copy = true });
      }
   }
}

/* Return whether somebody else wrote a part of what NODE got over IN, and IN is
   not that input: then who stored the rest did not make the value. */
static bool has_unseen(const Sliced* f, uint32_t node, const DcfgSliceInput* in)
{
   const DcfgSliceNode* n = &f->s->nodes[node];
   const DcfgWetInstr*  at = dcfg_wet_instr(f->w, n->instr);

   if (in->port != DCFG_WET_MEMORY || in->unseen || in->reg >= at->n_accesses
       || at->accesses[in->reg].size > 8)
      return false;
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* other = &f->s->inputs[n->first_input + k];
      if (other->unseen && other->port == in->port && other->reg == in->reg)
         return true;
   }
   return false;
}

/* Follow input IN of member .user: add the member that it leads to, or add
   it to the inputs of the card. */
static void follow(WhyCards* y, WhyCard* c, Found* l, WhyInput in)
{
   uint32_t node;
   uint64_t bytes = why_bytes(y->f, in.input, ALL_BYTES);

   if (has_unseen(y->f, in.user, in.input))
      return;
   in.unseen = input_is_unseen(y->f->initial, y->f->s, in.user, in.input);
   in.loader = in.user;
   in.first = (uint32_t)c->n_passed;
   node     = behind_copies(y, c, in.input, &bytes);
   if (in.use == USE_VALUE)
      follow_places(y, c, l, in.first);
   if (in.use != USE_BRANCH && node < DCFG_SLICE_NOT
       && why_is_call(y->f, node))
      in.use = USE_FRAME;
   if (in.use == USE_FRAME || node >= DCFG_SLICE_NOT)
      add_input(y->f, c, in, node);
   else if (joins(y, c, node))
      add_new(y, l, in.use, (Made){ node, ALL_BYTES });
   else if (in.use != USE_BRANCH && why_is_library(y->f, node))
      pass_library(y, c, l, in, (Made){ node, bytes });
   else
      add_input(y->f, c, in, node);
}

/* Add the printed bytes of IN to the input that has the bytes beside them.
   Both came from the library the same way. */
static void join_printed(const Sliced* f, WhyCard* c, WhyInput in)
{
   find_printed(f, &in);
   for (size_t i = 0; in.high != 0 && i < c->n_inputs; i++) {
      WhyInput* k = &c->inputs[i];
      if (k->user != in.user || k->high == 0 || k->high < in.low
          || in.high < k->low || k->node >= DCFG_SLICE_NOT)
         continue;
      k->low  = in.low < k->low ? in.low : k->low;
      k->high = in.high > k->high ? in.high : k->high;
      return;
   }
}

/* Pass instances of a library: follow the inputs from which it computed
   FIRST, values before addresses. */
static void pass_library(WhyCards* y, WhyCard* c, Found* l, WhyInput in,
                         Made first)
{
   const DcfgSlice* s = y->f->s;
   Found            todo = { .n = { 0 } };
   size_t           before = c->n_inputs;
   bool             own, shared = false;        // the card has what it led to

   if (is_seen(y, first)) {
      join_printed(y->f, c, in);
      return;
   }
   add_found(&todo, in.use, first);
   for (WhyUse use = in.use; use < USE_FRAME; use++)
      for (size_t i = 0; i < todo.n[use]; i++) {
         uint32_t             from = todo.nodes[use][i].node;
         uint64_t             wanted = todo.nodes[use][i].bytes, bytes;
         const DcfgSliceNode* n = &s->nodes[from];
         need_inputs(y, c, from, true);
         for (uint32_t k = 0; k < n->n_inputs; k++) {
            const DcfgSliceInput* to = &s->inputs[n->first_input + k];
            WhyInput              at = { .use = why_use(y, from, to, use),
                                         .user = in.user, .input = in.input,
                                         .library = true,
                                         .first = (uint32_t)c->n_passed };
            uint32_t              node;
            if (!why_has_bytes(y->f, from, to, wanted, &bytes))
               continue;
            /* A register that a library saves has its caller's value. */
            if (at.use == USE_FRAME && to->port != DCFG_WET_CONTROL
                && !is_pointer_input(y, from, to))
               at.use = use;
            if (input_is_unseen(y->f->initial, y->f->s, from, to)) {
               at.unseen = true;
               at.loader = from;
               add_input(y->f, c, at, DCFG_SLICE_NOBODY);
            }
            in.before |= at.use == USE_VALUE && slice_is_before(y->f, from, to);
            if (at.use == USE_FRAME || to->node >= DCFG_SLICE_NOT
                || has_unseen(y->f, from, to))
               continue;
            add_passed(c, from);
            node = to->port == DCFG_WET_CONTROL ? to->node
                   : behind_copies(y, c, to, &bytes);
            if (node >= DCFG_SLICE_NOT)
               continue;
            own = joins(y, c, node);
            shared |= own || y->seen[node].card == y->n_cards;
            if (own)
               add_new(y, l, at.use, (Made){ node, ALL_BYTES });
            else if (!why_is_library(y->f, node))
               add_input(y->f, c, at, node);
            else
               add_new(y, &todo, at.use, (Made){ node, bytes });
         }
      }
   in.library = true;
   if (c->n_inputs == before && !shared)
      add_input(y->f, c, in, DCFG_SLICE_NOBODY);
   if (c->n_inputs == before && shared)
      join_printed(y->f, c, in);
   for (WhyUse use = 0; use < USE_FRAME; use++)
      free(todo.nodes[use]);
}

/*--- A card                                               ---*/

/* Return whether NODE used nothing but control, and the stack or frame
   pointer. */
static bool is_constant(const WhyCards* y, uint32_t node)
{
   const DcfgSlice*     s = y->f->s;
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (s->inputs[n->first_input + k].port != DCFG_WET_CONTROL
          && !is_pointer_input(y, node, &s->inputs[n->first_input + k]))
         return false;
   return true;
}

/* Each use has four ranks, of a number each: inputs that have inputs
   themselves, the same behind a library or a copy; inputs that are ends, the
   same behind a library or a copy.  RANK_OWN_LINE and RANK_FRAME stand behind
   the ranks of all uses that are printed. */
enum { RANKS_OF_USE = 4, RANK_OWN_LINE = RANKS_OF_USE * USE_FRAME, RANK_FRAME };

static int rank(WhyUse use, bool end, bool behind)
{
   return RANKS_OF_USE * (int)use + 2 * end + behind;
}

/* Return the rank of IN among the inputs of C; a lower one comes first.
   Inputs are ordered by their use.  In each use, inputs that have inputs
   themselves come first, then those that came without a library.  Behind
   them are constants of a library, such as formats, and last values that the
   line itself had made before, such as a sum in a loop. */
static int rank_of(const WhyCards* y, const WhyCard* c, const WhyInput* in)
{
   const DcfgSlice* s = y->f->s;
   bool end = in->node >= DCFG_SLICE_NOT || is_constant(y, in->node);
   bool in_library = in->library && why_is_library(y->f, c->head);

   if (in->use == USE_FRAME)
      return RANK_FRAME;
   if (in->node < DCFG_SLICE_NOT
       && is_one_line(y->f, s->nodes[in->node].instr, s->nodes[c->head].instr))
      return RANK_OWN_LINE;
   /* In a library, a branch on what the program computed is as telling as an
      end among the addresses, and a constant of any use is less so. */
   if (in_library && !end && in->use == USE_BRANCH)
      return rank(USE_ADDRESS, true, false);
   if (in_library && end)
      return rank(USE_ADDRESS, true, true);
   /* The value is from a table that nobody wrote: its address says more. */
   if (in->node >= DCFG_SLICE_NOT && in->use == USE_VALUE)
      return rank(USE_ADDRESS, true, true);
   return rank(in->use, end, in->library || in->of_copy);
}

static bool comes_before(const WhyCards* y, const WhyCard* c, const WhyInput* a,
                         const WhyInput* b)
{
   int p = rank_of(y, c, a), q = rank_of(y, c, b);

   /* The result is mostly at the end of a printed text. */
   return p < q || (p == q && a->high > b->high && b->high != 0);
}

static void sort_inputs(const WhyCards* y, WhyCard* c)
{
   for (size_t i = 1; i < c->n_inputs; i++) {
      WhyInput in = c->inputs[i];
      size_t   k = i;
      for (; k > 0 && comes_before(y, c, &in, &c->inputs[k - 1]); k--)
         c->inputs[k] = c->inputs[k - 1];
      c->inputs[k] = in;
   }
   for (size_t i = 0; i < c->n_inputs; i++)
      c->n_frame += c->inputs[i].use == USE_FRAME;
}

/* Add NODE to the members of C, and all members that it depends on; and
   their inputs to the inputs of C. */
static void add_members(WhyCards* y, WhyCard* c, uint32_t node)
{
   const DcfgSlice* s = y->f->s;
   Found            l = { .n = { 0 } };

   is_seen(y, (Made){ node, ALL_BYTES });
   add_found(&l, USE_VALUE, (Made){ node, ALL_BYTES });
   for (WhyUse use = 0; use < USE_FRAME; use++)
      for (size_t i = 0; i < l.n[use]; i++) {
         uint32_t             at = l.nodes[use][i].node;
         const DcfgSliceNode* n = &s->nodes[at];
         if (at != node && !joins(y, c, at))
            continue;
         GROW(c->members, c->n_members, c->members_room);
         c->members[c->n_members++] = at;
         need_inputs(y, c, at, true);
         for (uint32_t k = 0; k < n->n_inputs; k++) {
            const DcfgSliceInput* in = &s->inputs[n->first_input + k];
            follow(y, c, &l, (WhyInput){ .use = why_use(y, at, in, use),
                                         .user = at, .input = in });
         }
      }
   for (WhyUse use = 0; use < USE_FRAME; use++)
      free(l.nodes[use]);
}

void why_card(WhyCards* y, WhyCard* c, uint32_t node, bool all)
{
   const DcfgSlice* s = y->f->s;

   *c = (WhyCard){ .head = node };
   y->n_cards++;
   add_members(y, c, node);
   for (uint32_t i = 0; i < s->n_criteria && all; i++)
      if (y->seen[s->criteria[i]].card != y->n_cards
          && (y->f->q.parts != NULL || joins(y, c, s->criteria[i])))
         add_members(y, c, s->criteria[i]);
   sort_inputs(y, c);
}

void why_card_free(WhyCard* c)
{
   FREE_ALL(c->members, c->inputs, c->passed, c->cut);
}

#define MOST_PRINTED 4          // omissions that a card prints without --all

/* Return whether IN says only that a library, or no executed code, let the
   card run. */
static bool tells_nothing(const WhyCards* y, const WhyInput* in)
{
   return in->use == USE_BRANCH && (in->node >= DCFG_SLICE_NOT
                                    || why_is_library(y->f, in->node));
}

/* Return whether O could have changed a value that C used, passed or made. */
static bool is_of_card(const DcfgSlice* s, const WhyCard* c, const Omitted* o)
{
   for (size_t i = 0; i < c->n_passed; i++)
      if (c->passed[i] == o->node)
         return true;
   for (size_t i = 0; i < c->n_members; i++)
      if (c->members[i] == o->node
          || (o->since != 0 && s->nodes[c->members[i]].order == o->since))
         return true;
   return false;
}

/* Return the number of inputs before O if nobody had written the value that
   O could have changed, and set *FOUND.  Then O explains the most.  It comes
   first, but behind other such omissions, and behind a first input.  Else
   return 0 and clear *FOUND. */
static size_t behind_end(const WhyCard* c, const Omitted* o, bool* found)
{
   *found = false;
   for (size_t i = 0; i < c->n_inputs; i++) {
      const WhyInput* in = &c->inputs[i];
      if (o->since == 0 && in->user == o->node && in->omitted == NULL
          && in->node == DCFG_SLICE_NOBODY && in->use != USE_BRANCH) {
         *found = true;
         i = i == 0;
         while (i < c->n_inputs && c->inputs[i].omitted != NULL)
            i++;
         return i;
      }
   }
   return 0;
}

/* Return whether IN has the value that O could have changed. */
static bool brings(const DcfgSlice* s, const WhyCard* c, const WhyInput* in,
                   const Omitted* o)
{
   if (in->omitted != NULL || in->use != USE_VALUE || in->node >= DCFG_SLICE_NOT)
      return false;
   if (in->user == o->node || s->nodes[in->node].order == o->since)
      return true;
   for (uint32_t k = 0; k < in->n_passed; k++) {
      uint32_t at = c->passed[in->first + k];
      if (at == o->node || s->nodes[at].order == o->since)
         return true;
   }
   return false;
}

/* Return the number of inputs before O if an input has the value that O
   could have changed; else 0.  O counts if its code never ran.  If its code
   ran at other times, O counts if it is certain, and not in the next
   iteration of a loop.  O stands behind all values.  Most values of printed
   text are constant: there O stands right behind its own value. */
static size_t behind_value(const WhyCards* y, const WhyCard* c,
                           const Omitted* o)
{
   bool printed = why_is_library(y->f, c->head);
   bool strong = !o->again || !(o->maybe || o->turn);

   for (size_t i = 0; i < c->n_inputs && strong && o->since != 0; i++)
      if (brings(y->f->s, c, &c->inputs[i], o)) {
         do
            i++;
         while (i < c->n_inputs
                && (c->inputs[i].omitted != NULL
                    || (!printed && c->inputs[i].use == USE_VALUE)));
         return i;
      }
   return 0;
}

/* Return which omissions of L are printed without --all.  Those of C with a
   store in one line have one: a certain one, or else the first.  The caller
   frees the array. */
static bool* printed_omissions(const WhyCards* y, const WhyCard* c,
                          SliceOmissions* z, const OmittedList* l)
{
   bool*  printed = zalloc(l->n + 1, sizeof(*printed));
   size_t n = 0;

   for (size_t i = 0; i < l->n; i++) {
      size_t k = 0;
      if (!is_of_card(y->f->s, c, &l->all[i]))
         continue;
      while (k < i && !(printed[k]
                        && slice_omitted_is_one(z, &l->all[k], &l->all[i])))
         k++;
      if (k < i && l->all[k].maybe && !l->all[i].maybe) {
         printed[k] = false;
         printed[i] = true;
      } else if (k == i && n < MOST_PRINTED) {
         printed[i] = true;
         n++;
      }
   }
   return printed;
}

/* Insert O into C as input AT. */
static void insert_input(WhyCard* c, const Omitted* o, size_t at)
{
   GROW(c->inputs, c->n_inputs, c->inputs_room);
   memmove(c->inputs + at + 1, c->inputs + at,
           (c->n_inputs - at) * sizeof(*c->inputs));
   c->inputs[at] = (WhyInput){ .use = USE_OMITTED, .user = o->node,
                               .node = DCFG_SLICE_NOBODY, .omitted = o };
   c->n_inputs++;
}

static void add_inputs(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                       const OmittedList* l)
{
   bool*  printed = printed_omissions(y, c, z, l);
   size_t last = c->n_inputs - c->n_frame;

   while (last > 0 && tells_nothing(y, &c->inputs[last - 1]))
      last--;
   for (size_t i = 0; i < l->n; i++) {
      const Omitted* o = &l->all[i];
      size_t         at;
      bool           found;
      if (!is_of_card(y->f->s, c, o))
         continue;
      if (!printed[i]) {
         insert_input(c, o, c->n_inputs);
         c->n_frame++;
         continue;
      }
      at = behind_end(c, o, &found);
      if (!found)
         at = behind_value(y, c, o);
      if (at == 0 && !found)
         at = last;
      last++;
      insert_input(c, o, at);
   }
   free(printed);
}

/* Mark the members of C, and the program's nodes among those that it passed.
   Return how many were not marked before.  Nodes of libraries stay unmarked:
   they use places of the library's own. */
static size_t mark_nodes(const WhyCards* y, const WhyCard* c, bool* marks)
{
   size_t n = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      n += !marks[c->members[i]];
      marks[c->members[i]] = true;
   }
   for (size_t i = 0; i < c->n_passed; i++) {
      if (why_is_library(y->f, c->passed[i]))
         continue;
      n += !marks[c->passed[i]];
      marks[c->passed[i]] = true;
   }
   return n;
}

/* Return whether NODE used a value that a member of C made. */
static bool uses(const DcfgSlice* s, const WhyCard* c, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      for (size_t i = 0; i < c->n_members && in->port != DCFG_WET_CONTROL; i++)
         if (in->node == c->members[i])
            return true;
   }
   return false;
}

void why_card_add_omitted(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                          OmittedList* l)
{
   const DcfgSlice* s = y->f->s;
   bool*            marks = zalloc(s->n_nodes + (size_t)1, sizeof(*marks));
   uint32_t*        nodes;
   size_t           n = mark_nodes(y, c, marks), k = 0;

   /* Users of the card have smaller numbers than its head, for they ran
      later. */
   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (!marks[i] && uses(s, c, i)) {
         marks[i] = true;
         n++;
      }
   nodes = zalloc(n + 1, sizeof(*nodes));
   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (marks[i])
         nodes[k++] = i;
   *l = slice_omissions_of(z, s, nodes, n);
   add_inputs(y, c, z, l);
   FREE_ALL(nodes, marks);
}
