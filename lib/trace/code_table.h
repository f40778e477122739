/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of a trace's transition table. */

#ifndef DCFG_CODE_TABLE_H
#define DCFG_CODE_TABLE_H

#include "lib/trace/codes.h"

Table*   table_new(Job* job);
void     table_keep(Table* t);
void     table_release(Table* t);

/* Stop counting the table's memory in the job that made it. */
void     table_disown(Job* job, const Table* t);

/* Add a row, while reading. */
bool     table_add_row(Job* job, Table* t, uint32_t edge, const char* code,
                       size_t code_len, const uint64_t* nexts, size_t n,
                       const char* place);

/* Finish, once, after all rows. */
bool     table_finish(Job* job, Table* t, const char* place);

uint32_t table_state(const Table* t, uint32_t edge);

/* Return the row of S whose code the 32 bits start with, or NO_CODE. */
uint32_t table_long_code(const Table* t, const State* s, uint32_t bits);

#endif /* DCFG_CODE_TABLE_H */
