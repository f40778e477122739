/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Following the calls of threads. */

/* Owns: each thread's stack of active calls, from its first instruction to its
   last, and its state when a profile is written.  Handed: the life of threads
   and signal handlers by run/event.c, ways out of superblocks through
   calls/ir_calls.c and calls/stack.c.  Taken by: outputs that want costs of
   calls, or each call: profile/output_profile.c, logs/active.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "calls/follow.h"
#include "calls/frames.h"
#include "calls/ir_calls.h"
#include "calls/toggle.h"
#include "dcfg_output.h"
#include "run/gap.h"
#include "run/thread.h"

static UInt         watcher;        // number of the watcher
static Bool         is_followed;    // does an output want calls?
static Bool         are_separate;   // does each thread have its own profile?
static CallProfile* common;         // the profile of all threads otherwise

/*--- Threads and signal handlers                          ---*/

static ULong* slots_of(const CallStack* cs)
{
   return DCFG_(call_slots)(base_of(cs));
}

static void set_cells(CallStack* cs)
{
   ULong* slots = slots_of(cs);

   slots[CallOfStack] = (Addr)cs;
   slots[CallCounts]  = (Addr)cs->profile->contexts;
   slots[CallCached]  = (Addr)cs->cached;
   DCFG_(set_call_slots)(cs);
}

static CallProfile* join_profile(void)
{
   CallProfile* cp = are_separate || common == NULL
                     ? DCFG_(new_call_profile)() : common;

   if (!are_separate)
      common = cp;
   cp->n_stacks++;
   return cp;
}

static void leave_profile(CallProfile* cp)
{
   if (--cp->n_stacks > 0)
      return;
   if (cp == common)
      common = NULL;
   DCFG_(delete_call_profile)(cp);
}

static void* new_stack(CellArray* ca, UInt index)
{
   CallStack* cs = VG_(calloc)("dcfg.stack", 1, sizeof(CallStack));

   cs->index     = index;
   cs->cells     = ca;
   cs->collects  = DCFG_(collects_at_start);
   cs->has_own_profile = are_separate;
   cs->profile   = join_profile();
   cs->suspended = VG_(newXA)(VG_(malloc), "dcfg.stack.suspended",
                              VG_(free), sizeof(Suspended));
   cs->cached    = VG_(newXA)(VG_(malloc), "dcfg.stack.cached", VG_(free),
                              sizeof(UInt));
   set_cells(cs);
   return cs;
}

static void delete_stack(void* s)
{
   CallStack* cs = s;

   leave_profile(cs->profile);
   VG_(deleteXA)(cs->suspended);
   VG_(deleteXA)(cs->cached);
   VG_(free)(cs->frames);
   VG_(free)(cs->active);
   VG_(free)(cs);
}

/* Return the call in CP that is equal to C, or NULL if C is NULL. */
static Call* call_in(CallProfile* cp, Call* c)
{
   CallSite site;

   if (c == NULL)
      return NULL;
   if (!DCFG_(counts_contexts))
      return c;
   site = DCFG_(site_of)(c);
   return DCFG_(find_call)(cp, &site, c->to, c->to_context);
}

/* Begin a new profile with the same active calls.  Stacks that share a profile
   share the new one, too: the first one that is restarted makes it. */
static void* restart_stack(void* s, CellArray* ca, UInt index,
                           Restart why)
{
   CallStack*   cs  = s;
   CallProfile* old = cs->profile;

   if (old == common)
      common = NULL;
   CallProfile* cp = join_profile();
   if (cp->n_stacks == 1 && why == RestartPart)
      DCFG_(carry_calls)(old, cp);

   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      DCFG_(call_fields)(DCFG_(superblock)(id))->last_call = NULL;
   for (UInt i = 0; i < cs->n_frames; i++) {
      Frame* f = &cs->frames[i];
      f->call  = call_in(cp, f->call);
      f->stub  = call_in(cp, f->stub);
      f->start = 0;
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      Suspended* below = VG_(indexXA)(cs->suspended, i);
      below->running.stub       = call_in(cp, below->running.stub);
      below->running.stub_start = 0;
      below->total              = 0;
   }
   cs->now.stub       = call_in(cp, cs->now.stub);
   cs->now.stub_start = 0;
   cs->earlier        = 0;
   cs->returned       = 0;
   leave_profile(old);
   cs->profile = cp;
   cs->index   = index;
   cs->cells   = ca;
   VG_(dropTailXA)(cs->cached, VG_(sizeXA)(cs->cached));
   set_cells(cs);
   return cs;
}

static void resume(void* s, Addr ip, Addr sp)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);
   ULong*     used = cs->is_idle ? DCFG_(cell_base)(cs->idle_cells) : base;

   /* If the thread is away, come_back() begins the base. */
   if (cs->now.function == 0 && used[CellAway] == 0) {
      const Place* to = DCFG_(landing_place)(ip);
      if (!to->is_excluded)
         DCFG_(begin_base)(cs, base, to);
   }
   /* Calls that a return from the base left on the stack end at the next
      jump. */
   if (cs->returned != DCFG_(call_slots)(base)[CallTotal] + 1)
      DCFG_(unwind_calls)(cs, base, sp, 0);
   DCFG_(apply_toggles)(cs);
   DCFG_(show_calls)(cs, base);
}

