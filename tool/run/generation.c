/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the images of code that changes, and the superblocks that wait for an
   image.  Handed: addresses of code by tool/run/instrument.c.

   If other code runs at addresses of a mapping, the mapping gets a new image,
   a generation.  Code of the older generation that is still valid counts in
   the new image when it next runs, with the code around it.

   Translations count in cells and write marks, whose numbers are in their
   code.  So a superblock's record stays with its translation, and its counts
   move to its past, a second record in the old image.  The past also takes
   over its pairs, resolved steps and diversions, and the threads that stand in
   it.  The steps that led to it are resolved as steps to the old code.  The
   superblock then waits: it has no image.  If it has run when this matters, it
   is claimed for the image that its mapping has then.  So nothing is done for
   code that does not run again.

   All this needs that a pending translation does not run after its code has
   changed.  The core checks that before each run.  Translations without a
   check are discarded.  So are all if there is excluded code, or a watcher
   that adds code, as these know superblocks by number.  After many
   generations, translations stay in their image; after twice as many, none
   waits, so that a generation costs the same however much code there is. */

#include "tool/base/core.h"
#include "tool/dcfg_output.h"
#include "tool/jit/generated.h"
#include "tool/run/branch.h"
#include "tool/run/bytes.h"
#include "tool/run/diversion.h"
#include "tool/run/exclude.h"
#include "tool/run/flow.h"
#include "tool/run/generation.h"
#include "tool/run/image.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"

/* Pending: a superblock that waits.  It has the numbers of the N counters,
   which are neighbours, or of its branch's slots, if there are none; lest each
   record must be read to ask whether it has run. */
typedef
   struct {
      Superblock* sb;
      CellNo      first;
      UInt        n;
   }
   Pending;

/* Page: the pending superblocks that begin on a page. */
#define PAGE 4096u   // bytes, more than a superblock has
typedef
   struct _Page {
      struct _Page* hash_next;
      UWord         hash_key;   // address / PAGE
      XArray*       pending;    // Pending
   }
   Page;

static VgHashTable* pages;      // NULL: no superblock ever waited

/* Runner: what a thread shows of what it has run since all were claimed; another
   one while it is not collected. */
typedef
   struct {
      ULong*            cells;
      const Superblock* stands;   // superblock where it stands, or NULL
   }
   Runner;

static XArray* runners;         // Runner

static void find_runners(void)
{
   VG_(dropTailXA)(runners, VG_(sizeXA)(runners));
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (!info.live || !info.fresh)
         continue;
      Runner r = { DCFG_(cell_base)(info.cells),
                   info.last.sb == 0 ? NULL
                                     : DCFG_(superblock)(info.last.sb) };
      VG_(addToXA)(runners, &r);
      if (info.idle_cells != NULL) {
         r.cells  = DCFG_(cell_base)(info.idle_cells);
         r.stands = info.idle_sb == 0 ? NULL
                                      : DCFG_(superblock)(info.idle_sb);
         VG_(addToXA)(runners, &r);
      }
   }
}

/*--- Superblocks that wait                                ---*/

/* Return whether W has run since it waits. */
static Bool has_run(const Pending* w)
{
   UInt          n = VG_(sizeXA)(runners);
   const Runner* r = n == 0 ? NULL : VG_(indexXA)(runners, 0);

   for (; n > 0; n--, r++) {
      for (UInt i = 0; i < w->n; i++)
         if (r->cells[w->first + i] != 0)
            return True;
      /* A fault counts nowhere: see claim_tried(). */
      if (w->n == 0 && (r->stands == w->sb
                        || DCFG_(has_run_branch)(r->cells, w->first)))
         return True;
   }
   return False;
}

static Addr end_of(const Superblock* sb)
{
   return DCFG_(instr_addr)(sb, sb->n_instrs);
}

