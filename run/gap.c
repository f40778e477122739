/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   When threads are not collected. */

/* Owns: what it means that a thread is not collected for a while.  Handed:
   when to, by run/region.c for all threads and for one by calls/follow.c.
   Taken by: run/event.c, run/instrument.c.

   All threads: they run code that tells nothing.  One thread: it runs the
   code that all run, but counts in an array of its own that nobody reads, so
   that a change is one of two pointers.  That may be at a way out of a
   superblock, when all of that has been counted; calls change it there.

   When a thread is collected again it has been diverted, from where it stood
   to where it is. */

#include "pub_tool_basics.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "dcfg_output.h"
#include "run/gap.h"
#include "run/inside.h"
#include "run/thread.h"

static Bool collecting = True;
static Bool at_start   = True;

/* T will not be collected from here on. */
static void begin_gap(Thread* t)
{
   if (t->off)
      return;
   t->off_ip  = DCFG_(bound_for)(t);
   t->off     = True;
   t->off_ran = False;
}

/* T begins at IP, or goes on there from where an earlier part left it. */
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
   /* On again: each thread when it next runs. */
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
   /* Otherwise it is seen to when the thread next runs. */
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

   /* What it did may have been forgotten. */
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
