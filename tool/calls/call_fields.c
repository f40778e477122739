/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Call fields: data of calls/ in other rooms' records. */

/* Owns: the places of the fields that following calls adds to a superblock's
   record and to a thread's slots; tool/calls/call_fields.h lists them.  Also two
   facts for all of calls/: is anything counted, and who listens?  Handed: room
   for the fields by tool/run/cells.c and dcfg_bb.c.  Taken by: tool/calls/context.c,
   tool/calls/stack.c, tool/calls/ir_calls.c, tool/calls/follow.c. */

#include "tool/calls/listener.h"
#include "tool/calls/call_fields.h"

SizeT  DCFG_(call_fields_offset);
CellNo DCFG_(first_call_slot);

Bool DCFG_(counts_contexts);

const CallListener* DCFG_(call_listener);

void DCFG_(claim_call_fields)(Bool counts)
{
   if (counts)
      DCFG_(counts_contexts) = True;
   if (DCFG_(first_call_slot) != 0)
      return;
   DCFG_(call_fields_offset) = DCFG_(claim_fields)(sizeof(CallFields));
   DCFG_(first_call_slot)  = DCFG_(claim_slots)(N_CALL_SLOTS);
}
