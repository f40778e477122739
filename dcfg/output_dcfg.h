/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The DCFG. */

#ifndef __DCFG_OUTPUT_DCFG_H
#define __DCFG_OUTPUT_DCFG_H

#include "pub_tool_basics.h"
#include "base/port.h"

struct _Gathered;

/* Has the DCFG edges, which a trace names? */
Bool DCFG_(writes_edges)(void);

/* Write it to FILE. */
void DCFG_(write_dcfg)(const struct _Gathered* g, const HChar* file);

#endif /* __DCFG_OUTPUT_DCFG_H */
