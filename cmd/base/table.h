/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables as text, CSV and JSON. */

#ifndef DCFG_CMD_TABLE_H
#define DCFG_CMD_TABLE_H

#include "cmd/base/names.h"

typedef enum { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_MARKDOWN } Form;

/* A table: columns are declared, then cells follow, row after row.  As text
   it is aligned and its numbers are grouped; as CSV and JSON numbers are
   plain. */
typedef struct Table Table;

typedef
   enum {
      COL_TEXT,         // left
      COL_NAME,         // a function's: text leaves out C++ parameters
      COL_COUNT,        // right, grouped
      COL_SHARE,        // part of a whole: text has percent, others parts of 1
      COL_RATIO,        // a number with a fraction
      COL_HEX           // an address
   }
   ColKind;

/* KEY is for JSON and CSV. */
Table* tab_new(const char* key);
void   tab_free(Table* t);

/* WIDTH: of text, how much of it is shown at most; 0 for all. */
void   tab_column(Table* t, ColKind kind, const char* key,
                    const char* heading, size_t width);

/* The next cell.  The table keeps a copy of S, until text_forget(). */
void   put_text(Table* t, const char* s);
void   put_count(Table* t, uint64_t n);
void   put_share(Table* t, uint64_t part, uint64_t whole);
void   put_ratio(Table* t, uint64_t part, uint64_t whole);
void   put_hex(Table* t, uint64_t n);
void   put_nothing(Table* t);

size_t tab_rows(const Table* t);

/* As CSV: a header, then the rows.  As JSON: an array of objects, INDENT
   spaces from the left. */
void   tab_print(const Table* t, Form form, int indent);

/* A string with its quotes. */
void   put_json_string(const char* s, FILE* out);
void   print_json_string(const char* s);
void   print_csv_string(const char* s);

#endif /* DCFG_CMD_TABLE_H */
