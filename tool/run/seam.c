/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Seams: between two parts of a run. */

/* Owns: the data that a part needs of the parts before it, so that all parts
   can be joined: the instruction behind which each thread stands, its way on,
   and what its handlers interrupted.  Handed: the moment, by dcfg_main.c.
   Taken by: the same; tool/run/gather.c reads the data in the threads. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/run/flow.h"
#include "tool/run/inside.h"
#include "tool/run/seam.h"
#include "tool/run/thread.h"

static void pass_over(void* arg, const SbRun* run, UInt k, Target target,
                      ULong count)
{
}

static Bool is_same(Position a, Position b)
{
   return a.sb == b.sb && a.n_done == b.n_done
          && a.target.addr == b.target.addr
          && a.target.version == b.target.version
          && a.target.unredirected == b.target.unredirected;
}

/* Return the last instruction that was executed before position P. */
static Site site_of(const Thread* t, const ThreadInfo* info, Position p)
{
   const Superblock* sb   = DCFG_(superblock)(p.sb);
   Site              site = { p.sb, sb->n_instrs - 1 };
   SbRun             run;

   if (p.n_done > 0) {
      site.k = p.n_done - 1;
      return site;
   }
   VG_(memset)(&run, 0, sizeof(run));
   DCFG_(read_run)(&run, t->index, info, DCFG_(cell_counts)(info->cells), sb);
   DCFG_(each_flow)(&run, pass_over, NULL);
   for (UInt i = 0; i < run.n_detours; i++) {
      const Detour* d = &run.detours[i];
      if ((d->ends || d->kind == DivertSignal) && is_same(d->from, p))
         site.k = d->left_at;
   }
   VG_(free)(run.detours);
   return site;
}

static void note_seam(Thread* t)
{
   ThreadInfo info;

   DCFG_(thread_info)(t->index, &info);
   t->preceding += t->counted;
   if (!t->live)
      return;
   for (Word i = 0; i < VG_(sizeXA)(t->interruptions); i++) {
      Interruption* in = VG_(indexXA)(t->interruptions, i);
      if (in->site.sb == 0 && in->from.sb != 0)
         in->site = site_of(t, &info, in->from);
   }
   if (info.ran) {
      t->behind        = site_of(t, &info, info.last);
      t->seam_diverted = False;
   }
   if (t->entered && is_diverted(t)) {
      t->seam_diverted = True;
      t->seam_kind     = t->diverted->kind;
   }
}

void DCFG_(note_seams)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++)
      note_seam(DCFG_(nth_thread)(i));
}

void DCFG_(tear_seams)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      t->behind.sb     = 0;
      t->seam_diverted = False;
      t->preceding     = 0;
   }
}
