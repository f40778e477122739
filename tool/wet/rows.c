/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory for rows of words. */

/* Owns: the memory for the rows of superblocks.  Handed: rows without room.

   A superblock gets as much memory as it has needed between two codings of the
   tape, within the size of the processor's cache. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"

#include "tool/wet/rows.h"

/* Limits in words: for a superblock, for all. */
#define MAX_WORDS (1u << 15)
#define MAX_ROOM  (4u << 20)
#define FIRST_ROWS 8u

static ULong room;
static Rows* with_room;      // those that have memory

Bool DCFG_(grow_rows)(Rows* r)
{
   UInt used = r->next - r->begin;
   UInt old  = r->end - r->begin;
   UInt n    = old == 0 ? FIRST_ROWS * r->size : 2 * old;

   if ((old > 0 && n > MAX_WORDS) || room + n - old > MAX_ROOM)
      return False;
   if (old == 0) {
      r->other  = with_room;
      with_room = r;
   }
   room    += n - old;
   r->begin = VG_(realloc)("dcfg.wet.rows", r->begin, n * sizeof(ULong));
   r->next  = r->begin + used;
   r->end   = r->begin + n;
   return True;
}

ULong DCFG_(room_for_rows)(void)
{
   return room;
}

void DCFG_(empty_rows)(Bool give_back)
{
   for (Rows* r = with_room; r != NULL; r = r->other) {
      r->next = r->begin;
      if (!give_back)
         continue;
      VG_(free)(r->begin);
      r->next = r->end = r->begin = NULL;
   }
   if (give_back) {
      with_room = NULL;
      room      = 0;
   }
}
