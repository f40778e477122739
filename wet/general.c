/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   General registers as readers know them. */

/* Owns: a copy of the running thread's general registers, which readers of a
   trace with values compute.  Handed: the thread's state in VEX.  Taken by:
   wet/tape.c.

   Readers follow the registers from superblock to superblock (wet/terms.c).
   They know nothing at the begin of a chunk, after a turn of threads, and behind
   a superblock that was left inside.  All that changes registers besides, such
   as system calls and handlers, does so while the thread does not run.  So the
   registers are compared when the thread ceases to run and goes on. */

#include "pub_tool_basics.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_machine.h"

#include "arch/guest.h"
#include "format/wet_code.h"
#include "wet/general.h"

static struct {
   Bool  known;
   UWord registers[WET_REGISTERS];
} told;

static void read_general(UWord* to)
{
   const GuestLayout* g = DCFG_(guest).layout;

   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)to, 0, g->general,
                             g->general_end - g->general);
}

void DCFG_(forget_general)(void)
{
   told.known = False;
}

Bool DCFG_(knows_general)(void)
{
   return told.known;
}

void DCFG_(keep_general)(void)
{
   if (told.known)
      read_general(told.registers);
}

void DCFG_(add_general)(Bytes* b)
{
   const GuestLayout* g = DCFG_(guest).layout;
   UInt               n = (g->general_end - g->general) / g->word;
   UWord              now[WET_REGISTERS];

   read_general(now);
   for (UInt r = 0; r < n; r++) {
      UChar piece[1 + sizeof(ULong)] = { r };
      if (told.known && now[r] == told.registers[r])
         continue;
      for (UInt i = 0; i < sizeof(ULong); i++)
         piece[1 + i] = (ULong)now[r] >> 8 * i;
      DCFG_(add_bytes)(b, piece, sizeof(piece));
      told.registers[r] = now[r];
   }
   told.known = True;
}
