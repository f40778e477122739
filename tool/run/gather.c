/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the list of executed instructions, and passing flows on to
   tool/graph/graph.c, which makes blocks and edges.  The flows include where
   diverted threads went.  Handed: what each superblock did in each thread, by
   tool/run/flow.c; images.

   There are three passes over the superblocks of all threads.  The first one
   finds the instructions that ran.  The second one tells the graph all flows, so
   that it can divide the instructions into blocks.  The third one tells them
   again, and the graph counts edges between blocks. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "format/order.h"
#include "tool/run/flow.h"
#include "tool/run/gather.h"
#include "tool/run/generation.h"
#include "tool/run/image.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

#define NONE DCFG_NO_INSTR

/* Landed: an address that jumps lead to, and the first instruction there. */
typedef
   struct {
      Addr entry;         // 0: none
      UInt instr;         // its index in .instrs
   }
   Landed;

typedef
   struct {
      Gathered*     p;
      GraphBuilder* gb;
      UInt          n_sbs;
      UShort*       n_ran;        // for each superblock: how many of its
                                  // instructions ever ran
      UInt*         first_instr;  // for each superblock: index of its first
                                  // instruction in .instrs
      UInt*         owners;       // for each counter: its superblock
      Bool*         diverted;     // for each superblock: diverted in some
                                  // thread?
      Bool*         touched;      // for each superblock: can it have run in the
                                  // present thread?
      Landed*       landed;       // a table of a power of two; NULL: none
      UInt          landed_bits;
      UInt*         landings;     // for each flow in its order: where it leads
      UInt          n_landings, room;
      UInt          next_landing;
      SbRun         run;          // the present superblock and thread
      UInt          instrs[DCFG_MAX_INSTRS];  // indices of its instructions
      Bool          lost;         // was there a flow that makes no sense?
   }
   Reader;

/*--- Instructions                                         ---*/

/* Compare two images, by number: by load address, then number. */
static Int cmp_images(const void* va, const void* vb)
{
   UInt      a = *(const UInt*)va, b = *(const UInt*)vb;
   ImageInfo ia, ib;

   DCFG_(image_info)(a, False, &ia);
   DCFG_(image_info)(b, False, &ib);
   return ORDER(ia.load, ib.load) ?: ORDER(a, b);
}

static void find_images(Reader* r)
{
   Gathered* p    = r->p;
   UInt      n    = DCFG_(n_images)();
   Bool*     used = VG_(calloc)("dcfg.gather.used", n + 1, sizeof(Bool));

   for (UInt id = 1; id <= r->n_sbs; id++)
      if (r->n_ran[id] > 0)
         used[DCFG_(superblock)(id)->image] = True;
   p->images = VG_(malloc)("dcfg.gather.images", (n + 1) * sizeof(UInt));
   p->place_of = VG_(malloc)("dcfg.gather.place", (n + 1) * sizeof(UInt));
   VG_(memset)(p->place_of, 0xFF, (n + 1) * sizeof(UInt));   // NONE
   for (UInt no = 0; no < n; no++)
      if (used[no])
         p->images[p->n_images++] = no;
   VG_(ssort)(p->images, p->n_images, sizeof(UInt), cmp_images);
   for (UInt i = 0; i < p->n_images; i++)
      p->place_of[p->images[i]] = i;
   VG_(free)(used);
}

/* Start: where a superblock begins of which instructions ran. */
typedef
   struct {
      Addr addr;
      UInt image;         // its place
      UInt sb;
   }
   Start;

/* Sort N starts by (image, addr) with a radix sort of 16 bits at a time: four
   digits of the address, two of the image.  Digits that are equal in all starts
   are skipped. */
