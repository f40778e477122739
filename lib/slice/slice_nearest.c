/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The nearest who want the bytes of a granule. */

/* Owns: distances by byte, for granules that need them.  Handed: bytes and
   distances. */

#include "lib/slice/slice_nearest.h"

/* Give each byte of N a distance of its own. */
static bool split(NearestPool* p, Nearest* n)
{
   uint32_t      id = p->free_bytes;
   NearestBytes* b;

   if (id != 0) {
      b = &ELEM(p->bytes, NearestBytes, id - 1);
      p->free_bytes = b->of[0];
   } else {
      b = array_add(p->job, &p->bytes, sizeof(*b));
      if (b == NULL)
         return false;
      id = (uint32_t)p->bytes.n;
   }
   for (unsigned k = 0; k < 8; k++)
      b->of[k] = n->of[k / 4];
   n->of[0] = id;
   n->split = true;
   return true;
}

/* Want the bytes MASK, all of half H, at DISTANCE.  Return false if the half
   would have two distances. */
static bool want_half(Nearest* n, unsigned h, uint8_t mask, uint32_t distance)
{
   uint8_t own = n->mask & (uint8_t)(0x0Fu << 4 * h);

   if (own == 0 || n->of[h] == distance
       || ((own & ~mask) == 0 && distance < n->of[h])) {
      n->of[h] = distance;
      n->mask |= mask;
      return true;
   }
   return (mask & ~own) == 0 && distance > n->of[h];
}

bool nearest_add(NearestPool* p, Nearest* n, uint8_t mask, uint32_t distance)
{
   uint8_t       low = mask & 0x0F, high = mask & 0xF0;
   NearestBytes* b;

   if (!n->split) {
      if ((low == 0 || want_half(n, 0, low, distance))
          && (high == 0 || want_half(n, 1, high, distance)))
         return true;
      if (!split(p, n))
         return false;
   }
   b = nearest_bytes(p, n);
   for (unsigned left = mask; left != 0; left &= left - 1) {
      unsigned k = (unsigned)__builtin_ctz(left);
      if (!(n->mask >> k & 1) || distance < b->of[k])
         b->of[k] = distance;
   }
   n->mask |= mask;
   return true;
}

uint32_t nearest_take_bytes(NearestPool* p, Nearest* n, uint8_t hit)
{
   NearestBytes* b = nearest_bytes(p, n);
   uint32_t      least = UINT32_MAX;

   for (unsigned left = hit; left != 0; left &= left - 1) {
      uint32_t of = b->of[__builtin_ctz(left)];
      least = of < least ? of : least;
   }
   n->mask &= (uint8_t)~hit;
   if (n->mask == 0) {
      b->of[0]      = p->free_bytes;
      p->free_bytes = n->of[0];
      n->split      = false;
   }
   return least;
}
