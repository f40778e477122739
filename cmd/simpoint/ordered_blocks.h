/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reads the blocks of a trace: of one thread, or of all in the order in which
   they ran. */

#ifndef DCFG_CMD_ORDERED_BLOCKS_H
#define DCFG_CMD_ORDERED_BLOCKS_H

#include "cmd/base/names.h"

/* Open the trace of process P at PATH for THREAD; for DCFG_ALL_THREADS, all
   threads one after the other.  The caller closes it.  Die after an error. */
DcfgTrace* open_thread(const DcfgProcess* p, const char* path,
                       uint32_t thread);

/* Return the edge with ID.  Die if P has none: trace and DCFG do not belong
   together. */
const DcfgEdge* need_edge(const DcfgProcess* p, uint32_t id);

/* The most threads of ordered_blocks(), which opens the trace once for each. */
#define MAX_ORDERED 256

/* Call BEGIN with ARG for each block that a thread of the trace at PATH begins,
   in the order of the file at TURNS.  Return the number of turns.  Die after an
   error, and if the turns do not have all instructions of each thread. */
uint64_t ordered_blocks(const DcfgProcess* p, const char* path,
                        const char* turns,
                        void (*begin)(void* arg, uint32_t thread,
                                      uint32_t node),
                        void* arg);

#endif /* DCFG_CMD_ORDERED_BLOCKS_H */
