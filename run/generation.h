/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generations: code that changes while its mapping stays. */

#ifndef __DCFG_GENERATION_H
#define __DCFG_GENERATION_H

#include "pub_tool_basics.h"

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

#endif /* __DCFG_GENERATION_H */
