/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations, and what uses and defines them. */

#ifndef __DCFG_LOCATIONS_H
#define __DCFG_LOCATIONS_H

#include "base/port.h"

/* Locations: a byte of a register each, or a group of flags.  Their numbers
   have room for each processor that there is. */
enum {
   LocGeneral   = 0,       // 32 registers, by their encoding, of 8 bytes
   LocCarry     = 256,     // C
   LocFlags     = 257,     // the others: O, S, Z, A, P; N, Z, V
   LocDirection = 258,     // DF
   LocStatus    = 259,     // x87's condition codes
   LocVector    = 288,     // 16 of 32 bytes, or 32 of 16
   LocX87       = 800,     // 8 of 8 bytes, where MMX registers stand
   LocStack     = 864,     // the same, counted from the top of the stack as
                           // it is when the instruction begins
   N_LOCS       = 928
};

#define MAX_ACCESSES 160

typedef
   struct {
      UChar  what;         // Access... of wet/slots.h
      UShort size;
      UShort same;         // 1 + the number of one before that is at the
                           // same address, or 0
   }
   Access;

typedef
   struct {
      Bool   known;        // VEX can decode it
      UChar  uses[N_LOCS]; // each 0 or 1
      UChar  defs[N_LOCS];
      UInt   n_accesses;
      Access accesses[MAX_ACCESSES];
      Char   top_step;     // of the top of x87's stack
      Bool   top_zero;     // it is set to 0 instead
      Bool   top_told;     // or a slot says what it is then
   }
   Usage;

/* Registers by their encoding: general ones, and from here on vector
   registers. */
enum { FirstVector = 32 };

/* Registers that an instruction changes besides its result. */
typedef
   struct {
      UInt  n;
      UChar registers[4];
      Bool  unless_alone[4];   // it is the result if nothing else is changed
      Bool  second_byte;       // of register 0 the result is no more than that
   }
   Besides;

#endif /* __DCFG_LOCATIONS_H */
