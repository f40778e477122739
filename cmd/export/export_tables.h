/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of many runs. */

#ifndef DCFG_CMD_EXPORT_TABLES_H
#define DCFG_CMD_EXPORT_TABLES_H

#include "cmd/base/file_list.h"

/* TablesJob: where tables go, and of which part of a job they are. */
typedef
   struct {
      const char* dir;
      const char* job;          // its name
      const char* shard;        // "I/N"; or NULL
      bool        keep_going;   // leave out files that cannot be read
   }
   TablesJob;

/* Write the tables of the runs in FILES; if they are a shard, of those in it.
   Returns the exit status. */
int export_tables(const TablesJob* job, FileNames* files);

#endif /* DCFG_CMD_EXPORT_TABLES_H */
