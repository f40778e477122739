/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals while files are written. */

#ifndef __DCFG_INTERRUPT_H
#define __DCFG_INTERRUPT_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Hold SIGTERM, SIGINT and SIGHUP from now on.  The first one waits until files
   are written; the second one abandons the files.  Signals that the program
   ignores stay ignored. */
void DCFG_(hold_signals)(void);

/* End holding: files are written or abandoned.  The first signal takes effect
   now.  AT_END: the program has ended, so the signal can only end the process;
   then this does not return. */
void DCFG_(release_signals)(Bool at_end);

/* Return whether a second signal has come. */
Bool DCFG_(is_abandoned)(void);

/* Return whether a signal that ends the process has abandoned files before.
   Then files at the end are not written either. */
Bool DCFG_(was_given_up)(void);

/* Wait until FD can be written; wait until child PID has ended and return as
   DCFG_(wait_for) does.  A second signal kills the child: its output is not
   needed any more. */
void DCFG_(wait_to_write)(Int fd);
Int  DCFG_(wait_for_child)(Int pid);

#endif /* __DCFG_INTERRUPT_H */
