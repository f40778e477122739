/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counting and printing broken rules. */

#ifndef DCFG_CMD_RULES_H
#define DCFG_CMD_RULES_H

#include "cmd/base/names.h"

/* What dcfg check finds, and how it looks at files. */
typedef struct Rules Rules;

/* At most LIMIT lines to OUT for each rule; 0: all. */
Rules*   rules_new(uint64_t limit, FILE* out);
void     rules_free(Rules* r);

/* A rule is broken: "RULE: ...".  RULE is a constant. */
void     broken(Rules* r, const char* rule, const char* format, ...)
         __attribute__((format(printf, 3, 4)));

/* Would another violation of this rule be printed?  For when it takes time to
   say where it is; if not, broken() may get any text. */
bool     rules_open(const Rules* r, const char* rule);

/* How often this rule was broken; all of them with NULL. */
uint64_t rules_count(const Rules* r, const char* rule);

/* "RULE: and N more" for those beyond the limit. */
void     rules_finish(const Rules* r);

/* What the parts of a check get. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;     // = g.p
      Rules*             rules;
      bool               ours;  // conventions of this tool are rules too
      bool               one_run;       // and no sum of runs, nor several of
                                        // them in one file
      bool               disjoint;      // images must not overlap
      uint64_t           idle_edges;    // with count 0, in a file that is not
      uint64_t           idle_blocks;   // ours: not broken, but told
   }
   Check;

/* As the library's sums: what does not fit stays at UINT64_MAX. */
static inline uint64_t capped_sum(uint64_t a, uint64_t b)
{
   return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A node in a message: "17 (0x401234)". */
const char* node_label(const Check* c, uint32_t node);
const char* edge_label(const Check* c, uint32_t edge);

/* The parts, in this order. */
void check_names(Check* c);             // of the file, not of a process
void check_images(Check* c);
void check_edges(Check* c);
bool check_flow(Check* c);              // false: no use to go on
void check_places(Check* c);
void check_routines(Check* c);

/* Each chunk of a trace against the DCFG.  Returns false, with an error
   printed, if the trace cannot be read. */
bool check_trace(Check* c, const char* path);

#endif /* DCFG_CMD_RULES_H */
