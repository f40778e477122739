/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the tables in which generated code counts the targets of indirect
   branches.  Handed: targets that are not in the table.

   Each indirect branch has, in each thread, a table of entries {target,
   count}.  It starts with one entry, in the branch's own slots.  When it has
   been missed often for its size, it becomes four times larger.  The count of
   an evicted entry is added to the counter of its pair.  Allocating a counter
   or a table may move the cell arrays while generated code uses them, so the
   helper leaves that for when the thread has left generated code.

   A branch has no table before it first runs, and none after each flush: so a
   flush takes time only for branches that ran since the last one.  A branch
   without a table finds the start of the cell array instead, where no target
   matches and counting does no harm.  Then .misses is the level of the table
   to come. */

#include "tool/base/core.h"
#include "tool/run/branch.h"

/* The number of misses for each entry after which a table grows. */
#define MISSES_PER_ENTRY 8

typedef
   struct {
      UInt  sb;
      Addr  target;
      ULong count;
   }
   Evicted;

struct _BranchCaches {
   CellArray* ca;
   Bool       is_idle;     // counts are dropped
   XArray*    used;        // UInt: superblocks whose branches have tables; no
                           // other entries have counts
   XArray*    evicted;     // Evicted: entries that have no counter yet
   XArray*    to_grow;     // UInt: superblocks whose tables are to grow
};

static UWord* slot(ULong* base, CellNo no)
{
   return (UWord*)(base + no);
}

static void note_in_cells(BranchCaches* bc)
{
   *slot(DCFG_(cell_base)(bc->ca), CellBranches) = (UWord)bc;
}

BranchCaches* DCFG_(new_branch_caches)(CellArray* ca, Bool is_idle)
{
   BranchCaches* bc = VG_(malloc)("dcfg.branch", sizeof(BranchCaches));

   bc->ca      = ca;
   bc->is_idle = is_idle;
   bc->used    = DCFG_NEW_ARRAY("dcfg.branch.used", UInt);
   bc->evicted = DCFG_NEW_ARRAY("dcfg.branch.evicted", Evicted);
   bc->to_grow = DCFG_NEW_ARRAY("dcfg.branch.grow", UInt);
   note_in_cells(bc);
   return bc;
}

void DCFG_(delete_branch_caches)(BranchCaches* bc)
{
   VG_(deleteXA)(bc->used);
   VG_(deleteXA)(bc->evicted);
   VG_(deleteXA)(bc->to_grow);
   VG_(free)(bc);
}

void DCFG_(reset_branch_caches)(BranchCaches* bc)
{
   VG_(dropTailXA)(bc->used, VG_(sizeXA)(bc->used));
   VG_(dropTailXA)(bc->evicted, VG_(sizeXA)(bc->evicted));
   VG_(dropTailXA)(bc->to_grow, VG_(sizeXA)(bc->to_grow));
   note_in_cells(bc);
}

/* Return the entry for TARGET, the one that generated code looks at. */
static UWord* entry_of(ULong* base, const Branch* br, Addr target)
{
   return (UWord*)((Addr)base + *slot(base, br->site + SiteCache)
                   + ((target << DCFG_ENTRY_SHIFT)
                      & *slot(base, br->site + SiteMask)));
}

static UWord* count_of(UWord* entry)
{
   return (UWord*)((Addr)entry + DCFG_ENTRY_COUNT);
}

/* Add COUNT to the pair of TARGET, which has no entry. */
static void count_outside(BranchCaches* bc, ULong* base,
                          const Superblock* sb, Addr target, ULong count)
{
   if (bc->is_idle)
      return;
   const Pair* p = DCFG_(find_pair)(sb, target);
   if (p != NULL) {
      DCFG_(add_to_counter)(&base[p->cell], count);
   } else {
      Evicted ev = { sb->id, target, count };
      VG_(addToXA)(bc->evicted, &ev);
   }
}

/* Return the number of entries of a table. */
static UWord n_entries(UInt level)
{
   return (UWord)1 << 2 * level;
}

static CellNo table(const Branch* br, UInt level)
{
   return level == 0 ? br->site + SiteEntry : br->caches[level];
}

static void use_table(ULong* base, const Branch* br, UInt level)
{
   *slot(base, br->site + SiteMask)   = (n_entries(level) - 1) * 16;
   *slot(base, br->site + SiteCache)  = DCFG_CELL_OFFSET(table(br, level));
   *slot(base, br->site + SiteMisses) = 0;
}

static void use_no_table(ULong* base, const Branch* br, UInt level)
{
   /* Not in use without a table, it tells has_run_branch(). */
   *slot(base, br->site + SiteEntry)  = ~(UWord)0;
   *slot(base, br->site + SiteMask)   = 0;
   *slot(base, br->site + SiteCache)  = 0;
   *slot(base, br->site + SiteMisses) = level;
}

static UInt level_of(ULong* base, const Branch* br)
{
   UInt level = 0;

   while (*slot(base, br->site + SiteMask) != (n_entries(level) - 1) * 16)
      level++;
   return level;
}

