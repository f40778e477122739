/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How often inlined functions were entered. */

#ifndef DCFG_CMD_ENTRIES_H
#define DCFG_CMD_ENTRIES_H

#include "cmd/inline/pieces.h"
#include "cmd/shared/functions.h"

/* Return the entries of all scopes that THREAD, or all, has executed, by scope;
   of functions 0.  To be freed.  Entries are not calls: docs/report.md says how
   they are counted. */
uint64_t* count_entries(const Functions* f, Inlined* in, Pieces* pieces,
                        uint32_t thread);

/* Do instances of SCOPE's function have no entries because this one is a part of
   its parent that the compiler had split off? */
bool      is_part_of_parent(Inlined* in, uint32_t scope);

/* Calls of the function whose first block is NODE, without those of a part that
   was split off by the function itself, FUNCTION. */
uint64_t  count_calls(const Functions* f, Inlined* in, Pieces* pieces,
                      uint32_t node, uint32_t function, uint32_t thread);

#endif /* DCFG_CMD_ENTRIES_H */
