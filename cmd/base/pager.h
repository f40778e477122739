/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A pager for output to a terminal. */

#ifndef DCFG_CMD_PAGER_H
#define DCFG_CMD_PAGER_H

/* Start the pager, if standard output is a terminal.  The command's end waits
   for it. */
void pager_start(void);

#endif /* DCFG_CMD_PAGER_H */
