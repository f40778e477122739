/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions of an instruction, by locations. */

#ifndef __DCFG_LOCATIONS_H
#define __DCFG_LOCATIONS_H

#include "format/port.h"
#include "format/wet_code.h"

#define MAX_ACCESSES 160

typedef
   struct {
      UChar  what;         // bits Access... of format/wet_code.h
      UShort size;
      UShort same;         // 1 + the index of an earlier access at the same
                           // address, or 0
   }
   Access;

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

#endif /* __DCFG_LOCATIONS_H */
