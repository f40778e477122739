
/*--------------------------------------------------------------------*/
/*--- Costs, calls and jumps of each function.     profile/costs.h ---*/
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

/* Private to profile/. */

#ifndef __DCFG_COSTS_H
#define __DCFG_COSTS_H

#include "calls/calls.h"
#include "profile/jumps.h"
#include "run/gather.h"

typedef
   struct {
      UInt        instr;       // its place in the Gathered
      const Call* call;
   }
   CostedCall;

/* What belongs to one context.  All in order of instructions. */
typedef
   struct {
      UInt              context;
      const Cost*       costs;
      UInt              n_costs;
      const CostedCall* calls;
      UInt              n_calls;
      const Jump*       jumps;
      UInt              n_jumps;
   }
   ContextCosts;

typedef struct _Costs Costs;

/* What CP, which is of THREAD or of DCFG_ALL_THREADS, has of what ran so
   far, which is P; both are to outlive it. */
Costs* DCFG_(take_costs)(const Gathered* p, const CallProfile* cp,
                         UInt thread, Bool with_jumps);
void   DCFG_(delete_costs)(Costs* c);

/* All instructions, and how often superblocks ran. */
ULong DCFG_(total_cost)(const Costs* c);
ULong DCFG_(total_runs)(const Costs* c);

/* The next context's, in order of object, file and name.  Valid until the
   next call.  Returns False if there is none. */
Bool DCFG_(next_costs)(Costs* c, ContextCosts* cc);

/* A place that says what is known of an instruction: its own if anything
   ever jumped to it, else one in the same object and section. */
const Place* DCFG_(place_of_instr)(const Costs* c, UInt instr);

#endif /* __DCFG_COSTS_H */


/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
