/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Jumps that are calls, and need no frame. */

/* Owns: the rule by which a jump counts as an earlier one.  Handed: jumps that are
   calls by tool/calls/stack.c.

   A function that goes on by a jump does not end, by Callgrind's rules: it ends
   together with the function that it jumps to.  So functions that go on by jumps
   alone, as those of an interpreter do, would need a frame for each jump.  But
   all these end together, at one total.  If there are many, a jump counts as an
   earlier one between the same functions: its frame has the number of such jumps,
   and the sum of their totals.  That is enough for costs.

   With --separate-callers contexts depend on the frames themselves, and with
   --collect-systime each has a time.  Then each jump has a frame. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "tool/calls/context.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/totals.h"

#define N_JUMPS   256      // a power of two

static inline Bool are_many(const CallStack* cs)
{
   return cs->n_frames > DCFG_FEW_JUMPS
          && cs->frames[cs->n_frames - 1].chain + DCFG_FEW_JUMPS < cs->n_frames;
}

/* Return whether F, which ends together with a jump to TO, is of the same
   CALL. */
static inline Bool is_same_jump(const CallStack* cs, const Frame* f,
                                const Call* call, const Place* to)
{
   return f->call == call && f->entry == to && f->function == cs->now.function;
}

/* Return the earlier jump as which one to TO counts; NULL: none. */
static Frame* earlier_jump(CallStack* cs, const Call* call, const Place* to)
{
   const UInt first = cs->frames[cs->n_frames - 1].chain;
   const UInt hash  = ((UWord)call >> 4 ^ (UWord)to >> 4) + cs->now.function;
   UInt*      known = &cs->jumps[hash % N_JUMPS];

   if (*known >= first && *known < cs->n_frames
       && is_same_jump(cs, &cs->frames[*known], call, to))
      return &cs->frames[*known];
   for (UInt i = cs->n_frames; i > first; i--)
      if (is_same_jump(cs, &cs->frames[i - 1], call, to)) {
         *known = i - 1;
         return &cs->frames[i - 1];
      }
   return NULL;
}

Bool DCFG_(jump_again)(CallStack* cs, const Call* call, const Place* to,
                       ULong total)
{
   if (!are_many(cs) || DCFG_(divides_contexts) || cs->times != NULL)
      return False;
   if (cs->jumps == NULL)
      cs->jumps = VG_(calloc)("dcfg.stack.jumps", N_JUMPS, sizeof(UInt));
   Frame* f = earlier_jump(cs, call, to);
   if (f == NULL)
      return False;
   settle_self(cs, total);
   f->more++;
   f->more_starts += total;
   count_jump(cs, f);
   ++*active(cs, to->function);
   cs->now.function = to->function;
   return True;
}