static void claim(Superblock* sb)
{
   DCFG_(join_image)(sb, DCFG_(image_at)(sb->addr));
   DCFG_(note_translation)(sb->image, sb->addr);
   for (Int unredirected = 0; unredirected < 2; unredirected++)
      if (sb->versions[unredirected] != DCFG_NO_VERSION)
         DCFG_(landed_here)(sb, unredirected);
   DCFG_(know_kept_code)(DCFG_(code_of_image)(sb->image), sb->addr,
                         end_of(sb) - sb->addr);
}

/* Claim superblocks of P that have run, or are entered at TRIED, if that is not
   0. */
static void claim_on_page(Page* p, Addr tried)
{
   Word     n    = VG_(sizeXA)(p->pending);
   Pending* w    = n == 0 ? NULL : VG_(indexXA)(p->pending, 0);
   Pending* kept = w;

   for (Word i = n; i > 0; i--, w++)
      if (has_run(w) || (tried != 0 && w->sb->entry == tried))
         claim(w->sb);
      else
         *kept++ = *w;
   VG_(dropTailXA)(p->pending, w - kept);
}

void DCFG_(claim_superblocks)(void)
{
   if (pages == NULL)
      return;
   find_runners();
   VG_(HT_ResetIter)(pages);
   for (Page* p; (p = VG_(HT_Next)(pages)) != NULL; )
      claim_on_page(p, 0);
   DCFG_(forget_runs)();
}

/* Claim what has run of the code in the LEN bytes at A, which are on a few
   pages. */
static void claim_near(Addr a, SizeT len, Addr tried)
{
   if (pages == NULL)
      return;
   find_runners();
   for (UWord n = a / PAGE - 1; n <= (a + len - 1) / PAGE; n++) {
      Page* p = VG_(HT_lookup)(pages, n);
      if (p != NULL)
         claim_on_page(p, tried);
   }
}

void DCFG_(claim_tried)(Addr a)
{
   claim_near(a, 1, a);
}

/* Discard the translations of superblocks that wait in FROM .. END-1: they wait
   no more. */
static void discard_pending(Addr from, Addr end)
{
   VG_(HT_ResetIter)(pages);
   for (Page* p; (p = VG_(HT_Next)(pages)) != NULL; )
      for (Word i = VG_(sizeXA)(p->pending); i-- > 0; ) {
         Addr a = ((const Pending*)VG_(indexXA)(p->pending, i))->sb->addr;
         if (a < from || a >= end)
            continue;
         VG_(discard_translations)(a, 1, "dcfg: waits no more");
         VG_(removeIndexXA)(p->pending, i);
      }
}

static void on_mapping_goes(Addr a, SizeT len, Bool is_over)
{
   if (!is_over)
      DCFG_(claim_superblocks)();
   else
      discard_pending(a, a + len);
}

static void let_wait(Superblock* sb)
{
   if (pages == NULL) {
      pages        = VG_(HT_construct)("dcfg.generation.pages");
      runners      = DCFG_NEW_ARRAY("dcfg.generation.runners", Runner);
      DCFG_(when_mapping_goes)(on_mapping_goes);
   }
   Page* p = VG_(HT_lookup)(pages, sb->addr / PAGE);
   if (p == NULL) {
      p = VG_(calloc)("dcfg.generation.page", 1, sizeof(Page));
      p->hash_key = sb->addr / PAGE;
      p->pending  = DCFG_NEW_ARRAY("dcfg.generation.pending", Pending);
      VG_(HT_add_node)(pages, p);
   }
   Pending w = { sb, sb->started, sb->n_exits + (sb->started != 0) };
   if (w.first == 0)
      w.first = w.n > 0 ? sb->exits[0].cell : sb->branch->site;
   VG_(addToXA)(p->pending, &w);
}

/*--- Pasts                                                ---*/

static ThreadInfo* threads;     // while a generation ends: all threads

static Bool has_counted(void* arg, CellNo no)
{
   return DCFG_(count_in)(arg, no) != 0;
}

/* Move FROM's counters in CA to TO, which has its pairs already.  Return whether
   any is not zero. */
