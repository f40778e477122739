/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Ways: the edges that recorded bits and targets mean at each node. */

/* Private to trace/. */

#ifndef __DCFG_WAYS_H
#define __DCFG_WAYS_H

#include "pub_tool_basics.h"
#include "tool/run/gather.h"
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

Ways* DCFG_(find_ways)(const Gathered* p);
void  DCFG_(delete_ways)(Ways* w);

/* Return the counted edge between two nodes, or 0. */
UInt DCFG_(edge_between)(const Ways* w, UInt source, UInt target);

/* Return the way for a target's number. */
static inline const Way* DCFG_(target_way)(const Ways* w, const NodeWays* n,
                                           UInt number)
{
   const TargetWay* table = w->table + n->table;
   UInt             i     = number & n->mask;

   while (table[i].number != number && table[i].way.edge != 0)
      i = (i + 1) & n->mask;
   return &table[i].way;
}

/* Return the changing way of NODE for BIT or a target's number, or NULL. */
ChangingWay* DCFG_(changing_way)(const Ways* w, UInt node, UInt bit);

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
UInt DCFG_(node_places)(const Gathered* p, const Position* pos,
                        /*OUT*/NodePlace* places);

#endif /* __DCFG_WAYS_H */
