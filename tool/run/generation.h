/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generations: code that changes while its mapping stays. */

#ifndef __DCFG_GENERATION_H
#define __DCFG_GENERATION_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"

/* Return the number of the image of the LEN bytes of code at A, which are about
   to run.  If other code of the mapping ran there before, that is a new image.
   IS_CHECKED: the core checks the code for changes before each run.  No thread
   is in generated code. */
UInt DCFG_(image_of)(Addr a, SizeT len, Bool is_checked);

/* Put each superblock that waits and has run into its image.  Call it before
   counts are read or forgotten, and before a thread ends. */
void DCFG_(claim_superblocks)(void);

/* The instruction at A has faulted.  Do so with the superblock that it is in, and
   with those that are entered there. */
void DCFG_(claim_tried)(Addr a);

/* SB is about to run; IS_NEW: a jump to its entry did not run it before.  If a
   trace is recorded, discard translations of other generations that fall through
   to SB, or that SB falls through to.  The trace could not tell such a step from
   one within a superblock of that generation. */
void DCFG_(part_generations)(const Superblock* sb, Bool is_new);

#endif /* __DCFG_GENERATION_H */
