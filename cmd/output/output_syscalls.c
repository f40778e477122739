/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls as criteria. */

/* Owns: the system calls of a trace: their numbers, their arguments, and the
   calls that a name means.  Handed: the command line.

   The number of a call is the recorded value of its register's writer.
   Without values, it is a constant in the code: in the writer, or in the
   instruction whose result the writer has copied. */

#include "cmd/output/output_syscalls.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"
#include "cmd/machine/syscall_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*--- Numbers                                              ---*/

/* Set *VALUE to the value of register REG at system call N of S.  Return
   false if none was recorded; then *CONSTANT is the instruction that wrote
   the register, or DCFG_NONE. */
static bool register_of(const DcfgSlice* s, const DcfgSliceNode* n, uint8_t reg,
                        uint64_t* value, uint32_t* constant)
{
   *value    = 0;
   *constant = DCFG_NONE;
   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      const DcfgSliceNode*  by;
      if (in->port > DCFG_WET_GENERAL)
         return false;
      if (in->port != DCFG_WET_GENERAL || in->reg != reg
          || in->node >= DCFG_SLICE_NOT)
         continue;
      by = &s->nodes[in->node];
      if (by->value_size == 0 || by->value_size > 8) {
         *constant = by->instr;
         return false;
      }
      for (uint32_t i = 0; i < by->value_size; i++)
         *value |= (uint64_t)s->values[by->value + i] << 8 * i;
      return true;
   }
   return false;
}

bool call_argument(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n,
                   unsigned k, uint64_t* value)
{
   uint32_t constant;

   if (register_of(s, n, processor_of(w)->arguments[k], value, &constant))
      return true;
   if (constant == DCFG_NONE)
      return false;
   *value = constant_number(dcfg_wet_instr(w, constant));
   return *value != UINT32_MAX;
}

uint32_t call_number(DcfgWet* w, const DcfgSlice* s, const DcfgSliceNode* n)
{
   uint64_t value;
   uint32_t constant;

   if (register_of(s, n, processor_of(w)->call_number, &value, &constant))
      return (uint32_t)value;
   return constant == DCFG_NONE ? UINT32_MAX
          : constant_number(dcfg_wet_instr(w, constant));
}

static void find_syscalls(DcfgWet* w, bool* instrs)
{
   uint32_t n = dcfg_wet_instrs(w);

   for (uint32_t i = 0; i < n; i++)
      instrs[i] = is_syscall(dcfg_wet_instr(w, i));
}

DcfgSlice* all_syscalls(DcfgWet* w, bool* instrs, bool numbers)
{
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .of = numbers ? DCFG_SLICE_REGISTER : DCFG_SLICE_ALL,
                        .place = numbers ? processor_of(w)->call_number : 0,
                        .steps = 1, .no_control = true };
   DcfgError      err;
   DcfgSlice*     s;

   find_syscalls(w, instrs);
   s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   return s;
}

static void add_call(SystemCalls* c, uint32_t instr, uint64_t instance,
                     uint32_t number)
{
   GROW(c->calls, c->n, c->room);
   c->calls[c->n++] = (Syscall){ instr, number, instance };
}

SystemCalls calls_of(DcfgWet* w, const DcfgSlice* s)
{
   SystemCalls c = { .w = w };

   for (uint32_t i = s->n_criteria; i-- > 0; ) {
      const DcfgSliceNode* n = &s->nodes[s->criteria[i]];
      add_call(&c, n->instr, n->instance, call_number(w, s, n));
   }
   return c;
}

static void note_writer(void* arg, uint32_t instr, uint64_t instance,
                        uint32_t writer)
{
   SystemCalls* c = arg;

   add_call(c, instr, instance,
            writer == DCFG_NONE ? UINT32_MAX
            : constant_number(dcfg_wet_instr(c->w, writer)));
}

/* Return the only node whose value node N of S used; NULL if there are
   several, or none. */
static const DcfgSliceNode* only_source(const DcfgSlice* s,
                                        const DcfgSliceNode* n)
{
   uint32_t source = DCFG_SLICE_NOT;

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      uint32_t node = s->inputs[n->first_input + k].node;
      if (node >= DCFG_SLICE_NOT || node == source)
         continue;
      if (source != DCFG_SLICE_NOT)
         return NULL;
      source = node;
   }
   return source == DCFG_SLICE_NOT ? NULL : &s->nodes[source];
}

/* Find missing numbers of calls in C: copies lead from a constant to the
   register.  In glibc 2.41 one function makes all calls that can be
   cancelled, and gets their numbers on the stack. */
