/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The flags of x86 and amd64 behind shifts and rotations. */

/* Owns: how shifts and rotations set flags, as Valgrind does it.  Handed:
   instances and what was before them. */

#include "cmd/state/x86_flags.h"

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
   const DcfgWetInstr* by = v->in->address_size == 8 ? v->flags_writer(v->arg)
                            : NULL;
   const cs_insn*      i = by != NULL ? x86_decode(by) : NULL;

   switch (i != NULL ? i->id : X86_INS_INVALID) {
      case X86_INS_INC: case X86_INS_DEC: case X86_INS_ROL: case X86_INS_ROR:
      case X86_INS_ADCX: case X86_INS_ADOX:
         return false;
      default:
         return v->flags(v->arg, group, bits);
   }
}

static bool shift_flags(const StateView* v, const cs_insn* i, unsigned group,
                        uint64_t* bits)
{
   unsigned size = i->detail->x86.operands[0].size;
   uint64_t a, n = 1;

   if (!x86_operand(v, i, 0, &a)
       || (i->detail->x86.op_count > 1 && !x86_operand(v, i, 1, &n)))
      return false;
   n &= size == 8 ? 63 : 31;
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
   uint64_t a, n = 1, r, old = 0;
   bool     left = i->id == X86_INS_ROL;

   if (!x86_operand(v, i, 0, &a)
       || (i->detail->x86.op_count > 1 && !x86_operand(v, i, 1, &n))
       || (group == X86_OTHERS && !v->flags(v->arg, group, &old)))
      return false;
   n &= size == 8 ? 63 : 31;
   if (n == 0)
      return v->flags(v->arg, group, bits);
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
   uint64_t a, n = 1, c, old = 0, out, over;
   bool     left = i->id == X86_INS_RCL;

   if (!x86_operand(v, i, 0, &a)
       || (i->detail->x86.op_count > 1 && !x86_operand(v, i, 1, &n))
       || !v->flags(v->arg, X86_CARRY, &c)
       || (group == X86_OTHERS && !v->flags(v->arg, group, &old)))
      return false;
   n   &= size == 8 ? 63 : 31;
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

bool x86_shift_flags(const StateView* v, const cs_insn* i, unsigned group,
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
