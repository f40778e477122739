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

/* Nodes are 0 to N-1; EXIT is one of them.  A node from which EXIT cannot be
   reached has DCFG_NONE, as EXIT itself.  The result has N elements; NULL if
   there is no memory. */
uint32_t* find_postdominators(Job* job, uint32_t n, const Arc* arcs,
                              size_t n_arcs, uint32_t exit);

#endif /* DCFG_POSTDOM_H */