static Start* sort_starts(Start* in, UInt n)
{
   Start* out    = VG_(malloc)("dcfg.gather.sort", (n + 1) * sizeof(Start));
   UInt*  start  = VG_(malloc)("dcfg.gather.radix", 65537 * sizeof(UInt));
   Start  differ = { 0 };   // bits that are not the same in all

   for (UInt i = 1; i < n; i++) {
      differ.addr  |= in[i].addr ^ in[0].addr;
      differ.image |= in[i].image ^ in[0].image;
   }
   for (Int digit = 0; digit < 6; digit++) {
#     define KEY(i) (digit < 4 ? (UInt)((ULong)(i).addr >> 16 * digit) & 0xFFFF \
                               : (i).image >> 16 * (digit - 4) & 0xFFFF)
      if (KEY(differ) == 0)
         continue;
      VG_(memset)(start, 0, 65537 * sizeof(UInt));
      for (UInt i = 0; i < n; i++)
         start[KEY(in[i]) + 1]++;
      for (UInt k = 0; k < 65536; k++)
         start[k + 1] += start[k];
      for (UInt i = 0; i < n; i++)
         out[start[KEY(in[i])]++] = in[i];
      Start* swap = in; in = out; out = swap;
#     undef KEY
   }
   DCFG_FREE_ALL(start, out);
   return in;
}

/* Add the first N instructions of SB, in the image with index PLACE, to the list.
   Superblocks come in the order of their addresses, so only the last instructions
   of the list can be behind one of SB, or the same. */
static void add_instrs(Gathered* p, const Superblock* sb, UInt place, UInt n)
{
   Instr* list = p->instrs;
   Addr   a    = sb->addr;
   UInt   i    = p->n_instrs;

   while (i > 0 && list[i - 1].image == place && list[i - 1].addr >= a)
      i--;
   for (UInt k = 0; k < n; a += sb->lengths[k++]) {
      while (i < p->n_instrs && list[i].addr < a)
         i++;
      if (i == p->n_instrs || list[i].addr != a) {
         VG_(memmove)(&list[i + 1], &list[i],
                      (p->n_instrs++ - i) * sizeof(Instr));
         list[i] = (Instr){ .addr = a, .image = place, .len = sb->lengths[k],
                            .kind = sb->kinds[k] };
      }
      i++;
   }
}

static void find_instrs(Reader* r)
{
   Gathered* p        = r->p;
   SizeT     n_instrs = 0;
   UInt      n        = 0;
   Start*    starts   = VG_(malloc)("dcfg.gather.starts",
                                    (r->n_sbs + 1) * sizeof(Start));

   for (UInt id = 1; id <= r->n_sbs; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      if (r->n_ran[id] > 0)
         starts[n++] = (Start){ sb->addr, p->place_of[sb->image], id };
      n_instrs += r->n_ran[id];
   }
   p->instrs = VG_(malloc)("dcfg.gather.instrs",
                           (n_instrs + 1) * sizeof(Instr));
   starts = sort_starts(starts, n);
   for (UInt i = 0; i < n; i++)
      add_instrs(p, DCFG_(superblock)(starts[i].sb), starts[i].image,
                 r->n_ran[starts[i].sb]);
   VG_(free)(starts);
}

/* Fill INDEX for the instructions FIRST to END-1 of an image.  It has at most
   one entry more than there are instructions. */
static void index_instrs(const Instr* in, UInt first, UInt end,
                         InstrIndex* index)
{
   Addr size = in[end - 1].addr - in[first].addr;
   UInt i    = first;

   index->first = in[first].addr;
   while ((size >> index->shift) >= end - first)
      index->shift++;
   index->n      = (size >> index->shift) + 1;
   index->starts = VG_(malloc)("dcfg.gather.index",
                               (index->n + 1) * sizeof(UInt));
   for (UInt k = 0; k < index->n; k++) {
      while ((in[i].addr - index->first) >> index->shift < k)
         i++;
      index->starts[k] = i;
   }
   index->starts[index->n] = end;
}

