/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The table of calls, by caller and callee. */

/* Owns: the table of all calls, with the number and cost of each.  Handed:
   calls, counts and costs by tool/calls/stack.c.  Taken by: tool/calls/follow.c,
   tool/profile/costs.c. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"

#include "tool/calls/calls.h"

static Word cmp_calls(const void* va, const void* vb)
{
   const Call*    a = va;
   const CallSite s = DCFG_(site_of)(a);
   return !DCFG_(is_call)(vb, &s, a->to, a->to_context);
}

/* Return the call that is equal to this one, or a new one. */
static Call* new_call(CallProfile* cp, UWord hash, const CallSite* s,
                      const Place* to, UInt to_context)
{
   Call  key = { NULL, hash, s->sb, s->instr, s->from, s->context, to,
                 to_context, 0, 0, False };
   Call* c   = VG_(HT_gen_lookup)(cp->calls, &key, cmp_calls);

   if (c == NULL) {
      c  = VG_(malloc)("dcfg.calls.call", sizeof(*c));
      *c = key;
      VG_(HT_add_node)(cp->calls, c);
   }
   return c;
}

Call* DCFG_(find_call)(CallProfile* cp, const CallSite* s, const Place* to,
                       UInt to_context)
{
   UWord  hash   = ((UWord)(s->sb == NULL ? 0 : s->sb->id) * 31
                    + s->context) * 1000003
                   + (to == NULL ? 0 : to->hash_key * 4) + to_context % 2;
   Call** recent = &cp->recent[(hash ^ hash >> 10) % DCFG_RECENT_CALLS];

   if (*recent == NULL || !DCFG_(is_call)(*recent, s, to, to_context))
      *recent = new_call(cp, hash, s, to, to_context);
   return *recent;
}

void DCFG_(note_told_calls)(CallProfile* cp)
{
   Call* c;

   VG_(HT_ResetIter)(cp->calls);
   while ((c = VG_(HT_Next)(cp->calls)) != NULL)
      c->told = c->cost > 0;
}

void DCFG_(carry_calls)(CallProfile* old, CallProfile* cp)
{
   const Call* c;

   VG_(HT_ResetIter)(old->calls);
   while ((c = VG_(HT_Next)(old->calls)) != NULL)
      if (!c->told && c->count > 0) {
         CallSite s = DCFG_(site_of)(c);
         DCFG_(find_call)(cp, &s, c->to, c->to_context)->count = c->count;
      }
}

CallProfile* DCFG_(new_call_profile)(void)
{
   CallProfile* cp = VG_(calloc)("dcfg.calls.profile", 1, sizeof(*cp));

   cp->calls    = VG_(HT_construct)("dcfg.calls.calls");
   cp->contexts = DCFG_(new_context_counts)();
   return cp;
}

void DCFG_(delete_call_profile)(CallProfile* cp)
{
   VG_(HT_destruct)(cp->calls, VG_(free));
   DCFG_(delete_context_counts)(cp->contexts);
   VG_(free)(cp);
}
