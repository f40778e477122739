/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of many runs. */

#ifndef DCFG_CMD_EXPORT_TABLES_H
#define DCFG_CMD_EXPORT_TABLES_H

#include "cmd/base/file_list.h"

/* TablesJob: where the tables go, and which part of the job this task is. */
typedef
   struct {
      const char* dir;
      const char* job;          // the job's name
      const char* shard;        // "I/N", or NULL
      bool        keep_going;   // leave out files that cannot be read
   }
   TablesJob;

/* Write the tables of the runs in FILES, or of the job's shard of them.  Return
   the exit status. */
int export_tables(const TablesJob* job, FileNames* files);

#endif /* DCFG_CMD_EXPORT_TABLES_H */
