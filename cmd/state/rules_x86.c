/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The flags of x86 and amd64 behind instructions, and the registers that gdb
   knows. */

/* Owns: how instructions set flags, the rows of the target descriptions, and
   the rules of these processors as a whole.  Handed: instances and what was
   before them.

   Flags are what Valgrind computes where Intel's manual leaves them open: A
   is 0 behind logic and shifts.

   PCMPISTRI, PCMPISTRM, PCMPESTRI and PCMPESTRM compare each element of one
   text with those of another one, which makes a bit for each element of the
   second text.  C says whether there is a bit, O is the first one, S and Z
   say whether the first text and the second one end within the register. */

#include "cmd/state/x86_rules.h"

#include <string.h>

#define BIT_C (UINT64_C(1) << 0)
#define BIT_P (UINT64_C(1) << 2)
#define BIT_A (UINT64_C(1) << 4)
#define BIT_Z (UINT64_C(1) << 6)
#define BIT_S (UINT64_C(1) << 7)
#define BIT_D (UINT64_C(1) << 10)
#define BIT_O (UINT64_C(1) << 11)
#define OTHERS (BIT_P | BIT_A | BIT_Z | BIT_S | BIT_O)

static inline uint64_t sign_extended(uint64_t n, unsigned size)
{
   uint64_t sign = UINT64_C(1) << (8 * size - 1);

   return size >= 8 ? n : ((n & (2 * sign - 1)) ^ sign) - sign;
}

