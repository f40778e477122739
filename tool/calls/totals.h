/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The sums of functions and calls. */

#ifndef __DCFG_TOTALS_H
#define __DCFG_TOTALS_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "dcfg_bb.h"
#include "format/port.h"
#include "tool/calls/function.h"

/* Total: instructions, each counted once, although activations contain each
   other.  .before is the sum before the present episode. */
typedef
   struct {
      ULong all;
      ULong before;
   }
   Total;

/* FunctionTotal: those of a function.  Generated code has its address. */
typedef
   struct {
      UInt  function;
      UInt  active;       // activations, but for quick calls
      ULong self;
      Total total;        // with all that it called
   }
   FunctionTotal;

/* PairTotal: all calls from one function to another. */
typedef
   struct _PairTotal {
      struct _PairTotal* hash_next;
      UWord              hash_key;
      UInt               caller, callee;
      Bool               told;     // does the last file have the calls so far?
      UInt               active;   // activations, but for quick calls
      ULong              count;
      ULong              quick;    // instructions of quick calls, which are in
                                   // the caller's self cost
      Total              total;
   }
   PairTotal;

/* CallTotals: those of a thread; those of its signal handlers stand apart. */
#define DCFG_RECENT_TOTALS 512u
typedef
   struct _CallTotals {
      VgHashTable*    calls;       // PairTotal
      FunctionTotal** functions;   // by number; 0 is none; NULL: nothing yet
      UInt            n_functions;
      struct _CallTotals* handlers;   // handlers that interrupt these; NULL: none
                                      // ran
      PairTotal*      recent[DCFG_RECENT_TOTALS];   // cache of .calls
   }
   CallTotals;

CallTotals* DCFG_(new_call_totals)(void);
void        DCFG_(delete_call_totals)(CallTotals* ct);

/* Add CT, but not its handlers', to SUM. */
void DCFG_(add_call_totals)(CallTotals* sum, const CallTotals* ct);

/* Note which calls of CT are in the file that gets WRITTEN: those that cost
   something. */
void DCFG_(note_told_totals)(CallTotals* ct, CallTotals* written);

/* Forget all sums.  What is active stays so.  CARRY: keep the number of calls
   that are in no file, which is Callgrind's rule. */
void DCFG_(clear_call_totals)(CallTotals* ct, Bool carry);

/* Return the sums of handlers that interrupt CT; NULL if CT is. */
CallTotals* DCFG_(totals_of_handlers)(CallTotals* ct);

/* Begin an episode. */
void DCFG_(begin_episode)(CallTotals* ct);

/* Return the total of function F, which has none. */
FunctionTotal* DCFG_(new_function_total)(CallTotals* ct, UInt f);

static inline FunctionTotal* DCFG_(function_total)(CallTotals* ct, UInt f)
{
   return f < ct->n_functions && ct->functions[f] != NULL
          ? ct->functions[f] : DCFG_(new_function_total)(ct, f);
}

/* Return the total of calls from CALLER to CALLEE, which is new if there were
   none.  Valid as long as CT. */
PairTotal* DCFG_(search_pair_total)(CallTotals* ct, UInt caller, UInt callee);

static inline PairTotal* DCFG_(pair_total)(CallTotals* ct, UInt caller,
                                           UInt callee)
{
   PairTotal* c = ct->recent[(caller * 31 + callee) % DCFG_RECENT_TOTALS];

   return c != NULL && c->caller == caller && c->callee == callee
          ? c : DCFG_(search_pair_total)(ct, caller, callee);
}

/* Return the sums of THREAD, with those of active calls, as if they ended now.
   The caller deletes them.  Called while the profile has the costs of active
   calls: see DCFG_(account_for_calls). */
CallTotals* DCFG_(totals_of_thread)(UInt thread);

#endif /* __DCFG_TOTALS_H */
