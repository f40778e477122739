/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables as compressed CSV. */

#ifndef DCFG_CMD_GZIP_CSV_H
#define DCFG_CMD_GZIP_CSV_H

#include <stdint.h>

/* A table on its way into a file, which gets its name with the other results. */
typedef struct GzipCsv GzipCsv;

/* To PATH, with names of COLUMNS in the first line ("a,b").  Dies if that cannot
   be done, as all of these. */
GzipCsv* csv_open(const char* path, const char* columns);
void     csv_close(GzipCsv* t);

/* Start a row with PREFIX, fields in quotes where they need these. */
void     csv_row(GzipCsv* t, const char* prefix);

/* Add a field to the row. */
void     csv_text(GzipCsv* t, const char* s);
void     csv_number(GzipCsv* t, uint64_t n);
void     csv_signed(GzipCsv* t, int64_t n);

/* S as a field: in quotes if it needs these.  To be freed. */
char*    csv_field(const char* s);

#endif /* DCFG_CMD_GZIP_CSV_H */
