/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances that join a slice. */

#ifndef DCFG_LIB_SLICE_MEET_H
#define DCFG_LIB_SLICE_MEET_H

#include "lib/slice/slice_kind.h"

/* Meeting: the present instance, and where it goes if it joins. */
typedef
   struct {
      Found*      found;
      const Spot* spot;
      Member*     member;
   }
   Meeting;

/* Meet WANT: the instance made its bytes MASK.  Meet a strong want at DISTANCE
   that is not limited, of a slice of one thread.  ARG is a Meeting, and the
   functions are a Taker's.  Meet a criterion.  Close the instance: all that
   used it has been met. */
bool meet_want(void* arg, const Want* want, uint8_t mask);
bool meet_near(void* arg, uint32_t distance);
bool meet_criterion(const Meeting* m);
bool meet_close(const Meeting* m);

#endif /* DCFG_LIB_SLICE_MEET_H */
