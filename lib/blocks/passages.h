/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages: straight runs of code, counted. */

#ifndef DCFG_PASSAGES_H
#define DCFG_PASSAGES_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/* Passage: control came to the code FROM, ran straight on to the end of the
   code AT, and went on to TO.  The user defines the numbers.  If FROM and AT
   are DCFG_NONE, a sequence began at TO.  If TO is DCFG_NONE, a sequence ended,
   perhaps inside AT. */
typedef
   struct {
      uint32_t from, at, to;
      uint64_t count;
   }
   Passage;

typedef
   struct {
      Array     all;            // Passage; by first occurrence
      uint32_t* buckets;        // indices in .all + 1; the size is a power of
                                // two
      uint32_t  n_buckets;
      HashKey   hash;
   }
   Passages;

/* Return the index of a passage, which is added with count 0 if it is new;
   DCFG_NONE without memory. */
uint32_t passage_index(Job* job, Passages* p, uint32_t from, uint32_t at,
                       uint32_t to);

static inline Passage* passage(const Passages* p, uint32_t i)
{
   return &ELEM(p->all, Passage, i);
}

/* Add COUNT to a passage. */
static inline bool passage_count(Job* job, Passages* p, uint32_t from,
                                 uint32_t at, uint32_t to, uint64_t count)
{
   uint32_t i = passage_index(job, p, from, at, to);

   if (i == DCFG_NONE)
      return false;
   passage(p, i)->count = add_capped(passage(p, i)->count, count);
   return true;
}

/* Free the hash table: no more lookups; free everything. */
void passages_seal(Job* job, Passages* p);
void passages_free(Job* job, Passages* p);

#endif /* DCFG_PASSAGES_H */
