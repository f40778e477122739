/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers and flags of arm64 behind instructions that have no recorded value
   of them. */

/* Owns: the registers that gdb knows, bases of addresses that are written
   back, results of atomic instructions, N, Z, C and V, registers that few
   instructions write.  Handed: instances and what was before them. */

#include "cmd/machine/arm64_words.h"
#include "cmd/state/state_rules.h"

#include <string.h>

/* Groups of flags: C; N, Z and V. */
enum { ARM64_CARRY, ARM64_OTHERS, ARM64_FLAG_GROUPS };

static const StateValue nothing = { .known = 0 };

/*--- Numbers                                              ---*/

/* Set *NUMBER to the lowest SIZE bytes, at most 8, of general register N before
   the instance; register 31 is zero.  Return false if one of them is not
   known. */
static bool arm64_register(const StateView* v, unsigned n, unsigned size,
                    uint64_t* number)
{
   *number = 0;
   return n == 31 || general_number(v, n, 0, size, number);
}

/*--- Accesses                                             ---*/

/* Match STXR, STXP and others. */
static bool is_store_exclusive(uint32_t word)
{
   return bits(word, 29, 24) == 0x08 && bits(word, 23, 22) == 0
          && (bits(word, 21, 21) == 0 || bits(word, 31, 31) == 1);
}

static bool is_structure(uint32_t word)
{
   return bits(word, 29, 28) == OTHERS && bits(word, 26, 26) == 1;
}

static bool writes_back(uint32_t word)
{
   if (!gets_at_memory(word))
      return false;
   switch (bits(word, 29, 28)) {
      case OTHERS:
         return is_structure(word) && bits(word, 23, 23) == 1;
      case PAIR:
         return bits(word, 23, 23) == 1;
      default:
         return bits(word, 24, 24) == 0 && bits(word, 21, 21) == 0
                && bits(word, 10, 10) == 1;
   }
}

