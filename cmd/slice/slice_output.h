/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Printed text as a criterion. */

#ifndef DCFG_CMD_SLICE_OUTPUT_H
#define DCFG_CMD_SLICE_OUTPUT_H

#include "lib/dcfg_slice.h"
#include "cmd/machine/roles.h"

/* OutputQuestion: which text, and what its criterion is. */
typedef
   struct {
      const char*     text;     // as it was typed
      bool            computed; // only those of its bytes that were computed
      const char*     root;     // searched first for images, or NULL
      const Roles*    roles;
      bool*           instrs;   // gets the criterion,
      DcfgSliceQuery* q;        // and this, whose parts are to be freed
      uint32_t*       spare;    // as find_spare() has it
      DcfgSliceRange* formats;  // gets the memory of formats of which the text
      uint32_t        n_formats;        // is made in part; to be freed
   }
   OutputQuestion;

/* The last place of the text in what a file descriptor got, or number N with
   "TEXT#N".  Dies if there is none.  Says so if all of it is constant. */
void output_criterion(DcfgWet* w, OutputQuestion* a);

#endif /* DCFG_CMD_SLICE_OUTPUT_H */
