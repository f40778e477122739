/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a whole execution trace. */

#ifndef DCFG_LIB_WET_TABLES_H
#define DCFG_LIB_WET_TABLES_H

#include "lib/wet/wet.h"

/* Give back memory that the tables of W do not use; free them. */
void wet_trim_tables(DcfgWet* w);
void wet_free_tables(DcfgWet* w);

/* Make the tables that the file does not have: room for answers, and numbers of
   first instances, all 0. */
bool wet_make_room(DcfgWet* w);

#endif /* DCFG_LIB_WET_TABLES_H */
