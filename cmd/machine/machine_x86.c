/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   amd64 and x86. */

/* Owns: everything that the command knows of amd64 and x86.  Handed: their
   code.

   Addresses are: a base or index register of a memory operand, RSP of
   instructions that push or pop, RSI and RDI of string instructions; unless the
   instruction also uses the register's value. */

#include "cmd/base/cmd.h"
#include "cmd/machine/machines.h"
#include "cmd/machine/x86_registers.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <seccomp.h>

/*--- Code                                                 ---*/

/* Return the extension of the instruction set, by the names of Intel's
   disassembler. */
static const char* isa_of(const cs_insn* i)
{
   static const struct { uint8_t group; const char* name; } names[] = {
      { X86_GRP_AVX512, "AVX512EVEX" }, { X86_GRP_VLX, "AVX512EVEX" },
      { X86_GRP_BWI, "AVX512EVEX" }, { X86_GRP_DQI, "AVX512EVEX" },
      { X86_GRP_CDI, "AVX512EVEX" }, { X86_GRP_FMA, "FMA" },
      { X86_GRP_FMA4, "FMA4" }, { X86_GRP_AVX2, "AVX2" },
      { X86_GRP_F16C, "F16C" }, { X86_GRP_AVX, "AVX" },
      { X86_GRP_AES, "AES" }, { X86_GRP_PCLMUL, "PCLMULQDQ" },
      { X86_GRP_SHA, "SHA" }, { X86_GRP_BMI2, "BMI2" },
      { X86_GRP_BMI, "BMI1" }, { X86_GRP_ADX, "ADOX_ADCX" },
      { X86_GRP_SSE42, "SSE4" }, { X86_GRP_SSE41, "SSE4" },
      { X86_GRP_SSE4A, "SSE4A" }, { X86_GRP_SSSE3, "SSSE3" },
      { X86_GRP_SSE3, "SSE3" }, { X86_GRP_SSE2, "SSE2" },
      { X86_GRP_SSE1, "SSE" }, { X86_GRP_MMX, "MMX" },
      { X86_GRP_FPU, "X87" }, { X86_GRP_XOP, "XOP" },
      { X86_GRP_TBM, "TBM" }, { X86_GRP_RTM, "RTM" },
      { X86_GRP_3DNOW, "3DNOW" }
   };

   if (i->detail != NULL)
      for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
         for (uint8_t g = 0; g < i->detail->groups_count; g++)
            if (i->detail->groups[g] == names[k].group)
               return names[k].name;
   return "BASE";
}

/* Find the target of a jump or call in its code.  Return False if it has
   none. */
static bool find_target(const cs_insn* i, uint64_t* target)
{
   const cs_detail* d = i->detail;
   bool             jump = false;

   if (d == NULL || d->x86.op_count != 1
       || d->x86.operands[0].type != X86_OP_IMM)
      return false;
   for (uint8_t k = 0; k < d->groups_count; k++)
      jump = jump || d->groups[k] == CS_GRP_JUMP
             || d->groups[k] == CS_GRP_CALL;
   *target = (uint64_t)d->x86.operands[0].imm;
   return jump;
}

/* Return whether the instruction is a jump whose code has a target, but not the
   unconditional one. */
static bool is_conditional(const cs_insn* i)
{
   bool     jump = false;
   uint64_t target;

   for (uint8_t k = 0; i->detail != NULL && k < i->detail->groups_count; k++)
      jump = jump || i->detail->groups[k] == CS_GRP_JUMP;
   return jump && i->id != X86_INS_JMP && find_target(i, &target);
}

static void tell(const cs_insn* i, Instr* out)
{
   out->isa         = isa_of(i);
   out->direct      = find_target(i, &out->target);
   out->conditional = is_conditional(i);
   /* A client request ends by exchanging a register with itself. */
   out->ends_request = i->size >= 2 && i->bytes[i->size - 2] == 0x87
                       && memchr("\xDB\xC9\xD2\xFF", i->bytes[i->size - 1],
                                 4) != NULL;
}

/* Match rotations of rdi or edi that together change nothing. */
static size_t preamble(const uint8_t* at, size_t left)
{
   static const uint8_t of_rdi[] = {
      0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
      0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33
   };
   static const uint8_t of_edi[] = {
      0xc1, 0xc7, 0x03, 0xc1, 0xc7, 0x0d,
      0xc1, 0xc7, 0x1d, 0xc1, 0xc7, 0x13
   };

   if (left > sizeof(of_rdi) && memcmp(at, of_rdi, sizeof(of_rdi)) == 0)
      return sizeof(of_rdi);
   if (left > sizeof(of_edi) && memcmp(at, of_edi, sizeof(of_edi)) == 0)
      return sizeof(of_edi);
   return 0;
}

