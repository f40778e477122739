/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions of amd64 change registers that no recorded value has. */

/* Owns: the stack pointer, registers that change besides the result, flags; the
   registers that gdb knows; parts of registers.  Handed: instances and what was
   before them.  Taken by: cmd/state/, machine_x86.c.

   Flags are what Valgrind computes where Intel's manual leaves them open: A is
   0 behind logic and shifts. */

#include "cmd/machine/x86_rules.h"

#include "cmd/base/cmd.h"

#include <capstone/capstone.h>
#include <math.h>
#include <string.h>

enum { RAX = 0, RCX = 1, RSP = 4, RBP = 5, RSI = 6, RDI = 7, R11 = 11 };
enum { GROUP_CARRY, GROUP_OTHERS, GROUP_DIRECTION,
       N_GROUPS = X86_FLAG_GROUPS };

#define BIT_C (UINT64_C(1) << 0)
#define BIT_P (UINT64_C(1) << 2)
#define BIT_A (UINT64_C(1) << 4)
#define BIT_Z (UINT64_C(1) << 6)
#define BIT_S (UINT64_C(1) << 7)
#define BIT_D (UINT64_C(1) << 10)
#define BIT_O (UINT64_C(1) << 11)
#define OTHERS (BIT_P | BIT_A | BIT_Z | BIT_S | BIT_O)

/*--- Decoding                                             ---*/

static const cs_insn* decode(const DcfgWetInstr* in)
{
   static csh      h;
   static cs_insn* i;
   const uint8_t*  code = in->code;
   size_t          left = in->size;
   uint64_t        addr = in->addr;

   if (i == NULL) {
      if (cs_open(CS_ARCH_X86, CS_MODE_64, &h) != CS_ERR_OK)
         die("Capstone cannot decode this machine's code");
      cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
      i = need(cs_malloc(h));
   }
   return cs_disasm_iter(h, &code, &left, &addr, i) ? i : NULL;
}

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

/* The number that the SIZE bytes of V from FROM on are; false: not all are
   known. */
static bool number_in(const StateValue* v, unsigned from, unsigned size,
                      uint64_t* number)
{
   *number = 0;
   for (unsigned i = size; i-- > 0; ) {
      if (!(v->known >> (from + i) & 1))
         return false;
      *number = *number << 8 | v->bytes[from + i];
   }
   return true;
}

static StateValue known(uint64_t number)
{
   StateValue v = { .known = 0xFF };

   memcpy(v.bytes, &number, 8);
   return v;
}

static const DcfgReplayAccess* access_of(const StateView* v, uint32_t kind)
{
   for (uint32_t i = 0; i < v->at->n_accesses; i++)
      if (v->at->accesses[i].kind & kind)
         return &v->at->accesses[i];
   return NULL;
}

static bool memory_number(const StateView* v, const DcfgReplayAccess* a,
                          unsigned size, uint64_t* number)
{
   StateValue m;

   if (a == NULL || size > 8 || a->size < size)
      return false;
   m = v->memory(v->arg, a->addr, size);
   return number_in(&m, 0, size, number);
}

static uint64_t sign_extended(uint64_t n, unsigned size)
{
   uint64_t sign = UINT64_C(1) << (8 * size - 1);

   return size >= 8 ? n : ((n & (2 * sign - 1)) ^ sign) - sign;
}

