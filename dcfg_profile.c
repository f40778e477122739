
/*--------------------------------------------------------------------*/
/*--- From counters to a graph.                     dcfg_profile.c ---*/
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

/* Owns: the reading of counters.  Handed: superblocks, threads with
   their cells and diversions, images.  Taken by: dcfg_report.c; the flows
   it finds go to dcfg_graph.c.

   For each thread and superblock the cells give how often each exit was
   taken (see dcfg_instrument.c).  Diversions correct that: the step that
   a diverted superblock meant to take is taken back, and a step to where
   control really went takes its place.  The end of a thread is one more
   diversion, to END. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "dcfg_bb.h"
#include "dcfg_image.h"
#include "dcfg_profile.h"
#include "dcfg_thread.h"

#define NONE 0xFFFFFFFFu
#define MAX_INSTRS 128        // of a superblock, as in dcfg_instrument.c

/* A diversion of the superblock in work. */
typedef
   struct {
      Position   from;
      DivertKind kind;
      Bool       ends;        // the thread's end, in place of .kind, .to
      Addr       to;
      ULong      count;
      ULong      to_undo;     // steps to .from.addr to be taken back
      UInt       left_at;     // index of the instruction it came from
   }
   Detour;

typedef
   struct {
      Profile*       p;
      GraphBuilder*  gb;
      UInt           n_sbs;
      UShort*        n_ran;        // for each superblock id: how many of
                                   // its instructions ever ran
      UInt*          first_instr;  // the first one's place in .instrs
      UInt*          place;        // for each image number
      UInt           thread;
      const ULong*   cells;
      Detour*        detours;
      UInt           n_detours, room;
      Bool           lost;         // a flow that makes no sense was met
   }
   Reader;

/*------------------------------------------------------------*/
/*--- What a superblock did in one thread                  ---*/
/*------------------------------------------------------------*/

/* A superblock in one thread. */
typedef
   struct {
      const Superblock* sb;
      ULong faulted[MAX_INSTRS];   // control left before instr K ran
      ULong executed[MAX_INSTRS];  // instr K ran
      ULong at_end;                // and no exit was taken
      UInt  instrs[MAX_INSTRS];    // places in Profile.instrs
   }
   Running;

/* Exit E was taken so often, given how often its instruction ran without
   leaving through an exit before it. */
static ULong times_taken(const Reader* r, const SbExit* e, ULong now)
{
   return e->counting == ExitBefore ? r->cells[e->cell]
                                    : now - r->cells[e->cell];
}

/* How often the end of SB, which is indirect, was reached. */
static ULong sum_of_pairs(const Reader* r, const Superblock* sb)
{
   ULong n = 0;
   for (const Pair* p = sb->first_pair; p != NULL; p = p->next)
      n += r->cells[p->cell];
   return n;
}

/* Fill in all of RUN but .instrs from the cells and detours.  Returns how
   many of the instructions ran at all. */
static UInt tally(const Reader* r, const Superblock* sb, Running* run)
{
   UInt  e = 0, i, k, n_ran = 0;
   ULong all_faulted = 0;
   ULong now;                      // times control comes to instr k

   run->sb = sb;
   for (k = 0; k < sb->n_instrs; k++)
      run->faulted[k] = 0;
   for (i = 0; i < r->n_detours; i++)
      if (r->detours[i].from.n_done > 0
          && r->detours[i].kind != DivertBypass) {
         run->faulted[r->detours[i].from.n_done] += r->detours[i].count;
         all_faulted += r->detours[i].count;
      }

   /* Exits of the first instruction that are counted before they are
      taken come on top of .started; without that cell, everything that
      left must be summed. */
   now = sb->started != 0 ? r->cells[sb->started]
                          : sum_of_pairs(r, sb) + all_faulted;
   for (i = 0; i < sb->n_exits; i++)
      if (sb->exits[i].counting == ExitBefore
          && (sb->exits[i].instr == 0 || sb->started == 0))
         now += r->cells[sb->exits[i].cell];

   for (k = 0; k < sb->n_instrs; k++) {
      now -= run->faulted[k];
      run->executed[k] = now;
      if (now > 0)
         n_ran = k + 1;
      for (; e < sb->n_exits && sb->exits[e].instr == k; e++)
         now -= times_taken(r, &sb->exits[e], now);
   }
   run->at_end = now;
   return n_ran;
}

/*------------------------------------------------------------*/
/*--- Instructions                                         ---*/
/*------------------------------------------------------------*/