static void find_copied(SystemCalls* c, bool* instrs, const Roles* roles)
{
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .of = DCFG_SLICE_REGISTER,
                        .place = processor_of(c->w)->call_number, .steps = 1,
                        .copies = roles->copies, .no_control = true,
                        .no_address = roles->addresses };
   DcfgSlice*     s;
   DcfgError      err;
   size_t         i = 0;

   memset(instrs, 0, dcfg_wet_instrs(c->w) * sizeof(bool));
   for (size_t k = 0; k < c->n; k++)
      if (c->calls[k].number == UINT32_MAX)
         instrs[c->calls[k].instr] = true;
   s = dcfg_slice_new(c->w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, KIND_WET));
   for (uint32_t k = s->n_criteria; k-- > 0; ) {
      const DcfgSliceNode* call = &s->nodes[s->criteria[k]];
      const DcfgSliceNode* n = only_source(s, call);
      while (n != NULL && roles->copies[n->instr])
         n = only_source(s, n);
      while (i < c->n && (c->calls[i].instr != call->instr
                          || c->calls[i].instance != call->instance))
         i++;
      if (n != NULL && i < c->n && c->calls[i].number == UINT32_MAX)
         c->calls[i].number = constant_number(dcfg_wet_instr(c->w, n->instr));
   }
   dcfg_slice_free(s);
}

/* Return all system calls of W with their numbers.  The caller frees .calls. */
static SystemCalls all_calls(DcfgWet* w, bool* instrs, const Roles* roles)
{
   SystemCalls c = { .w = w };
   DcfgError   err;

   if (dcfg_wet_has_values(w)) {
      DcfgSlice* s = all_syscalls(w, instrs, true);
      c = calls_of(w, s);
      dcfg_slice_free(s);
      return c;
   }
   find_syscalls(w, instrs);
   if (!dcfg_slice_writers(w, instrs, processor_of(w)->call_number,
                           note_writer, &c, &err))
      die("%s", unreadable(&err, KIND_WET));
   for (size_t k = 0; k < c.n; k++)
      if (c.calls[k].number == UINT32_MAX) {
         find_copied(&c, instrs, roles);
         break;
      }
   return c;
}

void find_spare(const SystemCalls* c, uint32_t* spare)
{
   const Processor* p = processor_of(c->w);
   const uint8_t*   regs = p->arguments;

   for (size_t i = 0; i < c->n; i++)
      for (unsigned k = 0; k < SYSCALL_ARGUMENTS; k++)
         spare[c->calls[i].instr] |= UINT32_C(1) << regs[k];
   for (size_t i = 0; i < c->n; i++) {
      unsigned args = syscall_arguments(c->calls[i].number, p->seccomp);
      for (unsigned k = 0; k < args; k++)
         spare[c->calls[i].instr] &= ~(UINT32_C(1) << regs[k]);
   }
}

static void choose(const Syscall* call, DcfgWet* w, bool* instrs,
                   DcfgSliceQuery* q)
{
   memset(instrs, 0, dcfg_wet_instrs(w) * sizeof(bool));
   instrs[call->instr] = true;
   q->instance         = call->instance;
}

void syscall_criterion(DcfgWet* w, const char* call, const Roles* roles,
                       bool* instrs, uint32_t* spare, DcfgSliceQuery* q)
{
   char*       name = text_copy(call);
   char*       mark = strchr(name, '#');
   char*       end = NULL;
   uint64_t    wanted = DCFG_SLICE_LAST, ran = 0;
   uint32_t    number, unknown = 0;
   const Syscall* found = NULL;
   SystemCalls c;

   if (mark != NULL) {
      *mark  = 0;
      errno  = 0;
      wanted = strtoull(mark + 1, &end, 10);
      if (mark[1] < '0' || mark[1] > '9' || *end != 0 || errno != 0
          || wanted == DCFG_SLICE_LAST)
         die("--syscall: `%s' is no system call: give NAME or NAME#N, with N "
             "from 0", call);
   }
   number = syscall_number(name, processor_of(w)->seccomp);
   if (number == UINT32_MAX)
      die("--syscall: there is no system call `%s'", name);
   c = all_calls(w, instrs, roles);
   for (size_t i = 0; i < c.n; i++) {
      uint32_t is = c.calls[i].number;
      unknown += is == UINT32_MAX;
      if (is == number && (ran++ == wanted || wanted == DCFG_SLICE_LAST))
         found = &c.calls[i];
   }
   if (found == NULL)
      die("--syscall: %s was called %s time%s%s", name, text_count(ran),
          ran == 1 ? "" : "s",
          unknown == 0 ? ""
          : "; the numbers of other system calls are unknown: record with "
            "--wet-values=yes");
   choose(found, w, instrs, q);
   find_spare(&c, spare);
   free(c.calls);
   free(name);
}