static inline uint64_t mask_of(unsigned size)
{
   return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static inline uint64_t of_result(uint64_t r, unsigned size)
{
   r &= mask_of(size);
   return (__builtin_parity((unsigned)(r & 0xFF)) ? 0 : BIT_P)
          | (r == 0 ? BIT_Z : 0) | (r >> (8 * size - 1) ? BIT_S : 0);
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

/* Set *BITS to the flags of GROUP behind a shift by 0, which keeps them.  In 64-bit
   code some versions of Valgrind forget then those that the instructions named
   here had kept: return false. */
static bool kept_flags(const StateView* v, unsigned group, uint64_t* bits)
{
   const DcfgWetInstr* by = v->in->address_size == 8 ? flags_writer_before(v)
                            : NULL;
   const cs_insn*      i = by != NULL ? x86_decode(by) : NULL;

   switch (i != NULL ? i->id : X86_INS_INVALID) {
      case X86_INS_INC: case X86_INS_DEC: case X86_INS_ROL: case X86_INS_ROR:
      case X86_INS_ADCX: case X86_INS_ADOX:
         return false;
      default:
         return flags_before(v, group, bits);
   }
}

/* Set *A to the operand of a shift, and *N to its count.  Return false if they are
   not known. */
static bool shift_operands(const StateView* v, const cs_insn* i, uint64_t* a,
                           uint64_t* n)
{
   *n = 1;
   if (!x86_operand(v, i, 0, a)
       || (i->detail->x86.op_count > 1 && !x86_operand(v, i, 1, n)))
      return false;
   *n &= i->detail->x86.operands[0].size == 8 ? 63 : 31;
   return true;
}

static bool shift_flags(const StateView* v, const cs_insn* i, unsigned group,
                        uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   uint64_t a, n;

   if (!shift_operands(v, i, &a, &n))
      return false;
   if (n == 0)
      return kept_flags(v, group, bits);
   *bits = of_shift(i->id, a, (unsigned)n, size);
   return true;
}

/* ROL and ROR set C and O, and keep the other flags. */
static bool rotation_flags(const StateView* v, const cs_insn* i,
                           unsigned group, uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size, width = 8 * size;
   uint64_t a, n, r, old = 0;
   bool     left = i->id == X86_INS_ROL;

   if (!shift_operands(v, i, &a, &n)
       || (group == X86_OTHERS && !flags_before(v, group, &old)))
      return false;
   if (n == 0)
      return flags_before(v, group, bits);
   a &= mask_of(size);
   n %= width;
   n  = left || n == 0 ? n : width - n;
   r  = n == 0 ? a : (a << n | a >> (width - n)) & mask_of(size);
   *bits = (old & ~(BIT_C | BIT_O))
           | ((left ? r : r >> (width - 1)) & 1 ? BIT_C : 0)
           | ((r >> (width - 1) ^ (left ? r : r >> (width - 2))) & 1 ? BIT_O
              : 0);
   return true;
}

/* RCL and RCR, likewise; they rotate C, too, and set O even if the count is
   0. */
static bool carry_rotation_flags(const StateView* v, const cs_insn* i,
                                 unsigned group, uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size, width = 8 * size;
   uint64_t a, n, c, old = 0, out, over;
   bool     left = i->id == X86_INS_RCL;

   if (!shift_operands(v, i, &a, &n) || !flags_before(v, X86_CARRY, &c)
       || (group == X86_OTHERS && !flags_before(v, group, &old)))
      return false;
   n   %= width + 1;
   a   &= mask_of(size);
   over = a >> (width - 1) ^ c;
   for (; n > 0; n--) {
      out = left ? a >> (width - 1) : a & 1;
      a   = left ? (a << 1 | c) & mask_of(size) : a >> 1 | c << (width - 1);
      c   = out;
   }
   if (left)
      over = a >> (width - 1) ^ c;
   *bits = (old & ~(BIT_C | BIT_O)) | (c ? BIT_C : 0) | (over ? BIT_O : 0);
   return true;
}

/* SHLD, SHRD.  In 64-bit code, of 16 bits, Valgrind shifts the second operand in
   again and again, and nothing into what the flags are of. */
static bool double_shift_flags(const StateView* v, const cs_insn* i,
                               unsigned group, uint64_t* bits)
{
   unsigned          size = i->detail->x86.operands[0].size, width = 8 * size;
   uint64_t          a, b, n, sign = UINT64_C(1) << (width - 1), r, before;
   bool              left = i->id == X86_INS_SHLD;
   bool              again = size == 2 && v->in->address_size == 8;
   unsigned __int128 both, last;

   if (!x86_operand(v, i, 0, &a) || !x86_operand(v, i, 1, &b)
       || !x86_operand(v, i, 2, &n))
      return false;
   n &= size == 8 ? 63 : size == 2 && !again ? 15 : 31;
   if (n == 0)
      return kept_flags(v, group, bits);
   a   &= mask_of(size);
   b   &= mask_of(size);
   both = last = left ? (unsigned __int128)a << width | b
                 : (unsigned __int128)b << width | a;
   if (again) {
      both  = left ? a << 48 | b << 32 | b << 16 | b
              : b << 48 | b << 32 | b << 16 | a;
      last  = left ? a << 48 : a;
      width = 48;
   }
   r      = (uint64_t)(left ? both << n >> width : both >> n) & mask_of(size);
   before = (uint64_t)(left ? last << (n - 1) >> width : last >> (n - 1))
            & mask_of(size);
   *bits = of_result(r, size)
           | (before & (left ? sign : 1) ? BIT_C : 0)
           | ((r ^ before) & sign ? BIT_O : 0);
   return true;
}

/* Set *BITS to the flags of GROUP behind I, a shift or a rotation.  Return false
   if they are not known. */
static bool x86_shift_flags(const StateView* v, const cs_insn* i, unsigned group,
                     uint64_t* bits)
{
   switch (i->id) {
      case X86_INS_ROL: case X86_INS_ROR:
         return rotation_flags(v, i, group, bits);
      case X86_INS_RCL: case X86_INS_RCR:
         return carry_rotation_flags(v, i, group, bits);
      case X86_INS_SHLD: case X86_INS_SHRD:
         return double_shift_flags(v, i, group, bits);
      default:
         return shift_flags(v, i, group, bits);
   }
}

/* Elements: the elements of a register.  The first .n of them belong to a text. */
typedef
   struct {
      unsigned n;
      int32_t  at[16];
   }
   Elements;

/* The parts of the instruction's last operand. */
enum { WORDS = 1, SIGNED = 2, ENDS_NEGATED = 0x20, NEGATED = 0x10 };

static unsigned n_elements(unsigned how)
{
   return how & WORDS ? 8 : 16;
}

/* Set T to the elements of operand K.  Its length is in general register LENGTH;
   or the first 0 ends it, if EXPLICIT is false.  Return false if it is not
   known. */
static bool take_text(const StateView* v, const cs_x86_op* op, unsigned how,
                      bool is_explicit, unsigned length, Elements* t)
{
   const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
   unsigned   size = how & WORDS ? 2 : 1, end = n_elements(how);
   uint64_t   number;
   int64_t    n;
   StateValue r;

   if (op->type == X86_OP_MEM ? a == NULL : op->reg < X86_REG_XMM0
                                            || op->reg > X86_REG_XMM15)
      return false;
   r = op->type == X86_OP_MEM ? memory_before(v, a->addr, 16)
       : vector_before(v, op->reg - X86_REG_XMM0);
   t->n = end;
   for (unsigned k = end; k-- > 0; ) {
      if (!state_number_in(&r, k * size, size, &number))
         return false;
      t->at[k] = !(how & SIGNED) ? (int32_t)number
                 : size == 1 ? (int8_t)number : (int16_t)number;
      if (number == 0 && !is_explicit)
         t->n = k;
   }
   if (!is_explicit)
      return true;
   if (!general_number(v, length, 0, 4, &number))
      return false;
   n    = (int32_t)number;
   n    = n < 0 ? -n : n;
   t->n = n < (int64_t)end ? (unsigned)n : end;
   return true;
}

/* Return whether text A, or an element of it, meets element J of text B. */
static bool meets(const Elements* a, const Elements* b, unsigned j, unsigned how)
{
   bool any = false;

   switch (how >> 2 & 3) {
      case 0:                              // equal to any element
         for (unsigned i = 0; i < a->n; i++)
            any |= a->at[i] == b->at[j];
         return any && j < b->n;
      case 1:                              // in any range
         for (unsigned i = 0; i + 1 < a->n; i += 2)
            any |= a->at[i] <= b->at[j] && b->at[j] <= a->at[i + 1];
         return any && j < b->n;
      case 2:                              // equal to the same element
         return j < a->n && j < b->n ? a->at[j] == b->at[j]
                : j >= a->n && j >= b->n;
      default:                             // A begins here
         /* Valgrind compares with what stands behind the end of B, too. */
         for (unsigned i = 0; i < a->n && i + j < n_elements(how); i++)
            if (a->at[i] != b->at[i + j])
               return false;
         return j <= b->n;
   }
}

/* Set *BITS to the flags behind I, PCMPISTRI or one like it.  Return false if they
   are not known. */
static bool x86_text_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   const cs_x86* x = &i->detail->x86;
   unsigned      how = (unsigned)x->operands[2].imm & 0xFF;
   bool          is_explicit
      = i->id == X86_INS_PCMPESTRI || i->id == X86_INS_PCMPESTRM
        || i->id == X86_INS_VPCMPESTRI || i->id == X86_INS_VPCMPESTRM;
   uint32_t      found = 0;
   Elements          a, b;

   if (x->op_count != 3
       || !take_text(v, &x->operands[0], how, is_explicit, RAX, &a)
       || !take_text(v, &x->operands[1], how, is_explicit, RDX, &b))
      return false;
   for (unsigned j = 0; j < n_elements(how); j++) {
      bool met = meets(&a, &b, j, how);
      if ((how & NEGATED) && (!(how & ENDS_NEGATED) || j < b.n))
         met = !met;
      found |= (uint32_t)met << j;
   }
   *bits = (found != 0 ? BIT_C : 0) | (found & 1 ? BIT_O : 0)
           | (a.n < n_elements(how) ? BIT_S : 0)
           | (b.n < n_elements(how) ? BIT_Z : 0);
   return true;
}

/*--- Arithmetic                                           ---*/

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

static bool of_logic(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   const cs_x86* x = &i->detail->x86;
   unsigned      size = x->operands[0].size;
   uint64_t      a = 0, b = 0;

   if (x->op_count == 2 && x->operands[0].type == X86_OP_REG
       && x->operands[1].type == X86_OP_REG
       && x->operands[0].reg == x->operands[1].reg && i->id == X86_INS_XOR) {
      *bits = of_result(0, size);
      return true;
   }
   if (!x86_operand(v, i, 1, &b))
      return false;
   /* Valgrind does not load an operand that cannot matter. */
   if (!x86_operand(v, i, 0, &a) && (i->id == X86_INS_XOR
       || (b & mask_of(size)) != (i->id == X86_INS_OR ? mask_of(size) : 0)))
      return false;
   *bits = of_result(i->id == X86_INS_OR ? a | b : i->id == X86_INS_XOR ? a ^ b
                     : a & b, size);
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
      if (!x86_operand(v, i, 0, &a) || !general_number(v, RAX, 0, size, &b))
         return false;
   } else if (!x86_operand(v, i, x->op_count - 2, &a)
              || !x86_operand(v, i, x->op_count - 1, &b)) {
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
         StateValue r = vector_before(v, op->reg - X86_REG_XMM0);
         if (!state_number_in(&r, 0, size, &number))
            return false;
      } else if (op->type != X86_OP_MEM
                 || !x86_memory_number(v, state_access(v, DCFG_CURSOR_LOAD), size,
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
   *bits = x86_comparison(f[0], f[1]) >> 8;
   return true;
}

/* Match FCOMI, FUCOMI, FCOMIP and FUCOMIP. */
static bool compares_stack(const DcfgWetInstr* in)
{
   const uint8_t* end = in->code + in->size;

   return in->size >= 2 && (end[-2] & 0xFB) == 0xDB && end[-1] >= 0xE8
          && end[-1] < 0xF8;
}

/* They set flags as FCOM sets codes. */
static bool stack_flags(const StateView* v, uint64_t* bits)
{
   uint64_t codes;

   if (!x86_compare_stack(v, v->in->code[v->in->size - 1] & 7, &codes))
      return false;
   *bits = codes >> 8;
   return true;
}

/* CMPS, which loads its second operand first; SCAS. */
static bool string_flags(const StateView* v, const cs_insn* i, unsigned group,
                         uint64_t* bits)
{
   unsigned   size = v->at->n_accesses > 0 ? v->at->accesses[0].size : 0;
   bool       scans = (i->detail->x86.opcode[0] | 1) == 0xAF;
   uint64_t   a = 0, b = 0;

   if (size == 0 && v->at->rep)         // no iteration was made
      return flags_before(v, group, bits);
   if (size == 0 || size > 8 || (!scans && v->at->n_accesses < 2))
      return false;
   if (scans) {
      if (!general_number(v, RAX, 0, size, &a)
          || !x86_memory_number(v, &v->at->accesses[0], size, &b))
         return false;
   } else if (!x86_memory_number(v, &v->at->accesses[1], size, &a)
              || !x86_memory_number(v, &v->at->accesses[0], size, &b)) {
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
   if (!x86_operand(v, i, 0, &a))
      return false;
   if (i->id == X86_INS_NEG) {
      b = a;
      a = 0;
   } else if (i->id == X86_INS_CMPXCHG) {
      b = a;
      if (!general_number(v, RAX, 0, size, &a))
         return false;
   } else if (i->id != X86_INS_INC && i->id != X86_INS_DEC
              && !x86_operand(v, i, 1, &b)) {
      return false;
   }
   if ((i->id == X86_INS_ADC || i->id == X86_INS_SBB)
       && !flags_before(v, X86_CARRY, &c))
      return false;
   *bits = of_sum(a, b, c & BIT_C, size, minus);
   return true;
}

bool x86_clears_flags(const DcfgWetInstr* in)
{
   const cs_insn* i = x86_decode(in);

   return i != NULL && (i->id == X86_INS_BT || i->id == X86_INS_BTS
                        || i->id == X86_INS_BTR || i->id == X86_INS_BTC);
}

/* BT and its like set C to a bit.  Valgrind keeps the other flags in 64-bit
   code, and clears them in 32-bit code. */
static bool bit_flags(const StateView* v, const cs_insn* i, unsigned group,
                      uint64_t* bits)
{
   const cs_x86_op* op = i->detail->x86.operands;
   uint64_t         a, n;

   *bits = 0;
   if (group == X86_OTHERS)
      return v->in->address_size == 4 || flags_before(v, group, bits);
   if (!x86_operand(v, i, 1, &n))
      return false;
   if (op[0].type == X86_OP_MEM) {
      /* Valgrind loads the byte that has the bit. */
      const DcfgCursorAccess* m = state_access(v, DCFG_CURSOR_LOAD);
      if (m == NULL || !x86_memory_number(v, m, m->size, &a))
         return false;
      n %= 8 * m->size;
   } else if (!x86_operand(v, i, 0, &a)) {
      return false;
   }
   n &= op[0].size == 8 ? 63 : op[0].size == 4 ? 31 : 15;
   *bits = a >> n & 1 ? BIT_C : 0;
   return true;
}

/* Flags of instructions that count or find bits, or clear some: C if CARRY, Z
   and S of the result R. */
static uint64_t of_bits(bool carry, uint64_t r, unsigned size)
{
   return (carry ? BIT_C : 0) | (of_result(r, size) & (BIT_Z | BIT_S));
}

/* BSF and others, as Valgrind sets flags that Intel's manual leaves open. */
static bool count_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   uint64_t a, b = 0, n, m = mask_of(size);
   bool     three = i->detail->x86.op_count == 3;

   if (!x86_operand(v, i, 1, &a) || (three && !x86_operand(v, i, 2, &b)))
      return false;
   a &= m;
   b &= m;
   switch (i->id) {
      case X86_INS_BSF: case X86_INS_BSR: case X86_INS_POPCNT:
         *bits = a == 0 ? BIT_Z : 0;
         return true;
      case X86_INS_TZCNT:
         *bits = (a == 0 ? BIT_C : 0) | (a & 1 ? BIT_Z : 0);
         return true;
      case X86_INS_LZCNT:
         *bits = (a == 0 ? BIT_C : 0) | (a >> (8 * size - 1) ? BIT_Z : 0);
         return true;
      case X86_INS_ANDN:
         *bits = of_bits(false, ~a & b, size);
         return true;
      case X86_INS_BLSI:
         *bits = of_bits(a != 0, a & -a, size);
         return true;
      case X86_INS_BLSMSK:
         *bits = of_bits(a == 0, a ^ (a - 1), size) & ~BIT_Z;
         return true;
      case X86_INS_BLSR:
         *bits = of_bits(a == 0, a & (a - 1), size);
         return true;
      case X86_INS_BEXTR:
         n     = b >> 8 & 0xFF;
         b    &= 0xFF;
         a     = b < 64 ? a >> b : 0;
         *bits = of_bits(false, n < 64 ? a & ((UINT64_C(1) << n) - 1) : a,
                         size);
         return true;
      case X86_INS_BZHI:
         b    &= 0xFF;
         *bits = of_bits(b >= 8 * size,
                         b >= 8 * size ? a : a & ((UINT64_C(1) << b) - 1),
                         size);
         return true;
      default:
         return false;
   }
}

/* ADCX and ADOX: they set C, or O, to the carry of a sum with it, and keep the
   other flags. */
static bool carry_flags(const StateView* v, const cs_insn* i, unsigned group,
                        uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   uint64_t bit = i->id == X86_INS_ADCX ? BIT_C : BIT_O, a, b, old;
   bool     carry;

   if (!x86_operand(v, i, 0, &a) || !x86_operand(v, i, 1, &b)
       || !flags_before(v, group, &old))
      return false;
   carry = of_sum(a, b, (old & bit) != 0, size, false) & BIT_C;
   *bits = (old & ~bit) | (carry ? bit : 0);
   return true;
}

/* PTEST: Z if the operands have no common bit, C if the second one has no bit
   that the first one lacks.  VTESTPS and VTESTPD compare signs only. */
static bool test_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   StateValue x[2];
   unsigned   size = i->detail->x86.operands[0].size;
   bool       zero = true, within = true;
   unsigned   every = i->id == X86_INS_VTESTPS ? 4
                      : i->id == X86_INS_VTESTPD ? 8 : 0;

   for (unsigned k = 0; k < 2; k++) {
      const cs_x86_op*        op = &i->detail->x86.operands[k];
      const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
      if (op->type == X86_OP_MEM && a != NULL && a->size >= size)
         x[k] = memory_before(v, a->addr, size);
      else if (op->reg >= X86_REG_XMM0 && op->reg <= X86_REG_XMM15)
         x[k] = vector_before(v, op->reg - X86_REG_XMM0);
      else if (op->reg >= X86_REG_YMM0 && op->reg <= X86_REG_YMM15)
         x[k] = vector_before(v, op->reg - X86_REG_YMM0);
      else
         return false;
   }
   for (unsigned k = 0; k < size && k < sizeof(x[0].bytes); k++) {
      if (!(x[0].known & x[1].known & UINT32_C(1) << k))
         return false;
      if (every > 0)
         x[0].bytes[k] &= (k + 1) % every == 0 ? 0x80 : 0;
      if (every > 0)
         x[1].bytes[k] &= (k + 1) % every == 0 ? 0x80 : 0;
      zero   &= (x[0].bytes[k] & x[1].bytes[k]) == 0;
      within &= (x[1].bytes[k] & ~x[0].bytes[k]) == 0;
   }
   *bits = (zero ? BIT_Z : 0) | (within ? BIT_C : 0);
   return true;
}

/* CMPXCHG8B and CMPXCHG16B: they set Z, and keep the other flags. */
static bool pair_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   bool same;

   if (!flags_before(v, X86_OTHERS, bits)
       || !x86_pair_is(v, i->id == X86_INS_CMPXCHG8B ? 4 : 8, &same))
      return false;
   *bits = (*bits & ~BIT_Z) | (same ? BIT_Z : 0);
   return true;
}