/* Match "jmp *slot(%rip)", perhaps with the prefix bnd, perhaps behind an
   endbr64; in 32-bit code "jmp *slot" or, with the table's address in a
   register, "jmp *slot(%ebx)", perhaps behind an endbr32. */
static bool slot_of(bool is_64, const uint8_t* code, size_t size,
                    uint64_t addr, uint64_t table, uint64_t* slot)
{
   const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, is_64 ? 0xfa : 0xfb };
   size_t        at = 0;
   int32_t       offset;

   if (size >= 4 && memcmp(code, endbr, 4) == 0)
      at = 4;
   if (size > at && code[at] == 0xf2)
      at++;
   if (size < at + 6 || code[at] != 0xff
       || (code[at + 1] != 0x25 && (is_64 || code[at + 1] != 0xa3)))
      return false;
   memcpy(&offset, code + at + 2, 4);
   if (is_64)
      *slot = addr + at + 6 + (uint64_t)(int64_t)offset;
   else
      *slot = (uint32_t)((code[at + 1] == 0xa3 ? table : 0)
                         + (uint64_t)(int64_t)offset);
   return true;
}

static bool find_slot_64(const uint8_t* code, size_t size, uint64_t addr,
                         uint64_t table, uint64_t* slot)
{
   return slot_of(true, code, size, addr, table, slot);
}

static bool find_slot_32(const uint8_t* code, size_t size, uint64_t addr,
                         uint64_t table, uint64_t* slot)
{
   return slot_of(false, code, size, addr, table, slot);
}

/* Match a LOCK prefix, or XCHG with memory, which locks without one. */
static bool is_atomic(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;
   uint32_t       k = 0;

   for (; k + 1 < in->size; k++)
      if (c[k] == 0xF0)
         return true;
      else if (c[k] != 0x66 && c[k] != 0xF2 && c[k] != 0xF3 && c[k] != 0x64
               && c[k] != 0x65
               && !(in->machine != EM_386 && (c[k] & 0xF0) == 0x40))
         break;
   return k + 1 < in->size && (c[k] & 0xFE) == 0x86 && c[k + 1] < 0xC0;
}

static uint32_t constant_number(const DcfgWetInstr* in)
{
   const uint8_t* c = in->code;
   uint32_t       n = 0;

   if (in->machine == EM_X86_64 && in->size > 1 && (c[0] & 0xF0) == 0x40)
      c++;                                       // REX
   if (in->size < 2)
      return UINT32_MAX;
   if ((c[0] == 0x31 || c[0] == 0x33) && c[1] == 0xC0)   // XOR %eax,%eax
      return 0;
   if (c[0] == 0x6A && c[1] < 0x80)              // PUSH of 8 bits
      return c[1];
   if (in->size < 5 || ((c[0] & 0xF8) != 0xB8 && c[0] != 0x68 && c[0] != 0xC7))
      return UINT32_MAX;                         // MOV, PUSH of 32 bits
   for (unsigned i = 0; i < 4; i++)
      n |= (uint32_t)in->code[in->size - 4 + i] << 8 * i;
   return n;
}

/* Match MOV %rsp,%rbp; in 32-bit code MOV %esp,%ebp. */
static bool makes_frame(const DcfgWetInstr* in)
{
   return in->machine == EM_386
          ? in->size == 2 && memcmp(in->code, "\x89\xe5", 2) == 0
          : in->size == 3 && memcmp(in->code, "\x48\x89\xe5", 3) == 0;
}

static uint32_t part_named(const char* name)
{
   static const char* const parts[] = {
      "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"
   };

   for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
      if (strcmp(name, parts[i]) == 0)
         return i;
   return (name[0] == 'x' || name[0] == 'y') && strncmp(name + 1, "mm", 2) == 0
          ? vector_named(number_below(name + 3, 16)) : UINT32_MAX;
}

/*--- Roles                                                ---*/

