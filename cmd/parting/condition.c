/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The operands of a branch's condition in both runs. */

/* Owns: names and values of a condition's operands.  Handed: a branch's
   instance in both runs.

   A conditional branch tests flags, so the operands are those of the
   instruction that made the flags.  Names are those that dcfg why gives;
   what is equal in both runs is left out. */

#include "cmd/parting/causes.h"

#include "cmd/program/variables.h"

/* Return whether the operands of I, of SIZE bytes, are floating-point
   numbers: it compares them. */
static bool is_real(const RunInstance* i, size_t size)
{
   char text[256];

   if (size != 4 && size != 8)
      return false;
   instr_text(&i->in, text, sizeof(text));
   return strstr(text, "comis") != NULL || strncmp(text, "fcmp", 4) == 0;
}

/* Return SIZE BYTES, of TYPE if that is known, or REAL. */
static const char* value_words(const VariableType* type, const uint8_t* bytes,
                               size_t size, bool real)
{
   uint64_t n = 0;

   if (type->known)
      return variables_value(type, bytes, size);
   if (real)
      return variables_real(bytes, size);
   memcpy(&n, bytes, size < 8 ? size : 8);
   return n < 1000000 ? text_format("%" PRIu64, n)
          : text_format("0x%" PRIx64, n);
}

/* Add to CAUSE the operand NAME of TYPE, or REAL, with SIZE bytes V in both
   runs, of which KNOWN are. */
static void add_value(PartCause* cause, const char* name,
                      const VariableType* type, uint8_t v[2][32],
                      const uint64_t known[2], size_t size, bool real)
{
   PartValue value = { .name = text_copy(text_clean(name)) };
   uint64_t  need_bytes = size >= 8 ? 0xFF : (UINT64_C(1) << size) - 1;

   for (int k = 0; k < 2; k++)
      value.value[k] = text_copy((known[k] & need_bytes) != need_bytes ? "?"
                                 : text_clean(value_words(type, v[k], size, real)));
   GROW(cause->values, cause->n_values, cause->values_room);
   cause->values[cause->n_values++] = value;
}

/* Add operand R of I, a register. */
static void add_register(Causes* c, const RunInstance i[2],
                         const DcfgWetRegisterId* r, PartCause* cause)
{
   const Processor* p = c->state[0]->processor;
   bool         vector = r->kind == DCFG_WET_VECTOR;
   VariableType type = { .known = false };
   const char*  name;
   uint8_t      v[2][32];
   uint64_t     known[2];
   size_t       size = 8;

   while (size > 1 && !(r->bytes >> (size - 1) & 1))
      size--;
   for (int k = 0; k < 2; k++)
      known[k] = register_value(c, k, &i[k], r, v[k]);
   name = variables_name_register(c->r->side[0].program, i[0].instr,
                                  vector ? MAX_GENERAL + r->reg : r->reg, false,
                                  &type);
   if (name == NULL)
      name = vector ? text_format("%s%" PRIu32, p->vector, r->reg)
             : p->general[r->reg];
   add_value(cause, name, &type, v, known, size, vector && is_real(i, size));
}

/* Add the operands of I in registers. */
static void add_registers(Causes* c, const RunInstance i[2], PartCause* cause)
{
   uint32_t addresses = c->state[0]->roles.addresses[i[0].instr];

   for (uint32_t u = 0; u < i[0].in.n_uses; u++) {
      const DcfgWetRegisterId* r = &i[0].uses[u];
      if (r->kind == DCFG_WET_VECTOR
          || (r->kind == DCFG_WET_GENERAL
              && r->reg != c->state[0]->processor->stack
              && !(addresses >> r->reg & 1)))
         add_register(c, i, r, cause);
   }
}

/* Add the operands of I in memory. */
static void add_memory(Causes* c, const RunInstance i[2], PartCause* cause)
{
   uint32_t port = 0;

   for (uint32_t a = 0; a < i[0].n_accesses && a < i[1].n_accesses; a++) {
      VariableType type = { .known = false };
      const char*  name;
      uint8_t      v[2][32] = { { 0 }, { 0 } };
      uint64_t     known[2] = { 0, 0 };
      size_t       size = i[0].accesses[a].size < 32 ? i[0].accesses[a].size : 32;
      if (!(i[0].accesses[a].kind & DCFG_CURSOR_LOAD))
         continue;
      for (int k = 0; k < 2; k++) {
         bool is[32] = { false };
         state_memory(c->state[k], i[k].t, i[k].accesses[a].addr,
                      (uint32_t)size, v[k], is);
         for (size_t b = 0; b < size; b++)
            known[k] |= (uint64_t)is[b] << b;
      }
      name = variables_name_memory(c->r->side[0].program, i[0].instr, port++,
                                   i[0].accesses[a].addr, i[0].t, &type);
      add_value(cause, name != NULL ? name : "memory", &type, v, known, size,
                is_real(i, size));
   }
}

void part_value_free(PartValue* v)
{
   FREE_ALL(v->name, v->value[0], v->value[1]);
}

/* Leave out values that are equal in both runs, if others differ. */
static void keep_different(PartCause* cause)
{
   size_t kept = 0;

   for (size_t n = 0; n < cause->n_values; n++) {
      PartValue v = cause->values[n];
      if (strcmp(v.value[0], v.value[1]) != 0)
         cause->values[kept++] = v;
      else
         part_value_free(&v);
   }
   cause->n_values = kept;
}

/* Set *I to the instances that made the flags which branch B tests.  Return
   false if that is not known. */
static bool flags_makers(Causes* c, const RunInstance b[2], RunInstance i[2])
{
   static const DcfgWetRegisterId flags = { DCFG_WET_FLAGS, 0, 7 };

   for (int k = 0; k < 2; k++) {
      DcfgCursorWriter by;
      uint64_t bytes = 0;
      for (uint32_t u = 0; u < b[k].in.n_uses; u++)
         if (b[k].uses[u].kind == DCFG_WET_FLAGS)
            bytes = b[k].uses[u].bytes;
      if (bytes == 0
          || register_writer(c, k, b[k].thread, b[k].t, &flags,
                             bytes & 2 ? 1 : 0, &by) != DCFG_CURSOR_FOUND
          || by.by != DCFG_CURSOR_BY_INSTR || !instance_at(c, k, by.time, &i[k]))
         return false;
   }
   return c->r->side[0].to[i[0].instr] == c->r->side[1].to[i[1].instr];
}

void find_values(Causes* c, const RunInstance i[2], PartCause* cause)
{
   RunInstance makers[2];

   if (i[0].in.transfer == DCFG_WET_RET)
      return;
   if (flags_makers(c, i, makers)) {
      add_registers(c, makers, cause);
      add_memory(c, makers, cause);
   } else {
      add_registers(c, i, cause);
      add_memory(c, i, cause);
   }
   keep_different(cause);
}
