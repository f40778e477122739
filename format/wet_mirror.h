/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The mirror: memory that recorder and readers keep alike, to foretell what is
   loaded. */

#ifndef DCFG_FORMAT_WET_MIRROR_H
#define DCFG_FORMAT_WET_MIRROR_H

#include "format/spool_file.h"

/* The mirror has WET_MIRROR bytes, and that at address A stands for those at
   all A plus multiples of WET_MIRROR.  At the begin of a chunk all are 0.  A
   number may end WET_MIRROR_MORE bytes behind the last one. */
#define WET_MIRROR      (1u << 20)
#define WET_MIRROR_MORE 8u

/* Return the check sum of MIRROR: that of the sums of its extents, behind which
   there are the last WET_MIRROR_MORE bytes. */
static inline unsigned wet_mirror_sum(const unsigned char* mirror)
{
   enum { N = WET_MIRROR / SPOOL_EXTENT };
   unsigned sums[N + WET_MIRROR_MORE / sizeof(unsigned)];

   for (unsigned i = 0; i < N; i += SPOOL_SUMS) {
      const unsigned char* extents[SPOOL_SUMS];
      for (unsigned k = 0; k < SPOOL_SUMS; k++)
         extents[k] = mirror + (i + k) * SPOOL_EXTENT;
      spool_sums(extents, sums + i);
   }
   __builtin_memcpy(sums + N, mirror + WET_MIRROR, WET_MIRROR_MORE);
   return spool_sum((const unsigned char*)sums, sizeof(sums));
}

#endif /* DCFG_FORMAT_WET_MIRROR_H */
