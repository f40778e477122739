/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The stack of active calls of a thread, as its files share it. */

/* Private to stack.c and switch.c, which change it, context.c, quick.c, systime.c
   and unfinished.c. */

#ifndef __DCFG_STACK_STATE_H
#define __DCFG_STACK_STATE_H

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "format/stacks.h"
#include "tool/arch/guest.h"
#include "tool/calls/calls.h"
#include "tool/calls/totals.h"
#include "tool/run/cells.h"
#include "tool/run/thread.h"

/* Frame: an active call. */
typedef
   struct {
      Call*       call;        // NULL: a stub
      Addr        sp;          // stack pointer at the callee's begin
      const Place* entry;      // the callee's first place
      Bool        resolves;    // is it the dynamic linker's resolver?
      ULong       start;       // instruction total at the begin, or when its
                               // stack was resumed
      UInt        more;        // jumps that count as this one: see
                               // jump_again()
      UInt        chain;       // index of the first of the jumps, at one stack
                               // pointer, that end with this one
      ULong       more_starts; // the sum of their totals, as in .start
      Superblock* sb;          // the caller; NULL for a jump
      UInt        instr;       // index of the calling instruction
      /* State of the caller: */
      UInt        function;
      UInt        height;
      Call*       stub;
      Bool        was_left;
      /* Has the listener been told of the end already? */
      Bool        ended;
      /* For sums: the pair of functions, or NULL; is no other activation of it,
         or of the callee, around this one? */
      Bool        is_outer_pair;
      Bool        is_outer;
      PairTotal*  pair;
      ULong       pair_all;      // sums at the begin
      ULong       function_all;
   }
   Frame;

/* FirstFunction: the function that was there first, in a thread or handler. */
typedef
   struct {
      UInt  function;      // 0: none
      Bool  is_outer;      // as in a Frame
      ULong start;         // instruction total when it began
   }
   FirstFunction;

/* Running: the function that runs now. */
typedef
   struct {
      UInt  function;      // 0: nothing has run
      UInt  height;        // changes of function since the base
      Call* stub;          // the stub that runs, or NULL
      ULong stub_start;    // instruction total when that began
      Bool  was_left;      // has the listener been told that a jump left it?
   }
   Running;

/* PendingStub: a stub that runs without a frame, and its call. */
typedef
   struct {
      const Place* stub;      // NULL: none
      Superblock*  sb;
      UInt         instr;
      Bool         is_jump;
      Bool         at_end;    // not at an exit of .sb
      Addr         sp;        // stack pointer that it is called with
      ULong        start;     // instruction total when it began
   }
   PendingStub;

/* Stack: one that threads run on, as tool/calls/switch.c has it.  The calls of
   the one that a thread runs on now are in its CallStack. */
typedef
   struct {
      StackSpan     span;
      CallProfile*  profile;   // the one in which the calls of .frames are
      Frame*        frames;
      UInt          n_frames, room;
      Running       now;
      FirstFunction first;
      Bool          collects;
      ULong         cost;      // instructions in earlier turns, without those of
                               // handlers
      ULong         ran;       // with them
      void*         log;       // the listener's
   }
   Stack;

/* Departure: the stack pointer has been loaded with what may be of another
   stack. */
typedef
   struct {
      Addr   from, to;     // its old and its new value; .to is 0: it is in its
                           // stack
      Stack* left;         // the stack that was left there, or NULL
      Bool   inside;       // .to is in the present stack
   }
   Departure;

/* Alternate: another stack that handlers run on.  Stack pointers there and those
   that the first of them interrupted cannot be compared. */
typedef
   struct {
      Addr  low;
      SizeT size;          // 0: there is none
      UInt  n_frames;      // the calls that were interrupted
   }
   Alternate;

static inline Bool is_on_alternate(const Alternate* a, Addr sp)
{
   return sp - a->low <= a->size;
}

/* Suspended: the state that a handler interrupted. */
typedef
   struct {
      Running       running;
      FirstFunction first;
      ULong         total;
      ULong         since;
      CallTotals*   totals;
      UInt          n_frames;
      Bool          collects;
      Addr          sp;          // the stack pointer
      Departure     departure;
      Alternate     alternate;
   }
   Suspended;

