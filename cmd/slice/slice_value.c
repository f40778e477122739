/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values at an instance, and places that the source's words mean there. */

/* Owns: values of registers and memory just before an instance, and the
   query for the place of an expression.  Handed: a whole execution trace,
   the criterion's instance.

   The library finds the last writers of the place, which have the value. */

#include "cmd/slice/slice_value.h"

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"
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
   bool*          at = zalloc(dcfg_wet_instrs(v->program->w) + (size_t)1,
                              sizeof(*at));
   DcfgSliceQuery q = { .instrs = at, .instance = v->instance,
                        .of = forms[o->form], .place = o->place,
                        .size = o->size, .no_control = true, .steps = 1 };
   DcfgError      err;
   DcfgSlice*     s;

   at[v->instr] = true;
   s = dcfg_slice_new(v->program->w, &q, &err);
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
                && !dcfg_wet_is_window(v->program->w)
                && variables_initial(v->program, addr, c->order, bytes,
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
   const Processor*     p = processor_of(v->program->w);

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
   in = *dcfg_wet_instr(v->program->w, n->instr);
   /* The recorded value is this register's only if the instruction has stored
      no other value, and written no other register. */
   if (in.stores || !instr_effect(&in, &e)
       || (e.written & ~(UINT32_C(1) << p->stack)) != UINT32_C(1) << reg)
      return false;
   memcpy(bytes, s->values + n->value, size);
   return true;
}

bool find_value(void* arg, const VariableObject* o, uint64_t* value)
{
   const ValueSearch*   v = arg;
   DcfgSlice*           s = find_writers(v, o);
   uint64_t             addr = o->form == OBJECT_FRAME ? s->frame : o->place;
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
   dcfg_slice_free(s);
   *value = 0;
   for (size_t i = o->size; found && i-- > 0; )
      *value = *value << 8 | bytes[i];
   return found;
}

/* Return the time of the instance of ARG, a ValueSearch. */
static uint64_t find_time(void* arg)
{
   const ValueSearch* v = arg;
   bool*              at = zalloc(dcfg_wet_instrs(v->program->w) + (size_t)1,
                                  sizeof(*at));
   DcfgSliceQuery     q = { .instrs = at, .instance = v->instance,
                            .only_criteria = true };
   DcfgError          err;
   DcfgSlice*         s;
   uint64_t           t = 0;

   at[v->instr] = true;
   s = dcfg_slice_new(v->program->w, &q, &err);
   free(at);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   if (s->n_criteria > 0)
      t = s->nodes[s->criteria[0]].order;
   dcfg_slice_free(s);
   return t;
}

/*--- The source's words                                   ---*/

void variable_place(TraceProgram* p, uint32_t instr, uint64_t instance,
                    const char* expression, DcfgSliceQuery* q)
{
   static const DcfgSliceOf forms[] = {
      [OBJECT_REGISTER] = DCFG_SLICE_REGISTER,
      [OBJECT_FRAME] = DCFG_SLICE_FRAME, [OBJECT_MEMORY] = DCFG_SLICE_MEMORY
   };
   ValueSearch  search = { .program = p, .instr = instr,
                           .instance = instance };
   ObjectReader reader = { find_value, find_time, &search };
   VariableObject o;
   const char*  why = expression_resolve(p, instr, expression, &reader, &o);

   if (why != NULL)
      die("--of: %s", why);
   if (o.size > MOST_BYTES)
      die("--of: `%s' has %llu bytes, at most %d can be asked for", expression,
          (unsigned long long)o.size, MOST_BYTES);
   q->of    = forms[o.form];
   q->place = o.place;
   q->size  = o.size;
}
