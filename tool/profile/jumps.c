/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Jumps within functions. */

/* Owns: the jumps of the present context.  Handed: how often segments of
   superblocks ran in it, by tool/profile/costs.c, and the targets of indirect jumps
   (dcfg_bb.c).  Taken by: tool/profile/costs.c.

   An exit was taken as often as its segment ran less the next segment.

   Targets of indirect jumps are not counted by context.  They are given to the
   context in which the superblock ran most often, which nearly always is the
   only one.

   Nor is it counted by context which of an instruction's several exits was
   taken.  REPNE SCAS, for example, has one for a count of 0 and one to begin
   again.  The exits that lead to the next instruction are given to the contexts
   in their order. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/arch/guest.h"
#include "format/order.h"
#include "tool/calls/calls.h"
#include "tool/profile/jumps.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

#define NONE DCFG_NO_INSTR

typedef
   struct {
      UInt  sb;
      Addr  target;
      ULong count;
   }
   IndirectJump;

/* Owner: the context in which a superblock ran most often. */
typedef
   struct {
      UInt  rank;
      ULong count;
   }
   Owner;

struct _Jumps {
   const Gathered*     p;
   const Place* const* places;
   Owner*              owners;     // for each superblock
   ULong*              led_on;     // for each superblock whose last instruction
                                   // has several exits: how often the first one
                                   // was taken, and is not given to a context
                                   // yet
   XArray*             indirect;   // IndirectJump, sorted by superblock
   XArray*             now;        // Jump, in the present context
   Bool                taken;      // has .now been given out?
};

static void add_jump(Jumps* js, const SbCosts* sc, UInt k, Addr target,
                     ULong count, Bool is_conditional)
{
   /* The target is in the same image, or other code has replaced it. */
   Jump j = { sc->instrs[k],
              DCFG_(find_instr)(js->p, sc->sb->image, target),
              count, 0, is_conditional };

   if (j.to == NONE)
      j.to = DCFG_(find_landing)(js->p, DCFG_(target_now)(target, False));
   if (count > 0 && j.from != NONE && j.to != NONE
       && !DCFG_(is_call_like)(DCFG_(call_fields)(sc->sb)->place,
                                js->places[j.to]))
      VG_(addToXA)(js->now, &j);
}

static Bool may_jump(InsnKind kind)
{
   if (kind == InsnJump)
      return !DCFG_(guest).jumps_are_calls;
   return kind != InsnCall && kind != InsnIndirectCall && kind != InsnReturn
          && kind != InsnSyscall;
}

static void add_indirect_jumps(Jumps* js, const SbCosts* sc, UInt k)
{
   Word lo = 0;

   if (js->owners[sc->sb->id].rank != sc->rank)
      return;
   BISECT(lo, VG_(sizeXA)(js->indirect), mid,
          ((const IndirectJump*)VG_(indexXA)(js->indirect, mid))->sb
          < sc->sb->id);
   for (; lo < VG_(sizeXA)(js->indirect); lo++) {
      const IndirectJump* j = VG_(indexXA)(js->indirect, lo);
      if (j->sb != sc->sb->id)
         break;
      add_jump(js, sc, k, j->target, j->count, False);
   }
}

/* Return whether exit E leads to the next instruction, and another exit of the
   last instruction does not. */
static Bool leads_on_first(const Superblock* sb, UInt e)
{
   return e + 1 < sb->n_exits && sb->exits[e + 1].instr == sb->n_instrs - 1
          && sb->exits[e].instr == sb->n_instrs - 1
          && sb->exits[e].counting == ExitBefore;
}

/* Superblock SB was left LEFT times in a context by its exits from E on, all of
   one instruction.  Return the exit that does not lead to NEXT, if there is
   one, and set *LEFT to how often it was taken. */
static const SbExit* exit_elsewhere(Jumps* js, const Superblock* sb, UInt e,
                                    Addr next, /*INOUT*/ULong* left)
{
   UInt k = sb->exits[e].instr;

   if (leads_on_first(sb, e) && sb->exits[e].target == next) {
      ULong* on = &js->led_on[sb->id];
      ULong  n  = *on < *left ? *on : *left;
      *on   -= n;
      *left -= n;
   }
   for (; e < sb->n_exits && sb->exits[e].instr == k; e++)
      if (sb->exits[e].target != next)
         return &sb->exits[e];
   return NULL;
}

