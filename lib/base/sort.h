/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sorting and binary search. */

#ifndef DCFG_SORT_H
#define DCFG_SORT_H

#include "format/order.h"
#include "lib/base/job.h"

typedef
   struct {
      uint64_t key;
      uint32_t index;
   }
   SortKey;

/* Sort N keys: stable, and in linear time for sorted keys.  Return False
   without memory. */
bool sort_keys(Job* job, SortKey* keys, uint32_t n);

#endif /* DCFG_SORT_H */