/* Return the bytes that LD1 to LD4 or ST1 to ST4 access. */
static uint64_t structure_size(uint32_t word)
{
   static const uint8_t registers[16] = {
      [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
   };
   unsigned scale = bits(word, 15, 14);

   if (bits(word, 24, 24) == 0)
      return registers[bits(word, 15, 12)]
             * (UINT64_C(8) << bits(word, 30, 30));
   if (scale == 3)                      // one element for all places
      scale = bits(word, 11, 10);
   else if (scale == 2 && bits(word, 10, 10) == 1)
      scale = 3;
   return (2 * bits(word, 13, 13) + bits(word, 21, 21) + UINT64_C(1)) << scale;
}

/* Set *TO to how far behind the access the base goes.  Return false if that is
   not known. */
static bool distance_behind(const StateView* v, uint32_t word, uint64_t* to)
{
   bool     vector = bits(word, 26, 26) == 1;
   unsigned opc = bits(word, 31, 30);

   switch (bits(word, 29, 28)) {
      case OTHERS:
         *to = structure_size(word);
         return bits(word, 20, 16) == 31
                || arm64_register(v, bits(word, 20, 16), 8, to);
      case PAIR:
         *to = bits(word, 24, 24) == 1 ? 0
               : sign_extended(bits(word, 21, 15), 7)
                 << (vector ? 2 + opc : opc == 2 ? 3 : 2);
         return true;
      default:
         *to = bits(word, 11, 11) == 1 ? 0
               : sign_extended(bits(word, 20, 12), 9);
         return true;
   }
}

/* Return the base of an address that is written back. */
static StateValue base_behind(const StateView* v, uint32_t word)
{
   uint64_t low = state_lowest(v, DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE);
   uint64_t distance;

   return v->at->n_accesses > 0 && distance_behind(v, word, &distance)
          ? state_number(low + distance) : nothing;
}

/*--- General registers                                    ---*/

/* Members of StateRules. */
static uint32_t arm64_besides(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   return UINT32_C(1) << ARM64_SP
          | (writes_back(word) ? UINT32_C(1) << bits(word, 9, 5) : 0);
}

static bool arm64_general_behind(const StateView* v, unsigned n, StateValue* to)
{
   uint32_t word = word_of(v->in);
   bool     stores = state_access(v, DCFG_CURSOR_STORE) != NULL;
   uint64_t result;

   *to = nothing;
   if (word == 0xD4000001) {                             // SVC
      if (call_result(v, &result))
         *to = state_number(result);
      return true;
   }
   if (writes_back(word) && n == bits(word, 9, 5)) {
      *to = base_behind(v, word);
      return true;
   }
   if (!gets_at_memory(word))
      return false;
   /* The value of an instruction that stores is what it stores. */
   if (is_store_exclusive(word)) {
      *to = state_number(!stores);
      return true;
   }
   if (is_atomic_word(word) && stores) {
      *to = state_found(v, 1u << bits(word, 31, 30), 0);
      return true;
   }
   if (is_swap(word)) {
      unsigned size = bits(word, 23, 23) == 1 ? 1u << bits(word, 31, 30)
                      : 4u << bits(word, 30, 30);
      *to = state_found(v, size, n == bits(word, 20, 16) ? 0 : size);
      return true;
   }
   return false;
}

/*--- Other registers                                      ---*/

/* MSR: registers that it writes, without the bits of the source. */
#define MSR_TPIDR 0xD51BD040
#define MSR_FPCR  0xD51B4400
#define MSR_FPSR  0xD51B4420

#define BIT_QC (UINT64_C(1) << 27)

/* Match instructions that set FPSR.QC when a result does not fit. */
static bool saturates(uint32_t word)
{
   /* Bit 28 is set in instructions for scalars, of which bit 30 is set, too. */
   uint32_t form = bits(word, 28, 28) == 1 && bits(word, 30, 30) == 1
                   ? word & ~(UINT32_C(5) << 28) : word;
   unsigned op;

   if ((form & 0x9F200400) == 0x0E200400) {              // three registers
      op = bits(word, 15, 11);
      return op == 0x01 || op == 0x05 || op == 0x09 || op == 0x0B
             || op == 0x16;
   }
   if ((form & 0x9F208400) == 0x0E008400)                // SQRDMLAH
      return bits(word, 14, 12) < 2 && bits(word, 29, 29) == 1;
   if ((form & 0x9F3E0C00) == 0x0E200800) {              // two registers
      op = bits(word, 16, 12);
      return op == 0x03 || op == 0x07 || op == 0x14
             || (op == 0x12 && bits(word, 29, 29) == 1);
   }
   if ((form & 0x9F200C00) == 0x0E200000) {              // two sizes
      op = bits(word, 15, 12);
      return op == 0x9 || op == 0xB || op == 0xD;
   }
   if ((form & 0x9F800400) == 0x0F000400 && bits(word, 22, 19) != 0) {
      op = bits(word, 15, 11);                           // shifts
      return op == 0x0C || op == 0x0E || op == 0x12 || op == 0x13
             || (bits(word, 29, 29) == 1 && (op == 0x10 || op == 0x11));
   }
   if ((form & 0x9F000400) == 0x0F000000) {              // by an element
      op = bits(word, 15, 12);
      return op == 0x3 || op == 0x7 || op == 0xB || op == 0xC || op == 0xD
             || (bits(word, 29, 29) == 1 && op == 0xF);
   }
   return false;
}

static uint32_t arm64_others(const DcfgWetInstr* in)
{
   uint32_t word = word_of(in);

   switch (word & ~UINT32_C(31)) {
      case MSR_TPIDR: return 1u << OTHER_THREAD_BASE;
      case MSR_FPCR:  return 1u << OTHER_VECTOR_CONTROL;
      case MSR_FPSR:  return 1u << OTHER_VECTOR_STATUS;
      default:        break;
   }
   return saturates(word) ? 1u << OTHER_VECTOR_STATUS : 0;
}

static bool arm64_other_behind(const StateView* v, StateOther other, StateValue* to)
{
   uint32_t word = word_of(v->in);
   uint64_t number;

   *to = nothing;
   /* The trace does not tell whether a result was saturated. */
   if (saturates(word)
       || !arm64_register(v, bits(word, 4, 0),
                          other == OTHER_THREAD_BASE ? 8 : 4, &number))
      return true;
   *to = state_number(other == OTHER_VECTOR_STATUS ? number & BIT_QC : number);
   return true;
}

/* Flags in the order of the register, of which they are bits 31 to 28. */
enum { BIT_V = 1, BIT_C = 2, BIT_Z = 4, BIT_N = 8 };

static const uint64_t arm64_flag_groups[ARM64_FLAG_GROUPS] = {
   [ARM64_CARRY]  = (uint64_t)BIT_C << 28,
   [ARM64_OTHERS] = (uint64_t)(BIT_N | BIT_Z | BIT_V) << 28
};

/*--- Operands                                             ---*/

static uint64_t mask_of(unsigned size)
{
   return size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Return A, a number of SIZE bytes, shifted by N as KIND says: LSL, LSR, ASR or
   ROR. */
static uint64_t shifted(uint64_t a, unsigned size, unsigned kind, unsigned n)
{
   unsigned width = 8 * size;
   uint64_t fill = a >> (width - 1) & 1 ? UINT64_MAX << (width - 1) : 0;

   n %= width;
   if (n == 0)
      return a;
   switch (kind) {
      case 0:  return a << n & mask_of(size);
      case 1:  return a >> n;
      case 2:  return ((a >> n) | fill >> n | fill) & mask_of(size);
      default: return (a >> n | a << (width - n)) & mask_of(size);
   }
}

/* Return the number of SIZE bytes that the fields of a logical instruction
   encode: ones, repeated in elements. */
static uint64_t bit_mask(uint32_t word, unsigned size)
{
   unsigned fields = bits(word, 22, 22) << 6 | (~bits(word, 15, 10) & 63);
   unsigned width, ones, turn;
   uint64_t element;

   if (fields < 2)
      return 0;
   width   = 1u << (31 - __builtin_clz(fields));
   ones    = (bits(word, 15, 10) & (width - 1)) + 1;
   turn    = bits(word, 21, 16) & (width - 1);
   element = ones == 64 ? UINT64_MAX : (UINT64_C(1) << ones) - 1;
   if (turn > 0)
      element = element >> turn | element << (width - turn);
   if (width < 64)
      element &= (UINT64_C(1) << width) - 1;
   for (; width < 64; width *= 2)
      element |= element << width;
   return element & mask_of(size);
}

/* Return the lowest bytes of A that an extended register has, extended. */
static uint64_t extended(uint64_t a, unsigned option)
{
   unsigned width = 8u << (option & 3);

   return option & 4 ? sign_extended(a, width) : a & UINT64_MAX >> (64 - width);
}

/*--- Flags of results                                     ---*/

static unsigned of_result(uint64_t r, unsigned size)
{
   return (r >> (8 * size - 1) & 1 ? BIT_N : 0) | (r == 0 ? BIT_Z : 0);
}

/* The flags of A + B + C, or if MINUS of A - B - 1 + C. */
static unsigned of_sum(uint64_t a, uint64_t b, uint64_t c, unsigned size,
                       bool minus)
{
   uint64_t m = mask_of(size), r;

   a &= m;
   b  = (minus ? ~b : b) & m;
   r  = (a + b + c) & m;
   return of_result(r, size) | (r < a || (c && r == a) ? BIT_C : 0)
          | ((a ^ r) & (b ^ r) & (m ^ m >> 1) ? BIT_V : 0);
}

static unsigned of_comparison(double a, double b)
{
   return a == b ? BIT_Z | BIT_C : a < b ? BIT_N : a > b ? BIT_C
          : BIT_C | BIT_V;
}

/*--- Instructions                                         ---*/

/* Set *HOLDS to whether condition CODE holds before the instance. */
static bool condition(const StateView* v, unsigned code, bool* holds)
{
   unsigned test = code >> 1;
   uint64_t carry = 0, others = 0;
   bool     n, z, c, o;

   if (((test == 1 || test == 4) && !flags_before(v, ARM64_CARRY, &carry))
       || (test != 1 && test != 7 && !flags_before(v, ARM64_OTHERS, &others)))
      return false;
   c = carry >> 28 & BIT_C;
   n = others >> 28 & BIT_N;
   z = others >> 28 & BIT_Z;
   o = others >> 28 & BIT_V;
   switch (test) {
      case 0:  *holds = z; break;
      case 1:  *holds = c; break;
      case 2:  *holds = n; break;
      case 3:  *holds = o; break;
      case 4:  *holds = c && !z; break;
      case 5:  *holds = n == o; break;
      case 6:  *holds = n == o && !z; break;
      default: *holds = true; return true;
   }
   *holds ^= code & 1;
   return true;
}

/* Set *FLAGS to those of ADDS, SUBS, ADCS and SBCS. */
static bool sum_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4, rn = bits(word, 9, 5);
   bool     minus = bits(word, 30, 30) == 1, known;
   uint64_t a, b = 0, c = minus;

   if ((word & 0x1F800000) == 0x11000000) {              // a number
      known = general_number(v, rn, 0, size, &a);
      b     = (uint64_t)bits(word, 21, 10) << 12 * bits(word, 22, 22);
   } else {
      known = arm64_register(v, bits(word, 20, 16), size, &b);
      if ((word & 0x1FE00000) == 0x0B200000) {
         known = known && general_number(v, rn, 0, size, &a);
         b     = extended(b, bits(word, 15, 13)) << bits(word, 12, 10);
      } else {
         known = known && arm64_register(v, rn, size, &a);
         if ((word & 0x1F000000) == 0x0B000000)
            b = shifted(b, size, bits(word, 23, 22), bits(word, 15, 10));
         else {
            known = known && flags_before(v, ARM64_CARRY, &c);
            c     = c != 0;
         }
      }
   }
   if (known)
      *flags = of_sum(a, b, c, size, minus);
   return known;
}

/* Set *FLAGS to those of ANDS and BICS. */
static bool logic_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4;
   uint64_t a, b;

   if (!arm64_register(v, bits(word, 9, 5), size, &a))
      return false;
   if ((word & 0x1F800000) == 0x12000000) {
      b = bit_mask(word, size);
   } else {
      if (!arm64_register(v, bits(word, 20, 16), size, &b))
         return false;
      b = shifted(b, size, bits(word, 23, 22), bits(word, 15, 10));
      if (bits(word, 21, 21) == 1)
         b = ~b;
   }
   *flags = of_result(a & b & mask_of(size), size);
   return true;
}

