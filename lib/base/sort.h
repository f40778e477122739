/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sorting numbers. */

#ifndef DCFG_SORT_H
#define DCFG_SORT_H

#include "lib/base/job.h"

typedef
   struct {
      uint64_t key;
      uint32_t index;
   }
   SortKey;

/* Stable, and in linear time for keys in order.  False without memory. */
bool sort_keys(Job* job, SortKey* keys, uint32_t n);

#endif /* DCFG_SORT_H */