/* Count TARGET without an entry.  The generated code adds 1 to the entry that
   it looked at, so subtract that. */
void DCFG_(count_branch)(ULong* base, UWord id, Addr target)
{
   const Superblock* sb = DCFG_(superblock)(id);
   const Branch*     br = sb->branch;

   /* A branch to an instruction of its own superblock must set the mark's DONE:
      see "The mark" in tool/run/instrument.c. */
   if (DCFG_(inner_instr)(sb, target) != 0)
      *slot(base, CellMark) |= DCFG_MARK_DONE;
   count_outside((BranchCaches*)*slot(base, CellBranches), base, sb, target,
                 1);
   if (*slot(base, br->site + SiteCache) != 0)
      --*count_of(entry_of(base, br, target));
}

void DCFG_(branch_miss)(ULong* base, UWord id, Addr target)
{
   BranchCaches*     bc    = (BranchCaches*)*slot(base, CellBranches);
   const Superblock* sb    = DCFG_(superblock)(id);
   const Branch*     br    = sb->branch;
   UInt              sb_id = id;
   Bool              first = *slot(base, br->site + SiteCache) == 0;

   if (DCFG_(inner_instr)(sb, target) != 0) {
      DCFG_(count_branch)(base, id, target);
      return;
   }
   if (first) {
      use_table(base, br, *slot(base, br->site + SiteMisses));
      VG_(addToXA)(bc->used, &sb_id);
      *entry_of(base, br, target) = target;
      count_outside(bc, base, sb, target, 1);
      return;
   }

   UWord* entry = entry_of(base, br, target);
   UWord* count = count_of(entry);
   if (*count != 0)
      count_outside(bc, base, sb, entry[0], *count);
   *count   = 0;
   entry[0] = target;

   UWord n = *slot(base, br->site + SiteMask) / 16 + 1;
   if (++*slot(base, br->site + SiteMisses) == n * MISSES_PER_ENTRY)
      VG_(addToXA)(bc->to_grow, &sb_id);
}

static void grow(BranchCaches* bc, Branch* br)
{
   UInt level = level_of(DCFG_(cell_base)(bc->ca), br) + 1;

   if (level >= DCFG_CACHE_LEVELS)
      return;
   if (br->caches[level] == 0)
      br->caches[level] = DCFG_(new_slots)(2 * n_entries(level));
   use_table(DCFG_(cell_base)(bc->ca), br, level);
}

void DCFG_(tend_branch_caches)(BranchCaches* bc)
{
   for (Word i = 0; i < VG_(sizeXA)(bc->evicted); i++) {
      const Evicted* ev = VG_(indexXA)(bc->evicted, i);
      const Pair*    p  = DCFG_(pair)(DCFG_(superblock)(ev->sb),
                                      ev->target);
      DCFG_(add_to_counter)(&DCFG_(cell_base)(bc->ca)[p->cell], ev->count);
   }
   VG_(dropTailXA)(bc->evicted, VG_(sizeXA)(bc->evicted));
   for (Word i = 0; i < VG_(sizeXA)(bc->to_grow); i++)
      grow(bc, DCFG_(superblock)(*(UInt*)VG_(indexXA)(bc->to_grow, i))
               ->branch);
   VG_(dropTailXA)(bc->to_grow, VG_(sizeXA)(bc->to_grow));
}

static void flush_table(BranchCaches* bc, Superblock* sb, UInt level)
{
   ULong* base  = DCFG_(cell_base)(bc->ca);
   CellNo first = table(sb->branch, level);

   for (UWord i = 0; i < n_entries(level); i++) {
      UWord* entry = slot(base, first + 2 * i);
      UWord  count = *count_of(entry);
      if (count == 0)
         continue;
      *count_of(entry) = 0;
      if (bc->is_idle)
         continue;
      const Pair* p = DCFG_(pair)(sb, entry[0]);
      base = DCFG_(cell_base)(bc->ca);
      DCFG_(add_to_counter)(&base[p->cell], count);
   }
}

void DCFG_(flush_branch_caches)(BranchCaches* bc)
{
   DCFG_(tend_branch_caches)(bc);
   for (Word i = 0; i < VG_(sizeXA)(bc->used); i++) {
      Superblock* sb
         = DCFG_(superblock)(*(UInt*)VG_(indexXA)(bc->used, i));
      UInt level = level_of(DCFG_(cell_base)(bc->ca), sb->branch);
      /* The smaller tables that it has grown out of may have counts, too. */
      for (UInt l = 0; l <= level; l++)
         flush_table(bc, sb, l);
      use_no_table(DCFG_(cell_base)(bc->ca), sb->branch, level);
   }
   VG_(dropTailXA)(bc->used, VG_(sizeXA)(bc->used));
}

Bool DCFG_(has_run_branch)(const ULong* base, CellNo site)
{
   return *(const UWord*)&base[site + SiteCache] != 0
          || *(const UWord*)&base[site + SiteEntry] != 0;
}

void DCFG_(forget_run_branch)(ULong* base, CellNo site)
{
   *slot(base, site + SiteEntry) = 0;
}