int x86_part_of(x86_reg r, unsigned* n)
{
   static const x86_reg parts[16][4] = {
      { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL },
      { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL },
      { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL },
      { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL },
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
   static const x86_reg high[4] = { X86_REG_AH, X86_REG_CH, X86_REG_DH,
                                    X86_REG_BH };

   for (*n = 0; *n < 16; ++*n)
      for (unsigned k = 0; k < 4; k++)
         if (parts[*n][k] == r)
            return 0;
   for (*n = 0; *n < 4; ++*n)
      if (high[*n] == r)
         return 8;
   return -1;
}

/* Return the general register that R is a part of, as a bit. */
static uint32_t bit_of(x86_reg r)
{
   unsigned n;

   return x86_part_of(r, &n) < 0 ? 0 : UINT32_C(1) << n;
}

#define RSP_BIT (UINT32_C(1) << 4)
#define RBP_BIT (UINT32_C(1) << 5)

/* Return the registers in memory operands that are written, or in all.  For
   most instructions that only store, as MOVUPS and all of AVX, Capstone says
   that they read. */
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

/* Return whether the instruction uses RSP as an address besides its
   operands. */
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

/* Return whether I uses the value of OP, a register.  Capstone 5 does not know
   the access of TEST's operands, and says that CMOVcc, which may keep its
   destination, only writes it. */
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
   /* Capstone lists implicit registers of string and stack instructions as
      read. */
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

/* Return registers that are moved: for PUSH and POP the stack pointer, unless
   it is popped; for string instructions all general registers. */
static uint32_t moved_of(const cs_insn* i)
{
   const cs_x86* x = &i->detail->x86;

   if (is_stack(i->id) || i->id == X86_INS_LEAVE)
      return i->id == X86_INS_POP && x->operands[0].type == X86_OP_REG
             ? RSP_BIT & ~bit_of(x->operands[0].reg) : RSP_BIT;
   return x->op_count == 2 && x->operands[0].type == X86_OP_MEM
          && x->operands[1].type == X86_OP_MEM ? UINT32_MAX : 0;
}

/*--- Bytes                                                ---*/

/* Let the bytes from TO on be the SIZE bytes of operand WHICH from FROM on. */
static void put_bytes(DcfgSliceShuffle* s, unsigned to, unsigned which,
                      unsigned from, unsigned size)
{
   for (unsigned k = 0; k < size; k++)
      s->of[which][to + k] = (int8_t)(from + k);
}

/* Let elements of SIZE bytes come from both operands in turns, of their lower
   or HIGH halves. */
static void put_turns(DcfgSliceShuffle* s, unsigned size, bool high)
{
   for (unsigned k = 0; k < 16 / size; k++)
      put_bytes(s, k * size, k % 2, k / 2 * size + (high ? 8 : 0), size);
}

/* Let element number AT, of SIZE bytes, be the other operand, and the rest the
   vector. */
static void put_inserted(DcfgSliceShuffle* s, unsigned size, unsigned at)
{
   put_bytes(s, 0, 0, 0, 16);
   memset(&s->of[0][at * size], -1, size);
   put_bytes(s, at * size, 1, 0, size);
}

/* Return the size of the elements that shuffle ID takes from both operands in
   turns, and whether from their HIGH halves; 0 if it is another one. */
static unsigned turns_of(unsigned id, bool* high)
{
   *high = false;
   switch (id) {
      case X86_INS_PUNPCKHBW: case X86_INS_VPUNPCKHBW:
         *high = true;
         return 1;
      case X86_INS_PUNPCKLBW: case X86_INS_VPUNPCKLBW:
         return 1;
      case X86_INS_PUNPCKHWD: case X86_INS_VPUNPCKHWD:
         *high = true;
         return 2;
      case X86_INS_PUNPCKLWD: case X86_INS_VPUNPCKLWD:
         return 2;
      case X86_INS_PUNPCKHDQ: case X86_INS_VPUNPCKHDQ:
      case X86_INS_UNPCKHPS: case X86_INS_VUNPCKHPS:
         *high = true;
         return 4;
      case X86_INS_PUNPCKLDQ: case X86_INS_VPUNPCKLDQ:
      case X86_INS_UNPCKLPS: case X86_INS_VUNPCKLPS:
         return 4;
      case X86_INS_PUNPCKHQDQ: case X86_INS_VPUNPCKHQDQ:
      case X86_INS_UNPCKHPD: case X86_INS_VUNPCKHPD:
         *high = true;
         return 8;
      case X86_INS_PUNPCKLQDQ: case X86_INS_VPUNPCKLQDQ:
      case X86_INS_UNPCKLPD: case X86_INS_VUNPCKLPD:
      case X86_INS_MOVLHPS: case X86_INS_VMOVLHPS:
      case X86_INS_MOVHPS: case X86_INS_VMOVHPS:
      case X86_INS_MOVHPD: case X86_INS_VMOVHPD:
         return 8;
      default:
         return 0;
   }
}

/* Fill in S for shuffle ID with the immediate number BY; else return false. */
static bool fill_shuffle(unsigned id, uint64_t by, DcfgSliceShuffle* s)
{
   bool     high;
   unsigned turns = turns_of(id, &high);

   if (turns != 0) {
      put_turns(s, turns, high);
      return true;
   }
   switch (id) {
      case X86_INS_MOVHLPS: case X86_INS_VMOVHLPS:
         put_bytes(s, 0, 1, 8, 8);
         put_bytes(s, 8, 0, 8, 8);
         return true;
      case X86_INS_MOVLPS: case X86_INS_VMOVLPS:
      case X86_INS_MOVLPD: case X86_INS_VMOVLPD:
         put_inserted(s, 8, 0);
         return true;
      case X86_INS_PINSRB: case X86_INS_VPINSRB:
         put_inserted(s, 1, by & 15);
         return true;
      case X86_INS_PINSRW: case X86_INS_VPINSRW:
         put_inserted(s, 2, by & 7);
         return true;
      case X86_INS_PINSRD: case X86_INS_VPINSRD:
         put_inserted(s, 4, by & 3);
         return true;
      case X86_INS_PINSRQ: case X86_INS_VPINSRQ:
         put_inserted(s, 8, by & 1);
         return true;
      case X86_INS_PSHUFD: case X86_INS_VPSHUFD:
         for (unsigned k = 0; k < 4; k++)
            put_bytes(s, 4 * k, 1, 4 * (by >> 2 * k & 3), 4);
         return true;
      case X86_INS_SHUFPS: case X86_INS_VSHUFPS:
         for (unsigned k = 0; k < 4; k++)
            put_bytes(s, 4 * k, k / 2, 4 * (by >> 2 * k & 3), 4);
         return true;
      case X86_INS_SHUFPD: case X86_INS_VSHUFPD:
         for (unsigned k = 0; k < 2; k++)
            put_bytes(s, 8 * k, k, 8 * (by >> k & 1), 8);
         return true;
      default:
         return false;
   }
}

static bool is_xmm(const cs_x86_op* op)
{
   return op->type == X86_OP_REG && op->reg >= X86_REG_XMM0
          && op->reg <= X86_REG_XMM15;
}

/* Return how I shuffles the bytes of a vector register of 16 bytes and of another
   operand; NULL if it does not. */
static const DcfgSliceShuffle* shuffle_of(const cs_insn* i)
{
   const cs_x86*     x = &i->detail->x86;
   unsigned          n = x->op_count;
   bool              by = n > 1 && x->operands[n - 1].type == X86_OP_IMM;
   const cs_x86_op*  other = n - by < 2 ? NULL : &x->operands[n - by - 1];
   DcfgSliceShuffle  s;
   DcfgSliceShuffle* to;

   if (other == NULL || !is_xmm(&x->operands[0])
       || (n - by == 3 && !is_xmm(&x->operands[1])))
      return NULL;
   memset(s.of, -1, sizeof(s.of));
   s.vector = (uint8_t)(x->operands[n - by - 2].reg - X86_REG_XMM0);
   s.other  = is_xmm(other) ? (uint8_t)(other->reg - X86_REG_XMM0)
              : DCFG_SLICE_NO_VECTOR;
   if (!fill_shuffle(i->id, by ? (uint64_t)x->operands[n - 1].imm : 0, &s))
      return NULL;
   to  = zalloc(1, sizeof(*to));
   *to = s;
   return to;
}

/* Return whether I computes each byte of its result from the same bytes of its
   operands, as bitwise operations do, and moves on a condition. */
static bool is_bytewise(const cs_insn* i)
{
   switch (i->id) {
      case X86_INS_AND: case X86_INS_OR: case X86_INS_XOR: case X86_INS_NOT:
      case X86_INS_XCHG: case X86_INS_PAND: case X86_INS_PANDN:
      case X86_INS_POR: case X86_INS_PXOR: case X86_INS_ANDPS:
      case X86_INS_ANDPD: case X86_INS_ANDNPS: case X86_INS_ANDNPD:
      case X86_INS_ORPS: case X86_INS_ORPD: case X86_INS_XORPS:
      case X86_INS_XORPD: case X86_INS_VPAND: case X86_INS_VPANDN:
      case X86_INS_VPOR: case X86_INS_VPXOR: case X86_INS_VANDPS:
      case X86_INS_VANDPD: case X86_INS_VORPS: case X86_INS_VORPD:
      case X86_INS_VXORPS: case X86_INS_VXORPD:
         return true;
      default:
         break;
   }
   for (unsigned k = 0; k < i->detail->groups_count; k++)
      if (i->detail->groups[k] == X86_GRP_CMOV)
         return true;
   return false;
}

/* Return whether ID moves half of a vector register. */
static bool is_half(unsigned id)
{
   switch (id) {
      case X86_INS_MOVHPS: case X86_INS_MOVHPD: case X86_INS_MOVLPS:
      case X86_INS_MOVLPD: case X86_INS_VMOVHPS: case X86_INS_VMOVHPD:
      case X86_INS_VMOVLPS: case X86_INS_VMOVLPD:
         return true;
      default:
         return false;
   }
}

/* Set B to a shift by whole bytes; else return false. */
static bool is_byte_shift(const cs_insn* i, DcfgSliceBytes* b)
{
   const cs_x86*    x = &i->detail->x86;
   const cs_x86_op* by = &x->operands[x->op_count == 0 ? 0 : x->op_count - 1];
   int64_t          bits;

   if (is_half(i->id) && x->operands[0].type == X86_OP_MEM) {
      b->shift = i->id == X86_INS_MOVHPS || i->id == X86_INS_MOVHPD
                 || i->id == X86_INS_VMOVHPS || i->id == X86_INS_VMOVHPD ? 8 : 0;
      return true;
   }
   if (x->op_count < 2 || by->type != X86_OP_IMM)
      return false;
   bits = by->imm & (x->operands[0].size == 8 ? 63 : 31);
   switch (i->id) {
      case X86_INS_SAR:
         b->last = x->operands[0].size;
         /* fall through */
      case X86_INS_SHR:
         b->shift = (int8_t)(bits / 8);
         return bits % 8 == 0;
      case X86_INS_SHL:
         b->shift = (int8_t)(-bits / 8);
         return bits % 8 == 0;
      case X86_INS_PSRLDQ:
         b->shift = (int8_t)(by->imm < 0 || by->imm > 16 ? 16 : by->imm);
         return true;
      case X86_INS_PSLLDQ:
         b->shift = (int8_t)(by->imm < 0 || by->imm > 16 ? -16 : -by->imm);
         return true;
      case X86_INS_PEXTRW: case X86_INS_PEXTRD: case X86_INS_PEXTRQ:
      case X86_INS_VPEXTRD: case X86_INS_VPEXTRQ:
         b->apart = true;
         b->shift = i->id == X86_INS_PEXTRW ? (int8_t)(2 * (by->imm & 7))
                    : i->id == X86_INS_PEXTRD || i->id == X86_INS_VPEXTRD
                    ? (int8_t)(4 * (by->imm & 3)) : (int8_t)(8 * (by->imm & 1));
         return true;
      default:
         return false;
   }
}

/* Return whether I has two different general registers as operands, and no other
   ones. */
static bool is_of_registers(const cs_insn* i)
{
   const cs_x86_op* op = i->detail->x86.operands;

   return i->detail->x86.op_count == 2 && op[0].type == X86_OP_REG
          && op[1].type == X86_OP_REG && bit_of(op[0].reg) != 0
          && bit_of(op[1].reg) != 0 && bit_of(op[0].reg) != bit_of(op[1].reg);
}

static uint8_t joins_of(const cs_insn* i)
{
   return !is_of_registers(i) ? 0
          : i->id == X86_INS_OR || i->id == X86_INS_XOR ? JOINS
          : i->id == X86_INS_AND ? MASKS : 0;
}

/* Return the bytes of general register 0 of I's operands that are zero, whatever
   the operands are: writes of half a register, shifts by whole bytes, which B
   has, and masks. */
static uint8_t zero_bytes(const cs_insn* i, const DcfgSliceBytes* b)
{
   const cs_x86_op* op = i->detail->x86.operands;
   unsigned         n = i->detail->x86.op_count, size = op[0].size, zero = 0;

   if (n == 0 || op[0].type != X86_OP_REG || bit_of(op[0].reg) == 0
       || size < 4 || i->id == X86_INS_XCHG || i->id == X86_INS_PUSH)
      return 0;
   if (i->id == X86_INS_MOVZX)
      zero = 0xFFu << op[1].size;
   if (i->id == X86_INS_SHL)
      zero = (1u << -b->shift) - 1;
   if (i->id == X86_INS_SHR)
      zero = 0xFFu << (size - (unsigned)b->shift);
   for (unsigned k = 0; i->id == X86_INS_AND && op[1].type == X86_OP_IMM
                        && k < 8; k++)
      zero |= ((uint64_t)op[1].imm >> 8 * k & 0xFF) == 0 ? 1u << k : 0;
   return (uint8_t)(zero | (size == 4 ? 0xF0u : 0));
}

/* Return which bytes of its operands I makes its result of. */
static DcfgSliceBytes bytes_of(const cs_insn* i)
{
   const cs_x86*  x = &i->detail->x86;
   DcfgSliceBytes b = { .apart = i->id != X86_INS_AND && i->id != X86_INS_OR
                                 && i->id != X86_INS_XOR };
   unsigned       first;
   const DcfgSliceShuffle* shuffle;

   switch (i->id) {
      case X86_INS_CDQE: case X86_INS_CWDE: case X86_INS_CBW:
         return (DcfgSliceBytes){ .each = true, .apart = true,
                                  .last = i->id == X86_INS_CDQE ? 4
                                          : i->id == X86_INS_CWDE ? 2 : 1,
                                  .from = bit_of(X86_REG_RAX),
                                  .to = bit_of(X86_REG_RAX) };
      case X86_INS_MOVSX: case X86_INS_MOVSXD:
         b.last = x->operands[1].size;
         break;
      case X86_INS_MOVZX:
         break;
      default:
         if ((shuffle = shuffle_of(i)) != NULL)
            b.shuffle = shuffle;
         else if (is_byte_shift(i, &b))
            b.apart = i->id != X86_INS_SHR && i->id != X86_INS_SHL
                   && i->id != X86_INS_SAR;
         else if (!is_copy(i) && !is_bytewise(i))
            return b;
   }
   b.each = true;
   b.to   = i->id == X86_INS_LEAVE ? RBP_BIT : 0;
   for (unsigned k = 0; k < x->op_count; k++) {
      const cs_x86_op* op = &x->operands[k];
      if (op->type != X86_OP_REG)
         continue;
      if (x86_part_of(op->reg, &first) == 8)
         return (DcfgSliceBytes){ .each = false };
      if (k > 0 || is_read(i, op))
         b.from |= bit_of(op->reg);
      if ((k == 0 && i->id != X86_INS_PUSH) || i->id == X86_INS_XCHG)
         b.to |= bit_of(op->reg);
   }
   b.zero  = zero_bytes(i, &b);
   b.from &= ~(operand_registers(i, false) | (is_stack(i->id) ? RSP_BIT : 0));
   return b;
}

/* Return which floating-point numbers I makes, as .floats of Roles tells them.
   Copies of whole vector registers may be anything. */
static uint8_t floats_of(const cs_insn* i)
{
   static const char* const sums[] = {
      "add", "sub", "mul", "div", "sqrt", "min", "max", "hadd", "cvt", "fm"
   };
   const cs_x86* x = &i->detail->x86;
   const char*   name = i->mnemonic + (i->mnemonic[0] == 'v');
   size_t        n = strlen(name);
   uint8_t       size = n > 2 && name[n - 1] == 'd' ? 8 : 4;
   bool          packed = n > 2 && name[n - 2] == 'p', sum = false;

   if (name[0] == 'f' && name[1] != 'x' && name[1] != 'm')
      return strncmp(name, "fi", 2) == 0 && i->id != X86_INS_FILD
             && i->id != X86_INS_FIADD && i->id != X86_INS_FIMUL
             && i->id != X86_INS_FISUB && i->id != X86_INS_FIDIV ? 0 : FLOAT_ANY;
   if (n < 4 || x->op_count < 2 || name[0] == 'p'
       || (name[n - 1] != 'd' && name[n - 1] != 's')
       || (name[n - 2] != 's' && !packed)
       || !(is_xmm(&x->operands[0])
            || (x->operands[0].type == X86_OP_MEM && is_xmm(&x->operands[1]))))
      return 0;
   for (size_t k = 0; k < sizeof(sums) / sizeof(sums[0]); k++)
      sum |= begins(name, sums[k]);
   if (!sum && (packed || strncmp(name, "mov", 3) != 0))
      return 0;
   return packed ? size | FLOAT_PACKED : size;
}

static void find_roles(DcfgWet* w, csh h, Roles* r)
{
   uint32_t n = dcfg_wet_instrs(w);
   cs_insn* i = need(cs_malloc(h));

   for (uint32_t k = 0; k < n; k++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, k);
      const uint8_t*      code = in->code;
      size_t              size = in->size;
      uint64_t            addr = in->addr;
      unsigned            word = in->machine == EM_386 ? 4 : 8;
      if (!cs_disasm_iter(h, &code, &size, &addr, i))
         continue;
      r->addresses[k] = addresses_of(i);
      r->targets[k]   = r->addresses[k]
                        & operand_registers(i, in->loads || !in->stores);
      r->lengths[k]   = lengths_of(i);
      r->saves[k]     = saves_of(i, word);
      r->lookups[k]   = is_lookup(i, word);
      r->copies[k]    = is_copy(i);
      r->widens[k]    = i->id == X86_INS_MOVZX || i->id == X86_INS_MOVSX
                        || i->id == X86_INS_MOVSXD;
      r->moved[k]     = moved_of(i);
      r->bytes[k]     = bytes_of(i);
      r->floats[k]    = floats_of(i);
      r->joins[k]     = joins_of(i);
      r->calls[k]     = i->id == X86_INS_CALL;
   }
   cs_free(i, 1);
}

