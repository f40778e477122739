/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The line number programs of maps. */

#ifndef DCFG_LINE_TABLE_H
#define DCFG_LINE_TABLE_H

#include "lib/base/job.h"

/* The code from ADDR to END is of this line. */
typedef
   struct {
      uint64_t    addr, end;
      const char* file;         // lives as long as the data
      uint64_t    line;
   }
   LineRow;

/* Tell of each row in the SIZE bytes of a map's section .debug_line.  TELL
   returns false to end it.  *WHY: what is wrong with the section, or NULL;
   *AT: where in it.  False without memory, or if TELL wants no more. */
bool read_line_table(Job* job, const uint8_t* data, size_t size,
                     bool (*tell)(void* arg, const LineRow* row), void* arg,
                     const char** why, uint64_t* at);

#endif /* DCFG_LINE_TABLE_H */
