/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers of x86 and amd64 behind instructions that have no recorded value of
   them. */

/* Owns: the stack pointer, registers that change besides the result, operands;
   how instructions change x87's registers, and how numbers of 80 bits and doubles
   become each other.  Handed: instances and what was before them.

   Valgrind computes x87's numbers with doubles, keeps of the control words only
   how numbers are rounded, and of tags whether a register is in use. */

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"
#include "cmd/state/x86_rules.h"
#include <capstone/capstone.h>
#include <math.h>
#include <string.h>

/* Return the bits of the double that is SIGN, 0 or 1, above the number E. */
static uint64_t signed_bits(unsigned sign, uint64_t e)
{
   return (uint64_t)sign << 63 | e;
}

/* Return the bits of a double, rounded up as Valgrind does it: not at all if that
   carries beyond three bytes. */
static uint64_t rounded_up(uint64_t d)
{
   return (d & 0xFFFFFF) == 0xFFFFFF ? d : d + 1;
}

/* Return the bits of the double that Valgrind makes of a number of 80 bits. */
static uint64_t double_of(uint64_t mantissa, unsigned exponent, unsigned sign)
{
   const uint64_t infinity = UINT64_C(0x7FF) << 52, quiet = UINT64_C(1) << 51;
   int            n = (int)exponent - 16383 + 1023;
   unsigned       shift;
   uint64_t       d;

   if (exponent == 0)
      return signed_bits(sign, 0);
   if (!(mantissa >> 63) && (exponent != 0x7FFF || mantissa == 0))
      return signed_bits(1, infinity | quiet);
   if (exponent == 0x7FFF)
      return signed_bits(sign, mantissa << 1 == 0 ? infinity
                         : mantissa >> 62 & 1 ? infinity | quiet
                         : infinity | (quiet - 1));
   if (n >= 0x7FF)
      return signed_bits(sign, infinity);
   if (n < -52)
      return signed_bits(sign, 0);
   if (n <= 0) {
      shift = (unsigned)(12 - n);
      d     = signed_bits(sign, shift < 64 ? mantissa >> shift : 0);
      return mantissa >> (shift - 1) & 1 ? rounded_up(d) : d;
   }
   d = signed_bits(sign, (uint64_t)n << 52 | mantissa << 1 >> 12);
   return (mantissa & 0x400) && (mantissa & 0xFFF) != 0x400 ? rounded_up(d) : d;
}

/* Return the 8 bytes of the double that Valgrind makes of the 80 bits V, in its
   own way of rounding. */
static StateValue x87_double(StateValue v)
{
   uint64_t mantissa;
   uint16_t exponent;

   memcpy(&mantissa, v.bytes, 8);
   memcpy(&exponent, v.bytes + 8, 2);
   return (v.known & 0x3FF) != 0x3FF ? (StateValue){ .known = 0 }
          : state_number(double_of(mantissa, exponent & 0x7FFF,
                                   exponent >> 15));
}

/*--- Decoding                                             ---*/

/* Opcode: the instruction behind its prefixes.  MAP is 0 for one byte, 0x0F for
   two.  MODRM is what follows the opcode. */
typedef
   struct {
      uint8_t map, op, modrm;
      bool    prefixed;         // by 66, F2 or F3
   }
   Opcode;

static Opcode opcode_of(const DcfgWetInstr* in)
{
   Opcode   o = { .map = 0 };
   uint32_t k = 0;

   for (; k + 1 < in->size; k++) {
      uint8_t b = in->code[k];
      bool    simd = b == 0x66 || b == 0xF2 || b == 0xF3;
      o.prefixed |= simd;
      if (!simd && b != 0xF0 && b != 0x67 && (b & 0xE7) != 0x26
          && (b & 0xFE) != 0x64
          && (in->address_size == 4 || (b & 0xF0) != 0x40))
         break;
   }
   if (in->code[k] == 0x0F && k + 1 < in->size) {
      o.map = 0x0F;
      k++;
   }
   o.op    = in->code[k];
   o.modrm = k + 1 < in->size ? in->code[k + 1] : 0;
   return o;
}

