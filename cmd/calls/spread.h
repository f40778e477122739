/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How numbers are spread. */

#ifndef DCFG_CMD_SPREAD_H
#define DCFG_CMD_SPREAD_H

#include "cmd/base/cmd.h"

/* Spread: numbers of which the N-th smallest can be asked for.  All zero:
   none. */
typedef
   struct {
      uint64_t value, count;
   }
   Run;

typedef
   struct {
      Run*      runs;           // by value
      size_t    n_runs;
      uint64_t* news;           // not merged yet
      size_t    n_news, room;
      uint64_t  total;          // how many numbers there are
   }
   Spread;

void     spread_add(Spread* s, uint64_t value);
void     spread_free(Spread* s);

/* Move all of FROM, which is empty then, to TO. */
void     spread_move(Spread* to, Spread* from);

/* Return the number that has RANK numbers before it, in order.  RANK is less
   than s->total. */
uint64_t spread_at(Spread* s, uint64_t rank);

#endif /* DCFG_CMD_SPREAD_H */
