
/*--------------------------------------------------------------------*/
/*--- Sequences of a trace: text to code.                sequence.h ---*/
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

#ifndef DCFG_SEQUENCE_H
#define DCFG_SEQUENCE_H

#include "lib/trace/codes.h"

/* An entry of the dictionary, while the table is read. */
bool     table_add_entry(Job* job, Table* t, const char* key, size_t key_len,
                         const char* value, size_t value_len,
                         const char* place);

/* All entries become code: the part of table_finish() that is done here. */
bool     table_finish_dictionary(Job* job, Table* t, const char* place);

/* TEXT as a sequence with references to T's entries.  Its memory is the
   job's, and freed by sequence_free().  If it is not well-formed, false,
   and *WHY says so at *AT; if there is no memory, WHY is NULL. */
bool     sequence_compile(Job* job, const Table* t, const char* text,
                          size_t len, Sequence* to, const char** why,
                          size_t* at);
void     sequence_free(Job* job, Sequence* s);

#endif /* DCFG_SEQUENCE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
