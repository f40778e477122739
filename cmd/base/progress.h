/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Progress for a user who waits. */

#ifndef DCFG_CMD_PROGRESS_H
#define DCFG_CMD_PROGRESS_H

#include "lib/dcfg.h"

/* Begin: from two seconds on, progress is shown if standard error is a
   terminal. */
void progress_start(void);

/* Show P in a line on standard error.  For DcfgOptions. */
void progress_show(void* arg, const DcfgProgress* p);

/* Remove the line, before something else is written to standard error. */
void progress_hide(void);

/* End: output begins.  If it may go to the same terminal, no line is shown any
   more. */
void progress_end(void);

#endif /* DCFG_CMD_PROGRESS_H */
