/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The nearest who want the bytes of a granule. */

#ifndef DCFG_LIB_SLICE_NEAREST_H
#define DCFG_LIB_SLICE_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

/* Nearest: for each byte of a granule, the least distance of the members
   that want it.  With one thread, and if instances are only counted, a want
   needs nothing else. */
typedef
   struct {
      uint32_t of[8];           // by byte; unless .split, .of[0] is for all
      uint8_t  mask;            // bytes that are wanted
      bool     split;
   }
   Nearest;

/* Want the bytes MASK at DISTANCE, too. */
static inline void nearest_want(Nearest* n, uint8_t mask, uint32_t distance)
{
   bool more = (mask & ~n->mask) != 0, all = (n->mask & ~mask) == 0;

   if (!n->split) {
      if (n->mask == 0 || n->of[0] == distance
          || (all && distance < n->of[0])) {
         n->of[0] = distance;
         n->mask |= mask;
         return;
      }
      if (!more && distance > n->of[0])
         return;
      for (unsigned k = 1; k < 8; k++)
         n->of[k] = n->of[0];
      n->split = true;
   }
   for (unsigned left = mask; left != 0; left &= left - 1) {
      unsigned k = (unsigned)__builtin_ctz(left);
      if (!(n->mask >> k & 1) || distance < n->of[k])
         n->of[k] = distance;
   }
   n->mask |= mask;
}

/* Return the distance of byte K, which is wanted. */
static inline uint32_t nearest_of(const Nearest* n, unsigned k)
{
   return n->of[n->split ? k : 0];
}

/* Take the bytes HIT, at least one, all wanted.  Return their least
   distance. */
static inline uint32_t nearest_take(Nearest* n, uint8_t hit)
{
   uint32_t least = n->of[0];

   if (n->split) {
      least = UINT32_MAX;
      for (unsigned left = hit; left != 0; left &= left - 1) {
         uint32_t of = n->of[__builtin_ctz(left)];
         least = of < least ? of : least;
      }
   }
   n->mask &= (uint8_t)~hit;
   n->split = n->split && n->mask != 0;
   return least;
}

#endif /* DCFG_LIB_SLICE_NEAREST_H */
