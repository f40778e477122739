/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The spool file, the tool's temporary file.  If the process is killed, its
   extents let a reader recover a whole execution trace. */

#ifndef DCFG_FORMAT_SPOOL_FILE_H
#define DCFG_FORMAT_SPOOL_FILE_H

/*--- Extents                                              ---*/

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

/* Return SUM after the eight bytes at AT. */
static inline unsigned long long spool_step(unsigned long long sum,
                                            const unsigned char* at)
{
   unsigned long long word;

   __builtin_memcpy(&word, at, 8);
   sum = (sum ^ word) * 0x100000001b3ull;
   return sum ^ sum >> 29;
}

/* Return the check sum of the N bytes of DATA. */
static inline unsigned spool_sum(const unsigned char* data, unsigned n)
{
   unsigned long long sum = n;
   unsigned           i   = 0;

   for (; i + 8 <= n; i += 8)
      sum = spool_step(sum, data + i);
   for (; i < n; i++)
      sum = (sum ^ data[i]) * 0x100000001b3ull;
   return (unsigned)(sum ^ sum >> 32);
}

/* Set SUMS to the check sums of SPOOL_SUMS whole extents, DATA.  Each step of a
   sum waits for the one before, so several sums at once are faster. */
#define SPOOL_SUMS 4u
static inline void spool_sums(const unsigned char* const* data, unsigned* sums)
{
   unsigned long long a = SPOOL_EXTENT, b = a, c = a, d = a;

   for (unsigned i = 0; i < SPOOL_EXTENT; i += 8) {
      a = spool_step(a, data[0] + i);
      b = spool_step(b, data[1] + i);
      c = spool_step(c, data[2] + i);
      d = spool_step(d, data[3] + i);
   }
   sums[0] = (unsigned)(a ^ a >> 32);
   sums[1] = (unsigned)(b ^ b >> 32);
   sums[2] = (unsigned)(c ^ c >> 32);
   sums[3] = (unsigned)(d ^ d >> 32);
}

/*--- The streams of a whole execution trace               ---*/

/* Kinds of streams: the tape, and the rows that are needed to read it. */
enum { JournalRows = 1, JournalTape, N_JOURNAL_KINDS };

/* Kinds of rows in the stream JournalRows. */
enum { RowImage = 1, RowSource, RowSuperblock, RowUnexecuted, RowTape,
       RowState };

#endif /* DCFG_FORMAT_SPOOL_FILE_H */