static void index_images(Gathered* gathered)
{
   UInt first = 0;

   gathered->indexes = VG_(calloc)("dcfg.gather.indexes",
                                   gathered->n_images + 1, sizeof(InstrIndex));
   for (UInt i = 1; i <= gathered->n_instrs; i++)
      if (i == gathered->n_instrs
          || gathered->instrs[i].image != gathered->instrs[first].image) {
         index_instrs(gathered->instrs, first, i,
                      &gathered->indexes[gathered->instrs[first].image]);
         first = i;
      }
}

UInt DCFG_(find_instr)(const Gathered* gathered, UInt image, Addr a)
{
   const Instr*      in    = gathered->instrs;
   UInt              place = gathered->place_of[image];
   const InstrIndex* index = &gathered->indexes[place];

   if (place == NONE || a < index->first)
      return NONE;
   Addr k = (a - index->first) >> index->shift;
   if (k >= index->n)
      return NONE;
   UInt lo = index->starts[k];
   BISECT(lo, index->starts[k + 1], mid, in[mid].addr < a);
   return lo < index->starts[k + 1] && in[lo].addr == a ? lo : NONE;
}

UInt DCFG_(find_landing)(const Gathered* gathered, Target t)
{
   Addr addr;
   UInt image;
   return DCFG_(landing)(t, &addr, &image)
          ? DCFG_(find_instr)(gathered, image, addr)
          : NONE;
}

/*--- Where jumps land                                     ---*/

/* Make a table of addresses that jumps lead to, if none has had several versions.
   For a large program, each look at the landings and the instructions misses the
   processor's cache some four times; one here misses it once. */
static void make_landed(Reader* r)
{
   if (!DCFG_(lands_plainly)())
      return;
   while (1u << r->landed_bits < r->n_sbs + r->n_sbs / 2 + 1)
      r->landed_bits++;
   r->landed = VG_(calloc)("dcfg.gather.landed", 1u << r->landed_bits,
                           sizeof(Landed));
}

/* Return the entry of the table for A, which may be an empty one. */
static Landed* landed_at(const Reader* r, Addr a)
{
   const UInt mask = (1u << r->landed_bits) - 1;
   UInt       i    = (UInt)(a * 0x9E3779B97F4A7C15ULL >> (64 - r->landed_bits));

   while (r->landed[i].entry != 0 && r->landed[i].entry != a)
      i = (i + 1) & mask;
   return &r->landed[i];
}

/* Superblock SB, of which instructions ran, begins with INSTR. */
static void note_landed(Reader* r, const Superblock* sb, UInt instr)
{
   if (r->landed != NULL && sb->versions[0] == 0 && sb->entry != 0)
      *landed_at(r, sb->entry) = (Landed){ sb->entry, instr };
}

/* Like DCFG_(find_landing). */
static UInt find_landed(const Reader* r, Target t)
{
   const Landed* l = r->landed == NULL || t.unredirected
                     ? NULL : landed_at(r, t.addr);

   return l != NULL && l->entry != 0 ? l->instr
                                     : DCFG_(find_landing)(r->p, t);
}

/*--- Flows                                                ---*/

static void lose(Reader* r, Target to)
{
   if (!r->lost)
      VG_(umsg)("dcfg: internal error: control flow from superblock %#lx "
                "to %#lx is not accounted for\n",
                r->run.sb == NULL ? 0 : r->run.sb->addr, to.addr);
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
         /* REP, and also a locked instruction whose compare-and-swap failed. */
         return target == instr ? EdgeRep
                : target == next ? EdgeFallThrough : EdgeUnknown;
   }
   return EdgeUnknown;
}

/* Return where the next flow, to TARGET, leads.  All flows are read twice, in
   the same order: the second time the result is known. */
static UInt next_landing(Reader* r, Target target)
{
   if (r->next_landing == r->n_landings) {
      if (r->n_landings == r->room) {
         r->room     = r->room == 0 ? 1024 : 2 * r->room;
         r->landings = VG_(realloc)("dcfg.gather.landings", r->landings,
                                    (SizeT)r->room * sizeof(UInt));
      }
      r->landings[r->n_landings++] = find_landed(r, target);
   }
   return r->landings[r->next_landing++];
}

