
/*--------------------------------------------------------------------*/
/*--- What calls/ keeps of superblocks.        calls/call_fields.c ---*/
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

/* Owns: where the fields stand that following calls adds to a superblock's
   record and to a thread's slots; calls/call_fields.h lists them.  And what all of
   calls/ asks: is anything counted, who listens?  Handed: room
   for them by run/cells.c and dcfg_bb.c.  Taken by: calls/context.c, calls/stack.c, calls/ir_calls.c, calls/follow.c. */

#include "calls/listener.h"
#include "calls/call_fields.h"

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
