
/*--------------------------------------------------------------------*/
/*--- Where VEX's IR does not tell uses. wet/corrections_arm64.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the arm64 instructions of which VEX's IR says more, or less, than what
   they use and define.  Handed: what it says, and their words.  Taken by:
   wet/usage.c.

   As wet/corrections.c, of another processor.  tests/oracle/wet_capstone.py
   holds this against Capstone. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

#include "wet/corrections.h"

/* Bits from HIGH to LOW of WORD. */
static UInt bits(UInt word, UInt high, UInt low)
{
   return word >> low & (0xFFFFFFFFu >> (31 - high + low));
}

static void set_locs(UChar* locs, UInt first, UInt n, UChar to)
{
   VG_(memset)(locs + first, to, n);
}

static void set_general(UChar* locs, UInt reg, UInt n, UChar to)
{
   set_locs(locs, LocGeneral + 8 * reg, n, to);
}

/*------------------------------------------------------------*/
/*--- Instructions                                         ---*/
/*------------------------------------------------------------*/

/* SVC: the number and the arguments; what comes back. */
static void correct_svc(Usage* u)
{
   for (UInt r = 0; r <= 5; r++)
      set_general(u->uses, r, 8, 1);
   set_general(u->uses, 8, 8, 1);
   set_general(u->defs, 0, 8, 1);
}

/* SUBS of a register and itself is 0, and so are its flags what they always
   are; but where there is no destination, it is a comparison of that
   register. */
static Bool is_zero_with_flags(UInt word)
{
   return bits(word, 30, 21) == 0x358                   // SUBS, LSL
          && bits(word, 15, 10) == 0 && bits(word, 20, 16) == bits(word, 9, 5)
          && bits(word, 4, 0) != 31;
}

/* Registers of 32 bits that VEX reads as a whole: an operand that is extended
   (Rm), the number of places of a shift (Rm), where a bit is tested (Rt).
   Returns the register, or 32. */
static UInt half_register(UInt word)
{
   if ((word & 0x1FE00000) == 0x0B200000)                 // ADD, SUB: extended
      return bits(word, 14, 13) == 3 ? 32 : bits(word, 20, 16);
   if ((word & 0xFFE0F000) == 0x1AC02000)                 // LSLV and others
      return bits(word, 20, 16);
   if ((word & 0xFE000000) == 0x36000000)                 // TBZ, TBNZ
      return bits(word, 4, 0);
   return 32;
}

/* The register that an addition of an extended one reads as a whole as well. */
static UInt whole_register(UInt word)
{
   return (word & 0x9FE00000) == 0x8B200000 ? bits(word, 9, 5) : 32;
}

void DCFG_(correct_usage_arm64)(Usage* u, const UChar* code, UInt len)
{
   UInt word, half;

   if (len < 4)
      return;
   word = code[0] | code[1] << 8 | code[2] << 16 | (UInt)code[3] << 24;
   half = half_register(word);
   if (half < 31 && half != whole_register(word))
      set_locs(u->uses, LocGeneral + 8 * half + 4, 4, 0);
   if (word == 0xD4000001)
      correct_svc(u);
   else if (is_zero_with_flags(word))
      set_locs(u->uses, 0, N_LOCS, 0);
   else if ((word & 0xFFF80000) == 0xD5180000             // MSR of what is no
            && bits(word, 4, 0) != 31)                    // location, too
      set_general(u->uses, bits(word, 4, 0), 8, 1);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
