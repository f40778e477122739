/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a partial sum. */

#ifndef DCFG_MERGED_SHAPE_H
#define DCFG_MERGED_SHAPE_H

#include "lib/graph/load_rows.h"

extern const Shape merged_shape;

/* Put indices in place of P's ids, DCFG_NONE where nothing has the id.  FILES
   maps FILE_NAME_ID. */
void merged_resolve(Process* p, const IdMap* files);

void merged_free(Job* job, MergedTables* t);

#endif /* DCFG_MERGED_SHAPE_H */