void DCFG_(add_jumps)(Jumps* js, const SbCosts* sc)
{
   const Superblock* sb   = sc->sb;
   UInt              last = sb->n_instrs - 1, s = 0;
   Bool              is_conditional = False;
   ULong             at_end = sc->executed[last];
   Addr              a = sb->addr;

   if (js->taken)
      VG_(dropTailXA)(js->now, VG_(sizeXA)(js->now));
   js->taken = False;
   for (UInt e = 0, k = 0; k < sb->n_instrs; a += sb->lengths[k++]) {
      if (e == sb->n_exits || sb->exits[e].instr != k)
         continue;
      ULong         passed = sc->segments[++s];
      ULong         left   = sc->executed[k] - passed;
      const SbExit* away   = exit_elsewhere(js, sb, e, a + sb->lengths[k],
                                            &left);
      if (away != NULL)
         add_jump(js, sc, k, away->target, left, True);
      while (e < sb->n_exits && sb->exits[e].instr == k)
         e++;
      if (k == last) {
         is_conditional = True;
         at_end         = passed;
      }
   }
   if (!may_jump(sb->kinds[last]))
      return;
   if (sb->end == EndIndirect)
      add_indirect_jumps(js, sc, last);
   else if (sb->next != a)
      add_jump(js, sc, last, sb->next, at_end, is_conditional);
}

COMPARE(cmp_jumps, Jump, UP(from) ?: UP(to) ?: UP(is_conditional))

const Jump* DCFG_(take_jumps)(Jumps* js, const Cost* costs, UInt* n_jumps)
{
   Word n = 0;

   if (js->taken)
      VG_(dropTailXA)(js->now, VG_(sizeXA)(js->now));
   js->taken = True;
   VG_(sortXA)(js->now);
   for (Word i = 0; i < VG_(sizeXA)(js->now); i++) {
      Jump* next = VG_(indexXA)(js->now, i);
      Jump* last = n > 0 ? VG_(indexXA)(js->now, n - 1) : NULL;
      while (costs->instr < next->from)
         costs++;
      next->executed = costs->count;
      if (last != NULL && cmp_jumps(last, next) == 0)
         last->count += next->count;
      else
         *(Jump*)VG_(indexXA)(js->now, n++) = *next;
   }
   *n_jumps = n;
   return n == 0 ? NULL : VG_(indexXA)(js->now, 0);
}

COMPARE(cmp_indirect, IndirectJump, UP(sb) ?: UP(target))

static void note_led_on(Jumps* js, const Superblock* sb, const ULong* cells)
{
   for (UInt e = 0; e < sb->n_exits; e++)
      if (leads_on_first(sb, e))
         js->led_on[sb->id] += DCFG_(count_of_cell)(cells[sb->exits[e].cell]);
}

static void find_jumps(Jumps* js, UInt thread)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      if (thread != DCFG_ALL_THREADS && thread != t)
         continue;
      DCFG_(thread_info)(t, &info);
      const ULong* cells = DCFG_(cell_counts)(info.cells);
      for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++) {
         const Superblock* sb = DCFG_(superblock)(id);
         note_led_on(js, sb, cells);
         if (sb->end != EndIndirect || !may_jump(sb->kinds[sb->n_instrs - 1]))
            continue;
         for (const Pair* p = sb->branch->first_pair; p; p = p->next) {
            IndirectJump j = { id, p->target,
                               DCFG_(count_of_cell)(cells[p->cell]) };
            if (j.count > 0)
               VG_(addToXA)(js->indirect, &j);
         }
      }
   }
   VG_(sortXA)(js->indirect);
}

void DCFG_(note_runs)(Jumps* js, UInt sb, UInt rank, ULong count)
{
   Owner* o = &js->owners[sb];

   if (count > o->count) {
      o->rank  = rank;
      o->count = count;
   }
}

Jumps* DCFG_(new_jumps)(const Gathered* p, const Place* const* places,
                        UInt thread)
{
   Jumps* js = VG_(calloc)("dcfg.jumps", 1, sizeof(Jumps));

   js->p        = p;
   js->places   = places;
   js->owners   = VG_(calloc)("dcfg.jumps.owners",
                              DCFG_(n_superblocks)() + 1, sizeof(Owner));
   js->led_on   = VG_(calloc)("dcfg.jumps.led_on",
                              DCFG_(n_superblocks)() + 1, sizeof(ULong));
   js->indirect = VG_(newXA)(VG_(malloc), "dcfg.jumps.indirect", VG_(free),
                             sizeof(IndirectJump));
   js->now      = VG_(newXA)(VG_(malloc), "dcfg.jumps.now", VG_(free),
                             sizeof(Jump));
   VG_(setCmpFnXA)(js->indirect, cmp_indirect);
   VG_(setCmpFnXA)(js->now, cmp_jumps);
   find_jumps(js, thread);
   return js;
}

void DCFG_(delete_jumps)(Jumps* js)
{
   VG_(free)(js->owners);
   VG_(free)(js->led_on);
   VG_(deleteXA)(js->indirect);
   VG_(deleteXA)(js->now);
   VG_(free)(js);
}
