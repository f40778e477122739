/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values at an instance, and places that the source's words mean there. */

/* Owns: values of registers and memory just before an instance, and the
   query for the place of an expression.  Handed: a whole execution trace,
   the criterion's instance.

   The library finds the last writers of the place.  If the trace has values,
   the writers have the value.  If not, an address shows it: a memory operand
   has the value as its base register, and no other register. */

#include "cmd/slice/slice_value.h"

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"
#include "cmd/machine/instr_effect.h"
#include "cmd/machine/processor.h"

#include "lib/dcfg_slice.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1 << 20)    // most bytes of a place

/*--- Writers                                              ---*/

/* Return a slice of the criterion and the last writers of O.  The caller
   frees it. */
static DcfgSlice* find_writers(const ValueSearch* v, const VariableObject* o)
{
   static const DcfgSliceOf forms[] = {
      [OBJECT_REGISTER] = DCFG_SLICE_REGISTER,
      [OBJECT_FRAME] = DCFG_SLICE_FRAME, [OBJECT_MEMORY] = DCFG_SLICE_MEMORY
   };
   bool*          at = zalloc(dcfg_wet_instrs(v->w) + (size_t)1, sizeof(*at));
   DcfgSliceQuery q = { .instrs = at, .instance = v->instance,
                        .of = forms[o->form], .place = o->place,
                        .size = o->size, .no_control = true, .steps = 1 };
   DcfgError      err;
   DcfgSlice*     s;

   at[v->instr] = true;
   s = dcfg_slice_new(v->w, &q, &err);
   free(at);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   return s;
}

/*--- Recorded values                                      ---*/

/* Copy the bytes that N wrote to their places among the SIZE BYTES of
   address ADDR, and set KNOWN for them. */
static void lay_over(const DcfgSlice* s, const DcfgSliceNode* n, uint64_t addr,
                     size_t size, uint8_t* bytes, bool* known)
{
   for (size_t i = 0; i < size; i++) {
      uint64_t at = addr + i - n->addr;
      if (at < n->value_size) {
         bytes[i] = s->values[n->value + at];
         known[i] = true;
      }
   }
}

/* Read the SIZE bytes at ADDR, from the earliest writer to the last: a later
   writer overwrites an earlier one.  Return false if some are not known.
   Nodes with greater numbers ran earlier. */
static bool memory_value(const ValueSearch* v, const DcfgSlice* s,
                         uint64_t addr, size_t size, uint8_t* bytes)
{
   const DcfgSliceNode* c = &s->nodes[s->criteria[0]];
   bool                 known[8] = { false };
   bool                 nobody = false;

   for (uint32_t i = s->n_nodes; i-- > 0; )
      for (uint32_t k = 0; k < c->n_inputs; k++) {
         const DcfgSliceInput* in = &s->inputs[c->first_input + k];
         nobody |= in->port == DCFG_WET_MEMORY
                   && in->node == DCFG_SLICE_NOBODY;
         if (in->port == DCFG_WET_MEMORY && in->node == i
             && s->nodes[i].addr != 0)
            lay_over(s, &s->nodes[i], addr, size, bytes, known);
      }
   for (size_t i = 0; i < size; i++)
      if (!known[i]) {
         /* No byte was written: all are as in the image's file.  If only
            some were written, the others are not known. */
         return i == 0 && nobody && c->n_inputs <= 2
                && !dcfg_wet_is_window(v->w)
                && variables_initial(v->variables, addr, c->order, bytes,
                                     size);
      }
   return true;
}

/* Read the SIZE low bytes of register REG.  Return false unless one instance
   wrote all of it. */
static bool register_value(const ValueSearch* v, const DcfgSlice* s,
                           unsigned reg, size_t size, uint8_t* bytes)
{
   const DcfgSliceNode* c = &s->nodes[s->criteria[0]];
   const DcfgSliceNode* n = NULL;
   DcfgWetInstr         in;
   InstrEffect          e;
   const Processor*     p = processor_of(v->w);

   for (uint32_t k = 0; k < c->n_inputs; k++) {
      const DcfgSliceInput* i = &s->inputs[c->first_input + k];
      if (i->port != DCFG_WET_GENERAL)
         continue;
      if (n != NULL || i->node >= DCFG_SLICE_NOT)
         return false;
      n = &s->nodes[i->node];
   }
   if (n == NULL || n->value_size < size)
      return false;
   in = *dcfg_wet_instr(v->w, n->instr);
   /* The recorded value is this register's only if the instruction has stored
      no other value, and written no other register. */
   if (in.stores || !instr_effect(&in, &e)
       || (e.written & ~(UINT32_C(1) << p->stack)) != UINT32_C(1) << reg)
      return false;
   memcpy(bytes, s->values + n->value, size);
   return true;
}