/* Pass a step on to the graph.  A FlowFn; ARG is the Reader. */
static void step(void* arg, const SbRun* run, UInt k, Target target,
                 ULong count)
{
   Reader*      r    = arg;
   const Instr* in   = &r->p->instrs[r->instrs[k]];
   EdgeType     type = type_of_step(in->kind, in->addr, in->addr + in->len,
                                    target.addr);
   UInt         to   = next_landing(r, target);

   if (to == NONE)
      lose(r, target);
   else if (in->kind == InsnPlain && type == EdgeFallThrough)
      DCFG_(graph_onward)(r->gb, run->thread, r->instrs[k], to, count);
   else
      DCFG_(graph_edge)(r->gb, run->thread, r->instrs[k], to, type, count);
}

static EdgeType type_of_diversion(DivertKind how, InsnKind kind)
{
   switch (how) {
      case DivertSignal:    return EdgeContextChange;
      case DivertSigreturn: return EdgeContextChangeReturn;
      case DivertBypass:    return EdgeContextChangeBypass;
      case DivertExcluded:  return EdgeExcludedCodeBypass;
      case DivertRestart:   break;
   }
   return kind == InsnSyscall ? EdgeSystemCallBypass : EdgeUnknown;
}

/* Pass on where the diversions of the superblock led. */
static void take_diversions(Reader* r)
{
   for (UInt i = 0; i < r->run.n_diversions; i++) {
      const SbDiversion* d = &r->run.diversions[i];
      if (d->kind == DivertBypass ? d->ends : d->count == 0)
         continue;
      UInt from = r->instrs[d->from.n_done > 0 ? d->from.n_done - 1
                                               : d->left_at];
      if (d->ends) {
         DCFG_(graph_edge)(r->gb, r->run.thread, from, INSTR_END, EdgeExit,
                           d->count);
      } else {
         UInt to = DCFG_(find_landing)(r->p, d->to);
         if (to != NONE)
            DCFG_(graph_edge)(r->gb, r->run.thread, from, to,
                              type_of_diversion(d->kind,
                                                r->p->instrs[from].kind),
                              d->kind == DivertBypass ? 0 : d->count);
         else if (d->kind != DivertBypass)
            lose(r, d->to);
      }
      if (d->to_undo > 0)
         lose(r, d->from.target);
   }
}

/* Pass on what the superblock did in the thread: the instructions up to each
   exit, and the steps. */
static void pass_on(Reader* r, UInt n_ran)
{
   const SbRun*      run = &r->run;
   const Superblock* sb  = run->sb;
   Addr a = sb->addr;
   UInt i = r->first_instr[sb->id];
   UInt k;

   for (k = 0; k < n_ran; a += sb->lengths[k++]) {
      while (r->p->instrs[i].addr != a)
         i++;
      r->instrs[k] = i;
   }
   for (k = 1; k <= n_ran; k++) {
      ULong onward = k < n_ran ? run->executed[k] : 0;
      if (run->executed[k - 1] > onward)
         DCFG_(graph_run)(r->gb, run->thread, r->instrs, k,
                          run->executed[k - 1] - onward);
   }
   DCFG_(each_flow)(&r->run, step, r);
   take_diversions(r);
}

static Addr addr_of_site(Site site)
{
   const Superblock* sb = DCFG_(superblock)(site.sb);
   Addr a = sb->addr;

   for (UInt k = 0; k < site.k; k++)
      a += sb->lengths[k];
   return a;
}

/* Return the type of the way from the instruction FROM, of an earlier part, to
   the instruction with index TO.  If HOW is not NULL, the thread was diverted
   in this way. */