/* Set *NUMBER to the float or double in vector register N. */
static bool vector_number(const StateView* v, unsigned n, bool wide,
                          double* number)
{
   StateValue r = vector_before(v, n);
   uint64_t   all;
   uint32_t   half;
   float      single;

   if (!state_number_in(&r, 0, wide ? 8 : 4, &all))
      return false;
   half = (uint32_t)all;
   memcpy(&single, &half, sizeof(single));
   memcpy(number, &all, sizeof(*number));
   if (!wide)
      *number = (double)single;
   return true;
}

/* Set *FLAGS to those of FCMP and FCCMP. */
static bool float_flags(const StateView* v, uint32_t word, bool zero,
                        unsigned* flags)
{
   bool   wide = bits(word, 23, 22) == 1;
   double a, b = 0;

   if (bits(word, 23, 22) > 1
       || !vector_number(v, bits(word, 9, 5), wide, &a)
       || (!zero && !vector_number(v, bits(word, 20, 16), wide, &b)))
      return false;
   *flags = of_comparison(a, b);
   return true;
}

/* Set *FLAGS to those of an instruction that sets them always. */
static bool plain_flags(const StateView* v, uint32_t word, unsigned* flags)
{
   uint64_t number;

   if ((word & 0x3F800000) == 0x31000000                 // ADDS, SUBS
       || (word & 0x3F200000) == 0x2B000000
       || (word & 0x3FE00000) == 0x2B200000
       || (word & 0x3FE0FC00) == 0x3A000000)             // ADCS, SBCS
      return sum_flags(v, word, flags);
   if ((word & 0x7F800000) == 0x72000000 || (word & 0x7F000000) == 0x6A000000)
      return logic_flags(v, word, flags);
   if ((word & 0xFF20FC07) == 0x1E202000)                // FCMP, FCMPE
      return float_flags(v, word, bits(word, 3, 3) == 1, flags);
   if ((word & ~UINT32_C(31)) == 0xD51B4200) {           // MSR NZCV
      if (!arm64_register(v, bits(word, 4, 0), 4, &number))
         return false;
      *flags = (unsigned)(number >> 28);
      return true;
   }
   return false;
}