static bool is_memory(Opcode o)
{
   return o.modrm < 0xC0;
}

static unsigned reg_of(Opcode o)
{
   return o.modrm >> 3 & 7;
}

/* Loads of whole states: no load, the environment, or all registers. */
typedef enum { NO_LOAD, LOADS_ENV, LOADS_ALL, LOADS_FX, LOADS_X } StateLoad;

static StateLoad load_of(Opcode o)
{
   if (!is_memory(o))
      return NO_LOAD;
   if (o.map == 0)
      return o.op == 0xD9 && reg_of(o) == 4 ? LOADS_ENV
             : o.op == 0xDD && reg_of(o) == 4 ? LOADS_ALL : NO_LOAD;
   return o.op != 0xAE ? NO_LOAD : reg_of(o) == 1 ? LOADS_FX
          : reg_of(o) == 5 ? LOADS_X : NO_LOAD;
}

/* Match FNSAVE, which only stores under Valgrind. */
static bool is_save(Opcode o)
{
   return o.map == 0 && o.op == 0xDD && is_memory(o) && reg_of(o) == 6;
}

/* Match FNINIT. */
static bool is_init(Opcode o)
{
   return o.map == 0 && o.op == 0xDB && o.modrm == 0xE3;
}

/* Match LDMXCSR, with VEX prefix or without. */
static bool loads_mxcsr(const DcfgWetInstr* in, Opcode o)
{
   const uint8_t* c = in->code;

   if (in->size > 3 && c[0] == 0xC5 && in->address_size == 8)
      return c[2] == 0xAE && c[3] < 0xC0 && (c[3] >> 3 & 7) == 2;
   return o.map == 0x0F && o.op == 0xAE && is_memory(o) && reg_of(o) == 2;
}

/* Return whether the instruction uses MMX's registers. */
static bool is_mmx(const DcfgWetInstr* in, Opcode o)
{
   /* Valgrind leaves the tags alone in MOVNTQ. */
   const cs_insn* i = o.map == 0x0F && o.op > 0x1F && o.op != 0xE7
                      ? x86_decode(in) : NULL;

   for (unsigned k = 0; i != NULL && k < i->detail->x86.op_count; k++)
      if (i->detail->x86.operands[k].type == X86_OP_REG
          && i->detail->x86.operands[k].reg >= X86_REG_MM0
          && i->detail->x86.operands[k].reg <= X86_REG_MM7)
         return true;
   return false;
}

/* Return the number of the selector that the instruction loads, in gdb's order,
   or 6. */
static unsigned loaded_selector(const DcfgWetInstr* in, Opcode o)
{
   /* ES, CS, SS, DS, FS, GS are encoded as 0 to 5. */
   static const uint8_t selectors[8] = { 3, 0, 1, 2, 4, 5, 6, 6 };

   if (in->address_size != 4)
      return 6;
   if (o.map == 0x0F)
      return o.op == 0xA1 ? 4 : o.op == 0xA9 ? 5 : 6;    // POP
   switch (o.op) {
      case 0x8E: return selectors[reg_of(o)];
      case 0x07: return 3;
      case 0x17: return 1;
      case 0x1F: return 2;
      default:   return 6;
   }
}

uint32_t x86_others(const DcfgWetInstr* in)
{
   Opcode    o = opcode_of(in);
   StateLoad load = load_of(o);
   uint32_t  all = 0;
   unsigned  selector = loaded_selector(in, o);

   if (load != NO_LOAD || is_init(o)
       || (o.map == 0 && o.op == 0xD9 && is_memory(o) && reg_of(o) == 5))
      all |= 1u << OTHER_X87_CONTROL;
   if (load >= LOADS_FX || loads_mxcsr(in, o))
      all |= 1u << OTHER_VECTOR_CONTROL;
   if ((o.map == 0 && (o.op & 0xF8) == 0xD8) || load != NO_LOAD
       || (o.map == 0x0F && o.op == 0x77) || is_mmx(in, o))
      all |= 1u << OTHER_X87;
   if (selector < 6)
      all |= 1u << (OTHER_SEGMENT + selector);
   if (in->address_size == 8 ? o.map == 0x0F && o.op == 0x05      // SYSCALL
       : o.map == 0 && o.op == 0xCD && o.modrm == 0x80)           // INT 0x80
      all |= 1u << OTHER_THREAD_BASE | 1u << OTHER_GS_BASE;
   return all;
}