/* Instructions for decimal digits; what Intel's manual leaves open is 0. */
static bool decimal_flags(const StateView* v, const cs_insn* i, uint64_t* bits)
{
   unsigned id = i->id;
   uint64_t al, ah, c, others;
   bool     low, high;

   if (!general_number(v, RAX, 0, 1, &al) || !general_number(v, RAX, 1, 1, &ah))
      return false;
   if (id == X86_INS_AAM || id == X86_INS_AAD) {
      *bits = of_result(id == X86_INS_AAM ? al % 10 : 10 * ah + al, 1);
      return true;
   }
   if (!flags_before(v, X86_CARRY, &c) || !flags_before(v, X86_OTHERS, &others))
      return false;
   low   = (al & 15) > 9 || (others & BIT_A);
   high  = al > 0x99 || c != 0;
   *bits = low ? BIT_A | BIT_C : 0;
   if (id == X86_INS_AAA || id == X86_INS_AAS)
      return true;
   c      = high || (id == X86_INS_DAS && low && al < 6);
   others = (low ? 6u : 0u) + (high ? 0x60u : 0u);
   *bits  = of_result(id == X86_INS_DAA ? al + others : al - others, 1)
            | (low ? BIT_A : 0) | (c ? BIT_C : 0);
   return true;
}

