/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What an instruction uses and defines, by locations. */

#ifndef __DCFG_LOCATIONS_H
#define __DCFG_LOCATIONS_H

#include "base/port.h"
#include "format/wet_code.h"

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