/*--- Memory of a state                                    ---*/

/* The place of XRSTOR's header, which says what the state has. */
#define HEADER 512

/* Set *BASE to the address of the state that the instance loads.  Return false
   if it is not known. */
static bool find_base(const StateView* v, uint64_t* base)
{
   const DcfgCursorAccess* first = state_access(v, DCFG_CURSOR_LOAD);

   if (first == NULL)
      return false;
   if (load_of(opcode_of(v->in)) == LOADS_X) {
      /* Valgrind loads the header first, and only then parts of the state, whose
         address is a multiple of 64. */
      *base = first->addr - HEADER;
      return *base % 64 == 0;
   }
   *base = state_lowest(v, DCFG_CURSOR_LOAD);
   return true;
}

/* Return SIZE bytes at place AT of the state that the instance loads. */
static StateValue loaded(const StateView* v, uint32_t at, uint32_t size)
{
   uint64_t base;

   return find_base(v, &base) ? memory_before(v, base + at, size)
          : (StateValue){ .known = 0 };
}

static bool loaded_number(const StateView* v, uint32_t at, uint32_t size,
                          uint64_t* number)
{
   StateValue m = loaded(v, at, size);

   return state_number_in(&m, 0, size, number);
}

/* XRSTOR's components, of which there are three. */
enum { COMPONENT_X87 = 1, COMPONENT_SSE = 2, COMPONENT_AVX = 4 };

/* Set *ASKED to the components that XRSTOR restores, and *THERE to those that
   the state has; the others become as at the begin of a program.  Return false
   if they are not known. */
static bool components(const StateView* v, uint64_t* asked, uint64_t* there)
{
   return general_number(v, RAX, 0, 4, asked)
          && loaded_number(v, HEADER, 8, there);
}

/*--- Control words, bases, selectors                      ---*/

static StateValue if_known(bool known, uint64_t number)
{
   return known ? state_number(number) : (StateValue){ .known = 0 };
}

/* Set *TO to a control word behind the instance: INITIAL, with the bits KEPT of
   the SIZE bytes at place AT of what it loads.  OF are XRSTOR's components that
   have the word.  Return false if it stays as it was. */
static bool control_behind(const StateView* v, Opcode o, uint64_t of,
                           uint32_t at, uint32_t size, uint64_t initial,
                           uint64_t kept, StateValue* to)
{
   uint64_t word = initial, asked, there;
   bool     known = true;

   if (load_of(o) == LOADS_X) {
      known = components(v, &asked, &there);
      if (known && !(asked & of))
         return false;
      if (known && (asked & there & of))
         known = loaded_number(v, at, size, &word);
   } else if (!is_init(o)) {
      known = loaded_number(v, at, size, &word);
   }
   *to = if_known(known, initial | (word & kept));
   return true;
}

/* The bases that arch_prctl() sets. */
static bool base_behind(const StateView* v, StateOther other, StateValue* to)
{
   enum { ARCH_PRCTL = 158, SET_GS = 0x1001, SET_FS = 0x1002 };
   uint64_t number, code, result;

   if (!general_number(v, RAX, 0, 4, &number))
      return true;
   if (number != ARCH_PRCTL)
      return false;
   if (!general_number(v, RDI, 0, 4, &code) || !call_result(v, &result))
      return true;
   if (code != (other == OTHER_GS_BASE ? SET_GS : SET_FS) || result != 0)
      return false;
   *to = general_before(v, RSI);
   return true;
}

/* The base that set_thread_area() gives the segment which GS will select: the
   second number of its argument. */
static bool area_behind(const StateView* v, StateValue* to)
{
   enum { SET_THREAD_AREA = 243 };
   uint64_t number, area, result;

   if (!general_number(v, RAX, 0, 4, &number))
      return true;
   if (number != SET_THREAD_AREA)
      return false;
   if (!general_number(v, RBX, 0, 4, &area) || !call_result(v, &result))
      return true;
   if ((uint32_t)result != 0)
      return false;
   *to = memory_before(v, area + 4, 4);
   return true;
}

