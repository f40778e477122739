/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Costs, calls and jumps of each context. */

/* Private to profile/. */

#ifndef __DCFG_PROFILE_H
#define __DCFG_PROFILE_H

#include "dcfg_bb.h"
#include "tool/calls/calls.h"
#include "tool/run/flow.h"
#include "tool/run/gather.h"

/* Instructions are indices of Gathered.instrs. */

typedef
   struct {
      UInt  instr;
      ULong count;             // executions
   }
   Cost;

typedef
   struct {
      UInt  from, to;
      ULong count;
      ULong executed;          // executions of .from
      Bool  is_conditional;
   }
   Jump;

typedef
   struct {
      UInt        instr;       // index in Gathered.instrs
      const Call* call;
   }
   CostedCall;

/* ContextCosts: all of one context, by instruction. */
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

#define DCFG_ALL_THREADS 0xFFFFFFFFu

/* Collect the costs in CP, of THREAD or DCFG_ALL_THREADS, for the run GATHERED.
   Both must live longer than the result. */
Costs* DCFG_(take_costs)(const Gathered* gathered, const CallProfile* cp,
                         UInt thread, Bool with_jumps);
void   DCFG_(delete_costs)(Costs* costs);

/* Return the number of all instructions; return how often superblocks ran. */
ULong DCFG_(total_cost)(const Costs* costs);
ULong DCFG_(total_runs)(const Costs* costs);

/* Get the costs of the next context, by object, file and name.  Valid until the
   next call.  Return False if there is none. */
Bool DCFG_(next_costs)(Costs* costs, ContextCosts* cc);

/* Return a place that describes an instruction: its own if anything ever jumped
   to it, else one in the same object and section. */
const Place* DCFG_(place_of_instr)(const Costs* costs, UInt instr);

#endif
