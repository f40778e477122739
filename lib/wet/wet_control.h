/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Control dependences. */

#ifndef DCFG_LIB_WET_CONTROL_H
#define DCFG_LIB_WET_CONTROL_H

#include "lib/wet/wet_record.h"

/* Find the instance that let E run, the next event of its thread: *CONTROL, or
   0 if there is none.  SP: the stack pointer behind an indirect jump, or 0. */
bool wet_find_control(DcfgWetEvents* v, const DcfgWetEvent* e, uint64_t sp,
                      Writer* control);
bool wet_control_mark(DcfgWetEvents* v, const DcfgWetEvent* e);

/* Return the same for an instruction of THREAD that is no point and does not
   begin a record. */
Writer wet_same_control(const DcfgWetEvents* v, uint32_t thread);

/* Pass all points of the present record at once. */
bool wet_pass_control(DcfgWetEvents* v, const Point* p, uint32_t n_points);

/* Prepare wet_find_control().  C: another cursor at the begin. */
bool wet_make_graph(DcfgWetEvents* v, WetCursor* c);
void wet_free_control(DcfgWetEvents* v);

#endif /* DCFG_LIB_WET_CONTROL_H */
