/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations of the guest state's bytes. */

/* Owns: the location of each byte of VEX's guest state.  Handed: offsets. */

#include "tool/arch/guest.h"
#include "tool/arch/state.h"

/* Return the location, from 0, of byte AT in a group of registers.  A register
   has SIZE bytes, and ROOM locations. */
static UInt register_byte(UInt at, UInt size, UInt room)
{
   return at / size * room + at % size;
}

UInt DCFG_(location_at)(UInt offset)
{
   const GuestLayout* g = DCFG_(guest).layout;

   if (offset >= g->general && offset < g->general_end)
      return LocGeneral + register_byte(offset - g->general, g->word, 8);
   if (offset >= g->vectors && offset < g->vectors_end)
      return LocVector + register_byte(offset - g->vectors, g->vector,
                                       g->vector_room);
   if (offset >= g->FPREG && offset < g->FPTAG)
      return LocX87 + offset - g->FPREG;
   if (offset >= g->DFLAG && offset < g->DFLAG_end)
      return LocDirection;
   if (offset >= g->FC3210 && offset < g->FC3210 + g->word)
      return LocStatus;
   return N_LOCS;
}

Bool DCFG_(is_flag_at)(UInt offset)
{
   const GuestLayout* g = DCFG_(guest).layout;

   return offset >= g->flags && offset < g->flags_end;
}
