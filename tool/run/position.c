/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Positions of threads, and diversions. */

/* Owns: how the position of a thread is found, and the set of all diversions.
   Handed: threads, by tool/run/event.c.

   If a diversion is followed by another before an instruction has completed,
   it never led anywhere.  Then it is taken back, and the second one starts
   where the first did.  DCFG_MARK_DIVERTED tells: the next superblock's mark
   overwrites it. */

#include "tool/base/core.h"
#include "tool/run/inside.h"
#include "tool/run/landing.h"

static OSet*   diversions;      // Diversion; NULL if there is none
static XArray* late_returns;    // LateReturn; NULL if there is none

/*--- Positions and diversions                             ---*/

static Word cmp_addr(Addr a, Addr b)
{
   return a < b ? -1 : a > b ? 1 : 0;
}

static Word cmp_targets(Target a, Target b)
{
   Word r;

   if ((r = cmp_addr(a.addr,    b.addr))    != 0) return r;
   if ((r = cmp_addr(a.version, b.version)) != 0) return r;
   return cmp_addr(a.unredirected, b.unredirected);
}

static Word cmp_diversions(const void* va, const void* vb)
{
   const Diversion* a = va;
   const Diversion* b = vb;
   Word r;

   if ((r = cmp_addr(a->thread,      b->thread))      != 0) return r;
   if ((r = cmp_addr(a->from.sb,     b->from.sb))     != 0) return r;
   if ((r = cmp_addr(a->from.n_done, b->from.n_done)) != 0) return r;
   if ((r = cmp_targets(a->from.target, b->from.target)) != 0) return r;
   if ((r = cmp_addr(a->kind,        b->kind))        != 0) return r;
   return cmp_targets(a->to, b->to);
}

Position DCFG_(position)(const Thread* thread, Addr addr)
{
   UWord    mark = *mark_of(thread);
   Position p    = { DCFG_MARK_ID(mark), 0, { 0, 0, False } };

   if (mark & DCFG_MARK_DIVERTED)
      return thread->diverted->from;
   if (is_away(thread) && thread->away.fixed)
      return thread->away.from;
   const Superblock* sb = p.sb == 0 ? NULL : DCFG_(superblock)(p.sb);
   if (is_away(thread))
      addr = thread->away.entry;
   p.target = DCFG_(target_now)(addr, sb != NULL && sb->unredirected);
   /* A thread that is away has left the superblock at its end. */
   if (sb != NULL && !(mark & DCFG_MARK_DONE) && !is_away(thread))
      p.n_done = DCFG_(inner_instr)(sb, addr);
   return p;
}

/* A debugger at a breakpoint looks at a thread that is still in generated
   code. */
Addr DCFG_(bound_for)(const Thread* thread)
{
   return thread->gap.open && thread->gap.ran ? thread->gap.ip
          : thread->leaving.now ? thread->leaving.to
          : thread->signal.begun ? thread->signal.ip
          : thread->core.running
          ? VG_(get_IP)(thread->tid) : thread->core.stop_ip;
}

static Diversion* diversion(const Thread* thread, Position from,
                            DivertKind kind, Target to)
{
   Diversion  key = { thread->index, from, kind, to, 0 };
   Diversion* d;

   if (diversions == NULL)
      diversions = VG_(OSetGen_Create)(0, cmp_diversions, VG_(malloc),
                                       "dcfg.diversions", VG_(free));
   d = VG_(OSetGen_Lookup)(diversions, &key);
   if (d == NULL) {
      d  = VG_(OSetGen_AllocNode)(diversions, sizeof(Diversion));
      *d = key;
      VG_(OSetGen_Insert)(diversions, d);
      if (from.sb != 0)
         DCFG_(superblock)(from.sb)->diverted = True;
   }
   return d;
}

void DCFG_(divert)(Thread* thread, Addr addr, DivertKind kind, Addr to)
{
   DCFG_(divert_to)(thread, addr, kind, DCFG_(target_now)(to, False));
}

void DCFG_(divert_to)(Thread* thread, Addr addr, DivertKind kind, Target to)
{
   Position from = DCFG_(position)(thread, addr);

   if (is_diverted(thread))
      thread->diverted->count--;
   thread->diverted = diversion(thread, from, kind, to);
   thread->diverted->count++;
   DCFG_EACH_WATCHER(w, divert)
      DCFG_(watchers)[w]->divert(thread->states[w], from, thread->diverted->to);
   *mark_of(thread) |= DCFG_MARK_DIVERTED;
}

void DCFG_(divert_again)(Thread* thread, Diversion* d)
{
   d->count++;
   DCFG_EACH_WATCHER(w, divert)
      DCFG_(watchers)[w]->divert(thread->states[w], d->from, d->to);
}

