/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sequences of a trace: text to code. */

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
