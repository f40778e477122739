
/*--------------------------------------------------------------------*/
/*--- How a trace's characters become edges.           code_table.h ---*/
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

#ifndef DCFG_CODE_TABLE_H
#define DCFG_CODE_TABLE_H

#include "lib/trace/codes.h"

Table*   table_new(Job* job);
void     table_keep(Table* t);
void     table_release(Table* t);

/* The job that made it does not count its memory any more. */
void     table_disown(Job* job, const Table* t);

/* While reading. */
bool     table_add_row(Job* job, Table* t, uint32_t edge, const char* code,
                       size_t code_len, const uint64_t* nexts, size_t n,
                       const char* place);

/* Then this once. */
bool     table_finish(Job* job, Table* t, const char* place);

uint32_t table_state(const Table* t, uint32_t edge);

/* The row of S whose code the 32 bits start with, or NO_CODE. */
uint32_t table_long_code(const Table* t, const State* s, uint32_t bits);

#endif /* DCFG_CODE_TABLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