/*--- Effects                                              ---*/

static uint8_t number_of(x86_reg r)
{
   uint32_t bit = bit_of(r);

   return bit == 0 ? NO_REGISTER : (uint8_t)__builtin_ctz(bit);
}

static MemoryOperand memory_of(const cs_insn* i, const cs_x86_op* op)
{
   const x86_op_mem* m = &op->mem;
   MemoryOperand     to = { .base = number_of(m->base),
                            .index = number_of(m->index),
                            .scale = (uint8_t)m->scale, .disp = m->disp,
                            .size = op->size,
                            .written = (op->access & CS_AC_WRITE) != 0 };

   to.segment = m->segment == X86_REG_FS || m->segment == X86_REG_GS;
   if (m->base == X86_REG_RIP || m->base == X86_REG_EIP) {
      to.fixed = to.relative = true;
      to.disp += (int64_t)(i->address + i->size);
   } else if (to.base == NO_REGISTER && to.index == NO_REGISTER) {
      to.fixed = true;
   }
   return to;
}

/* Set the kind for the forms that compute an address or copy a value; for all
   others only the written registers are known. */
static void tell_kind(const cs_insn* i, InstrEffect* e)
{
   const cs_x86*    x = &i->detail->x86;
   const cs_x86_op* op = x->operands;
   bool             number = x->op_count > 0
                             && op[x->op_count - 1].type == X86_OP_IMM;

   if (i->id == X86_INS_MOV && op[0].type == X86_OP_MEM) {
      e->from   = number ? NO_REGISTER : number_of(op[1].reg);
      e->number = number ? op[1].imm : 0;
      e->kind   = number ? EFFECT_STORE_NUMBER
                  : e->from == NO_REGISTER ? EFFECT_OTHER : EFFECT_STORE;
   }
   if (x->op_count == 0 || op[0].type != X86_OP_REG
       || number_of(op[0].reg) == NO_REGISTER || op[0].size < 4)
      return;
   e->to   = number_of(op[0].reg);
   e->from = x->op_count > 1 && op[1].type == X86_OP_REG
             ? number_of(op[1].reg) : NO_REGISTER;
   if (number)
      e->number = op[x->op_count - 1].imm;
   switch (i->id) {
      case X86_INS_MOV: case X86_INS_MOVSX: case X86_INS_MOVSXD:
      case X86_INS_MOVZX:
         e->kind = number ? EFFECT_OTHER : op[1].type == X86_OP_MEM
                   ? EFFECT_LOAD : EFFECT_COPY;
         break;
      case X86_INS_LEA:
         e->kind = EFFECT_ADDRESS;
         break;
      case X86_INS_ADD:
         e->kind = number ? EFFECT_ADD_NUMBER : EFFECT_ADD;
         break;
      case X86_INS_SUB:
         e->kind   = number ? EFFECT_ADD_NUMBER : EFFECT_OTHER;
         e->number = -e->number;
         break;
      case X86_INS_SHL:
         e->kind   = number && e->number < 16 ? EFFECT_TIMES : EFFECT_OTHER;
         e->number = INT64_C(1) << (e->number & 15);
         break;
      case X86_INS_IMUL:
         e->kind = number && x->op_count == 3 ? EFFECT_TIMES : EFFECT_OTHER;
         break;
      default:
         break;
   }
   if (e->kind == EFFECT_TIMES && x->op_count < 3)
      e->from = e->to;
   if ((e->kind == EFFECT_COPY || e->kind == EFFECT_ADD
        || e->kind == EFFECT_TIMES) && e->from == NO_REGISTER)
      e->kind = EFFECT_OTHER;
}

