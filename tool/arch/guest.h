/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The processor that the tool is built for. */

#ifndef __DCFG_GUEST_H
#define __DCFG_GUEST_H

#include "format/port.h"
#include "format/wet_code.h"
#include "format/wet_process.h"
#include "tool/arch/insn.h"

/* No offset in the guest state. */
#define NO_OFFSET 0x7FFFFFFFu

/* GuestLayout: the places of registers and flags in VEX's guest state, as
   offsets.  A group of registers goes from its first one to its _end, which is
   behind the last one. */
typedef
   struct {
      UInt word;               // size in bytes of a general register
      UInt general, general_end;         // in the order of their encoding
      UInt flags, flags_end;   // the flags' components, CC_OP first
      UInt CC_NDEP;
      UInt DFLAG, DFLAG_end;   // NO_OFFSET if there is none, as for x87
      UInt vector;             // size in bytes of a vector register
      UInt vector_room;        // locations for each of them
      UInt vectors, vectors_end;
      UInt rounding;           // the rounding mode of SSE; NO_OFFSET: there
                               // is no SSE
      UInt FPREG, FPTAG, FC3210, FTOP;
      /* Values of CC_OP: those of INC and DEC, which keep the carry, and of
         rotations. */
      UInt first_step, last_step, first_rotation, last_rotation;
      /* VEX's helper functions that compute a condition, the carry, and all
         flags. */
      const HChar *condition, *carry, *all_flags;
      /* Tell which flags condition N, an argument of .condition, tests. */
      void (*flags_of)(UInt n, Bool* carry, Bool* others);
      /* The lowest bit of N in that argument; CC_OP is below it. */
      UInt condition_shift;
   }
   GuestLayout;

/* CallKind: what a replay does with a system call. */
typedef
   enum {
      CallAnswered,      // its result, and what it writes, come from the log
      CallForks,         // likewise, and there is no child
      CallExecuted,      // executes it: it changes the process itself
      CallReturns,       // likewise: from a signal's handler, without a result
      CallMaps,          // likewise: mmap(), but at the recorded address
      CallAttaches       // shmat(): attaches a segment of its own there
   }
   CallKind;

/* CallLayout: system calls.  Their registers are offsets in VEX's guest state, and
   .length is the bytes of the instruction that makes one. */
typedef
   struct {
      Int  number, args[6], result, ip;
      UInt length;
      /* Return the kind of a call that not all processors have. */
      CallKind (*kind)(UInt sysno, const UWord* args);
      /* The number of mmap() with its six arguments in registers; another one
         has them in memory, with an offset in bytes.  The unit of its offset. */
      UInt map, map_unit;
      /* The number of ipc(), which stands for all of System V's communication;
         -1: there is none. */
      Int  ipc;
   }
   CallLayout;

#define MAX_ACCESSES 160

/* Access: an access of an instruction. */
typedef
   struct {
      UChar  what;         // bits Access... of format/wet_code.h
      UShort size;
      UShort same;         // 1 + the index of an earlier access at the same
                           // address, or 0
   }
   Access;

/* Usage: the uses and definitions of an instruction, by locations. */
typedef
   struct {
      Bool   known;        // can VEX decode it?
      UChar  uses[N_LOCS]; // for each location 0 or 1
      UChar  defs[N_LOCS];
      UInt   n_accesses;
      Access accesses[MAX_ACCESSES];
      Char   top_step;     // change of the top of x87's stack
      Bool   top_zero;     // sets the top to 0 instead
      Bool   top_told;     // the top is in a slot instead
   }
   Usage;

/* Numbers of registers: general ones by their encoding, vector registers from
   here on. */
enum { FirstVector = 32 };

/* Besides: registers that an instruction changes besides its result. */
typedef
   struct {
      UInt  n;
      UChar registers[4];
      Bool  unless_alone[4];   // is this the result if nothing else is changed?
      UInt  only_byte;         // only this byte of register 0, from 1, is the
                               // result; 0: all are
   }
   Besides;

/* Quirk: a bit for each way in which VEX represents an instruction unlike most
   others. */
enum {
   QuirkFalseMemory     = 1,    // its registers pass through memory that the
                                // program does not have
   QuirkStoreExclusive  = 2,    // a store-exclusive
   QuirkStoresDownwards = 4,    // its stores go from the highest address to the
                                // lowest
   QuirkGather          = 8,    // elements outside the mask are read at another
                                // address
   QuirkMayPush         = 16    // pushes onto x87's stack, or does not
};

/* OtherRegister: a register that has no locations, by its number in
   format/wet_process.h. */
