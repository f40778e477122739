/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Replaying a record: the edges in their order. */

/* Private to trace/. */

#ifndef __DCFG_REPLAY_H
#define __DCFG_REPLAY_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "tool/run/thread.h"
#include "tool/trace/reader.h"
#include "tool/trace/ways.h"

/* Walk: one thread's path through the graph. */
typedef
   struct {
      const Ways*  w;
      UInt         thread;
      ThreadInfo   info;
      Recording    rec;
      RecordReader reader;
      UInt         node;        // the present node: a decision, or NodeEnd
      Bool         started;
      Bool         failed;
      /* The next event, and the nodes where it may have happened: */
      RecordEvent  event;
      Bool         has_event;
      ULong        events_at;   // bytes read from the stream
      UInt         n_places;
      NodePlace    places[DCFG_MAX_PLACES];
      UInt         n_last_places;
      NodePlace    last_places[DCFG_MAX_PLACES];  // nodes where the thread may
                                                  // have ended
      VgHashTable* versions;    // versions of changed code, see tool/trace/replay.c
      struct _Version** version_of;   // for each of .w->changing, its element
                                      // of .versions once asked for
   }
   Walk;

/* Start a walk along THREAD, which has run and is traced.  The program's
   threads must not run while there is a walk. */
Walk* DCFG_(new_walk)(const Ways* w, UInt thread);
void  DCFG_(delete_walk)(Walk* k);

/* Move to .rec's landmark number I, from 0, to read a part of the walk from
   there.  Return False, and stay, if that is not possible. */
Bool DCFG_(skip_in_walk)(Walk* k, UInt i);

/* Return the next edge: first ENTRY, then each counted edge whose source has
   several counted out-edges.  The edges between follow from the graph.  Return
   0 at the end, or if the walk makes no sense.  Then the tool or the spool file
   has an error: it is reported, and .failed is set. */
UInt DCFG_(step_walk)(Walk* k);

/* Take WAY, which was just read from .reader, to the next decision. */
void DCFG_(take_way)(Walk* k, const Way* way);

#endif /* __DCFG_REPLAY_H */