/* RDRAND, RDSEED: C says whether there is a number.  If there is none, the
   result is 0, as it may be otherwise. */
static bool random_flags(const StateView* v, uint64_t* bits)
{
   *bits = BIT_C;
   for (uint32_t k = 0; k < v->at->value_size; k++)
      if (v->at->value[k] != 0)
         return true;
   return false;
}

/* SAHF: it keeps O. */
static bool stored_flags(const StateView* v, unsigned group, uint64_t* bits)
{
   uint64_t ah, old = 0;

   if (!general_number(v, RAX, 1, 1, &ah)
       || (group == X86_OTHERS && !flags_before(v, group, &old)))
      return false;
   *bits = ah | (old & BIT_O);
   return true;
}

/* CMC: set *BITS to the other carry flag. */
static bool other_carry(const StateView* v, uint64_t* bits)
{
   if (!flags_before(v, X86_CARRY, bits))
      return false;
   *bits ^= BIT_C;
   return true;
}

static bool all_flags(const StateView* v, const cs_insn* i, unsigned group,
                      uint64_t* bits)
{
   if (x86_is_string(i))
      return string_flags(v, i, group, bits);
   if (i->detail->x86.opcode[0] == 0xDB || i->detail->x86.opcode[0] == 0xDF)
      return compares_stack(v->in) && stack_flags(v, bits);
   switch (i->id) {
      case X86_INS_ADD: case X86_INS_SUB: case X86_INS_CMP: case X86_INS_NEG:
      case X86_INS_INC: case X86_INS_DEC: case X86_INS_ADC: case X86_INS_SBB:
      case X86_INS_XADD: case X86_INS_CMPXCHG:
         return sum_flags(v, i, bits);
      case X86_INS_AND: case X86_INS_TEST: case X86_INS_OR: case X86_INS_XOR:
         return of_logic(v, i, bits);
      case X86_INS_SHL: case X86_INS_SAL: case X86_INS_SHR: case X86_INS_SAR:
      case X86_INS_ROL: case X86_INS_ROR: case X86_INS_RCL: case X86_INS_RCR:
      case X86_INS_SHLD: case X86_INS_SHRD:
         return x86_shift_flags(v, i, group, bits);
      case X86_INS_ADCX: case X86_INS_ADOX:
         return carry_flags(v, i, group, bits);
      case X86_INS_BT: case X86_INS_BTS: case X86_INS_BTR: case X86_INS_BTC:
         return bit_flags(v, i, group, bits);
      case X86_INS_IMUL: case X86_INS_MUL:
         return product_flags(v, i, bits);
      case X86_INS_UCOMISD: case X86_INS_COMISD:
      case X86_INS_VUCOMISD: case X86_INS_VCOMISD:
         return float_flags(v, i, true, bits);
      case X86_INS_UCOMISS: case X86_INS_COMISS:
      case X86_INS_VUCOMISS: case X86_INS_VCOMISS:
         return float_flags(v, i, false, bits);
      case X86_INS_PTEST: case X86_INS_VPTEST:
      case X86_INS_VTESTPS: case X86_INS_VTESTPD:
         return test_flags(v, i, bits);
      case X86_INS_RDRAND: case X86_INS_RDSEED:
         return random_flags(v, bits);
      case X86_INS_CMPXCHG8B: case X86_INS_CMPXCHG16B:
         return pair_flags(v, i, bits);
      case X86_INS_CLD: case X86_INS_CLC:
         *bits = 0;
         return true;
      case X86_INS_STD: case X86_INS_STC:
         *bits = BIT_D | BIT_C;
         return true;
      case X86_INS_CMC:
         return other_carry(v, bits);
      case X86_INS_SAHF:
         return stored_flags(v, group, bits);
      case X86_INS_POPFQ: case X86_INS_POPFD: case X86_INS_POPF: {
         const DcfgCursorAccess* a = state_access(v, DCFG_CURSOR_LOAD);
         return a != NULL && x86_memory_number(v, a, a->size, bits);
      }
      case X86_INS_AAA: case X86_INS_AAS: case X86_INS_DAA: case X86_INS_DAS:
      case X86_INS_AAM: case X86_INS_AAD:
         return decimal_flags(v, i, bits);
      case X86_INS_PCMPISTRI: case X86_INS_PCMPISTRM:
      case X86_INS_PCMPESTRI: case X86_INS_PCMPESTRM:
      case X86_INS_VPCMPISTRI: case X86_INS_VPCMPISTRM:
      case X86_INS_VPCMPESTRI: case X86_INS_VPCMPESTRM:
         return x86_text_flags(v, i, bits);
      default:
         return count_flags(v, i, bits);
   }
}

