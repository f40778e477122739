/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The processor that the tool is for. */

#ifndef __DCFG_GUEST_H
#define __DCFG_GUEST_H

#include "base/port.h"

#include "arch/insn.h"
#include "arch/locations.h"

/* No offset of the guest state. */
#define NO_OFFSET 0x7FFFFFFFu

/* For those who know the processor's registers one by one: where VEX's guest
   state has them.  Each sort begins somewhere and has an end behind its
   last. */
typedef
   struct {
      UInt word;               // bytes of a general register, which stand in
      UInt general, general_end;         // the order of their encoding
      UInt flags, flags_end;   // what they are made of, CC_OP first
      UInt CC_NDEP;
      UInt DFLAG, DFLAG_end;   // NO_OFFSET, as for x87: it has none
      UInt vector;             // bytes of a vector register
      UInt vector_room;        // locations of one
      UInt vectors, vectors_end;
      UInt FPREG, FPTAG, FC3210, FTOP;
      /* In CC_OP: INC and DEC, which leave the carry, and rotations. */
      UInt first_step, last_step, first_rotation, last_rotation;
      /* VEX's helpers for a condition, for the carry, for all flags. */
      const HChar *condition, *carry, *all_flags;
      /* Which flags condition N of the first is about. */
      void (*flags_of)(UInt n, Bool* carry, Bool* others);
      /* N stands from this bit on, with CC_OP below it. */
      UInt condition_shift;
   }
   GuestLayout;

/* How VEX has an instruction otherwise than most, a bit each. */
enum {
   QuirkFalseMemory     = 1,    // it leads registers through memory that the
                                // program does not have
   QuirkStoreExclusive  = 2,    // it is a store-exclusive
   QuirkStoresDownwards = 4,    // its stores are from the highest address to
                                // the lowest
   QuirkGather          = 8,    // what its mask leaves out is read elsewhere
   QuirkMayPush         = 16    // it pushes onto x87's stack, or does not
};

/* What of VEX's guest state, and of instructions, only those know who know
   the processor.  Offsets are of the guest state. */
typedef
   struct {
      /* Tells the kind of an instruction from its bytes; NULL: nobody
         decodes them, and DCFG_(classify_generic) has to do. */
      InsnKind (*classify)(const UChar* bytes, UInt len);
      /* Where VEX finds what to forget after an Ijk_InvalICache. */
      Int        discard_start, discard_length;
      /* The registers that the first arguments of a function are in; or (ON
         STACK) the stack pointer, and they are behind the return address
         there.  N is 0 if that is not known. */
      UInt       n_argument_registers;
      const Int* argument_registers;
      Bool       arguments_on_stack;
      /* VEX, and with it Callgrind, takes a direct jump for a call. */
      Bool       jumps_are_calls;
      /* All else is for whole execution traces.  NULL: nobody knows it. */
      const GuestLayout* layout;
      UChar      machine;      // as ELF files number it
      /* Of the instruction of LEN bytes at CODE: where it leads if it is a
         direct branch; how many loads VEX has for it, at least, if it drops
         none; Quirk..., or 0. */
      Addr (*target)(const UChar* code, UInt len, Addr addr);
      UInt (*loads)(const UChar* code, UInt len);
      UInt (*quirks)(const UChar* code, UInt len);
      /* Correct what U has from VEX's IR of it. */
      void (*correct_usage)(Usage* u, const UChar* code, UInt len);
      /* What it changes besides its result; *TO is all zeros before. */
      void (*find_besides)(const UChar* code, UInt len, Besides* to);
      /* Bytes behind the stack pointer that functions may use. */
      UInt redzone;
      /* Calls leave the return address in a register. */
      Bool calls_link;
   }
   Guest;

extern const Guest DCFG_(guest);

#endif /* __DCFG_GUEST_H */
