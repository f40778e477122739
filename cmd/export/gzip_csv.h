/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables as compressed CSV. */

#ifndef DCFG_CMD_GZIP_CSV_H
#define DCFG_CMD_GZIP_CSV_H

#include <stdint.h>

/* GzipCsv: a table that is being written.  The file gets its name together with
   the other results. */
typedef struct GzipCsv GzipCsv;

/* Begin a table at PATH.  COLUMNS: the first line, "a,b".  This function and
   those below die on errors. */
GzipCsv* csv_open(const char* path, const char* columns);
void     csv_close(GzipCsv* t);

/* Start a row with PREFIX: fields that are already quoted where needed. */
void     csv_row(GzipCsv* t, const char* prefix);

/* Add a field to the row. */
void     csv_text(GzipCsv* t, const char* s);
void     csv_number(GzipCsv* t, uint64_t n);
void     csv_signed(GzipCsv* t, int64_t n);

#endif /* DCFG_CMD_GZIP_CSV_H */