/* Set *FLAGS to those of an instruction that compares on a condition. */
static bool conditional_flags(const StateView* v, uint32_t word, bool floats,
                              unsigned* flags)
{
   unsigned size = bits(word, 31, 31) ? 8 : 4;
   bool     holds, minus = bits(word, 30, 30) == 1;
   uint64_t a, b;

   if (!condition(v, bits(word, 15, 12), &holds))
      return false;
   *flags = bits(word, 3, 0);
   if (!holds)
      return true;
   if (floats)
      return float_flags(v, word, false, flags);
   b = bits(word, 20, 16);
   if (!arm64_register(v, bits(word, 9, 5), size, &a)
       || (bits(word, 11, 11) == 0
           && !arm64_register(v, bits(word, 20, 16), size, &b)))
      return false;
   *flags = of_sum(a, b, minus, size, minus);
   return true;
}

static bool arm64_flags_behind(const StateView* v, unsigned group, uint64_t* bits_of)
{
   uint32_t word = word_of(v->in);
   bool     floats = (word & 0xFF200C00) == 0x1E200400;  // FCCMP
   unsigned flags = 0;
   bool     known = floats || (word & 0x3FE00410) == 0x3A400000
                    ? conditional_flags(v, word, floats, &flags)
                    : plain_flags(v, word, &flags);

   *bits_of = (uint64_t)flags << 28 & arm64_flag_groups[group];
   return known;
}

