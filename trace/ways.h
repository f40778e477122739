/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where each block leads, for what was recorded. */

/* Private to trace/. */

#ifndef __DCFG_WAYS_H
#define __DCFG_WAYS_H

#include "pub_tool_basics.h"
#include "run/gather.h"
#include "trace/record.h"

/* What a replay does at a node. */
typedef
   enum {
      WalkOn,        // one way out; what was recorded is of no interest
      WalkBit,       // read a bit
      WalkTarget,    // read a target
      WalkSlowly,    // something may have happened here that took it
                     // another way
      WalkEnd
   }
   WalkKind;

/* An edge, and where to stop next when it has been taken. */
typedef
   struct {
      UInt edge;           // 0: there is none
      UInt node;           // the first that is not WalkOn
      UInt n_bits;         // recorded on the way there ...
      UInt n_targets;      // ... and targets
   }
   Way;

typedef
   struct {
      UChar kind;          // WalkKind
      UChar record;        // InsnRecord of the last instruction
      Bool  is_decision;   // has several edges out that were traversed
      UInt  mask;          // for targets, see Ways.table
      Way   way[2];        // for each bit; [0] if there is none
      UInt  table;
   }
   NodeWays;

/* The way for a target's number. */
typedef
   struct {
      UInt number;
      Way  way;            // .edge 0: an empty place
   }
   TargetWay;

/* A jump to an address that did not always run the same code. */
typedef
   struct {
      UInt node;
      UInt bit;            // or the target's number
      Addr addr;
      Bool unredirected;
   }
   ChangingWay;

typedef
   struct {
      const Gathered* p;
      UInt       n_nodes;
      NodeWays*  nodes;        // by node id
      UInt*      first_edge;   // by node id: edges out of it are those with
                               // ids first_edge[n] .. first_edge[n+1]-1
      Way*       ways;         // by edge id
      TargetWay* table;        // those of a node from .table on; looked up
                               // from number & mask on, cyclically
      UInt         n_changing; // by node and bit
      ChangingWay* changing;
   }
   Ways;

Ways* DCFG_(find_ways)(const Gathered* p);
void  DCFG_(delete_ways)(Ways* w);

/* The traversed edge between two nodes, or 0. */
UInt DCFG_(edge_between)(const Ways* w, UInt source, UInt target);

/* The way for a target's number. */
static inline const Way* DCFG_(target_way)(const Ways* w, const NodeWays* n,
                                           UInt number)
{
   const TargetWay* table = w->table + n->table;
   UInt             i     = number & n->mask;

   while (table[i].number != number && table[i].way.edge != 0)
      i = (i + 1) & n->mask;
   return &table[i].way;
}

/* The changing way of NODE for BIT (or number), or NULL. */
const ChangingWay* DCFG_(changing_way)(const Ways* w, UInt node, UInt bit);

/* The nodes at which a thread may stand that stands at POS: at most
   DCFG_MAX_PLACES, in .node; unless .behind, it stands inside the node,
   whose last instruction is still to be executed.  IF_TAKEN: only if that
   instruction took its exit.  Returns how many. */
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
