/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls by who makes and who gets them. */

#ifndef __DCFG_CALLS_H
#define __DCFG_CALLS_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "calls/context.h"
#include "calls/function.h"
#include "dcfg_bb.h"

/* The calls of a function in .to_context, whose first instruction is at
   .to, from an instruction in .context: number INSTR of superblock SB, or
   (SB is NULL) the one before a return address, at .from.  Where .to is NULL
   it is a stub that was gone through, and its cost the caller's own. */
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
      ULong         cost;         // instructions, of all that have ended
      Bool          told;         // when a profile was last written
   }
   Call;

/* Where calls come from: fields of a Call. */
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

/* What is collected, of one thread or of all. */
#define DCFG_RECENT_CALLS 2048u
typedef
   struct _CallProfile {
      VgHashTable*   calls;       // Call
      ContextCounts* contexts;
      UInt           n_stacks;    // that have it, see calls/follow.c
      Call*          recent[DCFG_RECENT_CALLS];   // where they hash to
   }
   CallProfile;

CallProfile* DCFG_(new_call_profile)(void);
void         DCFG_(delete_call_profile)(CallProfile* cp);

/* CP's calls from S to the function at TO, made if there were none.  Valid
   as long as CP. */
Call* DCFG_(find_call)(CallProfile* cp, const CallSite* s, const Place* to,
                       UInt to_context);

/* As Callgrind has it, calls that have not cost anything so far are not of
   the part that is written, but of the one in which they will.  Note which
   of CP's are told of, now that their costs are complete; and add those of OLD
   that were not to CP, which is new. */
void DCFG_(note_told_calls)(CallProfile* cp);
void DCFG_(carry_calls)(CallProfile* old, CallProfile* cp);

#endif /* __DCFG_CALLS_H */
