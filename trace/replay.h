/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   From a record to the edges in their order. */

/* Private to trace/. */

#ifndef __DCFG_REPLAY_H
#define __DCFG_REPLAY_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "run/thread.h"
#include "trace/reader.h"
#include "trace/ways.h"

/* One thread's way through the graph. */
typedef
   struct {
      const Ways*  w;
      UInt         thread;
      ThreadInfo   info;
      Recording    rec;
      RecordReader reader;
      UInt         node;        // where it is; a decision, or NodeEnd
      Bool         started;
      Bool         failed;
      /* The next event, and where it took place. */
      RecordEvent  event;
      Bool         has_event;
      ULong        events_at;   // bytes of the stream read
      UInt         n_places;
      NodePlace    places[DCFG_MAX_PLACES];
      UInt         n_last_places;
      NodePlace    last_places[DCFG_MAX_PLACES];  // where the thread ended
      VgHashTable* versions;    // of changed code, see trace/replay.c
   }
   Walk;

/* THREAD must be one that ran and is traced; the threads of the program
   must not run while there is a walk. */
Walk* DCFG_(new_walk)(const Ways* w, UInt thread);
void  DCFG_(delete_walk)(Walk* k);

/* On to the I-th (from 0 up) of .rec's landmarks, to read a part of the
   walk from there.  Returns False if that cannot be done; then it is where
   it was. */
Bool DCFG_(skip_in_walk)(Walk* k, UInt i);

/* The next edge: the first of all, and from then on those whose source has
   several edges out that were traversed.  What comes between them follows
   from the graph.  Returns 0 at the end, or if the walk makes no sense;
   that is an error of this tool or of the spool file, has been told, and
   sets .failed. */
UInt DCFG_(step_walk)(Walk* k);

/* WAY was just read from .reader: go that way to the next decision. */
void DCFG_(take_way)(Walk* k, const Way* way);

#endif /* __DCFG_REPLAY_H */
