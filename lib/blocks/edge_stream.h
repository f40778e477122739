/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a DCFG's edges. */

#ifndef DCFG_EDGE_STREAM_H
#define DCFG_EDGE_STREAM_H

#include "lib/blocks/tally.h"

/* What an edge means. */
enum {
   PASS,        // straight on, as always; nothing to count
   CUT,         // its source is known to jump
   STRAIGHT,    // straight on, but nobody has looked yet
   LEAP,        // not straight on: its source jumps
   INTERRUPT, RESUME,           // by a signal, and from its handler
   BEGIN, END,                  // from and to a special node
   GAP,         // something was between that is not in the graph
   NO_EDGE      // nothing has this id
};

/* An edge as it is followed: small, for there are many, and most of them are
   all that is looked at for a step. */
typedef
   struct {
      uint32_t source, target;  // nodes
      uint32_t from;            // the leader that it was counted for last; or
                                // see edge_stream.c
      uint32_t pending;         // counted for it, but not in the passages yet
   }
   BlockArc;

/* Where a sequence is. */
typedef
   struct {
      uint32_t from, at;        // nodes: the leader it came from, and here
   }
   Standing;

typedef
   struct {
      Job*               job;
      const DcfgProcess* p;
      BlockArc*          arcs;
      uint8_t*           kinds; // of arcs
      uint64_t           pending;       // at most so much is in all arcs
      uint32_t           n_arcs;
      bool               dense; // arcs stand by id, not by index
      uint32_t*          next;  // by node: what first came straight after it
      uint8_t*           jumps; // by node
      uint32_t*          pieces;        // by node, after finishing
      uint32_t           n_pieces;
      Passages           passages;
      uint64_t           edges_left;    // that the graph has counted
      Standing           here;
      Array              interrupted;   // Standing; the last one innermost
      void             (*visit)(void* arg, uint32_t block);
      void*              visit_arg;
      const Tally*       dynamics;
   }
   EdgeStream;

bool edges_start(EdgeStream* s, Job* job, const DcfgProcess* p);
void edges_end(EdgeStream* s);

/* All edges that are to come in T. */
bool edges_follow(EdgeStream* s, DcfgTrace* t);

/* The tables; DYNAMICS may be NULL.  Afterwards the stream can be visited. */
bool edges_tally(EdgeStream* s, Tally* statics, Tally* dynamics);
void edges_visit(EdgeStream* s, void (*visit)(void* arg, uint32_t block),
                 void* arg, const Tally* dynamics);

/* Arcs stand by id, or, if ids are far apart, by index. */
static inline uint32_t arc_of(const EdgeStream* s, uint32_t edge)
{
   return s->dense ? s->p->edges[edge].id : edge;
}

/* NODE jumps, as we know now. */
void edges_set_jumps(EdgeStream* s, uint32_t node);

/* Does NODE go straight on to TO?  What is not known yet is so from now
   on. */
bool edges_go_straight(EdgeStream* s, uint32_t node, uint32_t to);

/* Is a block's last instruction one that can go elsewhere? */
bool edges_can_jump(const DcfgProcess* p, uint32_t node);

#endif /* DCFG_EDGE_STREAM_H */
