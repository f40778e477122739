/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs of straight code, counted. */

#ifndef DCFG_PASSAGES_H
#define DCFG_PASSAGES_H

#include "lib/base/hash.h"
#include "lib/base/job.h"

/* Control came to the code FROM, ran straight on to the end of the code AT,
   and went TO from there.  What numbers mean is the user's.  With FROM and AT
   DCFG_NONE a sequence began at TO; with TO DCFG_NONE one ended, maybe in the
   middle of AT. */
typedef
   struct {
      uint32_t from, at, to;
      uint64_t count;
   }
   Passage;

typedef
   struct {
      Array     all;            // Passage; in order of first appearance
      uint32_t* buckets;        // indices into it, plus 1; a power of two
      uint32_t  n_buckets;
      HashKey   hash;
   }
   Passages;

/* The index of a passage, which is added with no count if it is new;
   DCFG_NONE without memory. */
uint32_t passage_index(Job* job, Passages* p, uint32_t from, uint32_t at,
                       uint32_t to);

static inline Passage* passage(const Passages* p, uint32_t i)
{
   return &ELEM(p->all, Passage, i);
}

/* COUNT more of it. */
static inline bool passage_count(Job* job, Passages* p, uint32_t from,
                                 uint32_t at, uint32_t to, uint64_t count)
{
   uint32_t i = passage_index(job, p, from, at, to);

   if (i == DCFG_NONE)
      return false;
   passage(p, i)->count = add_capped(passage(p, i)->count, count);
   return true;
}

/* Only looking up is at an end; then everything is. */
void passages_seal(Job* job, Passages* p);
void passages_free(Job* job, Passages* p);

#endif /* DCFG_PASSAGES_H */
