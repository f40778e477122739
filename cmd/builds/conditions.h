/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Conditions of two runs that differ. */

#ifndef DCFG_CMD_CONDITIONS_H
#define DCFG_CMD_CONDITIONS_H

#include "cmd/base/names.h"

/* Difference: a sentence about a condition of runs A and B. */
typedef
   struct {
      char* text;
      bool  counts;     // the condition changes counts of most programs
   }
   Difference;

typedef
   struct {
      Difference* all;
      size_t      n, room;
   }
   Differences;

/* Return what differs in the conditions of two runs.  Command lines are for
   compare_arguments(). */
Differences compare_conditions(const Program* a, const Program* b);

/* Add a sentence if the arguments of the programs differ. */
void        compare_arguments(Differences* to, const Program* a,
                              const Program* b);

void        differences_free(Differences* d);

#endif /* DCFG_CMD_CONDITIONS_H */
