/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counts of calls: contexts, and calls by caller and callee. */

#ifndef __DCFG_CALLS_H
#define __DCFG_CALLS_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "dcfg_bb.h"
#include "format/port.h"
#include "tool/calls/function.h"
#include "tool/run/cells.h"

/*--- Who listens                                          ---*/

/* CallListener: gets each call and return in order, without costs.  Functions
   of a stack are left in the opposite order of entering them; the last one of a
   thread's own stack is left when the thread ends.  BASE is the base of the
   thread's cell array.  INSTRS is the number of collected instructions on the
   stack, which never decreases. */
typedef
   struct {
      /* FUNCTION, a number of tool/calls/function.h, is entered: as the first
         one of a thread or handler, by a call, or by a jump.  If not IS_START,
         control comes back to it after it had been left by a jump. */
      void (*enter)(ULong* base, UInt function, ULong instrs,
                    Bool is_start);
      /* The innermost function is left; if BY_JUMP, the function that is
         entered next replaces it. */
      void (*leave)(ULong* base, ULong instrs, Bool by_jump);
      /* Collecting is turned off, so that INSTRS stays the same, or ON.
         Functions are entered and left meanwhile. */
      void (*turn)(ULong* base, ULong instrs, Bool on);
      /* The thread goes on on another stack.  TO is what change_stack() has
         returned when that was left, or NULL: it is a new one.  If ANEW, it begins
         once more, and all that was entered there is left.  INSTRS are those on the
         stack that the thread leaves. */
      void* (*change_stack)(ULong* base, void* to, Bool anew, ULong instrs);
      /* Offsets of registers in the guest state that must be up to date when a
         function is entered. */
      UInt        n_registers;
      const Int*  registers;
   }
   CallListener;

/* The listener, or NULL: see DCFG_(listen_to_calls). */
extern const CallListener* DCFG_(call_listener);

/* The number of the watcher whose states are stacks. */
extern UInt DCFG_(stack_watcher);

/*--- Fields and slots                                     ---*/

struct _Call;

/* CallFields: the fields in each superblock's record. */
typedef
   struct {
      const Place*  place;       // the place of .addr; NULL: not translated
                                 // since calls are followed
      CellNo        contexts;    // slots, see DCFG_SEGMENT_SLOTS; 0: none
      struct _Call* last_call;   // the last call from here
      struct _QuickCall*  quick;   // likewise, see tool/calls/quick.h
      struct _QuickCall** targets; // likewise, by the target of an indirect
                                   // call
      struct _QuickCall*  quicks;  // all of them
   }
   CallFields;

/* Slots in each thread's array, from DCFG_(first_call_slot) on. */
enum {
   CallTotal,         // executed instructions
   CallContext,       // the present context, see DCFG_CONTEXT
   CallCounts,        // the thread's ContextCounts
   CallTopSp,         // the stack pointer of the innermost call
   CallOfStack,       // the thread's CallStack
   CallEntries,       // base of the array, plus 16 bytes if the present
                      // context's bit is set
   CallCached,        // XArray of UInt: superblocks with a cached context, see
                      // tool/calls/calls.c
   CallRuns,          // superblocks that ran, if --dump-every-bb asks for them
   CallQuickTop,      // QuickFrame: the innermost one, see
                      // tool/calls/quick.h
   CallQuickEnd,      // the last one that there is room for
   N_CALL_SLOTS
};

/* Claim room for the fields and slots, before the program runs.  COUNTS: costs
   are counted by context. */
void DCFG_(claim_call_fields)(Bool counts);

extern Bool DCFG_(counts_contexts);
extern Bool DCFG_(sums_calls);          // sums are wanted

extern SizeT  DCFG_(call_fields_offset);
extern CellNo DCFG_(first_call_slot);

/* Return whether the usual calls and returns are quick: generated code does all
   of them.  Known when the program runs. */
Bool DCFG_(has_quick_calls)(void);

static inline CallFields* DCFG_(call_fields)(const Superblock* sb)
{
   return (CallFields*)((Addr)sb + DCFG_(call_fields_offset));
}

/* Return the call slots of the thread's array at BASE. */
static inline ULong* DCFG_(call_slots)(ULong* base)
{
   return base + DCFG_(first_call_slot);
}

/*--- Ways out                                             ---*/

/* LeaveKind: how control leaves a superblock, according to VEX. */
typedef
   enum {
      LeaveJump,      // or falls through
      LeaveCall,
      LeaveReturn
   }
   LeaveKind;

/* The number that generated code passes for a way out of a superblock: at its
   end, or at an exit. */
#define DCFG_LEAVE(instr, at_end, kind) \
   ((UWord)(instr) << 3 | (UWord)(at_end) << 2 | (kind))
