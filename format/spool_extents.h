/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The spool file's extents.  The spool is the tool's temporary file; if the
   process is killed, the extents let a reader recover the data. */

#ifndef DCFG_FORMAT_SPOOL_EXTENTS_H
#define DCFG_FORMAT_SPOOL_EXTENTS_H

#define SPOOL_MAGIC      { 0x89, 'D', 'C', 'F', 'G', 'T', 'M', 'P' }
#define SPOOL_EXTENT     65536u         // bytes
#define SPOOL_HEAD_SIZE  32u

/* Offsets in the head of an extent of numbers with four bytes each. */
enum {
   SpoolKindAt   = 8,     // the kind of the stream
   SpoolNumberAt = 12,    // the extent's number in its stream
   SpoolUsedAt   = 16,    // how many bytes of data follow
   SpoolSumAt    = 20     // spool_sum() of these bytes
};

/* Set SUMS to the check sums of SPOOL_SUMS whole extents, DATA.  Each step of a
   sum waits for the one before, so several sums at once are faster. */
#define SPOOL_SUMS 4u
static inline void spool_sums(const unsigned char* const* data, unsigned* sums)
{
   unsigned long long sum[SPOOL_SUMS] = { SPOOL_EXTENT, SPOOL_EXTENT,
                                          SPOOL_EXTENT, SPOOL_EXTENT };

   for (unsigned i = 0; i < SPOOL_EXTENT; i += 8)
      for (unsigned k = 0; k < SPOOL_SUMS; k++) {
         unsigned long long word;
         __builtin_memcpy(&word, data[k] + i, 8);
         sum[k]  = (sum[k] ^ word) * 0x100000001b3ull;
         sum[k] ^= sum[k] >> 29;
      }
   for (unsigned k = 0; k < SPOOL_SUMS; k++)
      sums[k] = (unsigned)(sum[k] ^ sum[k] >> 32);
}

/* Return the check sum of the N bytes of DATA. */
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
