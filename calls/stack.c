
/*--------------------------------------------------------------------*/
/*--- Calls, and the stack of those that are active. calls/stack.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: which calls of which functions are active in each thread.  Handed:
   ways out of superblocks by generated code, the life of threads and signal
   handlers by run/thread.c.  Taken by: calls/calls.c, which has how often
   each was made and what it cost.

   A program does not say what a call is: it returns to where nothing
   called from, leaves several frames at once, goes on in another function
   by a jump.  Callgrind has rules for that, which decide what its numbers
   mean, and these are the same rules:

   - A call is active while the stack pointer is not above where it was
     when the callee began.  So whatever raises the stack pointer beyond
     it ends it: a return, longjmp, an exception.
   - A return that does not raise it so far is a jump.
   - A jump, or falling through, to a function's first instruction, to
     another object or another kind of section is a call, unless it ends
     calls.  It ends together with the call that is active when it is
     made.
   - The dynamic linker's resolver jumps to what it has resolved; that is
     a return and a call by the resolver's caller.  The resolver is what
     the first entry of a linkage table jumps to, when another entry of
     the table has gone there.  Callgrind knows it by its symbol or by its
     code in some versions of libc.
   - A stub of a linkage table is part of its caller.
   - A return where no call is active ends one that was made before all
     else, from the address before the one returned to.
   - A signal handler has a stack of its own on top of the one that it
     interrupts, which pays nothing for it.

   Generated code calls here for calls, returns, and those jumps that may
   be calls.  Another jump matters only if the stack pointer is above
   CellTopSp, which generated code compares where it may have been
   raised. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "run/branch.h"
#include "calls/stack.h"

#define NO_SP ~(UWord)0

static Bool         is_on;
static Bool         are_separate;   // the threads' profiles
static CallProfile* common;         // unless they are

void DCFG_(follow_calls)(Bool separately)
{
   is_on        = True;
   are_separate = separately;
}

Bool DCFG_(follows_calls)(void)
{
   return is_on;
}

/* A call that is active. */
typedef
   struct {
      Call*       call;        // NULL: of a stub
      Addr        sp;          // when the callee began
      const Place* entry;      // where it began
      Bool        resolves;    // it is the dynamic linker's resolver
      ULong       start;       // the total then
      Superblock* sb;          // that called; NULL for a jump ...
      UInt        instr;       // ... with this instruction
      /* Of the caller: */
      UInt        function;
      UInt        height;
      Call*       stub;
   }
   Frame;

/* What runs now. */
typedef
   struct {
      UInt  function;      // 0: nothing has run so far
      UInt  height;        // changes of function on the way here
      Call* stub;          // whose cost it is, or NULL
      ULong stub_start;    // the total when that began
   }
   Running;

/* What a handler has interrupted. */
typedef
   struct {
      Running running;
      ULong   total;
      UInt    n_frames;
   }
   Suspended;

struct _CallStack {
   CellArray*   cells;
   CallProfile* profile;
   Frame*       frames;    // outermost first
   UInt         n_frames, room;
   UInt*        active;    // by function: its activations
   UInt         n_active;
   Running      now;
   XArray*      suspended; // Suspended, innermost last
   UInt         floor;     // frames below the handler, or 0
   XArray*      cached;    // see CellCached
};

/* Most calls from a superblock are what they were last time. */
static inline Call* find_usual_call(CallProfile* cp, const CallSite* s,
                                    const Place* to, UInt to_context)
{
   Call** last;

   if (s->sb == NULL || are_separate)
      return DCFG_(find_call)(cp, s, to, to_context);
   last = &s->sb->last_call;
   if (*last == NULL || !DCFG_(is_call)(*last, s, to, to_context))
      *last = DCFG_(find_call)(cp, s, to, to_context);
   return *last;
}

/*------------------------------------------------------------*/
/*--- What runs now                                        ---*/
/*------------------------------------------------------------*/

static void make_room_for_active(CallStack* cs, UInt function)
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