static void come_back(void* s, UInt last, UInt sb, Addr sp)
{
   CallStack* cs = s;

   DCFG_(come_back)(cs, base_of(cs),
                    last == 0 ? NULL : DCFG_(superblock)(last),
                    DCFG_(call_fields)(DCFG_(superblock)(sb))->place, sp);
}

/* Return the number of instructions in superblock SB's segment from K on. */
static UInt rest_of_segment(UInt sb, UInt k)
{
   return DCFG_(segment_end)(DCFG_(superblock)(sb), k) - k;
}

static void stop(void* s, UInt sb, UInt k)
{
   CallStack* cs    = s;
   ULong*     slots = slots_of(cs);

   if (k == 0)
      return;
   slots[CallTotal] -= rest_of_segment(sb, k);
   if (DCFG_(counts_contexts) && slots[CallContext] != 0)
      DCFG_(count_fault)(cs->profile->contexts, sb, k, slots[CallContext]);
}

static void take_stop_back(CallStack* cs, UInt sb, UInt k)
{
   ULong* slots = slots_of(cs);

   if (k == 0)
      return;
   slots[CallTotal] += rest_of_segment(sb, k);
   if (DCFG_(counts_contexts) && slots[CallContext] != 0)
      DCFG_(uncount_fault)(cs->profile->contexts, sb, k,
                           slots[CallContext]);
}

static void enter_handler(void* s, Int signal)
{
   CallStack* cs    = s;
   ULong*     slots = slots_of(cs);
   Suspended  below = { cs->now, slots[CallTotal], cs->n_frames,
                        cs->collects };

   VG_(addToXA)(cs->suspended, &below);
   cs->floor    = cs->n_frames;
   cs->earlier += slots[CallTotal];
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
   slots[CallTotal] = 0;
   cs->collects     = DCFG_(collects_at_start);
   DCFG_(apply_toggles)(cs);
   DCFG_(show_calls)(cs, base_of(cs));
}

static void leave_handler(void* s)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);

   if (!runs_in_handler(cs))
      return;
   while (cs->n_frames > innermost(cs)->n_frames)
      DCFG_(pop_call)(cs, base);
   DCFG_(resume_suspended)(cs, base);
   DCFG_(apply_toggles)(cs);
   DCFG_(show_calls)(cs, base);
}

/* Return the instruction total that frame I counts with. */
static ULong total_for(const CallStack* cs, UInt i)
{
   for (Word s = 0; s < VG_(sizeXA)(cs->suspended); s++) {
      const Suspended* below = VG_(indexXA)(cs->suspended, s);
      if (i < below->n_frames)
         return below->total;
   }
   return slots_of(cs)[CallTotal];
}

/* Call DO_IT for each active call, with its cost so far that is not in the
   profile yet. */
static void each_active(CallStack* cs, void (*do_it)(Call* c, ULong cost))
{
   for (UInt i = 0; i < cs->n_frames; i++) {
      const Frame* f = &cs->frames[i];
      if (f->call != NULL)
         do_it(f->call, total_for(cs, i) - f->start);
   }
   for (Word i = 0; i < VG_(sizeXA)(cs->suspended); i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      if (s->running.stub != NULL)
         do_it(s->running.stub, s->total - s->running.stub_start);
   }
   if (cs->now.stub != NULL)
      do_it(cs->now.stub, slots_of(cs)[CallTotal] - cs->now.stub_start);
}

static void add_cost(Call* c, ULong cost)
{
   c->cost += cost;
}

static void take_cost_back(Call* c, ULong cost)
{
   c->cost -= cost;
}

static CallStack* stack_of_thread(UInt thread)
{
   return DCFG_(thread_state)(thread, watcher);
}

void DCFG_(account_for_calls)(void)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (!info.live)
         continue;
      if (info.undone == NULL && !info.off)
         stop(stack_of_thread(t), info.last.sb, info.last.n_done);
      each_active(stack_of_thread(t), add_cost);
   }
}

void DCFG_(take_account_back)(void)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      if (t == 0 || are_separate)
         DCFG_(note_told_calls)(stack_of_thread(t)->profile);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (!info.live)
         continue;
      each_active(stack_of_thread(t), take_cost_back);
      if (info.undone == NULL && !info.off)
         take_stop_back(stack_of_thread(t), info.last.sb, info.last.n_done);
   }
}

const CallProfile* DCFG_(call_profile)(UInt thread)
{
   return stack_of_thread(thread)->profile;
}

static void flush(void* s)
{
   DCFG_(flush_contexts)(base_of(s));
}

