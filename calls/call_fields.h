/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What calls/ keeps of superblocks. */

#ifndef __DCFG_CALL_FIELDS_H
#define __DCFG_CALL_FIELDS_H

#include "calls/function.h"
#include "dcfg_bb.h"
#include "run/cells.h"

struct _Call;

/* What following calls keeps in each superblock's record. */
typedef
   struct {
      const Place*  place;       // of .addr; NULL: never translated since
                                 // calls are followed
      CellNo        contexts;    // slots, see calls/context.h; 0: none yet
      struct _Call* last_call;   // from here, see calls/stack.c
   }
   CallFields;

/* And in the fixed slots of each thread's array, from DCFG_(first_call_slot)
   on. */
enum {
   CallTotal,         // instructions run
   CallContext,       // the context they run in, see calls/context.h
   CallCounts,        // the thread's ContextCounts
   CallTopSp,         // the innermost call's stack pointer
   CallOfStack,       // the thread's CallStack
   CallEntries,       // the array's base, or 16 bytes behind it if that
                      // context is nested
   CallCached,        // XArray of UInt: superblocks that have cached a
                      // context, see calls/context.c
   N_CALL_SLOTS
};

/* Before the program runs: make room for both; if COUNTS, costs are to be
   counted by context. */
void DCFG_(claim_call_fields)(Bool counts);

extern Bool DCFG_(counts_contexts);

extern SizeT  DCFG_(call_fields_offset);
extern CellNo DCFG_(first_call_slot);

static inline CallFields* DCFG_(call_fields)(const Superblock* sb)
{
   return (CallFields*)((Addr)sb + DCFG_(call_fields_offset));
}

/* BASE is that of the thread's array. */
static inline ULong* DCFG_(call_slots)(ULong* base)
{
   return base + DCFG_(first_call_slot);
}

#endif /* __DCFG_CALL_FIELDS_H */
