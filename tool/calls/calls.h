/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The table of calls, by caller and callee. */

#ifndef __DCFG_CALLS_H
#define __DCFG_CALLS_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "tool/calls/context.h"
#include "tool/calls/function.h"
#include "dcfg_bb.h"

/* Call: all calls from one instruction in one context to one function in one
   context.  The callee is the function in .to_context whose first instruction
   is at .to.  If .to is NULL, it is a stub, whose cost is the caller's own.
   The calling instruction, in .context, is number .instr of superblock .sb; if
   .sb is NULL, it is the one before the return address .from. */
typedef
   struct _Call {
      struct _Call* hash_next;
      UWord         hash_key;
      Superblock*   sb;
      UInt          instr;
      const Place*  from;
      UInt          context;
      const Place*  to;
      UInt          to_context;
      ULong         count;
      ULong         cost;         // instructions, in calls that have ended
      Bool          told;         // was it in the last profile that was
                                  // written?
   }
   Call;

/* CallSite: the caller's fields of a Call. */
typedef
   struct {
      Superblock*  sb;
      UInt         instr;
      const Place* from;
      UInt         context;
   }
   CallSite;

static inline CallSite DCFG_(site_of)(const Call* c)
{
   CallSite s = { c->sb, c->instr, c->from, c->context };
   return s;
}

static inline Bool DCFG_(is_call)(const Call* c, const CallSite* s,
                                  const Place* to, UInt to_context)
{
   return c->to == to && c->sb == s->sb && c->context == s->context
          && c->to_context == to_context && c->instr == s->instr
          && c->from == s->from;
}

/* CallProfile: the calls and costs of one thread or of all. */
#define DCFG_RECENT_CALLS 2048u
typedef
   struct _CallProfile {
      VgHashTable*   calls;       // Call
      ContextCounts* contexts;
      UInt           n_stacks;    // stacks that share it, see tool/calls/follow.c
      Call*          recent[DCFG_RECENT_CALLS];   // cache of calls by hash
   }
   CallProfile;

CallProfile* DCFG_(new_call_profile)(void);
void         DCFG_(delete_call_profile)(CallProfile* cp);

/* Return CP's calls from S to the function at TO, which are new if there were
   none.  Valid as long as CP. */
Call* DCFG_(find_call)(CallProfile* cp, const CallSite* s, const Place* to,
                       UInt to_context);

/* Calls without cost are not in the part that is being written, but in the part
   in which they get a cost.  This is Callgrind's rule.  note_told_calls() notes
   which of CP's calls are written, now that their costs are complete.
   carry_calls() adds the others, in OLD, to the new CP. */
void DCFG_(note_told_calls)(CallProfile* cp);
void DCFG_(carry_calls)(CallProfile* old, CallProfile* cp);

#endif /* __DCFG_CALLS_H */