static void end_calls(CallStack* cs)
{
   ULong* base = base_of(cs);

   while (runs_in_handler(cs))
      leave_handler(cs);
   while (cs->n_frames > 0)
      DCFG_(pop_call)(cs, base);
   DCFG_(set_stub)(cs, base, NULL);
   tell_leave(cs, base, False);
}

/* End all calls: the next collected code begins without.  As in Callgrind, the
   function that ran without a call stays active. */
static void suspend(void* s)
{
   CallStack* cs = s;

   end_calls(cs);
   VG_(memset)(&cs->now, 0, sizeof(cs->now));
   cs->earlier            += slots_of(cs)[CallTotal];
   slots_of(cs)[CallTotal] = 0;
   cs->collects            = DCFG_(collects_at_start);
   DCFG_(apply_toggles)(cs);
   DCFG_(show_calls)(cs, base_of(cs));
}

static void have_idle_cells(void* s, CellArray* ca)
{
   CallStack* cs = s;

   cs->idle_cells = ca;
   DCFG_(call_slots)(DCFG_(cell_base)(ca))[CallOfStack] = (Addr)cs;
   DCFG_(set_call_slots)(cs);
}

static void turn(void* s, Bool on)
{
   CallStack* cs   = s;
   ULong*     base = base_of(cs);

   if (DCFG_(call_listener) != NULL)
      DCFG_(call_listener)->turn(base, instrs_so_far(cs, base), on);
   cs->collects = on;
   cs->is_idle  = !on;
   DCFG_(set_call_slots)(cs);
}

static void end(void* s)
{
   CallStack* cs = s;

   cs->is_ending  = True;
   cs->is_idle    = False;
   cs->idle_cells = NULL;
   end_calls(cs);
   VG_(free)(cs->frames);
   VG_(free)(cs->active);
   cs->frames = NULL;
   cs->active = NULL;
   cs->room   = cs->n_active = 0;
}

/* A branch has a target in its cache only if a jump there is no call.  What is
   mapped next at the target may make it one, so empty the caches. */
static void unmapped(Addr a, SizeT len)
{
   if (DCFG_(forget_places)(a, len))
      DCFG_(flush_threads)();
}

/*--- All together                                         ---*/

static const Watcher follower = {
   .begin         = DCFG_(begin_calls),
   .started       = DCFG_(add_start_cost),
   .instruction   = DCFG_(add_segment_cost),
   .exit          = DCFG_(add_call_at_exit),
   .statement     = DCFG_(track_stack_pointer),
   .miss          = DCFG_(add_jump_miss),
   .leave         = DCFG_(add_call_at_end),
   .thread_new    = new_stack,
   .thread_free   = delete_stack,
   .restart       = restart_stack,
   .resume        = resume,
   .come_back     = come_back,
   .stop          = stop,
   .suspend       = suspend,
   .idle_cells    = have_idle_cells,
   .turn          = turn,
   .enter_handler = enter_handler,
   .leave_handler = leave_handler,
   .flush         = flush,
   .thread_end    = end,
   .unmapped      = unmapped
};

/* The watcher without calls: only signal handlers matter. */
static const Watcher toggler = {
   .thread_new    = new_stack,
   .thread_free   = delete_stack,
   .restart       = restart_stack,
   .suspend       = suspend,
   .idle_cells    = have_idle_cells,
   .turn          = turn,
   .enter_handler = enter_handler,
   .leave_handler = leave_handler,
   .thread_end    = end
};

void DCFG_(heed_functions)(const PartMaker* pm)
{
   Bool follow = DCFG_(start_toggles)(pm);

   if (!is_followed) {
      DCFG_(claim_call_fields)(False);
      watcher = DCFG_(watch)(follow ? &follower : &toggler);
   }
   DCFG_(collect_at_start)(DCFG_(collects_at_start));
}

void DCFG_(follow_calls)(Bool separately)
{
   are_separate = separately;
   is_followed  = True;
   DCFG_(keeps_callgrind_names) = True;
   DCFG_(claim_call_fields)(True);
   watcher = DCFG_(watch)(&follower);
}

void DCFG_(listen_to_calls)(const CallListener* l)
{
   tl_assert(DCFG_(call_listener) == NULL);
   DCFG_(call_listener) = l;
   is_followed          = True;
   DCFG_(claim_call_fields)(False);
   watcher = DCFG_(watch)(&follower);
}

void DCFG_(count_instrs)(void)
{
   is_followed = True;
   DCFG_(claim_call_fields)(False);
   watcher = DCFG_(watch)(&follower);
}

void DCFG_(toggle_thread)(UInt thread)
{
   DCFG_(collect_thread)(thread, !DCFG_(is_thread_collected)(thread));
}

ULong DCFG_(instrs_run)(UInt thread)
{
   CallStack* cs = stack_of_thread(thread);
   ULong      n  = instrs_so_far(cs, base_of(cs));
   ThreadInfo info;

   DCFG_(thread_info)(thread, &info);
   if (info.undone == NULL && !info.off && info.last.n_done > 0)
      n -= rest_of_segment(info.last.sb, info.last.n_done);
   return n;
}
