/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: how often each piece of code ran in each context, the source of self
   costs; the table of all calls, with the number and cost of each.  Also the
   fields that following calls adds to a superblock's record and to a thread's
   slots, and two facts for all of calls/: is anything counted, and who
   listens?  Handed: contexts, through CallContext, calls, counts and costs by
   tool/calls/stack.c; room for the fields by tool/run/cells.c and dcfg_bb.c.

   The function that a superblock runs in follows only from the calls before:
   functions share code, and Callgrind separates recursive activations from the
   outermost one.  Usually it is the same as last time.  So generated code
   compares the context with that of the last time, which is in the
   superblock's own cache, and counts there.  A flush empties the caches, so
   that the next flush takes time only for code that ran since. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "tool/calls/calls.h"

/*--- Fields and slots                                     ---*/

SizeT  DCFG_(call_fields_offset);
CellNo DCFG_(first_call_slot);

Bool DCFG_(counts_contexts);
Bool DCFG_(sums_calls);

const CallListener* DCFG_(call_listener);
UInt                DCFG_(stack_watcher);

void DCFG_(claim_call_fields)(Bool counts)
{
   if (counts)
      DCFG_(counts_contexts) = True;
   if (DCFG_(first_call_slot) != 0)
      return;
   DCFG_(call_fields_offset) = DCFG_(claim_fields)(sizeof(CallFields));
   DCFG_(first_call_slot)    = DCFG_(claim_slots)(N_CALL_SLOTS);
}

/*--- Segments                                             ---*/

UInt DCFG_(segment_of)(const Superblock* sb, UInt k)
{
   UInt n = 0;

   for (UInt i = 0; i < sb->n_exits && sb->exits[i].instr < k; i++)
      if (i == 0 || sb->exits[i].instr != sb->exits[i - 1].instr)
         n++;
   return n;
}

UInt DCFG_(segment_end)(const Superblock* sb, UInt k)
{
   for (UInt i = 0; i < sb->n_exits; i++)
      if (sb->exits[i].instr >= k)
         return sb->exits[i].instr + 1u;
   return sb->n_instrs;
}

static Bool counts_last_exits;

void DCFG_(count_last_exits)(void)
{
   counts_last_exits = True;
}

UInt DCFG_(n_segments)(const Superblock* sb)
{
   return DCFG_(segment_of)(sb, counts_last_exits ? sb->n_instrs
                                                  : sb->n_instrs - 1) + 1;
}

/*--- Counts                                               ---*/

static ContextCounts* new_context_counts(void)
{
   return VG_(HT_construct)("dcfg.context.counts");
}

static void delete_context_counts(ContextCounts* cc)
{
   VG_(HT_destruct)(cc, VG_(free));
}

static Word cmp_counts(const void* va, const void* vb)
{
   const ContextCount* a = va;
   const ContextCount* b = vb;
   return a->sb != b->sb || a->context != b->context
          || a->place != b->place || a->faults != b->faults;
}

static void add_count(ContextCounts* cc, UInt sb, UInt place, Bool faults,
                      UInt context, ULong n)
{
   ContextCount  key = { NULL, 0, sb, context, place, faults, 0 };
   ContextCount* c;

   key.hash_key = (UWord)sb * 1000003 + place * 127 + context;
   c = VG_(HT_gen_lookup)(cc, &key, cmp_counts);
   if (c == NULL) {
      c  = VG_(malloc)("dcfg.context.count", sizeof(*c));
      *c = key;
      VG_(HT_add_node)(cc, c);
   }
   c->count += n;
}

void DCFG_(count_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context)
{
   add_count(cc, sb, k, True, context, 1);
}

void DCFG_(uncount_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context)
{
   add_count(cc, sb, k, True, context, -1LL);
}

/*--- Caches                                               ---*/

void DCFG_(count_contexts)(const Superblock* sb)
{
   CallFields* fields = DCFG_(call_fields)(sb);

   if (fields->contexts == 0)
      fields->contexts = DCFG_(new_slots)(DCFG_SEGMENT_SLOTS
                                        * DCFG_(n_segments)(sb));
}

/* A jump at an exit of the first instruction may leave it before it has
   completed, and is a run of the segment then. */
Bool DCFG_(segment_counts_starts)(const Superblock* sb)
{
   for (UInt i = 0; i < sb->n_exits && sb->exits[i].instr == 0; i++)
      if (sb->exits[i].counting == ExitBefore)
         return False;
   return sb->started != 0;
}

/* Empty an entry of the cache: add its count to the table. */
static void flush_entry(ULong* base, const Superblock* sb, UInt segment,
                        ULong* entry)
{
   if (entry[1] != 0 && segment == 0 && DCFG_(segment_counts_starts)(sb))
      DCFG_(add_to_counter)(&base[sb->started], entry[1]);
   if (entry[0] > DCFG_NO_CONTEXT && entry[1] != 0)
      add_count((ContextCounts*)(Addr)DCFG_(call_slots)(base)[CallCounts],
                sb->id, segment, False, entry[0], entry[1]);
   entry[1] = 0;
}

static ULong* entries_of(ULong* base, const Superblock* sb, UInt segment)
{
   return base + DCFG_(call_fields)(sb)->contexts
               + DCFG_SEGMENT_SLOTS * segment;
}

void DCFG_(context_miss)(ULong* base, Superblock* sb, UWord segment)
{
   const ULong* slots = DCFG_(call_slots)(base);
   ULong        now   = slots[CallContext];
   ULong*       entry = entries_of(base, sb, segment)
                        + 2 * DCFG_CONTEXT_BIT(now);

   if (entry[0] == 0)
      VG_(addToXA)((XArray*)(Addr)slots[CallCached], &sb->id);
   flush_entry(base, sb, segment, entry);
   entry[0] = now;
}

void DCFG_(first_context_miss)(ULong* base, Superblock* sb)
{
   DCFG_(context_miss)(base, sb, 0);
}

void DCFG_(flush_contexts)(ULong* base)
{
   XArray* cached = (XArray*)(Addr)DCFG_(call_slots)(base)[CallCached];

   for (Word i = 0; i < VG_(sizeXA)(cached); i++) {
      const Superblock* sb
         = DCFG_(superblock)(*(UInt*)VG_(indexXA)(cached, i));
      for (UInt s = 0; s < DCFG_(n_segments)(sb); s++) {
         ULong* entry = entries_of(base, sb, s);
         flush_entry(base, sb, s, entry);
         flush_entry(base, sb, s, entry + 2);
         entry[0] = entry[2] = 0;
      }
   }
   VG_(dropTailXA)(cached, VG_(sizeXA)(cached));
}

/*--- Calls                                                ---*/

Call DCFG_(any_call);

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
                 to_context, 0, 0, False, NULL };
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
   cp->contexts = new_context_counts();
   return cp;
}

static void delete_call(void* c)
{
   VG_(free)(((Call*)c)->sys);
   VG_(free)(c);
}

void DCFG_(delete_call_profile)(CallProfile* cp)
{
   VG_(HT_destruct)(cp->calls, delete_call);
   delete_context_counts(cp->contexts);
   VG_(free)(cp);
}
