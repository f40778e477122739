
/*--------------------------------------------------------------------*/
/*--- Signals while files are written.            delivery/interrupt.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
