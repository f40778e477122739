/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lengths of instructions. */

/* Owns: the lengths of instructions that were not translated.  Handed: their
   bytes.

   VEX takes a microsecond to decode an instruction, and large programs have
   millions, most of which have the bytes of an earlier one.  So there is a
   cache of fixed size from bytes to lengths. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

#include "tool/wet/lengths.h"
#include "tool/wet/lift.h"

/* KnownInstr: the bytes of an instruction, the lowest first, and above them its
   length. */
typedef
   struct {
      ULong low, high;
   }
   KnownInstr;

#define KNOWN_BITS 18
static KnownInstr known[1u << KNOWN_BITS];

/* For the first two bytes of an instruction: a bit for each length that is
   known. */
static UShort lengths[1u << 16];

/* The longest instruction that has room beside its length. */
#define MAX_KNOWN 15u

/* Return whether VEX decodes an instruction by its own bytes alone.  Of x86, a
   call of the next instruction, and a client request, are one instruction with
   what follows. */
static Bool stands_alone(void)
{
   return sizeof(Addr) > 4;
}

/* Return the first LEN bytes of BYTES as an instruction of that length. */
static KnownInstr instr_of(const ULong* bytes, UInt len)
{
   KnownInstr i;

   i.low  = len >= 8 ? bytes[0] : bytes[0] & ((1ULL << 8 * len) - 1);
   i.high = len <= 8 ? 0 : bytes[1] & ((1ULL << 8 * (len - 8)) - 1);
   i.high |= (ULong)len << 56;
   return i;
}

static KnownInstr* place_of(const KnownInstr* i)
{
   ULong hash = (i->low ^ i->high * 0xC2B2AE3D27D4EB4FULL)
                * 0x9E3779B97F4A7C15ULL;

   return &known[hash >> (64 - KNOWN_BITS)];
}

static void take_length(void* arg, const IRSB* sb)
{
   UInt* len = arg;

   if (sb->jumpkind == Ijk_NoDecode)
      return;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark) {
         *len = sb->stmts[i]->Ist.IMark.len;
         return;
      }
}

UInt DCFG_(length_of_instr)(const UChar* code, UInt n, Addr addr)
{
   ULong  bytes[2] = { 0, 0 };
   UInt   len      = 0;

   VG_(memcpy)(bytes, code, n);
   UShort* some = &lengths[bytes[0] & 0xFFFF];
   for (UInt left = *some; left != 0; left &= left - 1) {
      UInt       l = __builtin_ctz(left);
      KnownInstr i = instr_of(bytes, l);
      if (l <= n && place_of(&i)->low == i.low && place_of(&i)->high == i.high)
         return l;
   }
   DCFG_(lift)(code, n, addr, take_length, &len);
   if (len > n)
      return 0;
   if (stands_alone() && len > 0 && len <= MAX_KNOWN) {
      KnownInstr i = instr_of(bytes, len);
      *some       |= 1u << len;
      *place_of(&i) = i;
   }
   return len;
}
