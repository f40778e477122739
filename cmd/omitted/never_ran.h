/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines that never ran. */

#ifndef DCFG_CMD_NEVER_RAN_H
#define DCFG_CMD_NEVER_RAN_H

#include "cmd/omitted/omitted.h"

/* Guard: an executed instruction from which code that never ran leads to the
   line. */
typedef
   struct {
      OmittedBranch branch;     // its last instance; .taken is 0 if it has
                                // no executed successor, or several
      uint64_t      times;      // number of its instances
      bool          call;       // a call that did not return
      uint64_t*     calls;      // addresses of calls that lead to the line's
      size_t        n_calls, room;      // function, the outermost first
   }
   Guard;

/* Guards: the guards of a line, the nearest to it first. */
typedef
   struct {
      Guard*     all;
      size_t     n, room;
      uint32_t   near;          // an instruction of the line's image
      uint64_t   line;          // an address of the line
      bool       uncalled;      // no direct call leads to its function
      Variables* names;
   }
   Guards;

/* Return the guards that kept LINE of SOURCE from running, which has code
   and never ran.  TOTALS count the executed instructions.  The list is empty
   if no executed code leads to the line.  Free it with guards_free(). */
Guards guards_find(DcfgWet* w, const char* root, const DcfgSliceTotal* totals,
                   const char* source, uint64_t line);
void   guards_free(Guards* g);

#endif /* DCFG_CMD_NEVER_RAN_H */
