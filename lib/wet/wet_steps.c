/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The memory of decoded records. */

/* Owns: the sizes of the arrays of WetSteps.  Handed: the sizes of blocks. */

#include "lib/wet/wet_steps.h"

/* Return for how many elements to make room, if N are needed now.  The rest of a
   chunk of N_ALL records will need about as many for each record as its begin,
   N_STEPS records. */
static size_t room_for(const Job* job, size_t n, size_t n_steps, size_t n_all,
                       size_t size)
{
   size_t more = n + n / 2, all;

   if (n_all == 0)
      return more;
   all = n + n / 16 + (size_t)(mul_capped(n, n_all) / n_steps);
   /* A chunk that says more records than it has is found out later. */
   return mul_capped(all, size) < (job->max - job->used) / 2 ? all : more;
}

/* Return P, which has N of at most *MAX elements of SIZE bytes, with room for
   MORE others; NULL if memory is exhausted.  S and ROOM have the records that
   need all these. */
static void* grow(Job* job, const WetSteps* s, const WetStepsRoom* room, void* p,
                  size_t* max, size_t n, size_t more, size_t size)
{
   size_t n_steps = s->n_steps + room->n_steps;
   size_t most = room_for(job, n + more, n_steps > 0 ? n_steps : 1, room->n_all,
                          size);

   if (p != NULL && n + more <= *max)
      return p;
   p = job_realloc(job, p, *max * size, (most + 1) * size);
   if (p != NULL)
      *max = most + 1;
   return p;
}

/* Make room in array .steps, .turns, .addrs or .bytes of S for MORE elements. */
#define RESERVE(array, more)                                             \
   ((p = grow(job, s, room, s->array, &s->max_##array, s->n_##array,     \
              more, sizeof(*s->array))) != NULL                          \
    && (s->array = p, true))

bool wet_reserve_steps(Job* job, WetSteps* s, const WetStepsRoom* room)
{
   void* p;

   return RESERVE(steps, room->n_steps) && RESERVE(addrs, room->n_addrs)
          && (room->n_turns == 0 || RESERVE(turns, room->n_turns))
          && (room->n_bytes == 0 || RESERVE(bytes, room->n_bytes));
}

/* Free most of the room for elements of SIZE bytes at P that N elements do not
   need, if that is much of *MAX.  Return the elements. */
static void* trim(Job* job, void* p, size_t n, size_t* max, size_t size)
{
   size_t most = n + n / 16 + 1;
   void*  less = *max <= most ? NULL
                 : job_realloc(job, p, *max * size, most * size);

   if (less == NULL)
      return p;
   *max = most;
   return less;
}

#define TRIM(array)                                                      \
   (s->array = trim(job, s->array, s->n_##array, &s->max_##array,        \
                    sizeof(*s->array)))

void wet_trim_steps(Job* job, WetSteps* s)
{
   TRIM(steps);
   TRIM(turns);
   TRIM(addrs);
   TRIM(bytes);
}

size_t wet_size_of_steps(const WetSteps* s)
{
   return s->max_steps * sizeof(*s->steps) + s->max_turns * sizeof(*s->turns)
          + s->max_addrs * sizeof(*s->addrs) + s->max_bytes;
}

void wet_free_steps(Job* job, WetSteps* s)
{
   job_free(job, s->steps, s->max_steps * sizeof(*s->steps));
   job_free(job, s->turns, s->max_turns * sizeof(*s->turns));
   job_free(job, s->addrs, s->max_addrs * sizeof(*s->addrs));
   job_free(job, s->bytes, s->max_bytes);
   *s = (WetSteps){ 0 };
}