#define CORE "org.gnu.gdb.aarch64.core"
#define FPU  "org.gnu.gdb.aarch64.fpu"
#define TLS  "org.gnu.gdb.aarch64.tls"
#define X(n) { NULL, "x" #n, 64, "int", STATE_GENERAL, n }
#define V(n) { NULL, "v" #n, 128, "aarch64v", STATE_VECTOR, n }

static const StateRow rows[] = {
   { CORE, "x0", 64, "int", STATE_GENERAL, 0 },
   X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12),
   X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23),
   X(24), X(25), X(26), X(27), X(28), X(29), X(30),
   { NULL, "sp", 64, "data_ptr", STATE_GENERAL, ARM64_SP },
   { NULL, "pc", 64, "code_ptr", STATE_PC, 0 },
   { NULL, "cpsr", 32, "cpsr_flags", STATE_FLAGS, 0 },
   { FPU, "v0", 128, "aarch64v", STATE_VECTOR, 0 },
   V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12),
   V(13), V(14), V(15), V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23),
   V(24), V(25), V(26), V(27), V(28), V(29), V(30), V(31),
   { NULL, "fpsr", 32, "int", STATE_OTHER, OTHER_VECTOR_STATUS },
   { NULL, "fpcr", 32, "int", STATE_OTHER, OTHER_VECTOR_CONTROL },
   { TLS, "tpidr", 64, "data_ptr", STATE_OTHER, OTHER_THREAD_BASE }
};

#define VECTOR(id, type, count) \
   "<vector id=\"" id "\" type=\"" type "\" count=\"" count "\"/>\n"
#define FIELD(name, type) "<field name=\"" name "\" type=\"" type "\"/>\n"
#define UNION(id, fields) "<union id=\"" id "\">\n" fields "</union>\n"

static const StateType types[] = {
   { CORE, "cpsr_flags",
     "- - - - - - - - - - - - - - - - - - - - - - - - - - - - V C Z N ", NULL },
   { FPU, NULL, NULL,
     VECTOR("v2d", "ieee_double", "2") VECTOR("v2u", "uint64", "2")
     VECTOR("v2i", "int64", "2") VECTOR("v4f", "ieee_single", "4")
     VECTOR("v4u", "uint32", "4") VECTOR("v4i", "int32", "4")
     VECTOR("v8u", "uint16", "8") VECTOR("v8i", "int16", "8")
     VECTOR("v16u", "uint8", "16") VECTOR("v16i", "int8", "16")
     VECTOR("v1u", "uint128", "1") VECTOR("v1i", "int128", "1")
     UNION("vnd", FIELD("f", "v2d") FIELD("u", "v2u") FIELD("s", "v2i"))
     UNION("vns", FIELD("f", "v4f") FIELD("u", "v4u") FIELD("s", "v4i"))
     UNION("vnh", FIELD("u", "v8u") FIELD("s", "v8i"))
     UNION("vnb", FIELD("u", "v16u") FIELD("s", "v16i"))
     UNION("vnq", FIELD("u", "v1u") FIELD("s", "v1i"))
     UNION("aarch64v", FIELD("d", "vnd") FIELD("s", "vns") FIELD("h", "vnh")
           FIELD("b", "vnb") FIELD("q", "vnq")) }
};

const StateRules state_arm64 = {
   .architecture   = "aarch64",
   .rows           = rows,
   .n_rows         = sizeof(rows) / sizeof(rows[0]),
   .types          = types,
   .n_types        = sizeof(types) / sizeof(types[0]),
   .n_vectors      = 32,
   .vector_parts   = 2,
   .besides        = arm64_besides,
   .general_behind = arm64_general_behind,
   .flags_behind   = arm64_flags_behind,
   .others         = arm64_others,
   .other_behind   = arm64_other_behind,
   .dtv            = 0,
   .n_groups       = ARM64_FLAG_GROUPS,
   .groups         = arm64_flag_groups
};
