/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Gaps: times when threads are not collected. */

/* Owns: the state of threads that are not collected for a while.  Handed: begin
   and end of gaps, by tool/run/region.c for all threads, by tool/calls/follow.c for one.
   Taken by: tool/run/event.c, tool/run/instrument.c.

   If all threads stop being collected, they run code that counts nothing.  If
   one thread does, it runs the same code as the others, but counts in an array
   of its own that nobody reads.  So this change only sets a pointer.  Calls
   change it at the way out of a superblock, when the whole superblock has been
   counted.

   A thread that is collected again has been diverted, from its old position to
   its new one. */

#include "pub_tool_basics.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "tool/dcfg_output.h"
#include "tool/run/gap.h"
#include "tool/run/inside.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

static Bool collecting = True;
static Bool at_start   = True;

/* T is not collected from here on. */
static void begin_gap(Thread* t)
{
   if (t->off)
      return;
   t->off_ip  = DCFG_(bound_for)(t);
   t->off     = True;
   t->off_ran = False;
}

/* T begins at IP, or continues there after an earlier part. */
static void enter(Thread* t, Addr ip)
{
   t->entry = DCFG_(target_now)(ip, False);
   if (t->off_ran) {
      t->seam_diverted = True;
      t->seam_kind     = DivertExcluded;
   }
}

void DCFG_(end_gap)(Thread* t, Addr ip)
{
   if (t->entered && t->off_ran)
      DCFG_(divert)(t, t->off_ip, DivertExcluded, ip);
   else if (!t->entered)
      enter(t, ip);
   t->entered = True;
   t->off     = False;
   t->off_ran = False;
   t->unseen  = False;
}

void DCFG_(set_base)(const Thread* t)
{
   ULong* base = DCFG_(cell_base)(t->idle ? t->idle_cells : t->cells);

   VG_(set_shadow_regs_area)(t->tid, 1, DCFG_SHADOW_OFFSET, sizeof(base),
                             (const UChar*)&base);
}

void DCFG_(set_collecting)(Bool on)
{
   collecting = on;
   /* If ON, each thread is collected when it next runs. */
   for (Word i = 0; i < DCFG_(all_threads)() && !on; i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (!t->live)
         continue;
      begin_gap(t);
      DCFG_EACH_WATCHER(w, suspend)
         DCFG_(watchers)[w]->suspend(t->states[w]);
   }
}

Bool DCFG_(is_collecting)(void)
{
   return collecting;
}

void DCFG_(collect_thread)(UInt index, Bool on)
{
   Thread* t = DCFG_(nth_thread)(index);

   if (!t->live || t->idle == !on)
      return;
   if (!on) {
      DCFG_(have_idle_cells)(t);
      begin_gap(t);
   }
   t->idle = !on;
   DCFG_EACH_WATCHER(w, turn)
      DCFG_(watchers)[w]->turn(t->states[w], on);
   /* Otherwise the change is made when the thread next runs. */
   if (!t->leaving)
      return;
   if (on)
      DCFG_(end_gap)(t, t->leaving_for);
   else
      t->off_ran = True;
   DCFG_(set_base)(t);
}

Bool DCFG_(is_thread_collected)(UInt index)
{
   return !DCFG_(nth_thread)(index)->idle;
}

void DCFG_(collect_at_start)(Bool on)
{
   at_start = on;
}

Bool DCFG_(is_collected_at_start)(void)
{
   return at_start;
}

void DCFG_(stop_at_way_out)(UInt index, Addr to)
{
   Thread* t = DCFG_(nth_thread)(index);

   t->leaving     = True;
   t->leaving_for = to;
}

void DCFG_(go_on_from_way_out)(UInt index)
{
   Thread* t = DCFG_(nth_thread)(index);

   /* The thread's counts may have been forgotten meanwhile. */
   if (!t->off && !t->entered)
      DCFG_(end_gap)(t, t->leaving_for);
   t->leaving = False;
}

Bool DCFG_(runs_code)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      const Thread* t = DCFG_(nth_thread)(i);
      if (t->running && !t->leaving)
         return True;
   }
   return False;
}
