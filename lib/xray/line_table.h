/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Line number programs of maps. */

#ifndef DCFG_LINE_TABLE_H
#define DCFG_LINE_TABLE_H

#include "lib/base/job.h"

/* LineRow: the code from ADDR to END is of this line. */
typedef
   struct {
      uint64_t    addr, end;
      const char* file;         // in the section's data
      uint64_t    line;
   }
   LineRow;

/* Call TELL for each row in the SIZE bytes of a map's section .debug_line; TELL
   returns false to stop.  *WHY is what is wrong with the section, or NULL; *AT
   is the place.  Return False without memory, or if TELL stopped. */
bool read_line_table(Job* job, const uint8_t* data, size_t size,
                     bool (*tell)(void* arg, const LineRow* row), void* arg,
                     const char** why, uint64_t* at);

#endif /* DCFG_LINE_TABLE_H */