#define DCFG_LEAVE_INSTR(leave)  ((UInt)(leave) >> 3)
#define DCFG_LEAVE_AT_END(leave) ((leave) >> 2 & 1)
#define DCFG_LEAVE_KIND(leave)   ((LeaveKind)((leave) & 3))

/*--- Contexts                                             ---*/

/* Context: a function, once for its outermost activation and once for all
   activations inside another one of the same function.  DCFG_NO_CONTEXT is none:
   costs are counted elsewhere then.  0 is none, too, where nothing counts.  With
   some options the first number is that of a chain: tool/calls/context.c tells, and
   reads contexts. */
#define DCFG_CONTEXT(chain, bit)    (2 * (chain) + (bit))
#define DCFG_NO_CONTEXT             DCFG_CONTEXT(0, 1)
#define DCFG_CONTEXT_CHAIN(context) ((context) / 2)
#define DCFG_CONTEXT_BIT(context)   ((context) % 2)

/* Segment: a sequence of a superblock's instructions that only a signal can
   leave in the middle.  A superblock is divided after each instruction that has
   an exit.  After an exit of the last instruction there is an empty segment,
   which counts how often the exit was not taken, if jumps are wanted.  Each
   segment has slots for a cache of two entries {context, count}; the second one
   is for contexts whose bit is set. */
#define DCFG_SEGMENT_SLOTS 4u

/* Return the number, from 0, of the segment that has instruction K, or of the
   empty one if K is .n_instrs; return the first instruction behind that
   segment. */
UInt DCFG_(segment_of)(const Superblock* sb, UInt k);
UInt DCFG_(segment_end)(const Superblock* sb, UInt k);

/* Return the number of segments that are counted. */
UInt DCFG_(n_segments)(const Superblock* sb);

/* Count empty segments, too, from now on. */
void DCFG_(count_last_exits)(void);

/* ContextCount: segment PLACE of SB ran COUNT times in CONTEXT; or, if .faults,
   signals kept it COUNT times from running instruction PLACE and the rest. */
typedef
   struct _ContextCount {
      struct _ContextCount* hash_next;
      UWord                 hash_key;
      UInt                  sb;
      UInt                  context;
      UShort                place;
      Bool                  faults;
      ULong                 count;
   }
   ContextCount;

typedef VgHashTable ContextCounts;

/* Give SB slots for its segments, if it has none. */
void DCFG_(count_contexts)(const Superblock* sb);

/* Put the present context into SEGMENT's cache, or the first one's.  Called by
   generated code, with the base of the thread's cell array, if another one is
   there. */
void DCFG_(context_miss)(ULong* base, Superblock* sb, UWord segment);
void DCFG_(first_context_miss)(ULong* base, Superblock* sb);

/* Return whether SB's first segment runs as often as SB's counter of starts
   says.  Then only the segment is counted; a flush sets the counter. */
Bool DCFG_(segment_counts_starts)(const Superblock* sb);

/* Count that a signal left SB at instruction K; take that back. */
void DCFG_(count_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);
void DCFG_(uncount_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);

/* Empty the caches of the thread at BASE into its counts. */
void DCFG_(flush_contexts)(ULong* base);

/*--- Calls                                                ---*/

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
      ULong*        sys;          // system calls in it, as in .cost, or NULL:
                                  // see tool/calls/systime.h
   }
   Call;

/* The Call of all calls if costs are not counted. */
extern Call DCFG_(any_call);

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
      UInt           n_stacks;    // stacks that share it
      Call*          recent[DCFG_RECENT_CALLS];   // cache of calls by hash
   }
   CallProfile;

CallProfile* DCFG_(new_call_profile)(void);
void         DCFG_(delete_call_profile)(CallProfile* cp);

/* Return CP's calls from S to the function at TO, which are new if there were
   none.  Valid as long as CP. */
Call* DCFG_(find_call)(CallProfile* cp, const CallSite* s, const Place* to,
                       UInt to_context);

/* C is made once more; it has cost so much more. */
static inline void DCFG_(count_call)(Call* c)
{
   c->count++;
}

static inline void DCFG_(add_call_cost)(Call* c, ULong cost)
{
   c->cost += cost;
}

/* Calls without cost are not in the part that is being written, but in the part
   in which they get a cost.  This is Callgrind's rule.  note_told_calls() notes
   which of CP's calls are written, now that their costs are complete.
   carry_calls() adds the others, in OLD, to the new CP. */
void DCFG_(note_told_calls)(CallProfile* cp);
void DCFG_(carry_calls)(CallProfile* old, CallProfile* cp);

#endif
