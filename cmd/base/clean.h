/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cleaning text for a terminal. */

#ifndef DCFG_CMD_CLEAN_H
#define DCFG_CMD_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Write a '?' for each hidden character of TEXT, as DCFG_(hidden) defines them,
   and for each byte that is not UTF-8.  If LINES, newlines and tabs stay.  TEXT
   has N bytes and a 0 behind them.  Return the new length.  A character that
   the end cuts off counts as bytes that are not UTF-8. */
size_t clean_text(char* text, size_t n, bool lines);

/* Clean everything that is written to stdout from now on; newlines and tabs
   stay.  May be called again. */
void clean_stdout(void);

/* Return the errno of the first write to stdout that failed; 0: none did.  errno
   itself is another one when the failure is noticed. */
int stdout_error(void);

/* Write TEXT to stdout without cleaning.  No part of it may come from a
   file. */
void print_unclean(const char* text);

/* Call START before the first byte of stdout is written. */
void clean_before_output(void (*start)(void));

/* Do not clean stdout from now on: it gets a file that is not text. */
void do_not_clean_stdout(void);

#endif /* DCFG_CMD_CLEAN_H */