bool x86_other_behind(const StateView* v, StateOther other, StateValue* to)
{
   Opcode   o = opcode_of(v->in);
   uint64_t number = 0;
   bool     known;

   *to = (StateValue){ .known = 0 };
   switch (other) {
      case OTHER_X87_CONTROL:
         return control_behind(v, o, COMPONENT_X87, 0, 2, 0x037F, 0x0C00, to);
      case OTHER_VECTOR_CONTROL:
         return control_behind(v, o, COMPONENT_SSE | COMPONENT_AVX,
                               load_of(o) >= LOADS_FX ? 24 : 0, 4, 0x1F80,
                               0x6000, to);
      case OTHER_THREAD_BASE: case OTHER_GS_BASE:
         return v->in->address_size == 4 ? area_behind(v, to)
                : base_behind(v, other, to);
      default:
         break;
   }
   known = o.op == 0x8E && o.map == 0 && !is_memory(o)
           ? general_number(v, o.modrm & 7, 0, 2, &number)
           : loaded_number(v, 0, 2, &number);
   *to = if_known(known, number);
   return true;
}

/*--- x87's registers                                      ---*/

static uint8_t bit(unsigned n)
{
   return (uint8_t)(1u << (n & 7));
}

static void keep_all(X87Effect* e)
{
   e->written = e->full = e->empty = e->unclear = 0;
}

static void empty_all(X87Effect* e)
{
   keep_all(e);
   e->empty = 0xFF;
}

static void init_all(X87Effect* e)
{
   empty_all(e);
   e->written = 0xFF;
   for (unsigned p = 0; p < 8; p++)
      e->values[p] = (StateValue){ .known = 0xFF };
}

/* Take the tags from place AT of the loaded state; if SHORT, one bit for each
   register. */
static void load_tags(const StateView* v, X87Effect* e, uint32_t at,
                      bool is_short)
{
   uint64_t tags;

   e->full = e->empty = 0;
   e->unclear = 0xFF;
   if (!loaded_number(v, at, is_short ? 1 : 2, &tags))
      return;
   e->unclear = 0;
   for (unsigned p = 0; p < 8; p++)
      if (is_short ? !(tags >> p & 1) : (tags >> 2 * p & 3) == 3)
         e->empty |= bit(p);
      else
         e->full |= bit(p);
}

/* Take all registers, SIZE bytes apart, from place AT of the loaded state.
   Valgrind clears those that are not in use. */
static void load_registers(const StateView* v, X87Effect* e, uint32_t at,
                           uint32_t size)
{
   e->written = 0xFF;
   for (unsigned n = 0; n < 8; n++) {
      unsigned p = (e->new_top + n) & 7;
      e->values[p] = e->full & bit(p) ? x87_double(loaded(v, at + n * size,
                                                          10))
                     : (StateValue){ .known = e->empty & bit(p) ? 0xFF : 0 };
   }
}

static void load_fx(const StateView* v, X87Effect* e)
{
   load_tags(v, e, 4, true);
   load_registers(v, e, 32, 16);
}

static void load_x(const StateView* v, X87Effect* e)
{
   uint64_t asked, there;

   if (!components(v, &asked, &there)) {
      e->written = e->unclear = 0xFF;
      for (unsigned p = 0; p < 8; p++)
         e->values[p] = (StateValue){ .known = 0 };
   } else if (!(asked & COMPONENT_X87)) {
      keep_all(e);
   } else if (there & COMPONENT_X87) {
      load_fx(v, e);
   } else {
      init_all(e);
   }
}

