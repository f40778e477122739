/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Landings: the code that runs when an address is jumped to. */

#ifndef __DCFG_LANDING_H
#define __DCFG_LANDING_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"

/* Return ADDR as a target, with the version that would run now. */
Target DCFG_(target_now)(Addr addr, Bool unredirected);

/* Return whether code at ADDR has had more than one version. */
Bool DCFG_(has_versions)(Addr addr, Bool unredirected);

/* Find the code that runs for T: its address, which differs from T's if
   Valgrind redirects it, and its image.  Return False if no code ever ran, or
   if the code is excluded (tool/run/exclude.h). */
Bool DCFG_(landing)(Target t, /*OUT*/Addr* addr, /*OUT*/UInt* image);

/* Return whether no address has had more than one code, or code that no jump has
   run: version 0 is what runs there. */
Bool DCFG_(lands_plainly)(void);

/* Return the target that runs SB; SB has run. */
Target DCFG_(target_of)(const Superblock* sb);

/* Note that a jump to SB's .entry runs SB from now on.  lands_elsewhere() tells
   whether such a jump ran other code until now. */
Bool DCFG_(lands_elsewhere)(const Superblock* sb, Bool unredirected);
void DCFG_(land_here)(Superblock* sb, Bool unredirected);

/* Return whether a jump to ADDR has run the code that runs there now, or
   pass_landing() noted that none has. */
Bool DCFG_(has_landed)(Addr addr, Bool unredirected);

/* No such jump has run that code.  Note that all who came to ADDR until now came
   from the instruction before it, within a superblock.  A jump that runs other
   code from now on makes a new version. */
void DCFG_(pass_landing)(Addr addr, Bool unredirected);

/* A jump of this kind has led to SB, whose image will be another that is not
   known yet.  If it runs SB now, note that it will run code of that image.
   HAS_RUN: this is a new version.  Return whether one was made. */
Bool DCFG_(await_landing)(Superblock* sb, Bool unredirected, Bool has_run);

/* Note that such a jump has run SB in SB's image, as it did before. */
void DCFG_(landed_here)(Superblock* sb, Bool unredirected);

/* For --stats=yes: how many superblocks, and edges from them, were visited
   because code changed.  A new version of some code adds as many as the version
   before. */
extern ULong DCFG_(n_looks);

/* Return whether every jump that ran SB now runs other code. */
Bool DCFG_(is_replaced)(const Superblock* sb);

#endif /* __DCFG_LANDING_H */
