
/*--------------------------------------------------------------------*/
/*--- Locations, and what uses and defines them. wet/locations.h ---*/
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

/* Private to wet/. */

#ifndef __DCFG_LOCATIONS_H
#define __DCFG_LOCATIONS_H

#include "pub_tool_basics.h"

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

#endif /* __DCFG_LOCATIONS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
