/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Static blocks from a DCFG alone. */

#ifndef DCFG_EDGE_SUM_H
#define DCFG_EDGE_SUM_H

#include "lib/blocks/edge_stream.h"

/* Count the edges of S's process for THREAD; see dcfg_blocks_graph(). */
bool edges_sum(EdgeStream* s, uint32_t thread, uint64_t* unknown);

#endif /* DCFG_EDGE_SUM_H */
