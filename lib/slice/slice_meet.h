/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances that join a slice. */

#ifndef DCFG_LIB_SLICE_MEET_H
#define DCFG_LIB_SLICE_MEET_H

#include "lib/slice/slice_kind.h"

/* Meeting: the instance in work, and where it is kept if it joins. */
typedef
   struct {
      Found*      found;
      const Spot* spot;
      Member*     member;
   }
   Meeting;

/* The instance made MASK of the bytes that WANT wants: a Taker, and ARG is a
   Meeting.  It is a criterion.  All that used it has been met. */
bool meet_want(void* arg, const Want* want, uint8_t mask);
bool meet_criterion(const Meeting* m);
bool meet_close(const Meeting* m);

#endif /* DCFG_LIB_SLICE_MEET_H */