const uint64_t x86_flag_groups[X86_FLAG_GROUPS + 1]
   = { BIT_C, OTHERS, BIT_D, 0x4700 };

bool x86_flags_behind(const StateView* v, unsigned group, uint64_t* bits)
{
   const cs_insn* i = x86_decode(v->in);
   cs_insn        copy;
   cs_detail      detail;

   if (group == STATE_X87_CODES) {
      bool ok = x86_x87_codes(v, bits);
      *bits &= x86_flag_groups[group];
      return ok;
   }
   if (i == NULL || group >= X86_FLAG_GROUPS)
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

/*--- Registers that gdb knows                             ---*/

#define CORE     "org.gnu.gdb.i386.core"
#define SSE      "org.gnu.gdb.i386.sse"
#define LINUX    "org.gnu.gdb.i386.linux"
#define SEGMENTS "org.gnu.gdb.i386.segments"
#define AVX      "org.gnu.gdb.i386.avx"
#define LONG(name, n)  { NULL, name, 64, "int64", STATE_GENERAL, n }
#define WORD(name, n)  { NULL, name, 32, "int32", STATE_GENERAL, n }
#define NEVER(name, bits, type) { NULL, name, bits, type, STATE_NONE, 0 }
#define SELECTOR(name, n) \
   { NULL, name, 32, "int32", STATE_OTHER, OTHER_SEGMENT + n }
#define ST(n)   { NULL, "st" #n, 80, "i387_ext", STATE_X87, n }
#define XMM(n)  { NULL, "xmm" #n, 128, "vec128", STATE_VECTOR, n }
#define YMMH(n) { NULL, "ymm" #n "h", 128, "uint128", STATE_VECTOR_HIGH, n }
#define X87                                                                   \
   ST(0), ST(1), ST(2), ST(3), ST(4), ST(5), ST(6), ST(7),                    \
   { NULL, "fctrl", 32, "int", STATE_OTHER, OTHER_X87_CONTROL },              \
   { NULL, "fstat", 32, "int", STATE_X87_STATUS, 0 },                         \
   { NULL, "ftag", 32, "int", STATE_X87_TAGS, 0 },                            \
   NEVER("fiseg", 32, "int"), NEVER("fioff", 32, "int"),                      \
   NEVER("foseg", 32, "int"), NEVER("fooff", 32, "int"),                      \
   NEVER("fop", 32, "int")
#define MXCSR \
   { NULL, "mxcsr", 32, "i386_mxcsr", STATE_OTHER, OTHER_VECTOR_CONTROL }

static const StateRow rows_amd64[] = {
   { CORE, "rax", 64, "int64", STATE_GENERAL, RAX },
   LONG("rbx", RBX), LONG("rcx", RCX), LONG("rdx", RDX), LONG("rsi", RSI),
   LONG("rdi", RDI),
   { NULL, "rbp", 64, "data_ptr", STATE_GENERAL, RBP },
   { NULL, "rsp", 64, "data_ptr", STATE_GENERAL, RSP },
   LONG("r8", 8), LONG("r9", 9), LONG("r10", 10), LONG("r11", 11),
   LONG("r12", 12), LONG("r13", 13), LONG("r14", 14), LONG("r15", 15),
   { NULL, "rip", 64, "code_ptr", STATE_PC, 0 },
   { NULL, "eflags", 32, "i386_eflags", STATE_FLAGS, 0 },
   SELECTOR("cs", 0), SELECTOR("ss", 1),
   SELECTOR("ds", 2), SELECTOR("es", 3),
   SELECTOR("fs", 4), SELECTOR("gs", 5),
   X87,
   { SSE, "xmm0", 128, "vec128", STATE_VECTOR, 0 },
   XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9),
   XMM(10), XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
   MXCSR,
   { LINUX, "orig_rax", 64, "int", STATE_NONE, 0 },
   { SEGMENTS, "fs_base", 64, "int", STATE_OTHER, OTHER_THREAD_BASE },
   { NULL, "gs_base", 64, "int", STATE_OTHER, OTHER_GS_BASE },
   { AVX, "ymm0h", 128, "uint128", STATE_VECTOR_HIGH, 0 },
   YMMH(1), YMMH(2), YMMH(3), YMMH(4), YMMH(5), YMMH(6), YMMH(7), YMMH(8),
   YMMH(9), YMMH(10), YMMH(11), YMMH(12), YMMH(13), YMMH(14), YMMH(15)
};

