/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The history's hash.  The writer and the reader of a WET tape predict the next
   superblock from this hash of the superblocks before it. */

#ifndef DCFG_FORMAT_WET_HISTORY_H
#define DCFG_FORMAT_WET_HISTORY_H

#define HISTORY_BITS 16
#define N_HISTORIES  (1u << HISTORY_BITS)

/* The largest id of a superblock that can be predicted. */
#define MAX_FORETOLD 0xFFFFFFu

/* How a superblock was left: by the exit of this number, at its end, or stopped
   inside after N_DONE completed instructions. */
#define HOW_END              0xFF
#define HOW_STOPPED          0xFE
#define HOW_STOPPED_AT(n_done) \
        (HOW_STOPPED | (unsigned long long)(n_done) << 48)

/* Return the hash of superblock SB that was left by HOW. */
static inline unsigned wet_history_hash(unsigned long long sb,
                                        unsigned long long how)
{
   return (unsigned)((how | sb << 8) * 0x9E3779B97F4A7C15ull
                     >> (64 - HISTORY_BITS));
}

/* Return the hash of load number LOAD of a superblock, which was foretold
   wrongly.  What follows is predicted from the history, exclusive-or the hashes
   of the loads before it in the same superblock. */
static inline unsigned wet_load_hash(unsigned load)
{
   return wet_history_hash(0, load + 1ull);
}

/* Return the history after a superblock whose hash is HASH, when it was HISTORY
   before. */
static inline unsigned wet_next_history(unsigned history, unsigned hash)
{
   return (history << 5 ^ hash) % N_HISTORIES;
}

#endif /* DCFG_FORMAT_WET_HISTORY_H */
