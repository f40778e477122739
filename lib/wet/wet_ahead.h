/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Records of the tape, decoded by a thread. */

#ifndef DCFG_LIB_WET_AHEAD_H
#define DCFG_LIB_WET_AHEAD_H

#include "lib/wet/wet_chunks.h"

/* WetPart: steps that are decoded at once: a part of a chunk, or all of it. */
typedef
   struct {
      WetSteps steps;
      bool     first;           // the first part of its chunk, which begins at
                                // .offset
      uint64_t offset;
      uint64_t n_file, n_text;  // bytes read up to here
   }
   WetPart;

typedef struct WetAhead WetAhead;

/* Decode all of W from its begin on, in parts, and add the chunks to INDEX; or
   decode the first N chunks of INDEX backward, whole, with all slots.  The
   thread owns W and INDEX until wet_ahead_close().  Return NULL, and JOB's error, if memory
   is exhausted. */
WetAhead* wet_ahead_new(Job* job, DcfgWet* w, Array* index, WetWanted wanted);
WetAhead* wet_ahead_new_back(Job* job, DcfgWet* w, Array* index, uint32_t n);

/* Return the next part; the one before is no longer valid.  Return NULL at the
   end, and with JOB's error if decoding fails. */
const WetPart* wet_ahead_next(WetAhead* a);

/* Close A, which may be NULL. */
void wet_ahead_close(WetAhead* a);

#endif /* DCFG_LIB_WET_AHEAD_H */