static uint64_t mask_of(unsigned size)
{
   return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

/* Set *NUMBER to operand K before the instance. */
static bool operand(const StateView* v, const cs_insn* i, unsigned k,
                    uint64_t* number)
{
   const cs_x86_op* op = &i->detail->x86.operands[k];
   unsigned         n;
   int              from;
   StateValue       r;

   if (k >= i->detail->x86.op_count)
      return false;
   switch (op->type) {
      case X86_OP_IMM:
         *number = (uint64_t)op->imm;
         return true;
      case X86_OP_REG:
         from = x86_part_of(op->reg, &n);
         if (from < 0)
            return false;
         r = v->general(v->arg, n);
         return number_in(&r, (unsigned)from / 8, op->size, number);
      case X86_OP_MEM:
         return memory_number(v, access_of(v, DCFG_REPLAY_LOAD), op->size,
                              number);
      default:
         return false;
   }
}

/*--- General registers                                    ---*/

/* The stack pointer behind instructions that push, pop, call or return: their
   access is there. */
static StateValue stack_behind(const StateView* v, const cs_insn* i)
{
   const DcfgReplayAccess* load = access_of(v, DCFG_REPLAY_LOAD);
   const DcfgReplayAccess* store = access_of(v, DCFG_REPLAY_STORE);
   const cs_x86*           x = &i->detail->x86;

   switch (i->id) {
      case X86_INS_PUSH: case X86_INS_PUSHFQ: case X86_INS_PUSHF:
      case X86_INS_CALL:
         return store != NULL ? known(store->addr) : (StateValue){ .known = 0 };
      case X86_INS_POP: case X86_INS_POPFQ: case X86_INS_POPF:
      case X86_INS_LEAVE:
         return load != NULL ? known(load->addr + load->size)
                : (StateValue){ .known = 0 };
      case X86_INS_RET:
         return load == NULL ? (StateValue){ .known = 0 }
                : known(load->addr + load->size
                        + (x->op_count == 1 && x->operands[0].type == X86_OP_IMM
                           ? (uint64_t)x->operands[0].imm : 0));
      default:
         return (StateValue){ .known = 0 };
   }
}

static bool is_string(const cs_insn* i)
{
   switch (i->detail->x86.opcode[0]) {
      case 0xA4: case 0xA5: case 0xA6: case 0xA7: case 0xAA: case 0xAB:
      case 0xAC: case 0xAD: case 0xAE: case 0xAF:
         return i->detail->x86.rex == 0 || (i->detail->x86.rex & 0xF0) == 0x40;
      default:
         return false;
   }
}

/* RSI and RDI behind a string instruction: a step from their access. */
static StateValue pointer_behind(const StateView* v, unsigned n)
{
   const DcfgReplayInstr*  at = v->at;
   const DcfgReplayAccess* a = NULL;
   uint64_t                direction;

   /* RSI loads first; what RDI points at is stored, or loaded last. */
   if (n == RSI)
      a = at->n_accesses > 0 && (at->accesses[0].kind & DCFG_REPLAY_LOAD)
          ? &at->accesses[0] : NULL;
   else if (at->n_accesses > 0)
      a = &at->accesses[at->n_accesses - 1];
   if (a == NULL) {
      /* No iteration was made. */
      return at->rep && at->n_accesses == 0 ? v->general(v->arg, n)
             : (StateValue){ .known = 0 };
   }
   if (!v->flags(v->arg, GROUP_DIRECTION, &direction))
      return (StateValue){ .known = 0 };
   return known(direction & BIT_D ? a->addr - a->size : a->addr + a->size);
}

/* RCX behind an iteration. */
static StateValue count_behind(const StateView* v)
{
   StateValue before;
   uint64_t   made = v->iterations(v->arg, RCX, &before), number;

   if (!number_in(&before, 0, 8, &number))
      return (StateValue){ .known = 0 };
   return known(number - made - (v->at->n_accesses > 0));
}

/* Return the bytes that an exchange found in memory. */
static StateValue exchanged(const StateView* v, unsigned n)
{
   const DcfgReplayAccess* a = access_of(v, DCFG_REPLAY_LOAD);
   StateValue              m, r;

   if (a == NULL || a->size > 8)
      return (StateValue){ .known = 0 };
   m = v->memory(v->arg, a->addr, a->size);
   if (a->size == 4) {
      m.known |= 0xF0;
      return m;
   }
   if (a->size == 8)
      return m;
   r = v->general(v->arg, n);
   memcpy(r.bytes, m.bytes, a->size);
   r.known = (r.known & ~((1u << a->size) - 1)) | m.known;
   return r;
}

/* R11 stays as it was under Valgrind, where a processor puts the flags into
   it. */
static bool syscall_behind(const StateView* v, unsigned n, StateValue* to)
{
   uint64_t result;

   if (n == RAX && v->result(v->arg, &result))
      *to = known(result);
   if (n == RCX)
      *to = known(v->in->addr + v->in->size);
   if (n == R11)
      *to = v->general(v->arg, R11);
   return true;
}

bool x86_general_behind(const StateView* v, unsigned n, StateValue* to)
{
   const cs_insn* i = decode(v->in);

   *to = (StateValue){ .known = 0 };
   if (i == NULL)
      return true;
   if (i->id == X86_INS_SYSCALL)
      return syscall_behind(v, n, to);
   if (is_string(i) && (n == RSI || n == RDI)) {
      *to = pointer_behind(v, n);
      return true;
   }
   if (v->at->rep && n == RCX) {
      *to = count_behind(v);
      return true;
   }
   if (n == RSP) {
      *to = stack_behind(v, i);
      return to->known != 0;
   }
   if (access_of(v, DCFG_REPLAY_STORE) == NULL)
      return false;
   /* The value is what is stored. */
   switch (i->id) {
      case X86_INS_XCHG: case X86_INS_XADD:
         *to = exchanged(v, n);
         break;
      case X86_INS_CMPXCHG: {
         const DcfgReplayAccess* a = access_of(v, DCFG_REPLAY_LOAD);
         *to = exchanged(v, n);
         /* If it is what was expected, the register stays. */
         if (a != NULL && a->size == 4)
            to->known &= 0xF;
         break;
      }
      default:
         break;
   }
   return true;
}

/*--- Flags                                                ---*/

static uint64_t of_result(uint64_t r, unsigned size)
{
   r &= mask_of(size);
   return (__builtin_parity((unsigned)(r & 0xFF)) ? 0 : BIT_P)
          | (r == 0 ? BIT_Z : 0) | (r >> (8 * size - 1) ? BIT_S : 0);
}

/* A + B + C, or A - B - C. */
static uint64_t of_sum(uint64_t a, uint64_t b, uint64_t c, unsigned size,
                       bool minus)
{
   uint64_t m = mask_of(size), sign = UINT64_C(1) << (8 * size - 1), r, carry;

   a &= m;
   b &= m;
   r     = (minus ? a - b - c : a + b + c) & m;
   carry = minus ? (a < b || (c && a == b)) : (r < a || (c && r == a));
   return of_result(r, size) | (carry ? BIT_C : 0)
          | ((a ^ b ^ r) & 0x10 ? BIT_A : 0)
          | ((minus ? (a ^ b) & (a ^ r) : (a ^ r) & (b ^ r)) & sign ? BIT_O
             : 0);
}

/* A shift by N, which is not 0. */
static uint64_t of_shift(unsigned id, uint64_t a, unsigned n, unsigned size)
{
   uint64_t m = mask_of(size), sign = UINT64_C(1) << (8 * size - 1), before, r;
   bool     left = id == X86_INS_SHL || id == X86_INS_SAL;
   uint64_t out;

   a &= m;
   if (id == X86_INS_SAR)
      a = sign_extended(a, size);
   before = left ? (n - 1 < 64 ? a << (n - 1) : 0)
            : id == X86_INS_SAR ? (uint64_t)((int64_t)a >> (n - 1))
            : a >> (n - 1);
   r      = left ? before << 1
            : id == X86_INS_SAR ? (uint64_t)((int64_t)before >> 1)
            : before >> 1;
   out    = left ? before & sign : before & 1;
   return of_result(r, size) | (out ? BIT_C : 0)
          | ((r ^ before) & sign ? BIT_O : 0);
}

static bool of_logic(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   const cs_x86* x = &i->detail->x86;
   uint64_t      a = 0, b = 0;

   if (x->op_count == 2 && x->operands[0].type == X86_OP_REG
       && x->operands[1].type == X86_OP_REG
       && x->operands[0].reg == x->operands[1].reg && i->id == X86_INS_XOR) {
      *bits = of_result(0, x->operands[0].size);
      return true;
   }
   if (!operand(v, i, 0, &a) || !operand(v, i, 1, &b))
      return false;
   *bits = of_result(i->id == X86_INS_OR ? a | b : i->id == X86_INS_XOR ? a ^ b
                     : a & b, x->operands[0].size);
   return true;
}

static bool shift_flags(const StateView* v, const cs_insn* i, unsigned group,
                        uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   uint64_t a, n = 1;

   if (!operand(v, i, 0, &a)
       || (i->detail->x86.op_count > 1 && !operand(v, i, 1, &n)))
      return false;
   n &= size == 8 ? 63 : 31;
   if (n == 0)
      return v->flags(v->arg, group, bits);
   *bits = of_shift(i->id, a, (unsigned)n, size);
   return true;
}

/* Signed products that do not fit; VEX takes the other flags from the low
   half. */
static bool product_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   const cs_x86* x = &i->detail->x86;
   unsigned      size = x->operands[0].size;
   uint64_t      a = 0, b = 0;
   __int128      p;

   if (x->op_count == 1) {
      StateValue rax = v->general(v->arg, RAX);
      if (!operand(v, i, 0, &a) || !number_in(&rax, 0, size, &b))
         return false;
   } else if (!operand(v, i, x->op_count - 2, &a)
              || !operand(v, i, x->op_count - 1, &b)) {
      return false;
   }
   if (i->id == X86_INS_MUL) {
      unsigned __int128 q = (unsigned __int128)(a & mask_of(size))
                            * (b & mask_of(size));
      *bits = of_result((uint64_t)q, size)
              | (q > mask_of(size) ? BIT_C | BIT_O : 0);
      return true;
   }
   p     = (__int128)(int64_t)sign_extended(a, size)
           * (int64_t)sign_extended(b, size);
   *bits = of_result((uint64_t)p, size)
           | (p != (__int128)(int64_t)sign_extended((uint64_t)p, size)
              ? BIT_C | BIT_O : 0);
   return true;
}