static inline UInt context_of(CallStack* cs, UInt function)
{
   return DCFG_CONTEXT(function, *active(cs, function) > 1);
}

static Bool runs_in_handler(const CallStack* cs)
{
   return VG_(sizeXA)(cs->suspended) > 0;
}

static Suspended* innermost(const CallStack* cs)
{
   return VG_(indexXA)(cs->suspended, VG_(sizeXA)(cs->suspended) - 1);
}

/* Tell generated code what runs. */
static inline void show(CallStack* cs, ULong* base)
{
   UInt   function = cs->now.function;
   UInt   context  = 0;
   UWord* top_sp   = (UWord*)(base + CellTopSp);
   UWord* entries  = (UWord*)(base + CellEntries);

   *top_sp = cs->n_frames == 0 ? NO_SP : cs->frames[cs->n_frames - 1].sp;
   if (function != 0 && *active(cs, function) == 0)
      *active(cs, function) = 1;
   if (cs->now.stub == NULL && function != 0)
      context = context_of(cs, function);
   base[CellContext] = context;
   *entries          = (UWord)(base + 2 * DCFG_CONTEXT_IS_NESTED(context));
}

/* From now on a stub runs for STUB, or (NULL) none does. */
static void set_stub(CallStack* cs, ULong* base, Call* stub)
{
   Running* now = &cs->now;

   if (now->stub == stub)
      return;
   if (now->stub != NULL)
      now->stub->cost += base[CellTotal] - now->stub_start;
   now->stub       = stub;
   now->stub_start = base[CellTotal];
}

static void make_room_for_frames(CallStack* cs)
{
   cs->room   = cs->room ? 2 * cs->room : 64;
   cs->frames = VG_(realloc)("dcfg.stack.frames", cs->frames,
                             cs->room * sizeof(Frame));
}

/* Does SB jump to the resolver?  A linkage table without lazily bound
   entries has a stub like any other where it starts, which is called and
   not jumped to from another one. */
static Bool goes_to_resolver(const CallStack* cs, const Superblock* sb)
{
   return sb != NULL && sb->place->heads_table
          && (cs->n_frames == 0
              || cs->frames[cs->n_frames - 1].entry != sb->place);
}

/* A call is made from SITE, or, if a stub runs, from that one's; or a jump,
   if not IS_CALL. */
static void push(CallStack* cs, ULong* base, const CallSite* site,
                 const Place* to, Addr sp, Bool is_call)
{
   Running* now      = &cs->now;
   Bool     resolves = goes_to_resolver(cs, site->sb);

   if (cs->n_frames == cs->room)
      make_room_for_frames(cs);
   Frame*   f = &cs->frames[cs->n_frames++];
   CallSite stubs;
   f->entry    = to;
   f->resolves = resolves;
   f->sb    = is_call ? site->sb : NULL;
   f->instr = site->instr;
   if (now->stub != NULL) {
      stubs = DCFG_(site_of)(now->stub);
      site  = &stubs;
   }
   f->call     = NULL;
   f->sp       = sp;
   f->start    = base[CellTotal];
   f->function = now->function;
   f->height   = now->height;
   f->stub     = now->stub;
   if (to->is_skipped) {
      if (now->stub == NULL)
         set_stub(cs, base, DCFG_(find_call)(cs->profile, site, NULL, 0));
      return;
   }
   set_stub(cs, base, NULL);
   ++*active(cs, to->function);
   if (to->function != now->function)
      now->height++;
   now->function = to->function;
   f->call = find_usual_call(cs->profile, site, to,
                             context_of(cs, to->function));
   f->call->count++;
}

static void resume_suspended(CallStack* cs, ULong* base);

static void pop(CallStack* cs, ULong* base)
{
   /* longjmp has left a handler. */
   if (cs->n_frames <= cs->floor)
      resume_suspended(cs, base);

   const Frame* f = &cs->frames[--cs->n_frames];
   set_stub(cs, base, f->stub);
   if (f->call != NULL) {
      --*active(cs, f->call->to->function);
      f->call->cost   += base[CellTotal] - f->start;
      cs->now.function = f->function;
      cs->now.height   = f->height;
   }
}

