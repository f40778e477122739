/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inline caches of indirect branches. */

#ifndef __DCFG_BRANCH_H
#define __DCFG_BRANCH_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "tool/run/cells.h"

/* A cache entry: the target, and the number of times that are not yet in the
   pair's counter.  Two words, in 16 bytes. */
#define DCFG_ENTRY_COUNT 8        // offset of the count, in bytes

/* The lowest bit of a target that goes into its index, under the cache's mask.
   Return addresses are at least five bytes apart. */
#define DCFG_ENTRY_SHIFT 2

/* BranchCaches: the caches of one thread. */
typedef struct _BranchCaches BranchCaches;

/* Make the caches of CA.  IS_IDLE: the counts in CA are dropped, so that a
   target needs no pair. */
BranchCaches* DCFG_(new_branch_caches)(CellArray* ca, Bool is_idle);
void          DCFG_(delete_branch_caches)(BranchCaches* bc);

/* Put TARGET into the entry of the branch that ends superblock ID, which had
   another target.  Called by generated code with the base of the thread's cell
   array.  Allocates no cells, so that the arrays stay where they are. */
void DCFG_(branch_miss)(ULong* base, UWord id, Addr target);

/* Count TARGET without an entry, so that it is a miss each time. */
void DCFG_(count_branch)(ULong* base, UWord id, Addr target);

/* Do the work that branch_miss() left over.  The thread has left generated
   code. */
void DCFG_(tend_branch_caches)(BranchCaches* bc);

/* Bring the counters of pairs up to date. */
void DCFG_(flush_branch_caches)(BranchCaches* bc);

/* Return whether the branch whose slots are at SITE has run in the array at BASE
   since forget_run_branch(), which is called when it has been flushed. */
Bool DCFG_(has_run_branch)(const ULong* base, CellNo site);
void DCFG_(forget_run_branch)(ULong* base, CellNo site);

/* Forget all entries: the cells have been cleared. */
void DCFG_(reset_branch_caches)(BranchCaches* bc);

#endif /* __DCFG_BRANCH_H */
