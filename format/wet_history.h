/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The history's hash: what a WET file's tape foretells the next superblock
   by. */

#ifndef DCFG_FORMAT_WET_HISTORY_H
#define DCFG_FORMAT_WET_HISTORY_H

#define HISTORY_BITS 16
#define N_HISTORIES  (1u << HISTORY_BITS)

/* The largest id of a superblock that is foretold. */
#define MAX_FORETOLD 0xFFFFFFu

/* What became of a superblock: the number of the exit that it took, or that it
   came to its end, or was left within when N_DONE instructions were
   completed. */
#define HOW_END              0xFF
#define HOW_STOPPED          0xFE
#define HOW_STOPPED_AT(n_done) \
        (HOW_STOPPED | (unsigned long long)(n_done) << 48)

/* Return what superblock SB adds to the history if HOW became of it. */
static inline unsigned wet_history_hash(unsigned long long sb,
                                        unsigned long long how)
{
   return (unsigned)((how | sb << 8) * 0x9E3779B97F4A7C15ull
                     >> (64 - HISTORY_BITS));
}

/* Return the history behind a superblock that adds HASH to HISTORY. */
static inline unsigned wet_next_history(unsigned history, unsigned hash)
{
   return (history << 5 ^ hash) % N_HISTORIES;
}

#endif /* DCFG_FORMAT_WET_HISTORY_H */
