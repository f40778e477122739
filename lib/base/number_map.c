/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hash map from keys to numbers. */

/* Owns: maps whose keys come from a file.  Handed: keys.  Taken by:
   wet_graph.c, wet_reads.c, wet_shadow.c, slice_memory.c, slice_forward.c. */

#include "lib/base/number_map.h"

bool map_make_room(Job* job, NumberMap* m)
{
   NumberMap more = { .room = m->room == 0 ? 1024 : 2 * m->room,
                      .n = m->n, .hash = m->room == 0 ? hash_key() : m->hash };

   more.keys   = job_calloc(job, more.room, sizeof(*more.keys));
   more.values = job_calloc(job, more.room, sizeof(*more.values));
   if (more.keys == NULL || more.values == NULL) {
      map_free(job, &more);
      return false;
   }
   for (size_t i = 0; i < m->room; i++)
      if (m->keys[i] != 0) {
         size_t at = map_find(&more, m->keys[i]);
         more.keys[at]   = m->keys[i];
         more.values[at] = m->values[i];
      }
   map_free(job, m);
   *m = more;
   return true;
}

/* Move keys that a free place would hide to that place. */
void map_remove(NumberMap* m, size_t at)
{
   size_t mask = m->room - 1;

   for (size_t i = (at + 1) & mask; m->keys[i] != 0; i = (i + 1) & mask)
      if (((i - hash_word(&m->hash, m->keys[i])) & mask)
          >= ((i - at) & mask)) {
         m->keys[at]   = m->keys[i];
         m->values[at] = m->values[i];
         at = i;
      }
   m->keys[at] = 0;
   m->n--;
}

void map_free(Job* job, NumberMap* m)
{
   job_free(job, m->keys, m->room * sizeof(*m->keys));
   job_free(job, m->values, m->room * sizeof(*m->values));
   *m = (NumberMap){ 0 };
}