/* End what SP has left; of those calls that it is just at, N.  Returns
   how many ended. */
static UInt unwind(CallStack* cs, ULong* base, Addr sp, Int n)
{
   UInt ended = 0;

   while (cs->n_frames > 0) {
      Addr top = cs->frames[cs->n_frames - 1].sp;
      if (top > sp || (top == sp && n <= 0))
         break;
      pop(cs, base);
      n--;
      ended++;
   }
   return ended;
}

/*------------------------------------------------------------*/
/*--- Ways out of superblocks                              ---*/
/*------------------------------------------------------------*/

/* The address behind the call that made F; 0 for a jump. */
static Addr return_addr(const Frame* f)
{
   return f->sb == NULL ? 0 : DCFG_(instr_addr)(f->sb, f->instr)
                              + f->sb->lengths[f->instr];
}

/* How many calls a return to ADDR with stack pointer SP ends at least; 0
   if it is no return. */
static UInt n_returned_from(const CallStack* cs, Addr addr, Addr sp)
{
   UInt n = 1;

   if (sp != cs->frames[cs->n_frames - 1].sp)
      return sp > cs->frames[cs->n_frames - 1].sp;
   for (UInt i = cs->n_frames; i > 0 && cs->frames[i - 1].sp == sp; i--) {
      if (return_addr(&cs->frames[i - 1]) == addr)
         return n;
      n++;
   }
   return 0;
}

/* SB has returned to TO, but nothing is known to have called what runs. */
static void return_from_base(CallStack* cs, ULong* base,
                             const Superblock* sb, const Place* to)
{
   Running* now  = &cs->now;
   UInt     from = now->function;
   CallSite site = { NULL, 0, DCFG_(place_at)(to->hash_key - 1), 0 };
   Call*    call;

   if (now->height == 1)
      ++*active(cs, to->function);
   site.context = DCFG_CONTEXT(to->function, False);
   set_stub(cs, base, NULL);
   call = DCFG_(find_call)(cs->profile, &site, sb->place,
                           context_of(cs, from));
   call->count++;
   call->cost += base[CellTotal];
   --*active(cs, from);
   now->function = to->function;
}

/* SB is left by a jump, or what looks like one, at its instruction K. */
static void jump_to(CallStack* cs, ULong* base, Superblock* sb, UInt k,
                    const Place* to, Addr sp, Bool is_call)
{
   CallSite site = { sb, k, NULL, context_of(cs, cs->now.function) };

   if (is_call && cs->n_frames > cs->floor) {
      const Frame* top = &cs->frames[cs->n_frames - 1];
      if (top->resolves && top->call != NULL) {
         site = DCFG_(site_of)(top->call);
         sp   = top->sp;
         pop(cs, base);
      }
   }
   if (unwind(cs, base, sp, 0) == 0 && is_call) {
      if (cs->n_frames > 0)
         sp = cs->frames[cs->n_frames - 1].sp;
      push(cs, base, &site, to, sp, False);
   }
}

static void return_to(CallStack* cs, ULong* base, Superblock* sb,
                      const Place* to, Addr sp)
{
   UInt n = cs->n_frames == 0 ? 1 : n_returned_from(cs, to->hash_key, sp);

   if (n == 0)
      jump_to(cs, base, sb, sb->n_instrs - 1, to, sp, True);
   else if (cs->n_frames == 0 || cs->now.height == 1)
      return_from_base(cs, base, sb, to);
   else
      unwind(cs, base, sp, n);
}

static CallStack* stack_of(ULong* base)
{
   return (CallStack*)(Addr)base[CellStack];
}

