/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Queries of slices. */

#ifndef DCFG_CMD_SLICE_QUERY_H
#define DCFG_CMD_SLICE_QUERY_H

#include "cmd/machine/roles.h"
#include "cmd/variables/code_lines.h"
#include "cmd/slice/slice_output.h"
#include "cmd/shared/trace_index.h"

#include "lib/dcfg_slice.h"

/* SliceOptions: the contents of the command line. */
typedef
   struct {
      const char* at;
      const char* of;
      const char* syscall;
      const char* output;
      bool        computed;     // only computed bytes of .output
      const char* root;         // searched first for images, or NULL
      bool        thin, full, forward;
      bool        copies;       // these are no steps
      bool        instructions; // with few .steps, tell control everywhere
      bool        lines;        // frame pointers are not followed
      uint32_t    steps;        // 0: all
      uint32_t    first_steps;  // if it is not 0: so many, if the trace has an
                                // index, and of no text that was printed
      bool        sums;         // no instances but those of the criterion
      IndexUse    index;
   }
   SliceOptions;

/* Found for a trace: the criterion, and a slice of it. */
typedef
   struct {
      DcfgWet*       w;
      CodeLines*     code;      // lines of .w
      DcfgSliceQuery q;
      DcfgSlice*     s;
      bool           indexed;   // the trace has an index
      bool           named;     // .q asks for a place by the source's words
      Roles          roles;
      OutputQuestion printed;
      bool*          instrs;
      bool*          foreign;   // only what made the value is followed
      DcfgSliceRange* constants;
      uint32_t*      spare;     // registers that are no arguments of the
                                // system calls which were made there
      uint32_t*      never;     // registers that are not followed
      uint32_t*      no_address;        // nor these as addresses
      char*          criterion; // one line
      uint64_t       n_executions;      // executions of the line, if one is
                                        // asked for by its number; else 0
      const char*    not_followed[6];   // and NULL
      char*          never_ran; // text: the guard that kept the line from
                                // running; NULL: the line ran
      char*          guard;     // the instance that did so: the criterion
   }
   Sliced;

/* Dies if there is no such criterion. */
Sliced* slice_find(const char* file, const SliceOptions* o);
/* Find the slice again, with so many STEPS.  Nodes have other numbers then.  Return
   false if it has become too large for that: its steps are as they were, or as
   many as there is memory for. */
bool    slice_deepen(Sliced* f, uint32_t steps);
/* Find the slice of another criterion: INSTANCE of instruction INSTR, all of it.
   Nodes have other numbers then. */
void    slice_move(Sliced* f, uint32_t instr, uint64_t instance);
void    slice_forget(Sliced* f);

/* "0x401136#2" */
const char* instance_text(DcfgWet* w, const DcfgSliceNode* n);

#endif /* DCFG_CMD_SLICE_QUERY_H */
