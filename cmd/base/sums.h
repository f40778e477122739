/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sums of counts. */

#ifndef DCFG_CMD_SUMS_H
#define DCFG_CMD_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* Add N to *SUM.  Return false if it does not fit: then *SUM is UINT64_MAX, as
   in the library's sums.  load_dcfg() warns of files with such sums. */
static inline bool add_count(uint64_t* sum, uint64_t n)
{
   bool fits = !__builtin_add_overflow(*sum, n, sum);

   if (!fits)
      *sum = UINT64_MAX;
   return fits;
}

/* Return A + B, likewise. */
static inline uint64_t capped_sum(uint64_t a, uint64_t b)
{
   add_count(&a, b);
   return a;
}

#endif /* DCFG_CMD_SUMS_H */
