/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the mirror (format/wet_mirror.h), and the list of loads since the tape
   was coded that the mirror foretold wrongly.  Handed: each of these loads by
   generated code (tool/wet/ir_tape.c).

   Generated code compares each load with the mirror, and calls load_missed()
   (tool/wet/tape.c) for a wrong number.  Few numbers are wrong.  So a load that was
   foretold costs a comparison; nothing of it is on the tape.

   A load belongs to the execution of a superblock whose header comes next.  If
   a fault stops that superblock within an instruction, that instruction's loads
   are taken back: readers do not execute it. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/wet/mirror.h"

UChar DCFG_(mirror)[WET_MIRROR + WET_MIRROR_MORE];

static struct {
   Missed* loads;
   UInt    n, room;
} missed;

/* Set the SIZE bytes at AT, 1 to 8, to NOW.  Return what they were.  The host has
   its lowest byte first, and 8 bytes of the mirror are there. */
static ULong change(UChar* at, UInt size, ULong now)
{
   ULong mask = ~0ULL >> (64 - 8 * size), all, was;

   __builtin_memcpy(&all, at, sizeof(all));
   was = all & mask;
   all = (all & ~mask) | (now & mask);
   __builtin_memcpy(at, &all, sizeof(all));
   return was;
}

void DCFG_(add_missed)(const ULong* header, UInt load, UInt size, UChar* at,
                       ULong now)
{
   if (missed.n == missed.room) {
      missed.room  = 2 * missed.room + 1024;
      missed.loads = VG_(realloc)("dcfg.wet.missed", missed.loads,
                                  missed.room * sizeof(Missed));
   }
   missed.loads[missed.n++]
      = (Missed){ header, load, size, now - change(at, size, now), at };
}

void DCFG_(undo_missed)(const ULong* cursor, UInt load)
{
   while (missed.n > 0) {
      const Missed* m = &missed.loads[missed.n - 1];
      ULong now;
      if (m->header < cursor || m->load < load)
         return;
      now = change(m->at, m->size, 0);
      change(m->at, m->size, now - m->error);
      missed.n--;
   }
}

const Missed* DCFG_(missed_loads)(const Missed** end)
{
   *end = missed.loads + missed.n;
   return missed.loads;
}

void DCFG_(forget_missed)(void)
{
   missed.n = 0;
}

void DCFG_(clear_mirror)(void)
{
   VG_(memset)(DCFG_(mirror), 0, sizeof(DCFG_(mirror)));
}
