/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The blocks of a trace, also of all threads in the order in which they ran. */

#ifndef DCFG_CMD_ORDERED_BLOCKS_H
#define DCFG_CMD_ORDERED_BLOCKS_H

#include "cmd/base/names.h"

/* Return THREAD of the trace at PATH, which is P's, or all threads one after
   the other for DCFG_ALL_THREADS.  The caller closes it.  Exits after an
   error. */
DcfgTrace* open_thread(const DcfgProcess* p, const char* path,
                       uint32_t thread);

/* Return the edge with this id, or exit. */
const DcfgEdge* need_edge(const DcfgProcess* p, uint32_t id);

/* The most threads of ordered_blocks(), which opens the trace once for each. */
#define MAX_ORDERED 256

/* Call BEGIN with ARG for each block that a thread begins, in the order that
   the file TURNS says.  Return the number of turns.  Exits after an error: also
   if the turns have not all instructions of each thread. */
uint64_t ordered_blocks(const DcfgProcess* p, const char* path,
                        const char* turns,
                        void (*begin)(void* arg, uint32_t thread,
                                      uint32_t node),
                        void* arg);

#endif /* DCFG_CMD_ORDERED_BLOCKS_H */
