/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the functions of a DCFG's shapes. */

#ifndef DCFG_LOAD_ROWS_H
#define DCFG_LOAD_ROWS_H

#include "lib/json/fields.h"
#include "lib/graph/model.h"
#include "lib/json/place.h"

/* Load: the argument of the shapes' functions. */
typedef
   struct {
      Model* m;
      Job*   job;
      Walk*  walk;
   }
   Load;

#define ID     1, 0x7fffffff
#define ID_0   0, 0x7fffffff
#define BITS32 0, UINT32_MAX
#define BITS64 0, UINT64_MAX

static inline Process* last_process(Load* l)
{
   return &ELEM(l->m->processes, Process, l->m->processes.n - 1);
}

static inline const char* keep_text(Load* l, const Frame* f, uint32_t field)
{
   return arena_string(l->job, &l->m->strings, text(l->walk, f, field),
                       length(f, field));
}

/* Report at the walk's place something that some readers cannot take. */
static inline void odd(const Load* l, const char* rule, const char* what)
{
   char place[PLACE_SIZE];

   if (job_listened(l->job))
      job_problem(l->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(l->walk, place), "%s", what);
}

/* The last element of an array. */
#define LAST(array, Type) (&ELEM(array, Type, (array).n - 1))

#endif /* DCFG_LOAD_ROWS_H */
