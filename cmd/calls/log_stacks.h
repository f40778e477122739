/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls in an XRay log. */

#ifndef DCFG_CMD_LOG_STACKS_H
#define DCFG_CMD_LOG_STACKS_H

#include "cmd/calls/stack_tree.h"
#include "cmd/calls/xray_walk.h"

/* LogMap: a function that gets ARG and a log's map, which it has to free, before
   the log is read.  Return the watcher of the log's calls. */
typedef XrayWatcher LogMap(void* arg, DcfgXrayMap* map);

/* Read the XRay log FILE.  MAP_FILE has the names; NULL: the map beside FILE.
   Die if one of them cannot be read.  Free the result with xray_run_free(). */
XrayRun* log_walk(const char* file, const char* map_file, LogMap* use,
                  void* arg);

/* Add the calls of the log FILE to RUN of T; MAP_FILE is as in log_walk().
   MANGLED: names stay as the linker sees them. */
void tree_add_log(StackTree* t, const char* file, const char* map_file,
                  bool mangled, int run);

#endif /* DCFG_CMD_LOG_STACKS_H */