static void tell_effect(csh h, const cs_insn* i, InstrEffect* e)
{
   const cs_x86* x = &i->detail->x86;
   cs_regs       reads, writes;
   uint8_t       n_reads = 0, n_writes = 0;

   if (cs_regs_access(h, i, reads, &n_reads, writes, &n_writes) == CS_ERR_OK)
      for (uint8_t k = 0; k < n_writes; k++)
         e->written |= bit_of((x86_reg)writes[k]);
   for (uint8_t k = 0; k < x->op_count; k++)
      if (x->operands[k].type == X86_OP_MEM && i->id != X86_INS_NOP
          && e->n_memory < MOST_OPERANDS)
         e->memory[e->n_memory++] = memory_of(i, &x->operands[k]);
   e->on_stack = is_stack(i->id);
   for (uint8_t k = 0; k < i->detail->groups_count; k++)
      e->flow |= i->detail->groups[k] == CS_GRP_JUMP
                 || i->detail->groups[k] == CS_GRP_CALL
                 || i->detail->groups[k] == CS_GRP_RET
                 || i->detail->groups[k] == CS_GRP_INT;
   e->stops  = i->id == X86_INS_HLT || i->id == X86_INS_UD2;
   e->falls  = is_conditional(i);
   e->direct = find_target(i, &e->target);
   tell_kind(i, e);
   if (i->id == X86_INS_CMP && x->operands[1].type == X86_OP_IMM) {
      e->compares = true;
      e->number   = x->operands[1].imm;
   }
   /* The sign-extension of a register into itself keeps its value. */
   if (i->id == X86_INS_CDQE)
      e->written = 0;
}

