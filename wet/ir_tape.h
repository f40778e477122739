/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that writes the tape. */

#ifndef __DCFG_IR_TAPE_H
#define __DCFG_IR_TAPE_H

#include "dcfg_output.h"

/* From now on values are written, too.  Before the program runs. */
void DCFG_(write_values)(void);

/* Writes the tape: see wet/tape.c. */
extern const Watcher DCFG_(tape_watcher);

#endif /* __DCFG_IR_TAPE_H */
