/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Makes the records of ChampSim's traces: one for each instruction. */

/* Owns: the fields of a record: registers. ChampSim's numbers, accesses that
   are operands.  Handed: a whole execution trace.

   A record has no field for the kind of a branch.  ChampSim guesses the kind
   from the registers: stack pointer, flags, instruction pointer.  So the record
   of a branch lists these in the combination from which ChampSim's
   instruction.h infers its kind. */

#include "cmd/export/champsim_record.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/instr_effect.h"
#include "cmd/machine/processor.h"

#include <string.h>

_Static_assert(sizeof(ChampsimRecord) == 64, "ChampSim reads 64 bytes");

/* ChampSim's numbers of registers.  OTHER stands for a source that is no
   register, such as memory with the target of a jump. */
enum {
   STACK = 6, FLAGS = 25, POINTER = 26, VECTORS = 100, X87 = 140, OTHER = 255
};

/* Places: the .room places of a record for source or for destination registers,
   .n of them filled. */
typedef
   struct {
      uint8_t* at;
      unsigned n, room;
      ChampsimInstr* instr;
   }
   Places;

/* Add REG, unless it is there.  If there is no room, count it as left out. */
static void add(Places* p, uint8_t reg)
{
   if (memchr(p->at, reg, p->n) != NULL)
      return;
   if (p->n < p->room)
      p->at[p->n++] = reg;
   else if (reg == FLAGS)
      p->instr->left_flags++;
   else
      p->instr->left_registers++;
}

/* Return ChampSim's number of register R. */
static uint8_t number_of(const Processor* m, const DcfgWetRegisterId* r)
{
   return r->kind == DCFG_WET_GENERAL ? m->champsim[r->reg % MAX_GENERAL]
          : r->kind == DCFG_WET_FLAGS ? FLAGS
          : r->kind == DCFG_WET_VECTOR ? (uint8_t)(VECTORS + r->reg % 32)
          : X87;
}

/* Add the N registers of ALL, except SKIPPED.  Add the flags last: if there is
   not enough room, they are left out first. */
static void add_all(Places* p, const Processor* m,
                    const DcfgWetRegisterId* all, uint32_t n, uint8_t skipped)
{
   bool flags = false;

   for (uint32_t i = 0; i < n; i++) {
      uint8_t reg = number_of(m, &all[i]);
      flags |= reg == FLAGS;
      if (reg != FLAGS && reg != skipped)
         add(p, reg);
   }
   if (flags && skipped != FLAGS)
      add(p, FLAGS);
}

/* Add the registers from which branch IN computes its target. */
static void add_target(Places* p, const Processor* m, const DcfgWetInstr* in)
{
   unsigned before = p->n;

   for (uint32_t i = 0; i < in->n_uses; i++) {
      uint8_t reg = number_of(m, &in->uses[i]);
      if (reg != STACK && reg != FLAGS)
         add(p, reg);
   }
   if (p->n == before)
      add(p, OTHER);
}

/* Add the sources of branch IN, by its kind. */
static void add_sources(Places* p, const Processor* m, const DcfgWetInstr* in)
{
   switch (in->transfer) {
      case DCFG_WET_BRANCH:
         add(p, POINTER);
         add_all(p, m, in->uses, in->n_uses, STACK);
         if (p->n == 1)
            add(p, FLAGS);
         break;
      case DCFG_WET_JUMP:
         add(p, POINTER);
         break;
      case DCFG_WET_INDIRECT_JUMP:
         add_target(p, m, in);
         break;
      case DCFG_WET_CALL:
         add(p, STACK);
         add(p, POINTER);
         break;
      case DCFG_WET_INDIRECT_CALL:
         add(p, STACK);
         add(p, POINTER);
         add_target(p, m, in);
         break;
      default:
         add(p, STACK);
         add_all(p, m, in->uses, in->n_uses, FLAGS);
   }
}

static bool is_branch(DcfgWetTransfer t)
{
   return t >= DCFG_WET_BRANCH && t <= DCFG_WET_RET;
}

/* Return whether IN computes an address from the instruction pointer. */
static bool uses_pointer(const DcfgWetInstr* in)
{
   InstrEffect e;
   bool        res = false;

   if (instr_effect(in, &e))
      for (unsigned i = 0; i < e.n_memory; i++)
         res |= e.memory[i].relative;
   return res;
}

static void set_registers(ChampsimInstr* i, const Processor* m,
                          const DcfgWetInstr* in)
{
   Places src = { i->record.src, 0, CHAMPSIM_SRC, i };
   Places dst = { i->record.dst, 0, CHAMPSIM_DST, i };

   if (!is_branch(in->transfer)) {
      if (uses_pointer(in))
         add(&src, POINTER);
      add_all(&src, m, in->uses, in->n_uses, 0);
      add_all(&dst, m, in->defines, in->n_defines, 0);
      return;
   }
   i->record.is_branch = 1;
   add_sources(&src, m, in);
   if (in->transfer >= DCFG_WET_CALL)
      add(&dst, STACK);
   add(&dst, POINTER);
   add_all(&dst, m, in->defines, in->n_defines, STACK);
}

/* Set *R and *W to whether access N of IN reads or writes an operand of its
   own.  Another access that reads, or writes, the same address has the same
   operand. */
static void find_directions(const DcfgWetInstr* in, uint32_t n, bool* r,
                            bool* w)
{
   const DcfgWetAccess* a = &in->accesses[n];

   *r = a->reads;
   *w = a->writes;
   while (a->same > 0) {
      a  = &in->accesses[a->same - 1];
      *r = *r && !a->reads;
      *w = *w && !a->writes;
   }
}

static void add_operands(ChampsimCode* c, ChampsimInstr* i,
                         const DcfgWetInstr* in)
{
   i->operands = (uint32_t)c->n_operands;
   for (uint32_t k = 0; k < in->n_accesses; k++) {
      ChampsimOperand o = { .access = k };
      find_directions(in, k, &o.reads, &o.writes);
      if (!o.reads && !o.writes)
         continue;
      GROW(c->operands, c->n_operands, c->room);
      c->operands[c->n_operands++] = o;
      i->n_operands++;
   }
}

ChampsimCode champsim_code(DcfgWet* w)
{
   const Processor* m = processor_of(w);
   uint32_t         n = dcfg_wet_instrs(w);
   ChampsimCode     c = { .instrs = zalloc(n, sizeof(ChampsimInstr)) };

   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      c.instrs[k].record.ip = in->addr;
      c.instrs[k].repeats   = in->transfer == DCFG_WET_REP;
      set_registers(&c.instrs[k], m, in);
      add_operands(&c, &c.instrs[k], in);
   }
   return c;
}

void champsim_code_free(ChampsimCode* c)
{
   free(c->instrs);
   free(c->operands);
}
