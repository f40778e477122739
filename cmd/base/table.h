/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables as text, CSV, JSON and Markdown. */

#ifndef DCFG_CMD_TABLE_H
#define DCFG_CMD_TABLE_H

#include "cmd/base/names.h"

/* Return S in quotes, as a field that no spreadsheet takes for a formula, to be
   freed; NULL if S needs none.  A text that begins with one of = + - @ ' and is
   no number gets a ' in front; readers remove it. */
char* csv_quoted(const char* s);

/* Print S as a field. */
void  print_csv_string(const char* s);

typedef enum { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_MARKDOWN } Form;

/* Return the form of --csv or --json.  Die if both are given. */
Form   table_form(bool csv, bool json);

/* Table: columns are declared first, then cells follow, row by row.  Text is
   aligned and has grouped digits; CSV and JSON have plain numbers. */
typedef struct Table Table;

typedef
   enum {
      COL_TEXT,         // aligned left
      COL_NAME,         // a function: text omits C++ parameters
      COL_CODE,         // a line of code: text omits its end
      COL_COUNT,        // aligned right, with grouped digits
      COL_SHARE,        // part of a whole: percent in text, else a fraction
      COL_RATIO,        // a number with a fraction
      COL_HEX           // an address
   }
   ColKind;

/* Make a table.  KEY is its name in JSON and CSV. */
Table* tab_new(const char* key);
void   tab_free(Table* t);

/* Declare a column.  WIDTH: the most columns of its text; 0: all. */
void   tab_column(Table* t, ColKind kind, const char* key,
                    const char* heading, size_t width);

/* Let text fit WIDTH columns, as on a terminal, where output is not one. */
void   tab_fit(Table* t, size_t width);

/* Add the next cell.  The table keeps a copy of S, until text_forget(). */
void   put_text(Table* t, const char* s);

/* Add the next cell: the name S of SYMBOL, which may be NULL.  Symbols of one
   name are told apart. */
void   put_name(Table* t, const char* s, const char* symbol);
void   put_count(Table* t, uint64_t n);
void   put_share(Table* t, uint64_t part, uint64_t whole);
void   put_ratio(Table* t, uint64_t part, uint64_t whole);
void   put_hex(Table* t, uint64_t n);
void   put_nothing(Table* t);

size_t tab_rows(const Table* t);

/* Print the table.  CSV: a header, then the rows.  JSON: an array of objects,
   indented by INDENT spaces. */
void   tab_print(const Table* t, Form form, int indent);

/* Write S as a string of JSON; write a member of an object behind the text
   BEFORE, which is ", " or begins the object. */
void   put_json_string(const char* s, FILE* out);
void   put_json_member(const char* before, const char* key, const char* s,
                       FILE* out);

/* Write N characters to FILE, a FILE*: a PutFn. */
void   put_to_file(void* file, const char* text, unsigned n);

#endif /* DCFG_CMD_TABLE_H */
