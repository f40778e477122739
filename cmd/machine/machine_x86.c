/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What instructions use registers for. */

/* Owns: which registers of an instruction are addresses only, which
   instructions are copies, how they read.  Handed: their code, of a whole
   execution trace.  Taken by: dcfg slice, dcfg why.

   A base or index register of an operand in memory, and RSP of instructions
   that push or pop, RSI and RDI of those on strings, are addresses; unless the
   instruction also uses that register's value. */

#include "cmd/machine/roles.h"

#include "cmd/machine/processor.h"
#include "cmd/machine/roles_arm64.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

/* The general register that R is a part of, as a bit. */
static uint32_t bit_of(x86_reg r)
{
   static const x86_reg parts[16][5] = {
      { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
      { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
      { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
      { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
      { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
      { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
      { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
      { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
      { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
      { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
      { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
      { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
      { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
      { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
      { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
      { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B }
   };

   for (unsigned i = 0; i < 16; i++)
      for (unsigned k = 0; k < 5; k++)
         if (r != X86_REG_INVALID && parts[i][k] == r)
            return UINT32_C(1) << i;
   return 0;
}

#define RSP_BIT (UINT32_C(1) << 4)
#define RBP_BIT (UINT32_C(1) << 5)

/* Registers in the operands in memory that are written, or in all.  Of most
   that only store, as MOVUPS and all of AVX, Capstone says that they read. */
static uint32_t operand_registers(const cs_insn* i, bool written)
{
   const cs_x86* x = &i->detail->x86;
   uint32_t      all = 0;

   for (unsigned k = 0; k < x->op_count; k++) {
      const cs_x86_op* op = &x->operands[k];
      if (op->type == X86_OP_MEM && (!written || (op->access & CS_AC_WRITE)))
         all |= bit_of(op->mem.base) | bit_of(op->mem.index);
   }
   return all;
}

/* Do these use RSP as an address beside what their operands say? */
static bool is_stack(unsigned id)
{
   switch (id) {
      case X86_INS_PUSH: case X86_INS_POP: case X86_INS_CALL:
      case X86_INS_RET: case X86_INS_PUSHFQ: case X86_INS_POPFQ:
      case X86_INS_PUSHF: case X86_INS_POPF: case X86_INS_ENTER:
      case X86_INS_PUSHFD: case X86_INS_POPFD:
         return true;
      default:
         return false;
   }
}

/* Does I use the value of OP, a register?  Capstone 5 knows nothing of TEST's
   operands, and says that CMOVcc, which may leave its destination, writes it
   only. */
static bool is_read(const cs_insn* i, const cs_x86_op* op)
{
   for (unsigned k = 0; k < i->detail->groups_count; k++)
      if (i->detail->groups[k] == X86_GRP_CMOV)
         return true;
   return op->access != CS_AC_WRITE;
}

static uint32_t addresses_of(const cs_insn* i)
{
   const cs_x86* x = &i->detail->x86;
   uint32_t      addresses, values = 0;

   if (i->id == X86_INS_LEA || i->id == X86_INS_NOP)
      return 0;
   for (unsigned k = 0; k < i->detail->regs_read_count; k++)
      values |= bit_of(i->detail->regs_read[k]);
   addresses = operand_registers(i, false);
   /* Capstone has implicit registers of instructions on strings and the stack
      among those that are read. */
   if (is_stack(i->id)) {
      addresses |= RSP_BIT;
      values    &= ~RSP_BIT;
   } else if (i->id == X86_INS_LEAVE) {
      addresses |= bit_of(X86_REG_RBP);
      values     = 0;
   }
   for (unsigned k = 0; k < x->op_count; k++) {
      const cs_x86_op* op = &x->operands[k];
      if (op->type == X86_OP_MEM && x->opcode[0] >= 0xA4
          && x->opcode[0] <= 0xAF && x->opcode[0] != 0xA8
          && x->opcode[0] != 0xA9)
         values &= ~(bit_of(op->mem.base));
   }
   for (unsigned k = 0; k < x->op_count; k++)
      if (x->operands[k].type == X86_OP_REG && is_read(i, &x->operands[k]))
         values |= bit_of(x->operands[k].reg);
   return (uint32_t)(addresses & ~values);
}

static uint32_t lengths_of(const cs_insn* i)
{
   const cs_x86* x = &i->detail->x86;
   uint32_t      lengths = 0;

   for (unsigned k = 0; k < x->op_count; k++) {
      const x86_op_mem* m = &x->operands[k].mem;
      if (x->operands[k].type == X86_OP_MEM && m->base != X86_REG_INVALID
          && m->index != X86_REG_INVALID && m->disp < 0)
         lengths |= bit_of(m->index);
   }
   if (x->prefix[0] == X86_PREFIX_REP || x->prefix[0] == X86_PREFIX_REPNE)
      for (unsigned k = 0; k < i->detail->regs_read_count; k++)
         lengths |= bit_of(i->detail->regs_read[k]) & bit_of(X86_REG_RCX);
   return lengths;
}

static uint32_t saves_of(const cs_insn* i, unsigned size)
{
   const cs_x86_op* op = i->detail->x86.operands;

   if (i->id == X86_INS_PUSH)
      return op[0].type == X86_OP_REG ? bit_of(op[0].reg) : 0;
   if (i->id != X86_INS_MOV || op[0].type != X86_OP_MEM || op[0].size != size
       || op[1].type != X86_OP_REG || bit_of(op[0].mem.index) != 0)
      return 0;
   return (bit_of(op[0].mem.base) & (RSP_BIT | RBP_BIT)) != 0
          ? bit_of(op[1].reg) : 0;
}

static bool is_lookup(const cs_insn* i, unsigned size)
{
   const cs_x86_op* op = i->detail->x86.operands;

   return i->detail->x86.op_count >= 2 && op[0].type == X86_OP_REG
          && op[1].type == X86_OP_MEM && op[1].size < size
          && (bit_of(op[1].mem.base) & RSP_BIT) == 0;
}

static bool is_copy(const cs_insn* i)
{
   switch (i->id) {
      case X86_INS_MOV: case X86_INS_MOVABS: case X86_INS_PUSH:
      case X86_INS_POP: case X86_INS_MOVAPS: case X86_INS_MOVUPS:
      case X86_INS_MOVAPD: case X86_INS_MOVUPD: case X86_INS_MOVDQA:
      case X86_INS_MOVDQU: case X86_INS_MOVQ: case X86_INS_MOVD:
      case X86_INS_MOVSB: case X86_INS_MOVSW: case X86_INS_MOVSQ:
      case X86_INS_MOVSS: case X86_INS_MOVNTDQ: case X86_INS_MOVNTI:
      case X86_INS_MOVNTPS: case X86_INS_LDDQU: case X86_INS_MOVNTPD:
      case X86_INS_VMOVAPS: case X86_INS_VMOVUPS: case X86_INS_VMOVAPD:
      case X86_INS_VMOVUPD: case X86_INS_VMOVDQA: case X86_INS_VMOVDQU:
      case X86_INS_VMOVQ: case X86_INS_VMOVD: case X86_INS_VMOVNTDQ:
      case X86_INS_LEAVE:
         break;
      case X86_INS_MOVSD:
         break;
      default:
         return false;
   }
   for (unsigned k = 0; k < i->detail->x86.op_count; k++)
      if (i->detail->x86.operands[k].type == X86_OP_IMM)
         return false;
   return true;
}

/* Of PUSH and POP the stack pointer, unless that is what is popped; of strings
   all general registers. */
static uint32_t moved_of(const cs_insn* i)
{
   const cs_x86* x = &i->detail->x86;

   if (is_stack(i->id) || i->id == X86_INS_LEAVE)
      return i->id == X86_INS_POP && x->operands[0].type == X86_OP_REG
             ? RSP_BIT & ~bit_of(x->operands[0].reg) : RSP_BIT;
   return x->op_count == 2 && x->operands[0].type == X86_OP_MEM
          && x->operands[1].type == X86_OP_MEM ? UINT32_MAX : 0;
}

static csh open_decoder(const Processor* p)
{
   csh h;

   if (cs_open((cs_arch)p->arch, (cs_mode)p->mode, &h) != CS_ERR_OK)
      die("Capstone cannot decode this machine's code");
   cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
   return h;
}

Roles roles_new(DcfgWet* w)
{
   uint32_t n = dcfg_wet_instrs(w);
   Roles    r = { zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(bool)),
                  zalloc(n + (size_t)1, sizeof(uint32_t)) };
   const Processor* p = processor_of(w);
   unsigned word = p->mode == CS_MODE_64 ? 8 : 4;
   csh      h = open_decoder(p);
   cs_insn* i = need(cs_malloc(h));

   for (uint32_t k = 0; k < n && p->arch == CS_ARCH_ARM64; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      r.addresses[k] = arm64_addresses(in);
      r.targets[k]   = arm64_targets(in);
      r.saves[k]     = arm64_saves(in) & p->kept;
      r.lookups[k]   = arm64_is_lookup(in);
      r.copies[k]    = arm64_is_copy(in);
      r.moved[k]     = arm64_moved(in);
   }
   if (p->arch == CS_ARCH_ARM64)
      arm64_lengths(w, r.lengths);
   for (uint32_t k = 0; k < n && p->arch == CS_ARCH_X86; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      const uint8_t*      code = in->code;
      size_t              size = in->size;
      uint64_t            addr = in->addr;
      if (!cs_disasm_iter(h, &code, &size, &addr, i))
         continue;
      r.addresses[k] = addresses_of(i);
      r.targets[k]   = r.addresses[k]
                       & operand_registers(i, in->loads || !in->stores);
      r.lengths[k]   = lengths_of(i);
      r.saves[k]     = saves_of(i, word) & p->kept;
      r.lookups[k]   = is_lookup(i, word);
      r.copies[k]    = is_copy(i);
      r.moved[k]     = moved_of(i);
   }
   cs_free(i, 1);
   cs_close(&h);
   return r;
}

void roles_free(Roles* r)
{
   free(r->addresses);
   free(r->targets);
   free(r->lengths);
   free(r->saves);
   free(r->lookups);
   free(r->copies);
   free(r->moved);
}

void instr_text(const DcfgWetInstr* in, char* text, size_t size)
{
   static csh     h;            // all are of one program
   const uint8_t* code = in->code;
   size_t         left = in->size;
   uint64_t       addr = in->addr;
   cs_insn*       i;

   if (h == 0)
      h = open_decoder(processor_numbered(in->machine));
   i = need(cs_malloc(h));
   if (cs_disasm_iter(h, &code, &left, &addr, i))
      snprintf(text, size, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "",
               i->op_str);
   else
      snprintf(text, size, "?");
   cs_free(i, 1);
}
