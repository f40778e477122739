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

/* Write N bytes to FD.  Return 0 or an errno.  Signals that this causes do not
   reach the program, and its limit of file size (ulimit -f) does not apply
   where it can be raised. */
Int DCFG_(write_all)(Int fd, const void* data, SizeT n);

/* Raise the limit of file sizes as far as possible.  BEFORE is the old
   limit. */
void DCFG_(raise_file_limit)(/*OUT*/ULong before[2]);

/* Return the largest size in bytes of a file that write_all() writes. */
ULong DCFG_(largest_file)(void);

#endif