static UChar way_in(const Gathered* gathered, Site from, const DivertKind* how,
                    UInt to)
{
   const Superblock* sb   = DCFG_(superblock)(from.sb);
   const Instr*      in   = &gathered->instrs[to];
   InsnKind          kind = sb->kinds[from.k];
   Addr              a    = addr_of_site(from);

   if (how != NULL)
      return type_of_diversion(*how, kind);
   EdgeType type = type_of_step(kind, a, a + sb->lengths[from.k], in->addr);
   if (kind == InsnPlain && type == EdgeFallThrough && in->kind != InsnRep
       && gathered->images[in->image] == sb->image)
      return WAY_IN_ONWARD;
   return type;
}

/* Pass on the thread's ENTRY edge, or what takes its place in a later part. */
static void pass_on_entry(Reader* r, const ThreadInfo* info)
{
   Target            t   = info->entry;
   const DivertKind* how = info->boundary_diverted ? &info->boundary_kind
                                                   : NULL;

   for (UInt i = 0; i < r->run.n_diversions; i++)
      if (r->run.diversions[i].count > 0) {
         t   = r->run.diversions[i].to;
         how = &r->run.diversions[i].kind;
      }
   UInt to = DCFG_(find_landing)(r->p, t);
   if (to == NONE) {
      lose(r, t);
      return;
   }
   DCFG_(graph_edge)(r->gb, r->run.thread, INSTR_START, to, EdgeEntry, 1);
   if (info->behind.sb != 0)
      r->p->ways_in[r->run.thread] = way_in(r->p, info->behind, how, to);
}

/* Find what joins this part of the run to the earlier ones. */
static void find_boundaries(Gathered* gathered)
{
   UInt n = DCFG_(n_late_returns)();

   gathered->preceding = VG_(calloc)("dcfg.gather.preceding",
                                     DCFG_(n_threads)() + 1, sizeof(ULong));
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      gathered->preceding[t] = info.preceding;
      DCFG_(note_counted)(t, gathered->graph->thread_instrs[t]);
   }
   gathered->bypasses = VG_(calloc)("dcfg.gather.bypasses", n + 1,
                                    sizeof(PartBypass));
   for (UInt i = 0; i < n; i++) {
      const LateReturn* l  = DCFG_(late_return)(i);
      UInt              to = DCFG_(find_landing)(gathered, l->to);
      /* The thread was diverted again before it ran an instruction there. */
      if (to == NONE)
         continue;
      gathered->bypasses[gathered->n_bypasses++] = (PartBypass){
                DCFG_(superblock)(l->from.sb)->image, addr_of_site(l->from),
                gathered->graph->node_of[to] };
   }
}

/*--- Passes                                               ---*/

typedef
   struct {
      UInt* owners;
      UInt  id;
   }
   Owning;

static Bool note_owner(void* arg, CellNo no)
{
   const Owning* o = arg;
   o->owners[no] = o->id;
   return False;
}

/* Find each counter's superblock, so that only the counters of a thread have to
   be read, not all superblocks. */
static void find_owners(Reader* r)
{
   r->owners   = VG_(calloc)("dcfg.gather.owners", DCFG_(n_cells)() + 1,
                             sizeof(UInt));
   r->diverted = VG_(calloc)("dcfg.gather.diverted", r->n_sbs + 1,
                             sizeof(Bool));
   r->touched  = VG_(calloc)("dcfg.gather.touched", r->n_sbs + 1,
                             sizeof(Bool));
   for (UInt id = 1; id <= r->n_sbs; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      Owning            o  = { r->owners, id };
      r->diverted[id] = sb->diverted;
      DCFG_(any_counter)(sb, note_owner, &o);
   }
}

static void touch_owner(void* arg, CellNo no)
{
   Reader* r = arg;
   r->touched[r->owners[no]] = True;
}

/* Call VISIT for every superblock in every thread that has run it, with the
   number of its instructions that ran at all; and before, BEGIN for the thread
   if it has run.  The present superblock and thread are R->run. */
