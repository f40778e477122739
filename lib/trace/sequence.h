/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compiling sequences of a trace: text to code. */

#ifndef DCFG_SEQUENCE_H
#define DCFG_SEQUENCE_H

#include "lib/trace/codes.h"

/* Add an entry to the dictionary, while the table is read. */
bool     table_add_entry(Job* job, Table* t, const char* key, size_t key_len,
                         const char* value, size_t value_len,
                         const char* place);

/* Compile all entries; a part of table_finish(). */
bool     table_finish_dictionary(Job* job, Table* t, const char* place);

/* Compile TEXT to a sequence with references to T's entries.  The job owns its
   memory; sequence_free() frees it.  Return False if TEXT is not well-formed:
   *WHY is the reason and *AT the place.  *WHY is NULL if there is no memory. */
bool     sequence_compile(Job* job, const Table* t, const char* text,
                          size_t len, Sequence* to, const char** why,
                          size_t* at);
void     sequence_free(Job* job, Sequence* s);

#endif /* DCFG_SEQUENCE_H */