static const StateRow rows_x86[] = {
   { CORE, "eax", 32, "int32", STATE_GENERAL, RAX },
   WORD("ecx", RCX), WORD("edx", RDX), WORD("ebx", RBX),
   { NULL, "esp", 32, "data_ptr", STATE_GENERAL, RSP },
   { NULL, "ebp", 32, "data_ptr", STATE_GENERAL, RBP },
   WORD("esi", RSI), WORD("edi", RDI),
   { NULL, "eip", 32, "code_ptr", STATE_PC, 0 },
   { NULL, "eflags", 32, "i386_eflags", STATE_FLAGS, 0 },
   SELECTOR("cs", 0), SELECTOR("ss", 1),
   SELECTOR("ds", 2), SELECTOR("es", 3),
   SELECTOR("fs", 4), SELECTOR("gs", 5),
   X87,
   { SSE, "xmm0", 128, "vec128", STATE_VECTOR, 0 },
   XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7),
   MXCSR,
   { LINUX, "orig_eax", 32, "int", STATE_NONE, 0 }
};

#define VECTOR(id, type, count) \
   "<vector id=\"" id "\" type=\"" type "\" count=\"" count "\"/>\n"
#define FIELD(name, type) "<field name=\"" name "\" type=\"" type "\"/>\n"

