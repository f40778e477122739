
/*--------------------------------------------------------------------*/
/*--- Text that may be shown.                              clean.h ---*/
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

/* From now on stdout gets a file that is no text: nothing is cleaned. */
void do_not_clean_stdout(void);

#endif /* DCFG_CMD_CLEAN_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
