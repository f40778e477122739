/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads in excluded code. */

/* Owns: the state of a thread that runs excluded code.  Handed: by generated
   code, the first superblock of excluded code, and the first one of collected
   code after it (tool/run/instrument.c).  Taken by: tool/run/position.c, which has the
   position that such a thread keeps.

   A thread in excluded code is "away".  It keeps the position where it left
   collected code, whatever it does: calls, returns, signals and handlers in
   excluded code are not followed.  When it comes back, that counts as a
   diversion from the kept position to the new one.  A diversion that led to
   excluded code, such as a signal to a handler there, led nowhere.  That is the
   rule for every diversion that is followed by another before a collected
   instruction has completed. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

#include "tool/dcfg_output.h"
#include "tool/run/away.h"
#include "tool/run/inside.h"
#include "tool/run/landing.h"

#define N_ROUTES 1024

static Thread* running_thread(void)
{
   return DCFG_(thread_of)(VG_(get_running_tid)());
}

/* Return whether T is collected: BASE is the array that T counts in. */
static Bool is_wanted(const Thread* t, const ULong* base)
{
   return base == DCFG_(cell_base)(t->cells);
}

void DCFG_(went_away)(ULong* base, Addr entry)
{
   Thread* t = running_thread();

   if (is_wanted(t, base)) {
      t->away_entry = entry;
      t->away_fixed = False;
   }
   base[CellAway] = 1;
}

/* Hide T's last handler: it began with excluded code, so no edge leads to it,
   and there is nothing to bypass. */
static void hide_handler(Thread* t)
{
   Word n = VG_(sizeXA)(t->interruptions);

   if (n > 0 && is_diverted(t) && t->diverted->kind == DivertSignal)
      ((Interruption*)VG_(indexXA)(t->interruptions, n - 1))->hidden = True;
}

/* Return the place for this route in T's cache of routes. */
static Route* route(Thread* t, UInt last, Addr entry, UInt sb)
{
   if (t->routes == NULL)
      t->routes = VG_(calloc)("dcfg.away.routes", N_ROUTES, sizeof(Route));
   return &t->routes[(last * 31 + entry * 7 + sb) % N_ROUTES];
}

static void find_route(Thread* t, UInt last, UInt sb)
{
   Route* r    = route(t, last, t->away_entry, sb);
   Bool   keep = !is_diverted(t) && !t->away_fixed;

   if (keep && r->d != NULL && r->last == last && r->sb == sb
       && r->entry == t->away_entry) {
      DCFG_(divert_again)(t, r->d);
      return;
   }
   hide_handler(t);
   DCFG_(divert_to)(t, t->away_entry, DivertExcluded,
                    DCFG_(target_of)(DCFG_(superblock)(sb)));
   if (!keep)
      return;
   r->d     = t->diverted;
   r->last  = last;
   r->sb    = sb;
   r->entry = t->away_entry;
}

void DCFG_(came_back)(ULong* base, UWord id, Addr sp)
{
   Thread* t    = running_thread();
   UInt    last = DCFG_MARK_ID((UWord)base[CellMark]);

   if (is_wanted(t, base))
      find_route(t, last, id);
   DCFG_EACH_WATCHER(w, come_back)
      DCFG_(watchers)[w]->come_back(t->states[w], last, id, sp);
   base[CellAway] = 0;
}

void DCFG_(fix_away)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (!t->live)
         continue;
      DCFG_(forget_routes)(t);
      if (is_away(t)) {
         t->away_from  = DCFG_(position)(t, t->away_entry);
         t->away_fixed = True;
      }
   }
}
