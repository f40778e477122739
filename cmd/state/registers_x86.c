/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers of x86 and amd64 behind instructions that have no recorded value of
   them. */

/* Owns: the stack pointer, registers that change besides the result,
   operands.  Handed: instances and what was before them. */

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"
#include "cmd/state/x86_rules.h"

#include <capstone/capstone.h>
#include <string.h>

/*--- Decoding                                             ---*/

const cs_insn* x86_decode(const DcfgWetInstr* in)
{
   static csh      h;           // all instructions are of one program
   static cs_insn* i;
   const uint8_t*  code = in->code;
   size_t          left = in->size;
   uint64_t        addr = in->addr;

   if (i == NULL) {
      h = processor_decoder(processor_numbered(in->machine));
      i = need(cs_malloc(h));
   }
   return cs_disasm_iter(h, &code, &left, &addr, i) ? i : NULL;
}

bool x86_memory_number(const StateView* v, const DcfgCursorAccess* a,
                       unsigned size, uint64_t* number)
{
   StateValue m;

   if (a == NULL || size > 8 || a->size < size)
      return false;
   m = v->memory(v->arg, a->addr, size);
   return state_number_in(&m, 0, size, number);
}

bool x86_operand(const StateView* v, const cs_insn* i, unsigned k,
                 uint64_t* number)
{
   const cs_x86_op* op = &i->detail->x86.operands[k];
   unsigned         n, size = op->size;
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
         return state_number_in(&r, (unsigned)from / 8, size, number);
      case X86_OP_MEM:
         return x86_memory_number(v, state_access(v, DCFG_CURSOR_LOAD), size,
                              number);
      default:
         return false;
   }
}

bool x86_pair_is(const StateView* v, unsigned size, bool* same)
{
   uint64_t   addr = state_lowest(v, DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE);
   StateValue rax = v->general(v->arg, RAX), rdx = v->general(v->arg, RDX), m;
   uint64_t   low, high, was_low, was_high;

   if (v->at->n_accesses == 0)
      return false;
   m = v->memory(v->arg, addr, 2 * size);
   if (!state_number_in(&m, 0, size, &low)
       || !state_number_in(&m, size, size, &high)
       || !state_number_in(&rax, 0, size, &was_low)
       || !state_number_in(&rdx, 0, size, &was_high))
      return false;
   *same = low == was_low && high == was_high;
   return true;
}

/*--- General registers                                    ---*/

static const StateValue nothing = { .known = 0 };

/* The stack pointer behind instructions that push, pop, call or return: their
   access is there. */
static StateValue stack_behind(const StateView* v, const cs_insn* i)
{
   const DcfgCursorAccess* load = state_access(v, DCFG_CURSOR_LOAD);
   const DcfgCursorAccess* store = state_access(v, DCFG_CURSOR_STORE);
   const cs_x86*           x = &i->detail->x86;
   uint64_t                high = 0;
   unsigned                r;

   for (uint32_t k = 0; k < v->at->n_accesses; k++) {
      const DcfgCursorAccess* a = &v->at->accesses[k];
      high = a->addr + a->size > high ? a->addr + a->size : high;
   }
   switch (i->id) {
      case X86_INS_ENTER:
         return store == NULL ? nothing
                : state_number(store->addr - (uint64_t)x->operands[0].imm);
      case X86_INS_PUSH: case X86_INS_PUSHFQ: case X86_INS_PUSHFD:
      case X86_INS_PUSHF: case X86_INS_CALL:
         return store != NULL ? state_number(store->addr) : nothing;
      case X86_INS_PUSHAL: case X86_INS_PUSHAW:
         return store != NULL ? state_number(state_lowest(v, DCFG_CURSOR_STORE))
                : nothing;
      case X86_INS_POP:
         return load != NULL && !(x->operands[0].type == X86_OP_REG
                                  && x86_part_of(x->operands[0].reg, &r) == 0
                                  && r == RSP)
                ? state_number(load->addr
                               + (x->prefix[2] == X86_PREFIX_OPSIZE ? 2
                                  : v->in->address_size)) : nothing;
      case X86_INS_POPFQ: case X86_INS_POPFD:
      case X86_INS_POPF: case X86_INS_LEAVE:
         return load != NULL ? state_number(load->addr + load->size) : nothing;
      case X86_INS_POPAL: case X86_INS_POPAW:
         return load != NULL ? state_number(high) : nothing;
      case X86_INS_RET:
         return load == NULL ? nothing
                : state_number(load->addr + load->size
                               + (x->op_count == 1
                                  && x->operands[0].type == X86_OP_IMM
                                  ? (uint64_t)x->operands[0].imm : 0));
      default:
         return nothing;
   }
}

bool x86_is_string(const cs_insn* i)
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
static StateValue pointer_behind(const StateView* v, const cs_insn* i,
                                 unsigned n)
{
   const DcfgCursorInstr*  at = v->at;
   const DcfgCursorAccess* a = NULL;
   bool                    compares = (i->detail->x86.opcode[0] | 1) == 0xA7;
   uint64_t                direction;

   /* CMPS loads what RDI points at first.  Others load what RSI points at, if
      they use it, and then access what RDI points at. */
   if (at->n_accesses > 0)
      a = (n == RSI) != compares ? &at->accesses[0]
          : &at->accesses[at->n_accesses - 1];
   if (a == NULL) {
      /* No iteration was made. */
      return at->rep ? v->general(v->arg, n) : nothing;
   }
   if (!v->flags(v->arg, X86_DIRECTION, &direction))
      return nothing;
   return state_number(direction != 0 ? a->addr - a->size : a->addr + a->size);
}