static void visit_runs(Reader* r,
                       void (*begin)(Reader* r, const ThreadInfo* info),
                       void (*visit)(Reader* r, UInt n_ran))
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      const ULong* cells = DCFG_(cell_counts)(info.cells);
      DCFG_(read_run)(&r->run, t, &info, cells, NULL);
      if (info.ran && begin != NULL)
         begin(r, &info);
      VG_(memcpy)(r->touched, r->diverted, r->n_sbs + 1);
      DCFG_(each_counter)(info.cells, touch_owner, r);
      r->touched[info.last.sb] = True;
      for (UInt id = 1; id <= r->n_sbs; id++) {
         if (!r->touched[id])
            continue;
         UInt n_ran = DCFG_(read_run)(&r->run, t, &info, cells,
                                      DCFG_(superblock)(id));
         if (n_ran > 0)
            visit(r, n_ran);
      }
   }
}

static void note_ran(Reader* r, UInt n_ran)
{
   UShort* most = &r->n_ran[r->run.sb->id];

   if (n_ran > *most)
      *most = n_ran;
}

/* The first pass: list the instructions that ran. */
static void find_all_instrs(Reader* r)
{
   r->n_ran = VG_(calloc)("dcfg.gather.ran", r->n_sbs + 1, sizeof(UShort));
   visit_runs(r, NULL, note_ran);
   find_images(r);
   find_instrs(r);
   index_images(r->p);
   r->first_instr = VG_(calloc)("dcfg.gather.first", r->n_sbs + 1,
                                sizeof(UInt));
   make_landed(r);
   for (UInt id = 1; id <= r->n_sbs; id++) {
      const Superblock* sb = DCFG_(superblock)(id);
      if (r->n_ran[id] == 0)
         continue;
      r->first_instr[id] = DCFG_(find_instr)(r->p, sb->image, sb->addr);
      note_landed(r, sb, r->first_instr[id]);
   }
}

/* The second pass: tell the graph where control went, and so where blocks begin
   and end. */
static void find_blocks(Reader* r)
{
   r->p->ways_in = VG_(malloc)("dcfg.gather.ways_in", DCFG_(n_threads)() + 1);
   VG_(memset)(r->p->ways_in, WAY_IN_BEGINS, DCFG_(n_threads)());
   r->gb = DCFG_(new_graph)(r->p->instrs, r->p->n_instrs,
                            DCFG_(n_threads)());
   visit_runs(r, pass_on_entry, pass_on);
   VG_(free)(r->landed);
   r->landed = NULL;
   DCFG_(partition)(r->gb);
}

/* The third pass: tell the graph the same again, which now counts edges between
   blocks. */
static void count_edges(Reader* r)
{
   r->next_landing = 0;
   visit_runs(r, pass_on_entry, pass_on);
   tl_assert(r->next_landing == r->n_landings);
   r->p->graph = DCFG_(finish_graph)(r->gb);
}

Gathered* DCFG_(gather)(void)
{
   Reader r;

   VG_(memset)(&r, 0, sizeof(r));
   DCFG_(claim_superblocks)();
   DCFG_(flush_threads)();
   r.p     = VG_(calloc)("dcfg.gather", 1, sizeof(Gathered));
   r.n_sbs = DCFG_(n_superblocks)();
   find_owners(&r);
   find_all_instrs(&r);
   find_blocks(&r);
   count_edges(&r);
   find_boundaries(r.p);
   DCFG_FREE_ALL(r.n_ran, r.first_instr, r.landings, r.owners, r.diverted,
                 r.touched, r.run.diversions);
   return r.p;
}

void DCFG_(delete_gathered)(Gathered* gathered)
{
   DCFG_(delete_graph)(gathered->graph);
   for (UInt i = 0; i < gathered->n_images; i++)
      VG_(free)(gathered->indexes[i].starts);
   DCFG_FREE_ALL(gathered->indexes, gathered->images, gathered->place_of,
                 gathered->instrs, gathered->ways_in, gathered->preceding,
                 gathered->bypasses, gathered);
}
