
/*--------------------------------------------------------------------*/
/*--- Runs, added to a sum.                         merge_runs.h ---*/
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

#ifndef DCFG_CMD_MERGE_RUNS_H
#define DCFG_CMD_MERGE_RUNS_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

typedef
   enum {
      ADD_THREADS,              // thread 0 is added to thread 0, and so on
      KEEP_THREADS,             // all are further ones
      NEXT_PART                 // it goes on where the parts in M end, and has
                                // what says so
   }
   AddHow;

/* Add to M, which begins as all zero, the run G, which was read from PATH.
   Code is looked for below ROOT, if that is not NULL.  Dies where the run is
   no run of the same code. */
void     merged_add(Merged* m, Interned* names, const Program* g,
                    const char* path, AddHow how, const char* root);

/* Something to order runs by, which depends on nothing but what is in them. */
uint64_t run_hash(const Program* g);

#endif /* DCFG_CMD_MERGE_RUNS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
