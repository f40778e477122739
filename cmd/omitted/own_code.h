/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's own code. */

#ifndef DCFG_CMD_OWN_CODE_H
#define DCFG_CMD_OWN_CODE_H

/* Private to the room omitted/. */

#include "cmd/omitted/code_graph.h"

#include "lib/dcfg_slice.h"

typedef
   struct {
      bool*     executed;       // by instruction of the trace
      CodeSeed* seeds;          // the program's own executed code
      size_t    n_seeds, room;
   }
   OwnCode;

/* Return the program's own code, as far as TOTALS count it as executed.  The
   program is the code that dcfg slice lists line by line.  OWN is a pattern
   for more images, or NULL.  Free the result with own_code_free(). */
OwnCode own_code_find(DcfgWet* w, const char* own,
                      const DcfgSliceTotal* totals);
void    own_code_free(OwnCode* o);

#endif /* DCFG_CMD_OWN_CODE_H */