static Bool move_counters(CellArray* ca, const Superblock* from,
                          const Superblock* to)
{
   Bool any = from->started != 0
              && DCFG_(move_counter)(ca, from->started, to->started);

   for (UInt e = 0; e < from->n_exits; e++)
      if (DCFG_(move_counter)(ca, from->exits[e].cell, to->exits[e].cell))
         any = True;
   return any || DCFG_(any_counter)(to, has_counted, ca);
}

/* The branch that SB ends with has run in no thread.  It may have run while a
   thread was not collected, which counts nowhere. */
static void forget_branch(const Superblock* sb)
{
   if (sb->end != EndIndirect)
      return;
   for (UInt i = 0; i < DCFG_(n_threads)(); i++) {
      const ThreadInfo* t = &threads[i];
      if (!t->live)
         continue;
      DCFG_(forget_run_branch)(DCFG_(cell_base)(t->cells), sb->branch->site);
      if (t->idle_cells != NULL)
         DCFG_(forget_run_branch)(DCFG_(cell_base)(t->idle_cells),
                                  sb->branch->site);
   }
}

/* Return the past of SB, which stays in SB's image and takes over all that SB
   has counted. */
static Superblock* past_of(Superblock* sb)
{
   if (sb->past != DCFG_PAST_IF_NEEDED)
      return DCFG_(superblock)(sb->past);
   Bool        diverted = sb->diverted;
   Superblock* past     = DCFG_(new_past)(sb);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      if (move_counters(threads[t].cells, sb, past))
         DCFG_(move_resolved)(t, sb->id, past->id);
      if (threads[t].idle_cells != NULL)
         move_counters(threads[t].idle_cells, sb, past);
      if (diverted)
         DCFG_(move_diversions)(t, sb->id, past->id);
   }
   forget_branch(sb);
   return past;
}

static UInt renamed(UInt id)
{
   Superblock* sb = DCFG_(superblock)(id);

   return sb->past == 0 ? id : past_of(sb)->id;
}

static Bool has_counts(const Superblock* sb)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      if (DCFG_(any_counter)(sb, has_counted, threads[t].cells)
          || (threads[t].idle_cells != NULL
              && DCFG_(any_counter)(sb, has_counted, threads[t].idle_cells)))
         return True;
   return False;
}

/* If jumps run SB now, they will run it in the next image.  Add the targets that
   thereby change to OLDS. */
static void end_landings(Superblock* sb, Bool has_run, XArray* olds)
{
   for (Int unredirected = 0; unredirected < 2; unredirected++) {
      if (sb->versions[unredirected] == DCFG_NO_VERSION)
         continue;
      Target old = DCFG_(target_now)(sb->entry, unredirected);
      if (DCFG_(await_landing)(sb, unredirected, has_run))
         VG_(addToXA)(olds, &old);
   }
}

/* Resolve the steps to OLDS; threads that are going there will run code of the
   next image. */
static void resolve_all(const XArray* olds)
{
   Word n = VG_(sizeXA)(olds);

   if (n == 0)
      return;
   DCFG_(resolve_flows)(VG_(indexXA)(olds, 0), n);
   for (Word i = 0; i < n; i++) {
      const Target* old = VG_(indexXA)(olds, i);
      DCFG_(retarget_threads)(DCFG_(target_now)(old->addr,
                                                old->unredirected));
   }
}

#define EACH_OF_IMAGE(sb, image)                                         \
   for (Superblock* sb, *next_ = first_of(image); (sb = next_) != NULL   \
        && ((next_ = next_of(sb)), True); )

static Superblock* next_of(const Superblock* sb)
{
   return sb->next_of_image == 0 ? NULL
                                 : DCFG_(superblock)(sb->next_of_image);
}

static Superblock* first_of(UInt image)
{
   UInt id = DCFG_(next_of_image)(image, 0);

   return id == 0 ? NULL : DCFG_(superblock)(id);
}

