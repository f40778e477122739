/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the DCFG. */

#ifndef __DCFG_OUTPUT_DCFG_H
#define __DCFG_OUTPUT_DCFG_H

#include "pub_tool_basics.h"
#include "format/port.h"

struct _Gathered;

/* Return whether the DCFG has edges, which a trace needs. */
Bool DCFG_(writes_edges)(void);

/* Write the DCFG of G to FILE. */
void DCFG_(write_dcfg)(const struct _Gathered* g, const HChar* file);

#endif /* __DCFG_OUTPUT_DCFG_H */
