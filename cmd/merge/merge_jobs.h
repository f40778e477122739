/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Merging with several processes. */

#ifndef DCFG_CMD_MERGE_JOBS_H
#define DCFG_CMD_MERGE_JOBS_H

#include "cmd/base/file_list.h"

/* Divide NAMES among at most N child processes.  Each calls WORK with ARG, its
   names and a temporary file for its partial sum.  After a child's end, TAKE is
   called with ARG, the path of that file, and a name for it in messages.  Die
   if a child fails. */
void merge_with_jobs(const FileNames* names, uint32_t n,
                     void (*work)(void* arg, const FileNames* names, FILE* to),
                     void (*take)(void* arg, const char* path,
                                  const char* shown),
                     void* arg);

#endif /* DCFG_CMD_MERGE_JOBS_H */
