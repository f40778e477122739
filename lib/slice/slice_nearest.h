/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The nearest who want the bytes of a granule. */

#ifndef DCFG_LIB_SLICE_NEAREST_H
#define DCFG_LIB_SLICE_NEAREST_H

#include "lib/base/job.h"

/* Nearest: for each byte of a granule, the least distance of the members
   that want it.  With one thread, and if instances are only counted, a want
   needs nothing else.  Most granules have one distance, or one for each half.
   Only others have a distance for each byte, elsewhere: a slice that wants all
   of a large table goes at random over these. */
typedef
   struct {
      uint32_t of[2];           // by half; if .split, .of[0] is a number in
                                // .bytes of NearestPool, + 1
      uint8_t  mask;            // bytes that are wanted
      bool     split;
   }
   Nearest;

/* NearestBytes: a distance for each byte. */
typedef
   struct {
      uint32_t of[8];
   }
   NearestBytes;

typedef
   struct {
      Job*     job;
      Array    bytes;           // NearestBytes
      uint32_t free_bytes;      // number in .bytes, + 1; .of[0] of it has the
                                // next one
   }
   NearestPool;

static inline NearestBytes* nearest_bytes(const NearestPool* p,
                                          const Nearest* n)
{
   return &ELEM(p->bytes, NearestBytes, n->of[0] - 1);
}

/* Want the bytes MASK of N, of which some are wanted, at DISTANCE, too. */
bool nearest_add(NearestPool* p, Nearest* n, uint8_t mask, uint32_t distance);

/* Take the bytes HIT of N, which is split. */
uint32_t nearest_take_bytes(NearestPool* p, Nearest* n, uint8_t hit);

/* Want the bytes MASK at DISTANCE, too.  Return false if memory is
   exhausted. */
static inline bool nearest_want(NearestPool* p, Nearest* n, uint8_t mask,
                                uint32_t distance)
{
   if (n->mask != 0)
      return nearest_add(p, n, mask, distance);
   n->of[0] = n->of[1] = distance;
   n->mask  = mask;
   return true;
}

/* Return the distance of byte K, which is wanted. */
static inline uint32_t nearest_of(const NearestPool* p, const Nearest* n,
                                  unsigned k)
{
   return n->split ? nearest_bytes(p, n)->of[k] : n->of[k / 4];
}

/* Take the bytes HIT, at least one, all wanted.  Return their least
   distance. */
static inline uint32_t nearest_take(NearestPool* p, Nearest* n, uint8_t hit)
{
   uint32_t least = UINT32_MAX;

   if (n->split)
      return nearest_take_bytes(p, n, hit);
   if (hit & 0x0F)
      least = n->of[0];
   if ((hit & 0xF0) && n->of[1] < least)
      least = n->of[1];
   n->mask &= (uint8_t)~hit;
   return least;
}

#endif /* DCFG_LIB_SLICE_NEAREST_H */
