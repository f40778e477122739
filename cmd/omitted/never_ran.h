/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines that never ran. */

#ifndef DCFG_CMD_NEVER_RAN_H
#define DCFG_CMD_NEVER_RAN_H

#include "cmd/omitted/omitted.h"

/* Guard: an executed instruction from which control would have come to the line
   over code that never ran. */
typedef
   struct {
      OmittedBranch branch;     // its last instance; .taken is 0 if it went
                                // several other ways, or on to nowhere
      uint64_t      times;      // how often it ran
      bool          call;       // a call that did not come back
      uint64_t*     calls;      // calls that would have led to the line's
      size_t        n_calls, room;      // function, the outermost first
   }
   Guard;

/* Guards: the nearest to the line first. */
typedef
   struct {
      Guard*     all;
      size_t     n, room;
      uint32_t   near;          // an instruction of the line's image
      uint64_t   line;          // an address of the line
      bool       uncalled;      // nothing calls its function directly
      Variables* names;
   }
   Guards;

/* Find what kept LINE of SOURCE, which has code and never ran, from running.
   TOTALS say what did.  The list is empty if nothing leads there. */
Guards guards_find(DcfgWet* w, const char* root, const DcfgSliceTotal* totals,
                   const char* source, uint64_t line);
void   guards_free(Guards* g);

#endif /* DCFG_CMD_NEVER_RAN_H */