/* CallStack: the active calls of a thread. */
typedef struct _CallStack CallStack;
struct _CallStack {
   UInt         index;     // index of the thread
   UInt         number;    // from 1; no other one had it
   CellArray*   cells;
   CellArray*   idle_cells;       // used while the thread is not collected
   Bool         is_idle;          // uses .idle_cells now
   Bool         collects;         // shall be collected; see tool/calls/toggle.c
   Bool         is_ending;        // the thread has ended
   Bool         at_way_out;       // is at a way out for .bound_for
   Bool         is_stopped;       // tool/run/event.c has been told so
   Addr         bound_for;
   CallProfile* profile;
   Bool         has_own_profile;  // otherwise it is shared
   Stack*       own;       // the stack that it began on
   Stack*       on;        // the one that it runs on
   Stack*       before;    // the one that it came from, if it is still left
   ULong        before_low;
   Departure    departure;
   Bool         has_arrived;      // has come there by its last way out
   ULong        turn;      // instruction total when it came there
   ULong        elsewhere; // instructions that it has executed on others
   UInt*        jumps;     // a cache of frames, see tool/calls/jumps.c
   Frame*       frames;    // outermost first
   UInt         n_frames, room;
   UInt*        active;    // for each function: number of activations
   UInt         n_active;
   Running      now;
   FirstFunction first;
   ULong        since;     // instruction total that .totals have as self costs
   CallTotals*  totals;    // the thread's sums, or those of the handler that
                           // runs; NULL: not wanted
   CallTotals*  all_totals;       // the thread's
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   Alternate    alternate;
   ULong        returned;  // 1 + the instruction total when the base last
                           // returned
   ULong        earlier;   // instructions that the total lacks, as those of
                           // handlers
   XArray*      cached;    // see CallCached
   struct _QuickFrame* quick;     // room for quick calls, or NULL.  The first
                                  // one is none: .call->callee is the function
                                  // that runs, or NULL: no quick call may begin
   PendingStub  pending;
   struct _SystemTimes* times;    // NULL: system calls cost nothing
};

/* Return the stack of THREAD. */
static inline CallStack* DCFG_(stack_of_thread)(UInt thread)
{
   return DCFG_(thread_state)(thread, DCFG_(stack_watcher));
}

/* Add the costs of active calls so far to the profile, or take them BACK. */
void DCFG_(add_active_costs)(const CallStack* cs, Bool back);

/* Return the base of the array for collected code, whichever one generated code
   uses now. */
static inline ULong* base_of(const CallStack* cs)
{
   return DCFG_(cell_base)(cs->cells);
}

/* Return the instruction total of the thread. */
static inline ULong total_of(const CallStack* cs)
{
   return DCFG_(call_slots)(base_of(cs))[CallTotal];
}

/* Return whether nobody needs more than the stack and the sums. */
static inline Bool only_keeps_stack(void)
{
   return !DCFG_(counts_contexts) && DCFG_(call_listener) == NULL;
}

/* Return whether Callgrind takes a return behind SITE for the end of a call
   from there. */
static inline Bool is_real_call(const CallSite* s)
{
   if (s->sb == NULL)
      return False;
   switch (s->sb->kinds[s->instr]) {
      case InsnCall: case InsnIndirectCall: return True;
      case InsnJump:                        return DCFG_(guest).jumps_are_calls;
      default:                              return False;
   }
}

static inline void make_room_for_frames(CallStack* cs)
{
   cs->room   = cs->room ? 2 * cs->room : 64;
   cs->frames = VG_(realloc)("dcfg.stack.frames", cs->frames,
                             cs->room * sizeof(Frame));
}

/* Tell generated code the present context, for the thread's array at BASE. */
static inline void set_context(ULong* base, UInt context)
{
   ULong* slots = DCFG_(call_slots)(base);

   slots[CallContext]               = context;
   *(UWord*)(slots + CallEntries) = (UWord)(base + 2 * DCFG_CONTEXT_BIT(context));
}