/* UCOMISS and its like. */
static bool float_flags(const StateView* v, const cs_insn* i, bool wide,
                        uint64_t* bits)
{
   double   f[2];
   unsigned size = wide ? 8 : 4;

   for (unsigned k = 0; k < 2; k++) {
      const cs_x86_op* op = &i->detail->x86.operands[k];
      uint64_t         number = 0;
      if (op->type == X86_OP_REG && op->reg >= X86_REG_XMM0
          && op->reg <= X86_REG_XMM15) {
         StateValue r = v->vector(v->arg, op->reg - X86_REG_XMM0);
         if (!number_in(&r, 0, size, &number))
            return false;
      } else if (op->type != X86_OP_MEM
                 || !memory_number(v, access_of(v, DCFG_REPLAY_LOAD), size,
                                   &number)) {
         return false;
      }
      if (wide) {
         memcpy(&f[k], &number, 8);
      } else {
         uint32_t half = (uint32_t)number;
         float    single;
         memcpy(&single, &half, 4);
         f[k] = (double)single;
      }
   }
   *bits = isnan(f[0]) || isnan(f[1]) ? BIT_Z | BIT_P | BIT_C
           : f[0] < f[1] ? BIT_C : f[0] > f[1] ? 0 : BIT_Z;
   return true;
}

