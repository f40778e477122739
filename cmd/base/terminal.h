/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Text for a terminal: clean, with colour, a pager, progress. */

#ifndef DCFG_CMD_TERMINAL_H
#define DCFG_CMD_TERMINAL_H

#include "lib/dcfg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Clean everything that is written to stdout from now on; newlines and tabs
   stay.  May be called again. */
void clean_stdout(void);

/* Return the errno of the first write to stdout that failed; 0: none did.  errno
   itself is another one when the failure is noticed. */
int stdout_error(void);

/* Call START before the first byte of stdout is written. */
void clean_before_output(void (*start)(void));

/* Do not clean stdout from now on: it gets a file that is not text. */
void do_not_clean_stdout(void);

/* ColorChoice: the values of --color. */
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorChoice;

typedef
   enum { STYLE_PLAIN, STYLE_HEADING, STYLE_HOT, STYLE_WARM, STYLE_NOT_RUN }
   Style;

/* Find out what standard output is.  Called before a pager replaces the
   terminal. */
void   terminal_find(ColorChoice color);

/* Return the columns of the terminal; 0 if standard output is not one, or the
   number is not known. */
size_t terminal_width(void);

/* Return the columns that are left in a line of OUT after USED ones, at least a
   few; SIZE_MAX if OUT is not a terminal. */
size_t terminal_room(const FILE* out, size_t used);

/* Switch to STYLE, if output has colour. */
void   terminal_style(Style style);

/* Start the pager, if standard output is a terminal.  The command's end waits
   for it. */
void pager_start(void);

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

#endif /* DCFG_CMD_TERMINAL_H */
