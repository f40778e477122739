/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages: straight runs of code, counted. */

/* Owns: the table of passages with their counts.  Handed: one at a time.  Taken
   by: address_stream.c and edge_stream.c, which count; tally.c. */

#include "lib/blocks/passages.h"

static inline uint32_t first_bucket(const Passages* p, uint32_t from,
                                    uint32_t at, uint32_t to)
{
   uint64_t h = hash_word(&p->hash, (uint64_t)from << 32 | at);

   return (uint32_t)hash_word(&p->hash, h ^ to) & (p->n_buckets - 1);
}

/* Return the bucket where a passage is, or would be. */
static inline uint32_t* bucket_of(Passages* p, uint32_t from, uint32_t at,
                                  uint32_t to)
{
   uint32_t i = first_bucket(p, from, at, to);

   for (; p->buckets[i] != 0; i = (i + 1) & (p->n_buckets - 1)) {
      const Passage* x = passage(p, p->buckets[i] - 1);
      if (x->from == from && x->at == at && x->to == to)
         break;
   }
   return &p->buckets[i];
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(Job* job, Passages* p)
{
   uint32_t n = p->n_buckets == 0 ? 1024 : 2 * p->n_buckets;

   if (n == 0)
      return job_fail(job, DCFG_ERROR_LIMIT, NULL, "too many edges");
   passages_seal(job, p);
   p->buckets = job_calloc(job, n, sizeof(*p->buckets));
   if (p->buckets == NULL)
      return false;
   p->n_buckets = n;
   p->hash      = hash_key();
   for (uint32_t i = 0; i < p->all.n; i++) {
      const Passage* x = passage(p, i);
      *bucket_of(p, x->from, x->at, x->to) = i + 1;
   }
   return true;
}

uint32_t passage_index(Job* job, Passages* p, uint32_t from, uint32_t at,
                       uint32_t to)
{
   uint32_t* bucket;
   Passage*  new;

   if (p->all.n >= p->n_buckets / 4 * 3 && !make_room(job, p))
      return DCFG_NONE;
   bucket = bucket_of(p, from, at, to);
   if (*bucket != 0)
      return *bucket - 1;
   new = array_add(job, &p->all, sizeof(*new));
   if (new == NULL)
      return DCFG_NONE;
   *new = (Passage){ from, at, to, 0 };
   *bucket = (uint32_t)p->all.n;
   return *bucket - 1;
}

void passages_seal(Job* job, Passages* p)
{
   job_free(job, p->buckets, p->n_buckets * sizeof(*p->buckets));
   p->buckets = NULL;
   p->n_buckets = 0;
}

void passages_free(Job* job, Passages* p)
{
   passages_seal(job, p);
   array_free(job, &p->all, sizeof(Passage));
}