/*--- Addresses                                            ---*/

/* Carriers: by instruction, its last instance that left the value in a
   register, or wrote it to memory.  .instances has 0 for none, else one more
   than the instance's number. */
typedef
   struct {
      DcfgWet*  w;
      uint64_t* instances;
      InstrEffect* effects;     // by instruction, made when needed
      bool*     decoded;
   }
   Carriers;

static bool is_carrier(const Carriers* c, const DcfgWetDep* d)
{
   return c->instances[d->instr] == d->instance + 1;
}

/* Return the effect of instruction I; an empty one if it cannot be decoded. */
static const InstrEffect* effect_of(Carriers* c, uint32_t i)
{
   if (!c->decoded[i]) {
      DcfgWetInstr in = *dcfg_wet_instr(c->w, i);
      if (!instr_effect(&in, &c->effects[i]))
         c->effects[i] = (InstrEffect){ .to = NO_REGISTER };
      c->decoded[i] = true;
   }
   return &c->effects[i];
}

/* Return whether one carrier made all that E read over the port KIND, of
   register REG. */
static bool has_it(const Carriers* c, const DcfgWetEvent* e,
                   DcfgWetPortKind kind, unsigned reg)
{
   for (uint32_t k = 0; k < e->n_ports; k++) {
      const DcfgWetPort* p = &e->ports[k];
      if (p->kind == kind && (kind == DCFG_WET_MEMORY || p->reg == reg))
         return p->n == 1 && is_carrier(c, &e->deps[p->first]);
   }
   return false;
}

/* If an operand of E shows the value by its address, set *VALUE and return
   true. */
static bool tells(Carriers* c, const DcfgWetEvent* e, uint64_t* value)
{
   const InstrEffect*   f = effect_of(c, e->instr);
   const MemoryOperand* m = &f->memory[0];

   if (f->n_memory != 1 || m->fixed || m->segment || f->on_stack
       || m->base == NO_REGISTER || m->index != NO_REGISTER
       || e->n_accesses == 0 || e->accesses[0] == 0
       || !has_it(c, e, DCFG_WET_GENERAL, m->base))
      return false;
   *value = e->accesses[0] - (uint64_t)m->disp;
   return true;
}

/* Add E to the carriers if it hands the value of SIZE bytes on. */
static void carry(Carriers* c, const DcfgWetEvent* e, uint64_t size)
{
   const InstrEffect* f = effect_of(c, e->instr);
   bool on = f->kind == EFFECT_LOAD
             ? f->memory[0].size == size && has_it(c, e, DCFG_WET_MEMORY, 0)
             : f->kind == EFFECT_COPY
               && has_it(c, e, DCFG_WET_GENERAL, f->from);

   if (on)
      c->instances[e->instr] = e->instance + 1;
}

/* Add the writer of the register that E stored: it carries the value, too. */
static void carry_stored(Carriers* c, const DcfgWetEvent* e)
{
   const InstrEffect* f = effect_of(c, e->instr);

   if (f->n_memory != 1 || f->on_stack)
      return;
   for (uint32_t k = 0; k < e->n_ports; k++) {
      const DcfgWetPort* p = &e->ports[k];
      if (p->kind == DCFG_WET_GENERAL && p->n == 1
          && p->reg != f->memory[0].base && p->reg != f->memory[0].index)
         c->instances[e->deps[p->first].instr]
            = e->deps[p->first].instance + 1;
   }
}

/* Find an address in the trace that was made from the value of WRITER, and
   set *VALUE.  Return false if there is none.  Reads the trace once. */
