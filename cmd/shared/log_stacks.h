/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls in an XRay log. */

#ifndef DCFG_CMD_LOG_STACKS_H
#define DCFG_CMD_LOG_STACKS_H

#include "cmd/shared/stack_tree.h"
#include "cmd/shared/xray_walk.h"

/* Called with ARG and a log's map, which is its to free, before the log is read;
   returns who is told of calls. */
typedef XrayWatcher LogMap(void* arg, DcfgXrayMap* map);

/* Read the XRay log FILE.  MAP_FILE has the names; NULL: the map beside FILE.  Dies
   if they cannot be read.  To be freed with xray_run_free(). */
XrayRun* log_walk(const char* file, const char* map_file, LogMap* use,
                  void* arg);

/* Add to RUN of T the calls in a log, likewise.  MANGLED leaves names as the linker
   sees them. */
void tree_add_log(StackTree* t, const char* file, const char* map_file,
                  bool mangled, int run);

#endif /* DCFG_CMD_LOG_STACKS_H */
