/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   In which order threads ran. */

/* Private to trace/. */

#ifndef __DCFG_SCHEDULE_H
#define __DCFG_SCHEDULE_H

#include "base/put.h"
#include "trace/ways.h"

/* A thread's turn is what it runs until another one does. */

/* Before the program runs: from now on note the turns. */
void DCFG_(note_turns)(void);

/* Write them to OUT as JSON: an array of turns, each [thread, instructions,
   edges].  An edge belongs to the turn in which its source's last instruction
   ran.  All threads must have been traced.  *N: how many turns in which
   something was collected.  Returns False if they disagree with the graph,
   which has been told. */
Bool DCFG_(write_turns)(Put* out, const Ways* w, ULong* n);

#endif /* __DCFG_SCHEDULE_H */