void x86_x87_behind(const StateView* v, X87Effect* e)
{
   Opcode o = opcode_of(v->in);

   switch (load_of(o)) {
      case LOADS_ENV:
         e->written = 0;
         load_tags(v, e, 8, false);
         return;
      case LOADS_ALL:
         load_tags(v, e, 8, false);
         load_registers(v, e, 28, 10);
         return;
      case LOADS_FX:
         load_fx(v, e);
         return;
      case LOADS_X:
         load_x(v, e);
         return;
      case NO_LOAD:
         break;
   }
   if (is_init(o)) {
      init_all(e);
   } else if (o.map == 0x0F) {
      e->unclear = 0;
      e->empty   = o.op == 0x77 ? 0xFF : 0;              // EMMS
      e->full    = o.op == 0x77 ? 0 : 0xFF;
   } else if (o.op == 0xD9 && (o.modrm | 1) == 0xF7) {    // FDECSTP, FINCSTP
      keep_all(e);
   } else if (o.op == 0xD9 && (o.modrm == 0xF2 || o.modrm == 0xFB)
              && e->top == e->new_top) {
      /* FPTAN, FSINCOS out of range: they write the operand back. */
      e->written &= bit(e->top);
      e->full     = bit(e->top);
   } else if (o.op == 0xDD && (o.modrm & 0xF8) == 0xC0) {        // FFREE
      keep_all(e);
      e->empty = bit(e->top + o.modrm);
   }
}

/*--- Condition codes                                      ---*/

enum { C0 = 0x100, C1 = 0x200, C2 = 0x400, C3 = 0x4000 };

static bool to_double(const StateValue* v, double* d)
{
   memcpy(d, v->bytes, 8);
   return (v->known & 0xFF) == 0xFF;
}

uint64_t x86_comparison(double a, double b)
{
   return isnan(a) || isnan(b) ? C0 | C2 | C3 : a < b ? C0 : a > b ? 0 : C3;
}

/* Set *D to the number that an instruction takes from x87's register at place N:
   no number if that is not in use.  Return false if it is not known. */
static bool stack_number(const StateView* v, unsigned n, double* d)
{
   StateValue r = x87_before(v, n);
   bool       in_use;

   if (!x87_used_before(v, n, &in_use))
      return false;
   *d = (double)NAN;
   return !in_use || to_double(&r, d);
}

bool x86_compare_stack(const StateView* v, unsigned n, uint64_t* codes)
{
   double x, y;

   if (!stack_number(v, 0, &x) || !stack_number(v, n, &y))
      return false;
   *codes = x86_comparison(x, y);
   return true;
}

/* Compare the top with an operand in memory. */
static bool compare_memory(const StateView* v, Opcode o, uint64_t* codes)
{
   uint64_t number;
   uint32_t size = o.op == 0xDC ? 8 : o.op == 0xDE ? 2 : 4, word;
   double   x, y;
   float    f;

   if (!stack_number(v, 0, &x) || !loaded_number(v, 0, size, &number))
      return false;
   word = (uint32_t)number;
   if (o.op == 0xDC)
      memcpy(&y, &number, 8);
   else if (o.op == 0xDE)
      y = (int16_t)number;
   else if (o.op == 0xDA)
      y = (int32_t)word;
   else {
      memcpy(&f, &word, 4);
      y = (double)f;
   }
   *codes = x86_comparison(x, y);
   return true;
}

/* FTST. */
static bool compare_zero(const StateView* v, uint64_t* codes)
{
   double x;

   if (!stack_number(v, 0, &x))
      return false;
   *codes = x86_comparison(x, 0);
   return true;
}

/* FXAM. */
static bool examine(const StateView* v, uint64_t* codes)
{
   StateValue a = x87_before(v, 0);
   double     x;
   bool       in_use;

   if (!to_double(&a, &x) || !x87_used_before(v, 0, &in_use))
      return false;
   *codes = (signbit(x) ? C1 : 0)
            | (!in_use ? C0 | C3 : isnan(x) ? C0 : isinf(x) ? C0 | C2 : x == 0 ? C3
               : fpclassify(x) == FP_SUBNORMAL ? C2 | C3 : C2);
   return true;
}

/* FSIN and others set C2 if the operand is too large. */
static bool of_range(const StateView* v, uint64_t* codes)
{
   double x;

   if (!stack_number(v, 0, &x) || !flags_before(v, STATE_X87_CODES, codes))
      return false;
   *codes = (*codes & ~(uint64_t)C2) | (fabs(x) < 0x1p63 ? 0 : C2);
   return true;
}