void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* to, Addr sp)
{
   CallStack* cs = stack_of(base);
   UInt       k  = DCFG_LEAVE_INSTR(leave);

   switch (DCFG_LEAVE_KIND(leave)) {
      case LeaveCall: {
         CallSite site = { sb, k, NULL, context_of(cs, cs->now.function) };
         if (unwind(cs, base, sp, 0) == 0)
            push(cs, base, &site, to, sp, True);
         break;
      }
      case LeaveJump:
         jump_to(cs, base, sb, k, to, sp, DCFG_(is_call_like)(sb->place, to));
         break;
      case LeaveReturn:
         return_to(cs, base, sb, to, sp);
         break;
   }
   show(cs, base);
}

static const Place* destination(const Superblock* sb, Addr target)
{
   return sb->unredirected ? DCFG_(place_at)(target)
                           : DCFG_(landing_place)(target);
}

void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp)
{
   CallStack* cs = stack_of(base);

   /* What nearly all returns are. */
   if (DCFG_LEAVE_KIND(leave) == LeaveReturn && cs->n_frames > 0
       && sp > cs->frames[cs->n_frames - 1].sp && cs->now.height > 1) {
      unwind(cs, base, sp, 0);
      show(cs, base);
      return;
   }
   DCFG_(leave_for_place)(base, sb, leave, destination(sb, target), sp);
}

void DCFG_(jump_miss)(ULong* base, Superblock* sb, Addr target, Addr sp)
{
   const Place* to = destination(sb, target);

   if (!DCFG_(is_call_like)(sb->place, to)) {
      DCFG_(branch_miss)(base, sb->id, target);
      return;
   }
   DCFG_(count_branch)(base, sb->id, target);
   DCFG_(leave_for_place)(base, sb,
                          DCFG_LEAVE(sb->n_instrs - 1, LeaveJump), to, sp);
}

const CallProfile* DCFG_(call_profile)(const CallStack* cs)
{
   return cs->profile;
}

/*------------------------------------------------------------*/
/*--- Threads and signal handlers                          ---*/
/*------------------------------------------------------------*/

static ULong* base_of(const CallStack* cs)
{
   return DCFG_(cell_base)(cs->cells);
}

static void set_cells(CallStack* cs)
{
   ULong* base = base_of(cs);

   base[CellStack]         = (Addr)cs;
   base[CellContextCounts] = (Addr)cs->profile->contexts;
   base[CellCached]        = (Addr)cs->cached;
   show(cs, base);
}

CallStack* DCFG_(new_call_stack)(CellArray* ca)
{
   CallStack* cs = VG_(calloc)("dcfg.stack", 1, sizeof(CallStack));

   if (!are_separate && common == NULL)
      common = DCFG_(new_call_profile)();
   cs->cells     = ca;
   cs->profile   = are_separate ? DCFG_(new_call_profile)() : common;
   cs->suspended = VG_(newXA)(VG_(malloc), "dcfg.stack.suspended",
                              VG_(free), sizeof(Suspended));
   cs->cached    = VG_(newXA)(VG_(malloc), "dcfg.stack.cached", VG_(free),
                              sizeof(UInt));
   set_cells(cs);
   return cs;
}

void DCFG_(delete_call_stack)(CallStack* cs)
{
   if (are_separate)
      DCFG_(delete_call_profile)(cs->profile);
   VG_(deleteXA)(cs->suspended);
   VG_(deleteXA)(cs->cached);
   VG_(free)(cs->frames);
   VG_(free)(cs->active);
   VG_(free)(cs);
}

/* The same call in CP, or NULL for NULL. */
static Call* call_in(CallProfile* cp, const Call* c)
{
   CallSite site;

   if (c == NULL)
      return NULL;
   site = DCFG_(site_of)(c);
   return DCFG_(find_call)(cp, &site, c->to, c->to_context);
}

