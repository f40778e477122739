/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers as readers know them. */

/* Owns: a copy of the running thread's registers, which readers of a trace
   with values compute.  Handed: the thread's state in VEX.

   Readers follow the registers from superblock to superblock (tool/wet/terms.c).
   They know nothing at the begin of a chunk, after a turn of threads, and behind
   a superblock that was left inside.  All that changes registers besides, such
   as system calls and handlers, does so while the thread does not run.  So the
   registers are compared when the thread ceases to run and goes on. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

#include "tool/wet/general.h"
#include "tool/wet/registers.h"

static struct {
   Bool  known;
   ULong registers[WET_REGISTERS];
} told;

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
      DCFG_(read_registers_told)(told.registers);
}

static void add_piece(Bytes* b, UInt r, ULong number)
{
   UChar piece[1 + sizeof(ULong)] = { r };

   for (UInt i = 0; i < sizeof(ULong); i++)
      piece[1 + i] = number >> 8 * i;
   DCFG_(add_bytes)(b, piece, sizeof(piece));
}

void DCFG_(add_general)(Bytes* b)
{
   ULong now[WET_REGISTERS];

   DCFG_(read_registers_told)(now);
   if (!told.known) {
      VG_(memset)(told.registers, 0, sizeof(told.registers));
      add_piece(b, WET_ALL_ZERO, 0);
   }
   for (UInt r = 0; r < WET_REGISTERS; r++)
      if (now[r] != told.registers[r])
         add_piece(b, r, now[r]);
   VG_(memcpy)(told.registers, now, sizeof(now));
   told.known = True;
}
