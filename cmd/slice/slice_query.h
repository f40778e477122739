/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a slice is asked for. */

#ifndef DCFG_CMD_SLICE_QUERY_H
#define DCFG_CMD_SLICE_QUERY_H

#include "cmd/machine/roles.h"

#include "lib/dcfg_slice.h"

/* What the command line says. */
typedef
   struct {
      const char* at;
      const char* of;
      const char* syscall;
      const char* output;
      const char* root;         // where images are looked for first, or NULL
      bool        thin, full, forward;
      bool        copies;       // these are no steps
      uint32_t    steps;        // 0: all
      bool        sums;         // no instances but those of the criterion
   }
   SliceOptions;

/* Found for a trace: the criterion, and a slice of it. */
typedef
   struct {
      DcfgWet*       w;
      DcfgSliceQuery q;
      DcfgSlice*     s;
      Roles          roles;
      bool*          instrs;
      bool*          foreign;   // only what made the value is followed
      DcfgSliceRange* constants;
      uint32_t*      spare;     // registers that are no arguments of the
                                // system calls which were made there
      uint32_t*      never;     // registers that are not followed
      uint32_t*      no_address;        // nor these as addresses
      char*          criterion; // one line
      const char*    not_followed[6];   // and NULL
   }
   Sliced;

/* Dies if there is no such criterion. */
Sliced* slice_find(const char* file, const SliceOptions* o);
void    slice_forget(Sliced* f);

/* "0x401136#2" */
const char* instance_text(DcfgWet* w, const DcfgSliceNode* n);

#endif /* DCFG_CMD_SLICE_QUERY_H */