static bool value_by_address(const ValueSearch* v, const DcfgSliceNode* writer,
                             uint64_t size, uint64_t* value)
{
   DcfgError      err;
   DcfgWetEvents* events = load_events(v->w, NULL);
   uint32_t       n = dcfg_wet_instrs(v->w);
   DcfgWetEvent   e;
   bool           found = false;
   Carriers       c = { v->w, zalloc(n, sizeof(uint64_t)),
                      zalloc(n, sizeof(InstrEffect)), zalloc(n, sizeof(bool)) };

   c.instances[writer->instr] = writer->instance + 1;
   while (!found && dcfg_wet_next(events, &e, &err)) {
      if (e.kind != DCFG_WET_INSTR)
         continue;
      found = tells(&c, &e, value);
      if (e.instr == writer->instr && e.instance == writer->instance)
         carry_stored(&c, &e);
      else if (!found)
         carry(&c, &e, size);
   }
   dcfg_wet_events_free(events);
   free(c.instances);
   free(c.effects);
   free(c.decoded);
   return found;
}

/* Return the only writer of the place that S asks for; NULL if there are
   several, or none. */
static const DcfgSliceNode* only_writer(const DcfgSlice* s)
{
   const DcfgSliceNode* c = &s->nodes[s->criteria[0]];
   const DcfgSliceNode* n = NULL;

   for (uint32_t k = 0; k < c->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[c->first_input + k];
      if (in->port == DCFG_WET_CONTROL)
         continue;
      if (n != NULL || in->node >= DCFG_SLICE_NOT)
         return NULL;
      n = &s->nodes[in->node];
   }
   return n;
}

bool find_value(void* arg, const VariableObject* o, uint64_t* value)
{
   const ValueSearch*   v = arg;
   DcfgSlice*           s = find_writers(v, o);
   uint64_t             addr = o->form == OBJECT_FRAME ? s->frame : o->place;
   const DcfgSliceNode* writer;
   uint8_t              bytes[8] = { 0 };
   bool                 found = false;

   if (s->n_criteria == 0 || o->size > sizeof(bytes)
       || (o->form == OBJECT_FRAME && s->frame == 0)) {
      dcfg_slice_free(s);
      return false;
   }
   found = o->form == OBJECT_REGISTER
           ? register_value(v, s, (unsigned)o->place, o->size, bytes)
           : memory_value(v, s, addr, o->size, bytes);
   writer = only_writer(s);
   if (found) {
      *value = 0;
      for (size_t i = o->size; i-- > 0; )
         *value = *value << 8 | bytes[i];
   } else if (writer != NULL
              && o->size == dcfg_wet_instr(v->w, v->instr)->address_size) {
      found = value_by_address(v, writer, o->size, value);
   }
   dcfg_slice_free(s);
   return found;
}

/* Return the time of the instance of ARG, a ValueSearch. */
static uint64_t find_time(void* arg)
{
   const ValueSearch* v = arg;
   bool*              at = zalloc(dcfg_wet_instrs(v->w) + (size_t)1,
                                  sizeof(*at));
   DcfgSliceQuery     q = { .instrs = at, .instance = v->instance,
                            .only_criteria = true };
   DcfgError          err;
   DcfgSlice*         s;
   uint64_t           t = 0;

   at[v->instr] = true;
   s = dcfg_slice_new(v->w, &q, &err);
   free(at);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   if (s->n_criteria > 0)
      t = s->nodes[s->criteria[0]].order;
   dcfg_slice_free(s);
   return t;
}

/*--- The source's words                                   ---*/

void variable_place(DcfgWet* w, const char* file, uint32_t instr,
                    uint64_t instance, const char* expression,
                    const char* root, DcfgSliceQuery* q)
{
   static const DcfgSliceOf forms[] = {
      [OBJECT_REGISTER] = DCFG_SLICE_REGISTER,
      [OBJECT_FRAME] = DCFG_SLICE_FRAME, [OBJECT_MEMORY] = DCFG_SLICE_MEMORY
   };
   Variables*   v = variables_new(w, root);
   ValueSearch  search = { .w = w, .file = file, .variables = v,
                           .instr = instr, .instance = instance };
   ObjectReader reader = { find_value, find_time, &search };
   VariableObject o;
   const char*  why = expression_resolve(v, instr, expression, &reader, &o);

   if (why != NULL)
      die("--of: %s", why);
   if (o.size > MOST_BYTES)
      die("--of: `%s' has %llu bytes, at most %d can be asked for", expression,
          (unsigned long long)o.size, MOST_BYTES);
   q->of    = forms[o.form];
   q->place = o.place;
   q->size  = o.size;
   variables_free(v);
}
