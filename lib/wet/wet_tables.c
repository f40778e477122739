/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a whole execution trace. */

/* Owns: the list of tables, and freeing them.  Handed: tables by wet_load.c and
   wet_plan.c. */

#include "lib/wet/wet_tables.h"
#include "lib/wet/wet_images.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet_terms.h"

#include <stdlib.h>

/* The arrays, and the sizes of their elements. */
static const struct {
   size_t at, size;
} tables[] = {
   { offsetof(DcfgWet, instrs), sizeof(WetInstr) },
   { offsetof(DcfgWet, unexecuted), sizeof(WetInstr) },
   { offsetof(DcfgWet, sbs), sizeof(WetSb) },
   { offsetof(DcfgWet, code), 1 },
   { offsetof(DcfgWet, accesses), sizeof(WetAccess) },
   { offsetof(DcfgWet, rules), sizeof(SlotRule) },
   { offsetof(DcfgWet, terms), sizeof(WetTerm) },
   { offsetof(DcfgWet, tells), sizeof(WetSet) },
   { offsetof(DcfgWet, sets), sizeof(WetSet) },
   { offsetof(DcfgWet, way_terms), sizeof(WayTerms) },
   { offsetof(DcfgWet, sb_instrs), sizeof(uint32_t) },
   { offsetof(DcfgWet, exits), sizeof(WetExit) },
   { offsetof(DcfgWet, segments), sizeof(WetSegment) },
   { offsetof(DcfgWet, threads), sizeof(uint64_t) },
   { offsetof(DcfgWet, ran), sizeof(uint64_t) },
   { offsetof(DcfgWet, uses), sizeof(Use) },
   { offsetof(DcfgWet, defs), sizeof(Def) }
};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

static Array* table_of(const DcfgWet* w, size_t i)
{
   return (Array*)((uintptr_t)w + tables[i].at);
}

void wet_trim_tables(DcfgWet* w)
{
   for (size_t i = 0; i < N_TABLES; i++)
      array_trim(&w->job, table_of(w, i), tables[i].size);
}

void wet_free_tables(DcfgWet* w)
{
   wet_free_images(w);
   wet_free_state(w);
   for (size_t i = 0; i < N_TABLES; i++)
      array_free(&w->job, table_of(w, i), tables[i].size);
   free(w->plans);
   free(w->places);
   free(w->ways);
   free(w->instances);
   free(w->told.accesses);
}

/* Return the most accesses of an instruction. */
static uint32_t most_accesses(const DcfgWet* w)
{
   uint32_t most = 0;

   for (size_t i = 0; i < w->instrs.n; i++)
      if (w->plans[i].n_accesses > most)
         most = w->plans[i].n_accesses;
   return most;
}

bool wet_make_room(DcfgWet* w)
{
   w->instances     = job_calloc(&w->job, w->instrs.n + 1, sizeof(uint64_t));
   w->told.accesses = job_calloc(&w->job, most_accesses(w) + (size_t)1,
                                 sizeof(DcfgWetAccess));
   return w->instances != NULL && w->told.accesses != NULL;
}
