/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How a superblock moves the stack pointer. */

#ifndef __DCFG_LOADS_H
#define __DCFG_LOADS_H

#include "tool/run/ir.h"

/* SpTrack: what is known of the stack pointer in the superblock in
   translation.  A difference is one from the stack pointer at the begin. */
typedef
   struct {
      Long    now;         // its difference
      IRExpr* value;       // an atom: the stack pointer
      Long*   of_tmp;      // the difference of each temporary
      UInt    room;
   }
   SpTrack;

/* Begin a superblock.  Temporaries of added code are not tracked. */
void DCFG_(begin_sp)(SpTrack* t, Work* work);

/* Note ST, a statement of W->out.  Return whether it loads the stack pointer: with
   what was not computed from it.  .value is the new stack pointer then, and *BEFORE
   the one before. */
Bool DCFG_(track_sp)(SpTrack* t, const Work* work, const IRStmt* st,
                     /*OUT*/IRExpr** before);

/* Return the stack pointer after all statements that have been added. */
static inline IRExpr* stack_pointer(Work* work)
{
   return assign(work, work->word_ty,
                 IRExpr_Get(work->layout->offset_SP, work->word_ty));
}

#endif /* __DCFG_LOADS_H */
