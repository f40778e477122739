/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Costs, calls and jumps of each function. */

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
