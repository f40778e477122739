/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records of the tape, decoded by a thread. */

#ifndef DCFG_LIB_WET_AHEAD_H
#define DCFG_LIB_WET_AHEAD_H

#include "lib/wet/wet_chunks.h"

/* WetPart: a piece that is decoded at once: a part of a chunk, or all of it. */
typedef
   struct {
      WetSteps steps;
      bool     first;           // of its chunk, which begins there in the file
      uint64_t offset;
      uint64_t n_file, n_text;  // bytes that have been read up to here
   }
   WetPart;

typedef struct WetAhead WetAhead;

/* All of W from its begin on, in parts, of which chunks are added to INDEX; or
   the chunks of INDEX, whole, with all slots, from the last to the first.
   Until it is closed W and INDEX are its own.  NULL with JOB's error set if
   there is no memory. */
WetAhead* wet_ahead_new(Job* job, DcfgWet* w, Array* index, WetWanted wanted);
WetAhead* wet_ahead_new_back(Job* job, DcfgWet* w, Array* index);

/* The next part; the one before is no more.  NULL at the end, or if it cannot
   be decoded, which is then JOB's error. */
const WetPart* wet_ahead_next(WetAhead* a);

/* A may be NULL. */
void wet_ahead_close(WetAhead* a);

#endif /* DCFG_LIB_WET_AHEAD_H */
