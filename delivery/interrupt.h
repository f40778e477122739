/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Signals while files are written. */

#ifndef __DCFG_INTERRUPT_H
#define __DCFG_INTERRUPT_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* From now on TERM, INT and HUP are noted: of these the first waits until
   files are written, the second abandons that.  Those that the program
   ignores stay ignored. */
void DCFG_(hold_signals)(void);

/* Files are written, or abandoned.  The first signal now does what it would
   have done.  AT_END: the program has ended, so that only the process can
   end by it; then this does not return. */
void DCFG_(release_signals)(Bool at_end);

/* Has the second one come? */
Bool DCFG_(is_abandoned)(void);

/* Did a signal that ends the process abandon files that were to be written
   before?  Then those at its end are not wanted either. */
Bool DCFG_(was_given_up)(void);

/* Wait until somebody takes what is written to FD, or child PID has ended:
   see DCFG_(wait_for).  A child is killed if the second signal comes; what
   is written then does not matter any more. */
void DCFG_(wait_to_write)(Int fd);
Int  DCFG_(wait_for_child)(Int pid);

#endif /* __DCFG_INTERRUPT_H */
