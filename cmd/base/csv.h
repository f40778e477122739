/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fields of CSV. */

#ifndef DCFG_CMD_CSV_H
#define DCFG_CMD_CSV_H

/* Return S in quotes, as a field that no spreadsheet takes for a formula, to be
   freed; NULL if S needs none.  A text that begins with one of = + - @ ' and is
   no number gets a ' in front; readers remove it. */
char* csv_quoted(const char* s);

/* Print S as a field. */
void  print_csv_string(const char* s);

#endif /* DCFG_CMD_CSV_H */
