/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Printed text as a criterion. */

#ifndef DCFG_CMD_SLICE_OUTPUT_H
#define DCFG_CMD_SLICE_OUTPUT_H

#include "cmd/program/debug.h"

#include "lib/dcfg_slice.h"

/* OutputQuestion: a text that the command line asks for, and its criterion. */
typedef
   struct {
      const char*     text;     // as it was typed
      bool            computed; // only its computed bytes
      TraceProgram*   program;
      const Roles*    roles;
      bool*           instrs;   // gets the criterion, by instruction
      DcfgSliceQuery* q;        // gets the rest; .parts is to be freed
      uint32_t*       spare;    // as syscall_criterion() sets it
      DcfgSliceRange* formats;  // gets the memory of the text's formats, if it
      uint32_t        n_formats;        // has computed bytes; to be freed
   }
   OutputQuestion;

/* Make A->text the criterion: its last place in the output of a file
   descriptor, or place number N with "TEXT#N".  Die if there is none.  Print
   a message if all of it is constant. */
void output_criterion(DcfgWet* w, OutputQuestion* a);

#endif /* DCFG_CMD_SLICE_OUTPUT_H */
