/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Immediate post-dominators. */

#ifndef DCFG_POSTDOM_H
#define DCFG_POSTDOM_H

#include "lib/base/job.h"

typedef
   struct {
      uint32_t from, to;
   }
   Arc;

/* Return the immediate post-dominator of each node, 0 to N-1, or NULL if there
   is no memory.  EXIT is a node.  A node from which EXIT cannot be reached has
   DCFG_NONE, and so has EXIT. */
uint32_t* find_postdominators(Job* job, uint32_t n, const Arc* arcs,
                              size_t n_arcs, uint32_t exit);

#endif /* DCFG_POSTDOM_H */
