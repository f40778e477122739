/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The path of a thread through the graph, from its record: edges, phrases. */

/* Private to trace/. */

#ifndef __DCFG_REPLAY_H
#define __DCFG_REPLAY_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "tool/run/gather.h"
#include "tool/run/thread.h"
#include "tool/trace/phrase.h"
#include "tool/trace/record.h"

/* WalkKind: what a replay does at a node. */
typedef
   enum {
      WalkOn,        // one way out: skip what was recorded
      WalkBit,       // read a bit
      WalkTarget,    // read a target
      WalkSlowly,    // an event may have happened here
      WalkEnd
   }
   WalkKind;

/* Way: an edge, and the next stop after it. */
typedef
   struct {
      UInt edge;           // 0: none
      UInt node;           // the next node that is not WalkOn
      UInt n_bits;         // bits to skip on the way there
      UInt n_targets;      // targets to skip
   }
   Way;

typedef
   struct {
      UChar kind;          // WalkKind
      UChar record;        // InsnRecord of the last instruction
      Bool  is_decision;   // does it have several counted out-edges?
      UInt  mask;          // size - 1 of its part of Ways.table
      Way   way[2];        // for each bit; [0] if nothing is recorded
      UInt  table;
   }
   NodeWays;

/* TargetWay: the way for a target's number. */
typedef
   struct {
      UInt number;
      Way  way;            // .edge 0: this element is free
   }
   TargetWay;

/* ChangingWay: a jump to an address whose code changed. */
typedef
   struct {
      UInt node;
      UInt bit;            // or the target's number
      Addr addr;
      Bool unredirected;
      /* The last result of tool/trace/replay.c: */
      UInt version;        // a version of the code at .addr,
      UInt edge;           // and the edge to it; 0: none is known
   }
   ChangingWay;

typedef
   struct {
      const Gathered* p;
      UInt       n_nodes;
      NodeWays*  nodes;        // for each node id
      UInt*      first_edge;   // for each node id n: its out-edges are
                               // first_edge[n] .. first_edge[n+1]-1
      Way*       ways;         // for each edge id
      TargetWay* table;        // hash tables; a node's begins at .table, and is
                               // searched from number & mask on, cyclically
      UInt         n_changing; // sorted by node and bit
      ChangingWay* changing;
      UInt*        changing_at;     // a hash table: numbers in .changing, from
      UInt         changing_mask;   // 1 up; its size - 1
   }
   Ways;

Ways* DCFG_(find_ways)(const Gathered* gathered);
void  DCFG_(delete_ways)(Ways* ways);

/* Return the way for a target's number. */
static inline const Way* DCFG_(target_way)(const Ways* ways, const NodeWays* n,
                                           UInt number)
{
   const TargetWay* table = ways->table + n->table;
   UInt             i     = number & n->mask;

   while (table[i].number != number && table[i].way.edge != 0)
      i = (i + 1) & n->mask;
   return &table[i].way;
}

/* Find the nodes at which a thread with position POS may stand: at most
   DCFG_MAX_PLACES.  If not .behind, the thread stands inside the node, before
   its last instruction.  IF_TAKEN: only if that instruction took its exit.
   Return their number. */
#define DCFG_MAX_PLACES 8
typedef
   struct {
      UInt node;
      Bool behind;
      Bool if_taken;
   }
   NodePlace;

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
      VgHashTable* versions;    // Version: of changed code
      struct _Version** version_of;   // for each of .w->changing, its element
                                      // of .versions once asked for
   }
   Walk;

/* Start a walk along THREAD, which has run and is traced.  The program's
   threads must not run while there is a walk. */
Walk* DCFG_(new_walk)(const Ways* ways, UInt thread);
void  DCFG_(delete_walk)(Walk* walk);

/* Move to .rec's checkpoint number I, from 0, to read a part of the walk from
   there.  Return False, and stay, if that is not possible. */
Bool DCFG_(skip_in_walk)(Walk* walk, UInt i);

/* Return the next edge: first ENTRY, then each counted edge whose source has
   several counted out-edges.  The edges between follow from the graph.  Return
   0 at the end, or if the walk makes no sense.  Then the tool or the spool file
   has an error: it is reported, and .failed is set. */
UInt DCFG_(step_walk)(Walk* walk);

/* Take WAY, which was just read from .reader, to the next decision. */
void DCFG_(take_way)(Walk* walk, const Way* way);

/*--- Phrases: tool/trace/parse.c                          ---*/

typedef struct _Parser Parser;

/* Make a parser for walks with WAYS.  Only parse(), and extend_phrase() of a
   context, may add phrases to PS meanwhile. */
Parser* DCFG_(new_parser)(const Ways* ways, Phrases* ps);
void    DCFG_(delete_parser)(Parser* ps);

/* Divide the rest of WALK into phrases, always the longest that fits.  *PHRASE
   is the begin of the first one, from its context on, that WALK has already
   walked.  It becomes the begin of the next one, or 0 at the end of the
   walk.  Write at most ROOM phrases to OUT.  Also stop after the phrase that
   brings the number of edges to LIMIT or more.  Return the number of
   phrases. */
UInt DCFG_(parse)(Parser* pr, Walk* walk, UInt* phrase, UInt* out, UInt room,
                  ULong limit);

#endif
