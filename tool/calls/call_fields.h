/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Call fields: data of calls/ in other rooms' records. */

#ifndef __DCFG_CALL_FIELDS_H
#define __DCFG_CALL_FIELDS_H

#include "tool/calls/function.h"
#include "dcfg_bb.h"
#include "tool/run/cells.h"

struct _Call;

/* CallFields: the fields in each superblock's record. */
typedef
   struct {
      const Place*  place;       // the place of .addr; NULL: not translated
                                 // since calls are followed
      CellNo        contexts;    // slots, see tool/calls/context.h; 0: none
      struct _Call* last_call;   // the last call from here, see tool/calls/stack.c
   }
   CallFields;

/* Slots in each thread's array, from DCFG_(first_call_slot) on. */
enum {
   CallTotal,         // executed instructions
   CallContext,       // the present context, see tool/calls/context.h
   CallCounts,        // the thread's ContextCounts
   CallTopSp,         // the stack pointer of the innermost call
   CallOfStack,       // the thread's CallStack
   CallEntries,       // base of the array, plus 16 bytes if the present context
                      // is nested
   CallCached,        // XArray of UInt: superblocks with a cached context, see
                      // tool/calls/context.c
   N_CALL_SLOTS
};

/* Claim room for the fields and slots, before the program runs.  COUNTS: costs
   are counted by context. */
void DCFG_(claim_call_fields)(Bool counts);

extern Bool DCFG_(counts_contexts);

extern SizeT  DCFG_(call_fields_offset);
extern CellNo DCFG_(first_call_slot);

static inline CallFields* DCFG_(call_fields)(const Superblock* sb)
{
   return (CallFields*)((Addr)sb + DCFG_(call_fields_offset));
}

/* Return the call slots of the thread's array at BASE. */
static inline ULong* DCFG_(call_slots)(ULong* base)
{
   return base + DCFG_(first_call_slot);
}

#endif /* __DCFG_CALL_FIELDS_H */
