/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The parts of dcfg check. */

/* Private to check/. */

#ifndef DCFG_CMD_CHECK_H
#define DCFG_CMD_CHECK_H

#include "cmd/base/names.h"
#include "cmd/base/rules.h"

/* Check: the argument of all parts of a check. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;     // the same as g.p
      Rules*             rules;
      bool               ours;  // check this tool's conventions, too
      bool               one_run;       // not a sum of runs, nor several runs
                                        // in one file
      bool               disjoint;      // images must not overlap
      uint64_t           idle_edges;    // with count 0, in files of other
                                        // tools:
      uint64_t           idle_blocks;   // not violations, but reported
   }
   Check;

/* Return a node for a message: "17 (0x401234)". */
const char* node_label(const Check* c, uint32_t node);
const char* edge_label(const Check* c, uint32_t edge);

/* The parts of a check, in this order. */
void check_names(Check* c);             // once for the file, not for a process
void check_images(Check* c);
void check_edges(Check* c);
void check_call_sums(Check* c);
bool check_flow(Check* c);              // false: stop
void check_places(Check* c);
void check_routines(Check* c);

/* Check each chunk of a trace against the DCFG.  Return False, after a message,
   if the trace cannot be read. */
bool check_trace(Check* c, const char* path);

#endif /* DCFG_CMD_CHECK_H */
