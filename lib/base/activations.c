/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory of activations. */

/* Owns: memory of activations.  Handed: by their users. */

#include "lib/base/activations.h"

bool activations_start(Activations* all, Job* job, size_t size, bool links)
{
   *all = (Activations){ .job = job, .links = links };
   return array_add(job, &all->acts, size) != NULL;
}

void activations_free_made(Activations* all, size_t size)
{
   for (size_t i = 0; i < all->made.n; i++)
      act_free(all, size, ELEM(all->made, uint32_t, i));
   array_cut(&all->made, 0);
}

void activations_free(Activations* all, size_t size)
{
   array_free(all->job, &all->acts, size);
   array_free(all->job, &all->made, sizeof(uint32_t));
}
