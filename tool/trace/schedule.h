/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Turns: the order in which threads ran. */

/* Private to trace/. */

#ifndef __DCFG_SCHEDULE_H
#define __DCFG_SCHEDULE_H

#include "format/put.h"
#include "tool/trace/replay.h"

/* Turn: the time from when a thread runs until another one does. */

/* Note turns from now on.  Called before the program runs. */
void DCFG_(note_turns)(void);

/* Write the turns to OUT as JSON: an array of [thread, instructions, edges].
   An edge belongs to the turn in which its source's last instruction ran.
   All threads must have been traced.  *N is the number of turns in which
   something was collected.  Return False if turns and graph disagree, which
   is reported. */
Bool DCFG_(write_turns)(Put* out, const Ways* w, ULong* n);

#endif /* __DCFG_SCHEDULE_H */