typedef
   struct {
      UShort number;
      UChar  size;             // bytes, the lowest of .value
      ULong  value;
   }
   OtherRegister;

#define MAX_OTHER_REGISTERS 16

/* Processor: one that --cpu names.  Level N of the psABI's x86-64-vN; 0: the
   host's. */
typedef
   struct {
      const HChar* name;
      UInt         level;
   }
   Processor;

/* FalseAnswers: what instructions that ask the machine are to answer.  NULL, or
   level 0: what they would answer anyway. */
typedef
   struct {
      ULong (*ticks)(void);    // the counter of time
      ULong (*random)(void);   // 32 random bits
      ULong (*other)(ULong (*ask)(void));   // something else, for which ASK
                                            // asks this machine
      UInt    level;           // the processor's
   }
   FalseAnswers;

/* AuxAnswer: the value of a key of the auxiliary vector. */
typedef
   struct {
      ULong key, value;
   }
   AuxAnswer;

/* Guest: what the tool must know of the processor, its instructions and VEX's
   guest state.  Offsets are in the guest state. */
typedef
   struct {
      /* Return the kind of an instruction from its bytes.  NULL: there is no
         decoder, and DCFG_(classify_generic) is used. */
      InsnKind (*classify)(const UChar* bytes, UInt len);
      /* Offsets of the range to forget at the end of a superblock with
         Ijk_InvalICache. */
      Int        discard_start, discard_length;
      /* The registers of the first arguments of a function.  If
         .arguments_on_stack, the one register is the stack pointer, and the
         arguments are above the return address.  N is 0 if the convention is
         not known. */
      UInt       n_argument_registers;
      const Int* argument_registers;
      Bool       arguments_on_stack;
      /* VEX, and so Callgrind, takes a direct jump for a call. */
      Bool       jumps_are_calls;
      /* The rest is for whole execution traces, which need .layout; NULL: the
         processor has none. */
      const GuestLayout* layout;
      UChar      machine;      // the number in ELF files
      /* Three facts of the instruction of LEN bytes at CODE: the target of a
         direct branch; the least number of loads that VEX has for it, unless
         VEX drops some; its quirks. */
      Addr (*target)(const UChar* code, UInt len, Addr addr);
      UInt (*loads)(const UChar* code, UInt len);
      UInt (*quirks)(const UChar* code, UInt len);
      /* Correct U, the usage that was read from VEX's IR of the instruction. */
      void (*correct_usage)(Usage* u, const UChar* code, UInt len);
      /* Find the registers that the instruction changes besides its result.
         *TO comes as zeros. */
      void (*find_besides)(const UChar* code, UInt len, Besides* to);
      /* Read all registers that have no locations from STATE, a guest state of
         VEX, to TO.  Return how many there are. */
      UInt (*other_registers)(const void* state, OtherRegister* to);
      UInt state_size;         // bytes of a guest state
      /* The argument of clone(), from 0, that has the address of the new
         thread's number, which the kernel clears in the end. */
      UInt clone_tid;
      /* The bytes below the stack pointer that functions may use. */
      UInt redzone;
      /* Calls put the return address into a register. */
      Bool calls_link;
      /* Let CALL, an IRDirty, answer as A says, if it is the helper of an
         instruction that asks the machine.  NULL: no such helper is known. */
      void (*answer)(void* call, const FalseAnswers* a);
      /* Answer such an instruction as this machine does: with its counter of
         time, or with 32 random bits.  NULL: .answer answers otherwise. */
      ULong (*ticks)(void);
      ULong (*random)(void);
      /* Put what code sees of HOST, a VexArchInfo, beside its features to TO,
         which has room for N bytes.  NULL: nothing. */
      void (*tell_host)(const void* host, HChar* to, SizeT n);
      /* The registers of system calls.  NULL: runs cannot be recorded. */
      const CallLayout* calls;
      /* The word of the guest state by which a store-exclusive that compares
         values knows whether it is paired; the core clears it before a thread
         runs.  0: there is none. */
      Int               reservation;
      /* Processors that --cpu names, N_PROCESSORS; whether the host, with VEX's
         HWCAPS, can be that of LEVEL; and what the auxiliary vector says of
         all of them, up to a key 0.  .aux_answers is NULL if --deterministic is
         not for programs of this processor. */
      UInt             n_processors;
      const Processor* processors;
      Bool           (*can_be)(UInt level, UInt hwcaps);
      const AuxAnswer* aux_answers;
   }
   Guest;

extern const Guest DCFG_(guest);

/* Have VEX count each superblock from now on: see count_guest.c. */
void DCFG_(count_all)(void);

#endif /* __DCFG_GUEST_H */