bool x86_x87_codes(const StateView* v, uint64_t* codes)
{
   Opcode    o = opcode_of(v->in);
   StateLoad load = load_of(o);
   uint64_t  asked = COMPONENT_X87, there = COMPONENT_X87;
   unsigned  reg = reg_of(o);

   *codes = 0;
   if (load != NO_LOAD) {
      if (load == LOADS_X && !components(v, &asked, &there))
         return false;
      if (!(asked & COMPONENT_X87))
         return flags_before(v, STATE_X87_CODES, codes);
      return !(there & COMPONENT_X87)
             || loaded_number(v, load >= LOADS_FX ? 2 : 4, 2, codes);
   }
   if (is_init(o))
      return true;
   if (is_save(o))
      return flags_before(v, STATE_X87_CODES, codes);
   if (is_memory(o))
      return (o.op & 1) == 0 && (reg == 2 || reg == 3)
             && compare_memory(v, o, codes);
   if (o.op == 0xD9)
      return o.modrm == 0xE5 ? examine(v, codes)
             : o.modrm == 0xE4 ? compare_zero(v, codes)
             : o.modrm == 0xF2 || o.modrm == 0xFB || o.modrm == 0xFE
               || o.modrm == 0xFF ? of_range(v, codes) : false;
   /* FCOM, FCOMP; FUCOM, FUCOMP; FUCOMPP, FCOMPP. */
   if ((o.op == 0xD8 && (reg == 2 || reg == 3))
       || (o.op == 0xDC && (reg == 2 || reg == 3))
       || (o.op == 0xDD && (reg == 4 || reg == 5))
       || (o.op == 0xDA && o.modrm == 0xE9) || (o.op == 0xDE && o.modrm == 0xD9))
      return x86_compare_stack(v, o.modrm & 7, codes);
   return false;
}

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
   m = memory_before(v, a->addr, size);
   return state_number_in(&m, 0, size, number);
}

bool x86_operand(const StateView* v, const cs_insn* i, unsigned k,
                 uint64_t* number)
{
   const cs_x86_op* op = &i->detail->x86.operands[k];
   unsigned         n, size = op->size;
   int              from;

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
         return general_number(v, n, (unsigned)from / 8, size, number);
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
   uint64_t   low, high, was_low, was_high;
   StateValue m;

   if (v->at->n_accesses == 0)
      return false;
   m = memory_before(v, addr, 2 * size);
   if (!state_number_in(&m, 0, size, &low)
       || !state_number_in(&m, size, size, &high)
       || !general_number(v, RAX, 0, size, &was_low)
       || !general_number(v, RDX, 0, size, &was_high))
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
      return at->rep ? general_before(v, n) : nothing;
   }
   if (!flags_before(v, X86_DIRECTION, &direction))
      return nothing;
   return state_number(direction != 0 ? a->addr - a->size : a->addr + a->size);
}

/* RAX behind LODS. */
static StateValue loaded_behind(const StateView* v)
{
   const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
   StateValue              m;

   if (a == NULL || a->size > 8)
      return v->at->rep ? general_before(v, RAX) : nothing;
   m = memory_before(v, a->addr, a->size);
   if (a->size == 4)
      m.known |= 0xF0;
   return m;
}

/* RCX behind an iteration. */
static StateValue count_behind(const StateView* v)
{
   StateValue before;
   uint64_t   made = iterations_before(v, RCX, &before), number;

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
   was = size >= 4 ? state_number(0) : general_before(v, n);
   memcpy(was.bytes + part / 8, &number, size);
   was.known |= ((1u << size) - 1) << part / 8;
   return was;
}

/* R11 stays as it was under Valgrind, where a processor puts the flags into
   it. */
static bool syscall_behind(const StateView* v, unsigned n, StateValue* to)
{
   uint64_t result;

   if (n == RAX && call_result(v, &result))
      *to = state_number(result);
   if (n == RCX)
      *to = state_number(v->in->addr + v->in->size);
   if (n == R11)
      *to = general_before(v, R11);
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
                  : same ? general_before(v, n) : *to;
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
