/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Descriptions of instructions, as users get them. */

#ifndef DCFG_LIB_WET_TOLD_H
#define DCFG_LIB_WET_TOLD_H

#include "lib/dcfg_wet.h"
#include "lib/wet/wet_bytes.h"

/* General and vector registers; flags; x87. */
#define MAX_REGISTERS (32 + 32 + 2)

/* WetTold: the result of dcfg_wet_instr(), and all that it refers to. */
typedef
   struct {
      DcfgWetInstr    instr;
      DcfgWetAccess*  accesses;         // room for the most
      DcfgWetRegisterId uses[MAX_REGISTERS], defines[MAX_REGISTERS];
      uint32_t        near_symbol, near_line;   // the last ones of an image
                                                // that were asked for
   }
   WetTold;

/* Set the members of TO->instr that say what instruction N does: .transfer,
   accesses and registers.  Its other members have been set. */
void wet_tell_plan(const DcfgWet* w, uint32_t n, WetTold* to);

#endif /* DCFG_LIB_WET_TOLD_H */