/*--- Sums                                                 ---*/

/* Give the function that runs what it has cost since the last time. */
static inline void settle_self(CallStack* cs, ULong total)
{
   if (cs->totals == NULL)
      return;
   DCFG_(function_total)(cs->totals, cs->now.function)->self
      += total - cs->since;
   cs->since = total;
}

/* All N instructions of the episode so far count for T: what was added in it is
   among them. */
static inline void set_total(Total* t, ULong n)
{
   t->all = t->before + n;
}

/* Add to CT what the function of FIRST has cost. */
static inline void end_first(CallTotals* ct, const FirstFunction* first,
                             ULong total)
{
   if (ct != NULL && first->function != 0 && first->is_outer)
      set_total(&DCFG_(function_total)(ct, first->function)->total,
                total - first->start);
}

/* Call F, of PAIR, which ends with COST, counts in CT. */
static inline void set_call(CallTotals* ct, PairTotal* pair, const Frame* f,
                            ULong cost)
{
   if (f->is_outer)
      DCFG_(function_total)(ct, f->entry->function)->total.all
         = f->function_all + cost;
   if (pair != NULL && f->is_outer_pair)
      pair->total.all = f->pair_all + cost;
}

static inline void count_activation(CallStack* cs, UInt function, Int n)
{
   if (cs->totals != NULL && function != 0)
      DCFG_(function_total)(cs->totals, function)->active += n;
}

/* Return whether the present stack is not the thread's own, or was left. */
static inline Bool is_switched(const CallStack* cs)
{
   return cs->on != cs->own || cs->on->cost > 0;
}

/* The sum T goes on from what it is now.  That takes the place of an episode, as
   many stacks would make many episodes. */
static inline void go_on_from_now(Total* t)
{
   t->before = t->all;
}

static inline void begin_turn(CallStack* cs, UInt function)
{
   go_on_from_now(&DCFG_(function_total)(cs->totals, function)->total);
}

/* The base begins with FUNCTION. */
static inline void begin_first(CallStack* cs, UInt function, ULong total)
{
   if (cs->totals == NULL)
      return;
   settle_self(cs, total);
   cs->first = (FirstFunction){
      function, DCFG_(function_total)(cs->totals, function)->active == 0, total
   };
   if (is_switched(cs))
      begin_turn(cs, function);
   else
      DCFG_(begin_episode)(cs->totals);
   count_activation(cs, function, 1);
}

/* The base's function ends, and nothing runs. */
static inline void forget_first(CallStack* cs)
{
   settle_self(cs, total_of(cs));
   end_first(cs->totals, &cs->first, total_of(cs));
   count_activation(cs, cs->first.function, -1);
   cs->first.function = 0;
}

/* The base's function returns to FUNCTION, which was there before. */
static inline void move_first(CallStack* cs, UInt function, ULong total)
{
   FirstFunction* first = &cs->first;
   PairTotal*     pair;

   if (cs->totals == NULL)
      return;
   settle_self(cs, total);
   end_first(cs->totals, first, total);
   if (is_switched(cs))
      begin_turn(cs, function);
   if (first->function != 0) {
      pair = DCFG_(pair_total)(cs->totals, function, first->function);
      if (is_switched(cs))
         go_on_from_now(&pair->total);
      pair->count++;
      set_total(&pair->total, total - first->start);
   }
   count_activation(cs, first->function, -1);
   count_activation(cs, function, 1);
   first->function = function;
}

/* Call F begins, from the function that runs. */
static inline void begin_pair(CallStack* cs, Frame* f)
{
   const UInt callee = f->entry->function;

   if (cs->totals == NULL)
      return;
   settle_self(cs, f->start);
   FunctionTotal* function = DCFG_(function_total)(cs->totals, callee);
   f->is_outer     = function->active++ == 0;
   f->function_all = function->total.all;
   if (cs->now.function == 0)
      return;
   f->pair = DCFG_(pair_total)(cs->totals, cs->now.function, callee);
   f->pair->count++;
   f->is_outer_pair = f->pair->active++ == 0;
   f->pair_all      = f->pair->total.all;
}