/*--- Rows                                                 ---*/

/* amd64: DWARF's numbers to the encoding.  On x86 they are the same. */
static const uint8_t dwarf_general[16] = {
   0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15
};

/* Members with the same value on both. */
#define ALIKE \
   .arch = CS_ARCH_X86, .att = true, .longest = 15, .preamble = preamble, \
   .tell = tell, \
   .general = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", \
                "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" }, \
   .champsim = { 10, 9, 8, 7, 6, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18 }, \
   .vector = "ymm", .x87 = true, .sp = "RSP", .stack = 4, .frame = 5, \
   .call_number = 0, \
   .constant_number = constant_number, .makes_frame = makes_frame, \
   .is_atomic = is_atomic, \
   .part_named = part_named, .tell_effect = tell_effect, \
   .find_roles = find_roles

const Processor machine_amd64 = {
   ALIKE,
   .machine         = EM_X86_64,
   .mode            = CS_MODE_64,
   .request         = 19,
   .slot_types      = { R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT },
   .find_slot       = find_slot_64,
   .arguments       = { 7, 6, 2, 10, 8, 9 },
   .kept            = 0xF028,
   .seccomp         = SCMP_ARCH_X86_64,
   .dwarf_general   = dwarf_general,
   .n_dwarf_general = 16,
   .dwarf_vector    = 17,
   .n_dwarf_vector  = 16
};

const Processor machine_x86 = {
   ALIKE,
   .machine         = EM_386,
   .mode            = CS_MODE_32,
   .request         = 14,
   .slot_types      = { R_386_JMP_SLOT, R_386_GLOB_DAT },
   .find_slot       = find_slot_32,
   .arguments       = { 3, 1, 2, 6, 7, 5 },
   .kept            = 0xE8,
   .seccomp         = SCMP_ARCH_X86,
   .n_dwarf_general = 8
};