static const StateType types[] = {
   { CORE, "i386_eflags",
     "CF - PF - AF - ZF SF TF IF DF OF - - NT - RF VM AC VIF VIP ID ", NULL },
   { SSE, "i386_mxcsr", "IE DE ZE OE UE PE DAZ IM DM ZM OM UM PM - - FZ ",
     VECTOR("v4f", "ieee_single", "4") VECTOR("v2d", "ieee_double", "2")
     VECTOR("v16i8", "int8", "16") VECTOR("v8i16", "int16", "8")
     VECTOR("v4i32", "int32", "4") VECTOR("v2i64", "int64", "2")
     "<union id=\"vec128\">\n"
     FIELD("v4_float", "v4f") FIELD("v2_double", "v2d")
     FIELD("v16_int8", "v16i8") FIELD("v8_int16", "v8i16")
     FIELD("v4_int32", "v4i32") FIELD("v2_int64", "v2i64")
     FIELD("uint128", "uint128") "</union>\n" }
};

/*--- Rules                                                ---*/

#define RULES(name, rows_of_it)                                               \
   .architecture   = name,                                                    \
   .rows           = rows_of_it,                                              \
   .n_rows         = sizeof(rows_of_it) / sizeof(rows_of_it[0]),              \
   .types          = types,                                                   \
   .n_types        = sizeof(types) / sizeof(types[0]),                        \
   .n_vectors      = 16,                                                      \
   .vector_parts   = 4,                                                       \
   .besides        = x86_besides,                                             \
   .general_behind = x86_general_behind,                                      \
   .flags_behind   = x86_flags_behind,                                        \
   .cleared        = x86_cleared,                                             \
   .others         = x86_others,                                              \
   .other_behind   = x86_other_behind,                                        \
   .x87_behind     = x86_x87_behind,                                          \
   .flags_fixed    = 0x202,                                                   \
   .n_groups       = X86_FLAG_GROUPS,                                         \
   .groups         = x86_flag_groups

const StateRules state_amd64 = {
   RULES("i386:x86-64", rows_amd64),
   .base_call    = 158,         // arch_prctl
   .dtv          = 8
};

const StateRules state_x86 = {
   RULES("i386", rows_x86),
   .clears_flags = x86_clears_flags,
   .base_call    = 243,         // set_thread_area
   .dtv          = 4
};
