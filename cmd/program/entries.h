/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How often inlined functions were entered. */

#ifndef DCFG_CMD_ENTRIES_H
#define DCFG_CMD_ENTRIES_H

#include "cmd/program/pieces.h"
#include "cmd/program/functions.h"

/* Return, by scope, the entries by THREAD or all threads, to be freed; 0 for
   functions.  Entries are not calls: docs/report.md says how they are
   counted. */
uint64_t* count_entries(const Functions* f, Inlined* in, Pieces* pieces,
                        uint32_t thread);

/* Return how often control came into each scope from outside, by scope, wherever
   it entered.  This is more than entries where instructions have moved, and not 0
   where the compiler made several entries of one. */
uint64_t* count_flows(const Functions* f, Inlined* in, Pieces* pieces,
                      uint32_t thread);

/* Return whether SCOPE is a part of its parent that the compiler split off.
   Then instances of SCOPE's function have no entries. */
bool      is_part_of_parent(Inlined* in, uint32_t scope);

/* Return the calls of the function whose first block is NODE.  If NODE is a
   part split off FUNCTION, calls by FUNCTION itself do not count. */
uint64_t  count_calls(const Functions* f, Inlined* in, Pieces* pieces,
                      uint32_t node, uint32_t function, uint32_t thread);

#endif /* DCFG_CMD_ENTRIES_H */