/* N activations more are those of call F. */
static inline void count_active(CallStack* cs, const Frame* f, Int n)
{
   DCFG_(function_total)(cs->totals, f->entry->function)->active += n;
   if (f->pair != NULL)
      f->pair->active += n;
}

static inline void end_pair(CallStack* cs, const Frame* f, ULong total)
{
   if (cs->totals == NULL)
      return;
   settle_self(cs, total);
   set_call(cs->totals, f->pair, f, total - f->start);
   count_active(cs, f, -1 - (Int)f->more);
}

/* Call F, which has a stack that goes on, begins again. */
static inline void begin_pair_again(CallStack* cs, Frame* f)
{
   FunctionTotal* callee = DCFG_(function_total)(cs->totals, f->entry->function);

   f->is_outer     = callee->active == 0;
   f->function_all = callee->total.all;
   if (f->pair != NULL) {
      f->pair = DCFG_(pair_total)(cs->totals, f->function, f->entry->function);
      f->is_outer_pair = f->pair->active == 0;
      f->pair_all      = f->pair->total.all;
   }
   count_active(cs, f, 1 + f->more);
}

/* A jump counts as call F. */
static inline void count_jump(CallStack* cs, const Frame* f)
{
   if (cs->totals == NULL)
      return;
   count_active(cs, f, 1);
   if (f->pair != NULL)
      f->pair->count++;
}

/* Return what F has cost up to TOTAL, with the jumps that count as it. */
static inline ULong cost_of(const Frame* f, ULong total)
{
   return total - f->start + f->more * total - f->more_starts;
}

/* Return the address behind the call that made FRAME; 0 for a jump. */
static inline Addr DCFG_(return_addr)(const Frame* frame)
{
   return frame->sb == NULL ? 0 : DCFG_(instr_addr)(frame->sb, frame->instr)
                                  + frame->sb->lengths[frame->instr];
}

/*--- Jumps that are calls                                 ---*/

/* So many at one stack pointer have frames of their own. */
#define DCFG_FEW_JUMPS 16

/* Return .chain of a frame that is about to be pushed. */
static inline UInt chain_at(const CallStack* cs, Addr sp, Bool is_jump)
{
   const UInt n = cs->n_frames;

   return !is_jump ? n + 1
          : n > 0 && cs->frames[n - 1].sp == sp ? cs->frames[n - 1].chain : n;
}

/* Let CALL, a jump to TO at TOTAL, count as an earlier one: tool/calls/jumps.c.
   Return False if it needs a frame. */
Bool DCFG_(jump_again)(CallStack* cs, const Call* call, const Place* to,
                       ULong total);

/*--- Other stacks: tool/calls/switch.c                    ---*/

/* Return the call in CP that is equal to C, or NULL if C is NULL. */
Call* DCFG_(call_in)(CallProfile* cp, Call* c);

/* Return a thread's own stack, on which nothing has run. */
Stack* DCFG_(new_own_stack)(void);

/* Return how many handlers of CS end by a load of the stack pointer with TO: it
   leads into what the outermost of these interrupted. */
UInt DCFG_(left_handlers)(const CallStack* cs, Addr to);

/* CS's stack pointer, which was FROM, has been loaded with TO.  Return whether
   that may be another stack, of which *D gets what is known. */
Bool DCFG_(may_depart)(const CallStack* cs, Addr from, Addr to, Departure* d);

/* Return whether SP, the stack pointer now, is of CS's stack, and the code behind
   the load has set it back. */
Bool DCFG_(has_come_back)(const CallStack* cs, const Departure* d, Addr sp);

/* CS, which is at no way out of a handler, leaves its stack as D says, for one that
   was left earlier.  If there is none, a new one begins, on which nothing has run,
   with stack pointer TOP.  Control goes to PLACE. */
void DCFG_(change_stack)(CallStack* cs, const Departure* d, const Place* place,
                         Addr top);