static void find_images(Reader* r)
{
   Profile* p = r->p;
   UInt     n = DCFG_(n_images)();
   Bool*    used = VG_(calloc)("dcfg.profile.used", n + 1, sizeof(Bool));

   for (UInt id = 1; id <= r->n_sbs; id++)
      if (r->n_ran[id] > 0)
         used[DCFG_(superblock)(id)->image] = True;
   p->images = VG_(malloc)("dcfg.profile.images", (n + 1) * sizeof(UInt));
   r->place  = VG_(calloc)("dcfg.profile.place", n + 1, sizeof(UInt));
   /* Few: insertion sort by (load address, number). */
   for (UInt no = 0; no < n; no++) {
      ImageInfo a, b;
      UInt      i = p->n_images;
      if (!used[no])
         continue;
      DCFG_(image_info)(no, False, &a);
      for (; i > 0; i--) {
         DCFG_(image_info)(p->images[i - 1], False, &b);
         if (b.load <= a.load)
            break;
         p->images[i] = p->images[i - 1];
      }
      p->images[i] = no;
      p->n_images++;
   }
   for (UInt i = 0; i < p->n_images; i++)
      r->place[p->images[i]] = i;
   VG_(free)(used);
}

/* Sort N instructions by (image, addr): a radix sort, 16 bits at a time,
   that skips what all have in common. */
static Instr* sort_instrs(Instr* in, UInt n)
{
   Instr* out   = VG_(malloc)("dcfg.profile.sort", (n + 1) * sizeof(Instr));
   UInt*  start = VG_(malloc)("dcfg.profile.radix", 65537 * sizeof(UInt));

   for (Int digit = 0; digit < 5; digit++) {
#     define KEY(i) (digit < 4 ? (UInt)((i).addr >> (16 * digit)) & 0xFFFF \
                               : (i).image & 0xFFFF)
      VG_(memset)(start, 0, 65537 * sizeof(UInt));
      for (UInt i = 0; i < n; i++)
         start[KEY(in[i]) + 1]++;
      if (n > 0 && start[KEY(in[0]) + 1] == n)
         continue;
      for (UInt k = 0; k < 65536; k++)
         start[k + 1] += start[k];
      for (UInt i = 0; i < n; i++)
         out[start[KEY(in[i])]++] = in[i];
      Instr* swap = in; in = out; out = swap;
#     undef KEY
   }
   VG_(free)(start);
   VG_(free)(out);
   return in;
}

static void find_instrs(Reader* r)
{
   Profile* p = r->p;
   UInt     n = 0, k;

   for (UInt id = 1; id <= r->n_sbs; id++)
      n += r->n_ran[id];
   p->instrs = VG_(malloc)("dcfg.profile.instrs", (n + 1) * sizeof(Instr));
   n = 0;
   for (UInt id = 1; id <= r->n_sbs; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      Addr a = sb->addr;
      for (k = 0; k < r->n_ran[id]; a += sb->lengths[k++]) {
         Instr* in = &p->instrs[n++];
         in->addr  = a;
         in->image = r->place[sb->image];
         in->len   = sb->lengths[k];
         in->kind  = sb->kinds[k];
      }
   }
   p->instrs = sort_instrs(p->instrs, n);
   for (UInt i = 0; i < n; i++) {
      Instr* last = p->n_instrs > 0 ? &p->instrs[p->n_instrs - 1] : NULL;
      if (last == NULL || last->addr != p->instrs[i].addr
          || last->image != p->instrs[i].image)
         p->instrs[p->n_instrs++] = p->instrs[i];
   }
}

/* The instruction at A in the image at PLACE, or NONE. */
static UInt instr_at(const Reader* r, UInt place, Addr a)
{
   const Instr* in = r->p->instrs;
   UInt lo = 0, hi = r->p->n_instrs;

   while (lo < hi) {
      UInt mid = lo + (hi - lo) / 2;
      if (in[mid].image < place
          || (in[mid].image == place && in[mid].addr < a))
         lo = mid + 1;
      else
         hi = mid;
   }
   return lo < r->p->n_instrs && in[lo].image == place && in[lo].addr == a
          ? lo : NONE;
}

/* The instruction that runs when A is jumped to, or NONE. */
static UInt landing(const Reader* r, Addr a, Bool unredirected)
{
   if (!unredirected)
      a = DCFG_(redirected)(a);
   return instr_at(r, r->place[DCFG_(image_of)(a)], a);
}

/*------------------------------------------------------------*/
/*--- Flows of one superblock                              ---*/
/*------------------------------------------------------------*/

static void lose(Reader* r, const Superblock* sb, Addr to)
{
   if (!r->lost)
      VG_(umsg)("dcfg: internal error: control flow from superblock %#lx "
                "to %#lx is not accounted for\n", sb->addr, to);
   r->lost = True;
}

