/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a whole execution trace, which its readers share. */

#ifndef DCFG_LIB_WET_TABLES_H
#define DCFG_LIB_WET_TABLES_H

#include "lib/wet/wet.h"

/* Give back memory that the tables of W do not use. */
void wet_trim_tables(DcfgWet* w);

/* Use the tables of FROM, which must be closed after W.  W has opened the same
   file; afterwards it is at the tape. */
bool wet_borrow_tables(DcfgWet* w, DcfgWet* from);
void wet_free_tables(DcfgWet* w);

/* Make room for all that changes while the tape is read. */
bool wet_start_reader(DcfgWet* w);
void wet_free_reader(DcfgWet* w);

#endif /* DCFG_LIB_WET_TABLES_H */
