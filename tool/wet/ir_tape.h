/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Generated code that writes the tape. */

#ifndef __DCFG_IR_TAPE_H
#define __DCFG_IR_TAPE_H

#include "tool/dcfg_output.h"

/* Write values, too.  Called before the program runs. */
void DCFG_(write_values)(void);

/* The watcher that writes the tape: see tool/wet/tape.c. */
extern const Watcher DCFG_(tape_watcher);

#endif /* __DCFG_IR_TAPE_H */
