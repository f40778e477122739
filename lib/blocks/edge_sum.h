/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a DCFG alone says of blocks. */

#ifndef DCFG_EDGE_SUM_H
#define DCFG_EDGE_SUM_H

#include "lib/blocks/edge_stream.h"

/* What S's process counts for THREAD; see dcfg_blocks_graph(). */
bool edges_sum(EdgeStream* s, uint32_t thread, uint64_t* unknown);

#endif /* DCFG_EDGE_SUM_H */
