/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inline caches of indirect branches. */

#ifndef __DCFG_BRANCH_H
#define __DCFG_BRANCH_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "run/cells.h"

/* What a cache entry is: the target, and the times it was gone to that
   are not yet in the pair's counter; words.  16 bytes. */
#define DCFG_ENTRY_COUNT 8        // offset of the count

/* The index of a target: its bits from here on, under the cache's mask.
   Return addresses are at least five bytes apart. */
#define DCFG_ENTRY_SHIFT 2

/* One thread's caches. */
typedef struct _BranchCaches BranchCaches;

/* IS_IDLE: nobody reads what CA counts, so that a target of a branch needs
   no pair for it. */
BranchCaches* DCFG_(new_branch_caches)(CellArray* ca, Bool is_idle);
void          DCFG_(delete_branch_caches)(BranchCaches* bc);

/* Called by generated code, with the base of the thread's cell array,
   when TARGET of the branch that ends superblock ID is not in the entry
   that it hashes to: puts it there.  Allocates no cells, so that the
   arrays stay where they are. */
void DCFG_(branch_miss)(ULong* base, UWord id, Addr target);

/* The same for a target that is never to be put there, so that it is a miss
   each time. */
void DCFG_(count_branch)(ULong* base, UWord id, Addr target);

/* The thread has left generated code: do what branch_miss put off. */
void DCFG_(tend_branch_caches)(BranchCaches* bc);

/* Bring the pairs' counters up to date. */
void DCFG_(flush_branch_caches)(BranchCaches* bc);

/* The cells have been cleared. */
void DCFG_(reset_branch_caches)(BranchCaches* bc);

#endif /* __DCFG_BRANCH_H */