/* CMPS, SCAS. */
static bool string_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   unsigned   size = v->at->n_accesses > 0 ? v->at->accesses[0].size : 0;
   bool       scans = (i->detail->x86.opcode[0] | 1) == 0xAF;
   uint64_t   a = 0, b = 0;
   StateValue rax;

   if (size == 0 || size > 8 || (!scans && v->at->n_accesses < 2))
      return false;
   if (scans) {
      rax = v->general(v->arg, RAX);
      if (!number_in(&rax, 0, size, &a)
          || !memory_number(v, &v->at->accesses[0], size, &b))
         return false;
   } else if (!memory_number(v, &v->at->accesses[0], size, &a)
              || !memory_number(v, &v->at->accesses[1], size, &b)) {
      return false;
   }
   *bits = of_sum(a, b, 0, size, true);
   return true;
}

static bool sum_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   bool     minus = true;
   uint64_t a = 0, b = 1, c = 0;

   switch (i->id) {
      case X86_INS_ADD: case X86_INS_XADD: case X86_INS_ADC: case X86_INS_INC:
         minus = false;
         break;
      default:
         break;
   }
   if (!operand(v, i, 0, &a))
      return false;
   if (i->id == X86_INS_NEG) {
      b = a;
      a = 0;
   } else if (i->id == X86_INS_CMPXCHG) {
      StateValue rax = v->general(v->arg, RAX);
      b = a;
      if (!number_in(&rax, 0, size, &a))
         return false;
   } else if (i->id != X86_INS_INC && i->id != X86_INS_DEC
              && !operand(v, i, 1, &b)) {
      return false;
   }
   if ((i->id == X86_INS_ADC || i->id == X86_INS_SBB)
       && !v->flags(v->arg, GROUP_CARRY, &c))
      return false;
   *bits = of_sum(a, b, c & BIT_C, size, minus);
   return true;
}

