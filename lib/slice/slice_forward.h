/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices. */

#ifndef DCFG_LIB_SLICE_FORWARD_H
#define DCFG_LIB_SLICE_FORWARD_H

#include "lib/slice/slice_kind.h"

/* Return whether the slice follows the values that E uses by PORT. */
bool forward_follows(const Found* f, const DcfgWetEvent* e,
                     const DcfgWetPort* port);

/* Handle one dependence of an instance, whose writer has distance WAY.
   Lower *LEAST to that, or set *ENDED if the slice ends there. */
static inline void forward_step(const Found* f, uint32_t instr, uint32_t way,
                                uint32_t* least, bool* ended)
{
   const DcfgSliceQuery* q = f->code->q;
   uint32_t              cost = q->copies == NULL || !q->copies[instr];

   if (q->steps != 0 && way >= q->steps && cost > 0)
      *ended = true;
   else if (way + cost < *least)
      *least = way + cost;
}

/* Return the events of the trace; with control, if CONTROL. */
DcfgWetEvents* forward_open(Found* f, bool control);

#endif /* DCFG_LIB_SLICE_FORWARD_H */
