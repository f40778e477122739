/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How an instruction hands on control. */

#ifndef __DCFG_INSN_H
#define __DCFG_INSN_H

#include "base/port.h"
#include "format/wet_code.h"

/* Decodes just enough of the x86 instruction in BYTES[0 .. LEN-1] to
   tell its kind; IS64 selects 64-bit mode.  LEN is the instruction's
   length as the disassembler found it, at least 1. */
InsnKind DCFG_(classify_x86)(const UChar* bytes, UInt len, Bool is64);

/* The same of the arm64 instruction in BYTES[0 .. LEN-1]. */
InsnKind DCFG_(classify_arm64)(const UChar* bytes, UInt len);

/* Of the x86 instruction in BYTES[0 .. LEN-1], as above: the place of the
   opcode; does VEX lead its operand, which has registers only, through memory
   that the program does not have (BT and its like); how many loads has VEX
   for it, at least, if none is dropped (in doubt, one); does it gather
   elements that a mask may leave out? */
UInt DCFG_(x86_opcode)(const UChar* bytes, UInt len, Bool is64);
Bool DCFG_(has_false_memory_x86)(const UChar* bytes, UInt len, Bool is64);
UInt DCFG_(loads_x86)(const UChar* bytes, UInt len, Bool is64);
Bool DCFG_(is_gather_x86)(const UChar* bytes, UInt len, Bool is64);

/* Where the direct branch in BYTES[0 .. LEN-1], which stands at ADDR, leads:
   one that is conditional, or a jump. */
Addr DCFG_(target_x86)(const UChar* bytes, UInt len, Bool is64, Addr addr);
Addr DCFG_(target_arm64)(const UChar* bytes, UInt len, Addr addr);

/* Of the arm64 instruction in BYTES[0 .. LEN-1]: how many loads has VEX for
   it, at least, if none is dropped; is it a store-exclusive; does it store
   structures of vector registers, of which VEX stores the last first? */
UInt DCFG_(loads_arm64)(const UChar* bytes, UInt len);
Bool DCFG_(is_store_exclusive_arm64)(const UChar* bytes, UInt len);
Bool DCFG_(stores_structures_arm64)(const UChar* bytes, UInt len);

/* The base register that the load or store writes its address back to, or
   32: none. */
UInt DCFG_(written_back_arm64)(const UChar* bytes, UInt len);

/* What VEX made of an instruction: how the superblock ends with it. */
typedef
   enum {
      EndsOtherwise,     // or does not end there
      EndsBoring,        // a jump, or what falls through
      EndsCall,
      EndsReturn,
      EndsSyscall
   }
   InsnEnd;

/* The kind of an instruction that nobody decodes: END; is where that leads
   a constant (IS_DIRECT), and if so, the next instruction (FALLS_THROUGH);
   has it an exit that leads neither there nor to itself (MAY_BRANCH)? */
InsnKind DCFG_(classify_generic)(InsnEnd end, Bool is_direct,
                                 Bool falls_through, Bool may_branch);

#endif /* __DCFG_INSN_H */
