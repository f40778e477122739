/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The extents of a temporary file, which outlasts a process that was killed. */

#ifndef DCFG_FORMAT_SPOOL_EXTENTS_H
#define DCFG_FORMAT_SPOOL_EXTENTS_H

#define SPOOL_MAGIC      { 0x89, 'D', 'C', 'F', 'G', 'T', 'M', 'P' }
#define SPOOL_EXTENT     65536u         // bytes
#define SPOOL_HEAD_SIZE  32u

/* Where the numbers of an extent's head stand, of four bytes each. */
enum {
   SpoolKindAt   = 8,     // of the stream
   SpoolNumberAt = 12,    // of the extent in it
   SpoolUsedAt   = 16,    // bytes
   SpoolSumAt    = 20     // of these bytes
};

/* Return the sum of the N bytes of DATA. */
static inline unsigned spool_sum(const unsigned char* data, unsigned n)
{
   unsigned long long sum = n;
   unsigned           i   = 0;

   for (; i + 8 <= n; i += 8) {
      unsigned long long word;
      __builtin_memcpy(&word, data + i, 8);
      sum = (sum ^ word) * 0x100000001b3ull;
      sum ^= sum >> 29;
   }
   for (; i < n; i++)
      sum = (sum ^ data[i]) * 0x100000001b3ull;
   return (unsigned)(sum ^ sum >> 32);
}

#endif /* DCFG_FORMAT_SPOOL_EXTENTS_H */