/* Let all superblocks of image NO wait, which leave their pasts there. */
static void leave_past(UInt no)
{
   XArray* olds = DCFG_NEW_ARRAY("dcfg.generation.olds", Target);

   DCFG_(flush_threads)();
   threads = VG_(malloc)("dcfg.generation.threads",
                         (DCFG_(n_threads)() + 1) * sizeof(ThreadInfo));
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      DCFG_(thread_info)(t, &threads[t]);
   DCFG_(expect_pasts)(no);
   EACH_OF_IMAGE(sb, no)
      if (sb->diverted || has_counts(sb))
         past_of(sb);
      else
         forget_branch(sb);
   DCFG_(rename_superblocks)(renamed);
   EACH_OF_IMAGE(sb, no)
      if (sb->past != DCFG_PAST_IF_NEEDED)
         end_landings(sb, True, olds);
   EACH_OF_IMAGE(sb, no)
      if (sb->past == DCFG_PAST_IF_NEEDED)
         end_landings(sb, False, olds);
   resolve_all(olds);
   VG_(deleteXA)(olds);
   for (UInt id = DCFG_(empty_image)(no); id != 0; ) {
      Superblock* sb = DCFG_(superblock)(id);
      id = sb->next_of_image;
      let_wait(sb);
   }
   VG_(free)(threads);
}

/*--- Code of many generations                             ---*/

typedef
   struct {
      const Superblock* sb;
      Bool              found;
   }
   Other;

/* Find whether SB falls through to OTHER's from another image. */
static Leading find_other(void* arg, const Superblock* sb)
{
   Other* other = arg;

   if (sb->image != DCFG_NO_IMAGE && sb->image != other->sb->image
       && end_of(sb) == other->sb->entry)
      other->found = True;
   return LeadsStill;
}

/* Return whether SB falls through to code of another image. */
static Bool falls_to_other(const Superblock* sb)
{
   Addr a;
   UInt image;

   return sb->end == EndDirect && sb->next == end_of(sb)
          && DCFG_(landing)(DCFG_(target_now)(sb->next, sb->unredirected), &a,
                            &image)
          && image != sb->image;
}

void DCFG_(part_generations)(const Superblock* sb, Bool is_new)
{
   Other other = { sb, False };
   Bool  traces = False;

   DCFG_EACH_WATCHER(w, landing)
      traces = True;
   if (!traces || sb->image == DCFG_NO_IMAGE || !DCFG_(may_mix)(sb->image))
      return;
   if (is_new)
      DCFG_(each_leading_to)(sb->entry, find_other, &other);
   if (other.found)
      VG_(discard_translations)(sb->entry - 1, 1, "dcfg: fall to a generation");
   if (falls_to_other(sb))
      VG_(discard_translations)(sb->next, 1, "dcfg: fall from a generation");
}

/*--- Generations                                          ---*/

static UInt begin_generation(UInt no, Addr a)
{
   Bool keep = DCFG_(can_keep)(no) && !DCFG_(excludes_code)();
   Addr load, end;

   DCFG_EACH_WATCHER(w, begin)
      keep = False;
   if (DCFG_(has_kept_code)(DCFG_(code_of_image)(no))) {
      DCFG_(claim_superblocks)();
      DCFG_(extent_of_image)(no, &load, &end);
      if (!keep && !DCFG_(can_wait)(no))
         discard_pending(load, end);
   }
   if (keep)
      leave_past(no);
   return DCFG_(next_generation)(no, a, keep);
}

UInt DCFG_(image_of)(Addr a, SizeT len, Bool is_checked)
{
   UInt  no   = DCFG_(image_at)(a);
   Code* code = DCFG_(code_of_image)(no);

   if (!DCFG_(is_same_kept_code)(code, a, len))
      claim_near(a, len, 0);
   if (!DCFG_(is_same_code)(code, a, len)) {
      if (DCFG_(is_named_late)())
         DCFG_(tell_renamed)(a, len);
      no   = begin_generation(no, a);
      code = DCFG_(code_of_image)(no);
   }
   DCFG_(discard_changed)(code, a, len);
   DCFG_(remember_code)(code, a, len, is_checked);
   DCFG_(note_translation)(no, a);
   return no;
}