void DCFG_(restart_call_stack)(CallStack* cs)
{
   CallProfile* cp = DCFG_(new_call_profile)();

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      DCFG_(superblock)(id)->last_call = NULL;
   for (UInt i = 0; i < cs->n_frames; i++) {
      Frame* f = &cs->frames[i];
      f->call  = call_in(cp, f->call);
      f->stub  = call_in(cp, f->stub);
      f->start = 0;
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      Suspended* s = VG_(indexXA)(cs->suspended, i);
      s->running.stub       = call_in(cp, s->running.stub);
      s->running.stub_start = 0;
      s->total              = 0;
   }
   cs->now.stub       = call_in(cp, cs->now.stub);
   cs->now.stub_start = 0;
   DCFG_(delete_call_profile)(cs->profile);
   cs->profile = cp;
   if (!are_separate)
      common = cp;
   VG_(dropTailXA)(cs->cached, VG_(sizeXA)(cs->cached));
   set_cells(cs);
}

void DCFG_(resume_call_stack)(CallStack* cs, Addr ip, Addr sp)
{
   ULong* base = base_of(cs);

   if (cs->now.function == 0) {
      cs->now.function = DCFG_(landing_place)(ip)->function;
      cs->now.height   = 1;
      ++*active(cs, cs->now.function);
   }
   unwind(cs, base, sp, 0);
   show(cs, base);
}

void DCFG_(note_stop)(CallStack* cs, UInt sb, UInt k, Int sign)
{
   ULong* base = base_of(cs);

   if (k == 0)
      return;
   base[CellTotal]
      -= (Long)sign * (DCFG_(segment_end)(DCFG_(superblock)(sb), k) - k);
   if (base[CellContext] != 0)
      DCFG_(count_fault)(cs->profile->contexts, sb, k, base[CellContext],
                         sign);
}

void DCFG_(enter_handler)(CallStack* cs)
{
   ULong*    base = base_of(cs);
   Suspended s    = { cs->now, base[CellTotal], cs->n_frames };

   VG_(addToXA)(cs->suspended, &s);
   cs->floor = cs->n_frames;
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
   base[CellTotal] = 0;
   show(cs, base);
}

/* What was suspended runs again. */
static void resume_suspended(CallStack* cs, ULong* base)
{
   const Suspended* s = innermost(cs);

   set_stub(cs, base, NULL);
   if (cs->now.function != 0)
      --*active(cs, cs->now.function);
   cs->now         = s->running;
   base[CellTotal] = s->total;
   VG_(dropTailXA)(cs->suspended, 1);
   cs->floor = runs_in_handler(cs) ? innermost(cs)->n_frames : 0;
}

void DCFG_(leave_handler)(CallStack* cs)
{
   ULong* base = base_of(cs);

   if (!runs_in_handler(cs))
      return;
   while (cs->n_frames > innermost(cs)->n_frames)
      pop(cs, base);
   resume_suspended(cs, base);
   show(cs, base);
}

/* The total that counts for frame I. */
static ULong total_for(const CallStack* cs, UInt i)
{
   for (Word s = 0; s < VG_(sizeXA)(cs->suspended); s++) {
      const Suspended* below = VG_(indexXA)(cs->suspended, s);
      if (i < below->n_frames)
         return below->total;
   }
   return base_of(cs)[CellTotal];
}

static void account_for_stub(const Running* r, ULong total, Long sign)
{
   if (r->stub != NULL)
      r->stub->cost += sign * (total - r->stub_start);
}

void DCFG_(account_for_active)(CallStack* cs, Int sign)
{
   for (UInt i = 0; i < cs->n_frames; i++) {
      const Frame* f = &cs->frames[i];
      if (f->call != NULL)
         f->call->cost += (Long)sign * (total_for(cs, i) - f->start);
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      account_for_stub(&s->running, s->total, sign);
   }
   account_for_stub(&cs->now, base_of(cs)[CellTotal], sign);
}

void DCFG_(end_call_stack)(CallStack* cs)
{
   ULong* base = base_of(cs);

   while (runs_in_handler(cs))
      DCFG_(leave_handler)(cs);
   while (cs->n_frames > 0)
      pop(cs, base);
   set_stub(cs, base, NULL);
   VG_(free)(cs->frames);
   VG_(free)(cs->active);
   cs->frames = NULL;
   cs->active = NULL;
   cs->room   = cs->n_active = 0;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
