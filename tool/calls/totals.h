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
   other.  .episode is the last one in which something was added, and .before
   the sum before it. */
typedef
   struct {
      ULong all;
      ULong before;
      ULong episode;
   }
   Total;

/* FunctionTotal: those of a function.  Generated code has its address. */
typedef
   struct {
      ULong active;       // activations
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
      ULong              active;
      ULong              count;
      ULong              quick;    // instructions of quick calls, which are in
                                   // the caller's self cost
      Total              total;
   }
   PairTotal;

/* CallTotals: those of a thread. */
#define DCFG_RECENT_TOTALS 512u
typedef
   struct {
      VgHashTable*    calls;       // PairTotal
      FunctionTotal** functions;   // by number; 0 is none; NULL: nothing yet
      UInt            n_functions;
      ULong           episode;     // the last one that began
      PairTotal*     recent[DCFG_RECENT_TOTALS];   // cache of .calls
   }
   CallTotals;

CallTotals* DCFG_(new_call_totals)(void);
CallTotals* DCFG_(copy_call_totals)(const CallTotals* ct);
void        DCFG_(delete_call_totals)(CallTotals* ct);

/* Note which calls of CT are in the file that gets WRITTEN: those that cost
   something. */
void DCFG_(note_told_totals)(CallTotals* ct, CallTotals* written);

/* Forget all sums.  What is active stays so.  CARRY: keep the number of calls
   that are in no file, which is Callgrind's rule. */
void DCFG_(clear_call_totals)(CallTotals* ct, Bool carry);

/* Begin EPISODE. */
void DCFG_(begin_episode)(CallTotals* ct, ULong episode);

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

/* Add N to T, in EPISODE. */
static inline void DCFG_(add_to_total)(Total* t, ULong episode, ULong n)
{
   if (t->episode != episode) {
      t->episode = episode;
      t->before  = t->all;
   }
   t->all += n;
}

/* All N instructions of EPISODE so far count for T: what was added in it is
   among them. */
static inline void DCFG_(set_total)(Total* t, ULong episode, ULong n)
{
   DCFG_(add_to_total)(t, episode, 0);
   t->all = t->before + n;
}

/* QuickCall: calls from one instruction, by one function to another, which
   generated code pushes and pops. */
typedef
   struct _QuickCall {
      FunctionTotal*     caller;    // this is never 0
      FunctionTotal*     callee;
      PairTotal*         pair;
      const Place*       to;
      Superblock*        sb;
      UInt               instr;
      Addr               target;    // by a stub: where it jumped to
      struct _QuickCall* next;      // the next one of .sb
   }
   QuickCall;

/* QuickFrame: an active quick call. */
typedef
   struct {
      UWord      sp;                // stack pointer at the callee's begin
      UWord      below;             // the stack pointer of the call around it
      ULong      start;             // instruction total at the begin
      QuickCall* call;
      ULong      function_active;   // activations of the callee around it
      ULong      pair_active;       // likewise, the pair's
   }
   QuickFrame;

/* The quick call that is none. */
extern QuickCall DCFG_(no_quick_call);

/* Return the sums of THREAD, with those of active calls, as if they ended now.
   The caller deletes them.  Called while the profile has the costs of active
   calls: see DCFG_(account_for_calls). */
CallTotals* DCFG_(totals_of_thread)(UInt thread);

#endif /* __DCFG_TOTALS_H */