static EdgeType type_of_step(InsnKind kind, Addr instr, Addr next,
                             Addr target)
{
   switch (kind) {
      case InsnCond:
         return target == next ? EdgeFallThrough
                               : EdgeDirectConditionalBranch;
      case InsnJump:         return EdgeDirectUnconditionalBranch;
      case InsnIndirectJump: return EdgeIndirectUnconditionalBranch;
      case InsnCall:         return EdgeDirectCall;
      case InsnIndirectCall: return EdgeIndirectCall;
      case InsnReturn:       return EdgeReturn;
      case InsnSyscall:      return EdgeSystemCallBypass;
      case InsnRep:
      case InsnPlain:
         /* Not only REP: a locked instruction whose compare-and-swap
            failed is executed again. */
         return target == instr ? EdgeRep
                : target == next ? EdgeFallThrough : EdgeUnknown;
   }
   return EdgeUnknown;
}

/* The superblock left its K-th instruction for TARGET, COUNT times
   according to the counters. */
static void step(Reader* r, const Running* run, UInt k, Addr target,
                 Bool unredirected, ULong count)
{
   for (UInt i = 0; i < r->n_detours && count > 0; i++) {
      Detour* d = &r->detours[i];
      if (d->to_undo == 0 || d->from.addr != target)
         continue;
      ULong n = d->to_undo < count ? d->to_undo : count;
      d->to_undo -= n;
      count      -= n;
      d->left_at  = k;
   }
   if (count == 0)
      return;

   const Instr* in   = &r->p->instrs[run->instrs[k]];
   EdgeType     type = type_of_step(in->kind, in->addr, in->addr + in->len,
                                    target);
   UInt         to   = landing(r, target, unredirected);
   if (to == NONE)
      lose(r, run->sb, target);
   else if (in->kind == InsnPlain && type == EdgeFallThrough)
      DCFG_(graph_onward)(r->gb, r->thread, run->instrs[k], to, count);
   else
      DCFG_(graph_edge)(r->gb, r->thread, run->instrs[k], to, type, count);
}

/* Where the detours of the superblock led. */
static void take_detours(Reader* r, const Running* run)
{
   for (UInt i = 0; i < r->n_detours; i++) {
      Detour* d = &r->detours[i];
      UInt from, to;
      if (d->to_undo > 0)
         lose(r, run->sb, d->from.addr);
      /* A bypass begins where the interruption did. */
      if (d->kind == DivertBypass)
         for (UInt j = 0; j < r->n_detours; j++)
            if (r->detours[j].kind == DivertSignal
                && r->detours[j].from.n_done == d->from.n_done
                && r->detours[j].from.addr == d->from.addr)
               d->left_at = r->detours[j].left_at;
      from = run->instrs[d->from.n_done > 0 ? d->from.n_done - 1
                                            : d->left_at];
      to   = d->ends ? INSTR_END : landing(r, d->to, False);
      if (d->ends) {
         DCFG_(graph_edge)(r->gb, r->thread, from, to, EdgeExit, d->count);
      } else if (d->kind == DivertBypass) {
         if (to != NONE)
            DCFG_(graph_edge)(r->gb, r->thread, from, to,
                              EdgeContextChangeBypass, 0);
      } else if (d->count > 0) {
         Bool again = d->kind == DivertRestart
                      && r->p->instrs[from].kind == InsnSyscall;
         if (to == NONE)
            lose(r, run->sb, d->to);
         else
            DCFG_(graph_edge)(r->gb, r->thread, from, to,
                              d->kind == DivertSignal    ? EdgeContextChange
                            : d->kind == DivertSigreturn
                                                   ? EdgeContextChangeReturn
                            : again ? EdgeSystemCallBypass : EdgeUnknown,
                              d->count);
      }
   }
}

/* Pass on what SB did in the thread. */
static void read_superblock(Reader* r, const Superblock* sb)
{
   UInt    last = sb->n_instrs - 1;
   UInt    e = 0, i, k, n_ran;
   Running run;

   n_ran = tally(r, sb, &run);
   if (n_ran == 0)
      return;

   Addr a = sb->addr;
   for (k = 0, i = r->first_instr[sb->id]; k < n_ran;
        a += sb->lengths[k++]) {
      while (r->p->instrs[i].addr != a)
         i++;
      run.instrs[k] = i;
   }

   /* Once for each way out: the instructions up to there, and the step. */
   for (k = 0; k < n_ran; k++) {
      ULong now = run.executed[k];
      DCFG_(graph_run)(r->gb, r->thread, run.instrs, k, run.faulted[k]);
      for (; e < sb->n_exits && sb->exits[e].instr == k; e++) {
         ULong taken = times_taken(r, &sb->exits[e], now);
         DCFG_(graph_run)(r->gb, r->thread, run.instrs, k + 1, taken);
         step(r, &run, k, sb->exits[e].target, False, taken);
         now -= taken;
      }
   }
   if (n_ran < sb->n_instrs)
      DCFG_(graph_run)(r->gb, r->thread, run.instrs, n_ran,
                       run.faulted[n_ran]);
   DCFG_(graph_run)(r->gb, r->thread, run.instrs, last + 1, run.at_end);
   if (sb->end == EndDirect)
      step(r, &run, last, sb->next, sb->unredirected, run.at_end);
   else
      for (const Pair* p = sb->first_pair; p != NULL; p = p->next)
         step(r, &run, last, p->target, sb->unredirected,
              r->cells[p->cell]);
   take_detours(r, &run);
}

