/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Text that may be shown. */

#ifndef DCFG_CMD_CLEAN_H
#define DCFG_CMD_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Write a '?' for each hidden character of TEXT, as DCFG_(hidden) has them,
   and for each byte that is not UTF-8; newlines and tabs stay if LINES is
   true.  TEXT has N bytes and a 0 behind them.  Return how many there are now.
   A character that is cut off by the end counts as bytes that are not UTF-8. */
size_t clean_text(char* text, size_t n, bool lines);

/* Let all that is written to stdout from now on be cleaned on its way, but for
   newlines and tabs.  To be called once or more. */
void clean_stdout(void);

/* Write TEXT to stdout as it is.  No part of it may come from a file. */
void print_unclean(const char* text);

/* Call START before the first byte of stdout is written. */
void clean_before_output(void (*start)(void));

/* From now on stdout gets a file that is no text: nothing is cleaned. */
void do_not_clean_stdout(void);

#endif /* DCFG_CMD_CLEAN_H */