/* CS ends, and has ended all calls of the present stack.  Return whether its own
   stack goes on, which was left. */
Bool DCFG_(go_to_own_stack)(CallStack* cs);

/* A profile is about to go: the stacks that were left have calls in NEW in place of
   OLD; NULL: forget these stacks. */
void DCFG_(move_left_stacks)(CallProfile* old, CallProfile* new);

/* Forget what these stacks have cost. */
void DCFG_(clear_left_stacks)(void);

/* Forget the stacks that were left at these addresses. */
void DCFG_(forget_stacks)(Addr a, SizeT len);

/* CS ends for good. */
void DCFG_(free_own_stack)(CallStack* cs);

/*--- Who listens, and what is active                      ---*/

/* Return the number of the thread's collected instructions, and of those on the
   present stack. */
static inline ULong instrs_so_far(const CallStack* cs, ULong* base)
{
   return cs->earlier + DCFG_(call_slots)(base)[CallTotal];
}

static inline ULong instrs_on_stack(const CallStack* cs, ULong* base)
{
   return instrs_so_far(cs, base) - cs->elsewhere;
}

/* Tell the listener that the function that runs now is left. */
static inline void tell_leave(CallStack* cs, ULong* base, Bool by_jump)
{
   if (DCFG_(call_listener) != NULL && cs->now.function != 0
       && !cs->now.was_left)
      DCFG_(call_listener)->leave(base, instrs_on_stack(cs, base), by_jump);
   cs->now.was_left = True;
}

/* Tell the listener that the function that runs now is entered. */
static inline void tell_enter(CallStack* cs, ULong* base, Bool is_start)
{
   if (DCFG_(call_listener) != NULL)
      DCFG_(call_listener)->enter(base, cs->now.function,
                                  instrs_on_stack(cs, base), is_start);
   cs->now.was_left = False;
}

/* Tell the listener of the end of frames below SP.  They stay on the stack
   because they are of the function that runs at its base.  Return False if
   there are none. */
static inline Bool tell_of_left_frames(CallStack* cs, ULong* base,
                                       Addr sp)
{
   Bool any = False;

   for (UInt i = cs->n_frames; i > cs->floor; i--) {
      Frame* f = &cs->frames[i - 1];
      if (f->sp >= sp)
         break;
      if (f->call == NULL || f->ended)
         continue;
      tell_leave(cs, base, False);
      cs->now.was_left = f->was_left;
      f->ended         = True;
      any              = True;
   }
   return any;
}

/* Tell the listener of a call that Callgrind takes for a return, because its
   stack pointer has ended other calls: the callee is entered and left at
   once. */
static inline void tell_of_lost_call(CallStack* cs, ULong* base,
                                     const Place* to)
{
   const CallListener* l = DCFG_(call_listener);
   ULong               n = instrs_on_stack(cs, base);

   if (l == NULL)
      return;
   l->enter(base, to->function, n, True);
   l->leave(base, n, False);
}

/* A return to TO has ended calls.  If the base has made them by a jump, it has ended
   with them: tell the listener of TO's function.  For Callgrind, the base's goes
   on. */
static inline void tell_if_base_ended(CallStack* cs, ULong* base, const Place* to)
{
   if (DCFG_(call_listener) == NULL || cs->n_frames > cs->floor
       || cs->now.height != 1 || to->function == cs->now.function)
      return;
   DCFG_(call_listener)->enter(base, to->function, instrs_on_stack(cs, base), True);
   cs->now.was_left = False;
}

static inline void make_room_for_active(CallStack* cs, UInt function)
{
   UInt n = function + 256;

   cs->active = VG_(realloc)("dcfg.stack.active", cs->active,
                             n * sizeof(UInt));
   VG_(memset)(cs->active + cs->n_active, 0,
               (n - cs->n_active) * sizeof(UInt));
   cs->n_active = n;
}

static inline UInt* active(CallStack* cs, UInt function)
{
   if (function >= cs->n_active)
      make_room_for_active(cs, function);
   return &cs->active[function];
}

#endif /* __DCFG_STACK_STATE_H */