/*------------------------------------------------------------*/
/*--- All flows                                            ---*/
/*------------------------------------------------------------*/

static Detour* new_detour(Reader* r, Position from, ULong count)
{
   if (r->n_detours == r->room) {
      r->room    = r->room ? 2 * r->room : 16;
      r->detours = VG_(realloc)("dcfg.profile.detours", r->detours,
                                r->room * sizeof(Detour));
   }
   Detour* d = &r->detours[r->n_detours++];
   VG_(memset)(d, 0, sizeof(Detour));
   d->from    = from;
   d->count   = count;
   d->to_undo = from.n_done == 0 ? count : 0;
   d->left_at = from.sb == 0 ? 0 : DCFG_(superblock)(from.sb)->n_instrs - 1;
   return d;
}

/* Collect the detours of superblock ID in this thread; *D is the next
   diversion that was not yet looked at. */
static void find_detours(Reader* r, UInt id, const ThreadInfo* info,
                         const Diversion** d)
{
   r->n_detours = 0;
   for (; *d != NULL && (*d)->thread == r->thread && (*d)->from.sb == id;
        *d = DCFG_(next_diversion)()) {
      ULong   count  = (*d)->count - (*d == info->undone ? 1 : 0);
      Detour* detour = new_detour(r, (*d)->from, count);
      detour->kind = (*d)->kind;
      detour->to   = (*d)->to;
   }
   if (id != 0 && id == info->last.sb)
      new_detour(r, info->last, 1)->ends = True;
}

/* The thread's way in: ENTRY, or what came in place of it. */
static void read_entry(Reader* r, const ThreadInfo* info)
{
   Addr a  = info->entry;
   UInt to;

   for (UInt i = 0; i < r->n_detours; i++)
      if (r->detours[i].count > 0)
         a = r->detours[i].to;
   to = landing(r, a, False);
   if (to == NONE)
      lose(r, DCFG_(superblock)(info->last.sb), a);
   else
      DCFG_(graph_edge)(r->gb, r->thread, INSTR_START, to, EdgeEntry, 1);
}

/* Visit every superblock in every thread: to find out what ran, as long
   as there is no graph to pass it on to. */
static void read_all(Reader* r)
{
   const Diversion* d;
   Running          run;

   DCFG_(reset_diversions)();
   d = DCFG_(next_diversion)();
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      r->thread = t;
      r->cells  = DCFG_(cell_counts)(info.cells);
      find_detours(r, 0, &info, &d);
      if (info.ran && r->gb != NULL)
         read_entry(r, &info);
      for (UInt id = 1; id <= r->n_sbs; id++) {
         const Superblock* sb = DCFG_(superblock)(id);
         find_detours(r, id, &info, &d);
         if (r->gb != NULL) {
            read_superblock(r, sb);
         } else {
            UInt n_ran = tally(r, sb, &run);
            if (n_ran > r->n_ran[id])
               r->n_ran[id] = n_ran;
         }
      }
   }
}

Profile* DCFG_(take_profile)(void)
{
   Reader r;

   VG_(memset)(&r, 0, sizeof(r));
   r.p     = VG_(calloc)("dcfg.profile", 1, sizeof(Profile));
   r.n_sbs = DCFG_(n_superblocks)();
   r.n_ran = VG_(calloc)("dcfg.profile.ran", r.n_sbs + 1, sizeof(UShort));
   read_all(&r);
   find_images(&r);
   find_instrs(&r);
   r.first_instr = VG_(calloc)("dcfg.profile.first", r.n_sbs + 1,
                               sizeof(UInt));
   for (UInt id = 1; id <= r.n_sbs; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      if (r.n_ran[id] > 0)
         r.first_instr[id] = instr_at(&r, r.place[sb->image], sb->addr);
   }
   r.gb = DCFG_(new_graph)(r.p->instrs, r.p->n_instrs, DCFG_(n_threads)());
   read_all(&r);
   DCFG_(partition)(r.gb);
   read_all(&r);
   r.p->graph = DCFG_(finish_graph)(r.gb);
   VG_(free)(r.n_ran);
   VG_(free)(r.first_instr);
   VG_(free)(r.place);
   VG_(free)(r.detours);
   return r.p;
}

void DCFG_(delete_profile)(Profile* p)
{
   DCFG_(delete_graph)(p->graph);
   VG_(free)(p->images);
   VG_(free)(p->instrs);
   VG_(free)(p);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
