/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counting and printing broken rules. */

#ifndef DCFG_CMD_RULES_H
#define DCFG_CMD_RULES_H

#include "cmd/base/cmd.h"
#include "lib/dcfg.h"

/* Rules: the violations that dcfg check has found. */
typedef struct Rules Rules;

/* Print at most LIMIT lines for each rule to OUT; 0: all. */
Rules*   rules_new(uint64_t limit, FILE* out);
void     rules_free(Rules* r);

/* Report a violation: "RULE: ...".  RULE is a constant. */
void     broken(Rules* r, const char* rule, const char* format, ...)
         __attribute__((format(printf, 3, 4)));

/* Report what the library found, for DcfgOptions: ARG is the Rules. */
void     broken_in_file(void* arg, const DcfgProblem* problem);

/* Return whether another violation of RULE would be printed.  If not, a caller
   may save the time to find its place, and give any text to broken(). */
bool     rules_open(const Rules* r, const char* rule);

/* Return how often RULE was broken; NULL: all rules. */
uint64_t rules_count(const Rules* r, const char* rule);

/* Print "RULE: and N more" for violations beyond the limit. */
void     rules_finish(const Rules* r);

#endif /* DCFG_CMD_RULES_H */
