/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The table of transitions. */

/* Private to trace/. */

#ifndef __DCFG_TRANSITION_H
#define __DCFG_TRANSITION_H

#include "format/put.h"
#include "tool/trace/phrase.h"

/* Write TRANSITION_TABLE.  ORDER are the N phrases in use, by context, as
   assign_code() makes it.  IS_WAY, for each edge: a row must lead from it to
   its arrival; this function sets more.  IS_START, for each edge: rows begin
   after it, whatever leads to it. */
void DCFG_(put_transitions)(Put* out, Phrases* ps,
                            const UInt* order, UInt n, Bool* is_way,
                            const Bool* is_start);

#endif /* __DCFG_TRANSITION_H */
