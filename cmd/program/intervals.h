/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Intervals of code with one innermost scope. */

#ifndef DCFG_CMD_INTERVALS_H
#define DCFG_CMD_INTERVALS_H

/* Private to the room program/. */

#include <stddef.h>
#include <stdint.h>

#define NO_SCOPE UINT32_MAX

/* ScopeRange: code of a scope, from .low to before .high.  Of two ranges that
   overlap, the deeper scope's is the inner one; of equally deep ones, that of
   the larger number. */
typedef
   struct {
      uint64_t low, high;
      uint32_t scope, depth;
   }
   ScopeRange;

/* Intervals: in order of address and not overlapping; each has its innermost
   scope. */
typedef
   struct {
      ScopeRange* all;
      size_t      n, room;
   }
   Intervals;

/* Return the intervals of N RANGES, which get sorted. */
Intervals   intervals_new(ScopeRange* ranges, size_t n);
void        intervals_free(Intervals* v);

/* Return the innermost scope at ADDR, or NO_SCOPE; the answer is the same up to
   *END. */
uint32_t    interval_at(const Intervals* v, uint64_t addr, uint64_t* end);

#endif /* DCFG_CMD_INTERVALS_H */