/* RAX behind LODS. */
static StateValue loaded_behind(const StateView* v)
{
   const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
   StateValue              m;

   if (a == NULL || a->size > 8)
      return v->at->rep ? v->general(v->arg, RAX) : nothing;
   m = v->memory(v->arg, a->addr, a->size);
   if (a->size == 4)
      m.known |= 0xF0;
   return m;
}

/* RCX behind an iteration. */
static StateValue count_behind(const StateView* v)
{
   StateValue before;
   uint64_t   made = v->iterations(v->arg, RCX, &before), number;

   if (!state_number_in(&before, 0, v->in->address_size, &number))
      return nothing;
   return state_number(number - made - (v->at->n_accesses > 0));
}

/* Return general register N, a part of which gets what the other operand was
   in the exchange I.  CMPXCHG puts that into RAX, even if it is what RAX had. */
static StateValue exchanged(const StateView* v, const cs_insn* i, unsigned n)
{
   const cs_x86_op* op = i->detail->x86.operands;
   unsigned         size = op[0].size, k = 1, r = RAX;
   uint64_t         number;
   int              part = 0;
   StateValue       was;

   if (i->id != X86_INS_CMPXCHG) {
      if (op[1].type != X86_OP_REG || x86_part_of(op[1].reg, &r) < 0 || r != n)
         k = 0;
      part = op[k].type == X86_OP_REG ? x86_part_of(op[k].reg, &r) : -1;
   }
   if (part < 0 || r != n || !x86_operand(v, i, 1 - k, &number))
      return nothing;
   /* Other instructions may have been decoded meanwhile. */
   was = size >= 4 ? state_number(0) : v->general(v->arg, n);
   memcpy(was.bytes + part / 8, &number, size);
   was.known |= ((1u << size) - 1) << part / 8;
   return was;
}

/* R11 stays as it was under Valgrind, where a processor puts the flags into
   it. */
static bool syscall_behind(const StateView* v, unsigned n, StateValue* to)
{
   uint64_t result;

   if (n == RAX && v->result(v->arg, &result))
      *to = state_number(result);
   if (n == RCX)
      *to = state_number(v->in->addr + v->in->size);
   if (n == R11)
      *to = v->general(v->arg, R11);
   return true;
}

/* Return whether N is a register that I changes besides its value: see
   find_besides_x86() in tool/arch/x86/x86.c. */
static bool is_left_out(const cs_insn* i, unsigned n)
{
   const cs_x86_op* op = i->detail->x86.operands;
   unsigned         r;

   if (n == RSP)
      return i->id == X86_INS_XCHG;
   return n == RAX && i->id == X86_INS_CMPXCHG && op[0].type == X86_OP_REG
          && x86_part_of(op[0].reg, &r) >= 0 && r != RAX;
}

bool x86_general_behind(const StateView* v, unsigned n, StateValue* to)
{
   const cs_insn* i = x86_decode(v->in);
   unsigned       size;
   bool           same;

   *to = nothing;
   if (i == NULL)
      return true;
   if (i->id == X86_INS_SYSCALL || i->id == X86_INS_INT)
      return syscall_behind(v, n, to);
   if (x86_is_string(i) && (n == RSI || n == RDI)) {
      *to = pointer_behind(v, i, n);
      return true;
   }
   if ((i->detail->x86.opcode[0] | 1) == 0xAD && x86_is_string(i)
       && n == RAX) {
      *to = loaded_behind(v);
      return true;
   }
   if (v->at->rep && n == RCX) {
      *to = count_behind(v);
      return true;
   }
   if (n == RSP) {
      *to = stack_behind(v, i);
      if (to->known != 0)
         return true;
   }
   if (state_access(v, DCFG_CURSOR_STORE) == NULL && !is_left_out(i, n))
      return false;
   /* The value is what is stored. */
   switch (i->id) {
      case X86_INS_XCHG: case X86_INS_XADD: case X86_INS_CMPXCHG:
         *to = exchanged(v, i, n);
         break;
      case X86_INS_ENTER:
         *to = state_number(state_lowest(v, DCFG_CURSOR_STORE));
         break;
      case X86_INS_CMPXCHG8B: case X86_INS_CMPXCHG16B:
         size = i->id == X86_INS_CMPXCHG8B ? 4 : 8;
         *to  = state_found(v, size, n == RDX ? size : 0);
         /* The upper half of a register stays if it swaps. */
         if (size < v->in->address_size)
            *to = !x86_pair_is(v, size, &same) ? nothing
                  : same ? v->general(v->arg, n) : *to;
         break;
      default:
         break;
   }
   return true;
}

uint32_t x86_besides(const DcfgWetInstr* in)
{
   const uint8_t* end = in->code + in->size;

   /* 0F B0 and 0F B1 with a register: CMPXCHG. */
   return UINT32_C(1) << RSP
          | (in->size > 2 && end[-3] == 0x0F && (end[-2] & 0xFE) == 0xB0
             && end[-1] >= 0xC0 ? UINT32_C(1) << RAX : 0);
}

uint32_t x86_cleared(const DcfgWetInstr* in)
{
   const uint8_t* code = in->code;

   /* VEX.66.0F38 90 to 93: gathers.  They clear their mask, which VVVV has. */
   return in->size > 4 && code[0] == 0xC4 && (code[1] & 0x1F) == 2
          && code[3] >= 0x90 && code[3] <= 0x93
          ? UINT32_C(1) << (~code[2] >> 3 & 15) : 0;
}