void DCFG_(divert_anew)(Thread* thread)
{
   Target to = DCFG_(target_now)(thread->diverted->to.addr, False);

   thread->diverted->count--;
   thread->diverted = diversion(thread, thread->diverted->from,
                                thread->diverted->kind, to);
   thread->diverted->count++;
   DCFG_EACH_WATCHER(w, redirect)
      DCFG_(watchers)[w]->redirect(thread->states[w], thread->diverted->to);
}

void DCFG_(tell_stop)(const Thread* thread)
{
   if (is_diverted(thread) || is_away(thread))
      return;
   Position p = DCFG_(position)(thread, DCFG_(bound_for)(thread));
   DCFG_EACH_WATCHER(w, stop)
      DCFG_(watchers)[w]->stop(thread->states[w], p.sb, p.n_done);
}

void DCFG_(tell_left)(const Thread* thread, Addr addr)
{
   UWord mark = *mark_of(thread);

   if ((mark & (DCFG_MARK_DONE | DCFG_MARK_DIVERTED | DCFG_MARK_LEFT)) != 0
       || DCFG_MARK_ID(mark) == 0 || thread->gap.open || is_away(thread))
      return;
   UInt k = DCFG_(inner_instr)(DCFG_(superblock)(DCFG_MARK_ID(mark)), addr);
   if (k == 0)
      return;
   *mark_of(thread) |= DCFG_MARK_LEFT;
   DCFG_EACH_WATCHER(w, left)
      DCFG_(watchers)[w]->left(thread->states[w], DCFG_MARK_ID(mark), k);
}

static void add_bypass(Thread* thread, const Interruption* in, Target to)
{
   LateReturn r = { in->site, to };

   if (in->site.sb == 0) {
      diversion(thread, in->from, DivertBypass, to);
      return;
   }
   if (late_returns == NULL)
      late_returns = DCFG_NEW_ARRAY("dcfg.late_returns", LateReturn);
   VG_(addToXA)(late_returns, &r);
}

UInt DCFG_(n_late_returns)(void)
{
   return late_returns == NULL ? 0 : VG_(sizeXA)(late_returns);
}

const LateReturn* DCFG_(late_return)(UInt i)
{
   return VG_(indexXA)(late_returns, i);
}

/* Find the handler by its interrupted stack pointer SP.  Handlers that were
   left by longjmp are still on the list above it. */
void DCFG_(end_interruption)(Thread* thread, Addr addr, Addr sp)
{
   for (Word i = VG_(sizeXA)(thread->signal.interruptions) - 1; i >= 0; i--) {
      const Interruption* in = VG_(indexXA)(thread->signal.interruptions, i);
      if (in->sp == sp) {
         if (!thread->gap.open && !in->hidden && !is_away(thread))
            add_bypass(thread, in, DCFG_(target_now)(addr, False));
         VG_(dropTailXA)(thread->signal.interruptions,
                         VG_(sizeXA)(thread->signal.interruptions) - i);
         return;
      }
   }
}

void DCFG_(forget_diversions)(void)
{
   if (diversions != NULL)
      VG_(OSetGen_Destroy)(diversions);
   diversions = NULL;
   if (late_returns != NULL)
      VG_(deleteXA)(late_returns);
   late_returns = NULL;
}

void DCFG_(each_diversion)(UInt thread, UInt sb,
                           void (*do_it)(void* arg, const Diversion* d),
                           void* arg)
{
   Diversion        key;
   const Diversion* d;

   if (diversions == NULL)
      return;
   VG_(memset)(&key, 0, sizeof(key));
   key.thread  = thread;
   key.from.sb = sb;
   VG_(OSetGen_ResetIterAt)(diversions, &key);
   while ((d = VG_(OSetGen_Next)(diversions)) != NULL
          && d->thread == thread && d->from.sb == sb)
      do_it(arg, d);
}

/*--- Superblocks with another record                      ---*/

void DCFG_(move_diversions)(UInt thread, UInt from, UInt to)
{
   Diversion  key;
   Diversion* d;

   VG_(memset)(&key, 0, sizeof(key));
   key.thread  = thread;
   key.from.sb = from;
   DCFG_(superblock)(from)->diverted = False;
   while (diversions != NULL) {
      VG_(OSetGen_ResetIterAt)(diversions, &key);
      d = VG_(OSetGen_Next)(diversions);
      if (d == NULL || d->thread != thread || d->from.sb != from)
         return;
      VG_(OSetGen_Remove)(diversions, d);
      d->from.sb = to;
      VG_(OSetGen_Insert)(diversions, d);
      DCFG_(superblock)(to)->diverted = True;
   }
}

void DCFG_(rename_late_returns)(UInt (*renamed)(UInt id))
{
   for (UInt i = 0; i < DCFG_(n_late_returns)(); i++) {
      LateReturn* l = VG_(indexXA)(late_returns, i);
      l->from.sb = renamed(l->from.sb);
   }
}