static bool all_flags(const StateView* v, const cs_insn* i, unsigned group,
                      uint64_t* bits)
{
   if (is_string(i))
      return string_flags(v, i, bits);
   switch (i->id) {
      case X86_INS_ADD: case X86_INS_SUB: case X86_INS_CMP: case X86_INS_NEG:
      case X86_INS_INC: case X86_INS_DEC: case X86_INS_ADC: case X86_INS_SBB:
      case X86_INS_XADD: case X86_INS_CMPXCHG:
         return sum_flags(v, i, bits);
      case X86_INS_AND: case X86_INS_TEST: case X86_INS_OR: case X86_INS_XOR:
         return of_logic(v, i, bits);
      case X86_INS_SHL: case X86_INS_SAL: case X86_INS_SHR: case X86_INS_SAR:
         return shift_flags(v, i, group, bits);
      case X86_INS_IMUL: case X86_INS_MUL:
         return product_flags(v, i, bits);
      case X86_INS_UCOMISD: case X86_INS_COMISD:
      case X86_INS_VUCOMISD: case X86_INS_VCOMISD:
         return float_flags(v, i, true, bits);
      case X86_INS_UCOMISS: case X86_INS_COMISS:
      case X86_INS_VUCOMISS: case X86_INS_VCOMISS:
         return float_flags(v, i, false, bits);
      case X86_INS_CLD: case X86_INS_CLC:
         *bits = 0;
         return true;
      case X86_INS_STD: case X86_INS_STC:
         *bits = BIT_D | BIT_C;
         return true;
      case X86_INS_POPFQ:
         return memory_number(v, access_of(v, DCFG_REPLAY_LOAD), 8, bits);
      default:
         return false;
   }
}

const uint64_t x86_flag_groups[N_GROUPS] = { BIT_C, OTHERS, BIT_D };

bool x86_flags_behind(const StateView* v, unsigned group, uint64_t* bits)
{
   const cs_insn* i = decode(v->in);
   cs_insn        copy;
   cs_detail      detail;

   if (i == NULL || group >= N_GROUPS)
      return false;
   /* Rules of other instances are asked meanwhile. */
   copy        = *i;
   detail      = *i->detail;
   copy.detail = &detail;
   if (!all_flags(v, &copy, group, bits))
      return false;
   *bits &= x86_flag_groups[group];
   return true;
}
