/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a DCFG's edges. */

#ifndef DCFG_EDGE_STREAM_H
#define DCFG_EDGE_STREAM_H

#include "lib/blocks/tally.h"

/* Kinds of edges for the stream. */
enum {
   PASS,        // straight on, as always; nothing to count
   CUT,         // the source is known to jump
   STRAIGHT,    // straight on, but not examined yet
   LEAP,        // not straight on: the source jumps
   INTERRUPT, RESUME,           // a signal, and the return of its handler
   BEGIN, END,                  // from or to a special node
   GAP,         // something between is not in the graph
   NO_EDGE      // no edge has this id
};

/* BlockArc: an edge, in a small form: there are many, and most steps need
   nothing else. */
typedef
   struct {
      uint32_t source, target;  // nodes
      uint32_t from;            // the leader that it was counted for last; or
                                // see edge_stream.c
      uint32_t pending;         // counted, but not in the passages yet
   }
   BlockArc;

/* Standing: the present place in a sequence. */
typedef
   struct {
      uint32_t from, at;        // nodes: the leader it came from, and the
                                // present one
   }
   Standing;

typedef
   struct {
      Job*               job;
      const DcfgProcess* p;
      BlockArc*          arcs;
      uint8_t*           kinds; // for each arc
      uint64_t           pending;       // the sum of .pending is at most this
      uint32_t           n_arcs;
      bool               dense; // are arcs indexed by id?
      uint32_t*          next;  // for each node: its successor
      uint8_t*           jumps; // for each node
      uint32_t*          pieces;        // for each node; after the first pass
      uint32_t           n_pieces;
      Passages           passages;
      uint64_t           edges_left;    // counted by the graph, and not met yet
      Standing           here;
      Array              interrupted;   // Standing; the innermost last
      void             (*visit)(void* arg, uint32_t block);
      void*              visit_arg;
      const Tally*       dynamics;
   }
   EdgeStream;

bool edges_start(EdgeStream* s, Job* job, const DcfgProcess* p);
void edges_end(EdgeStream* s);

/* Follow all further edges of T. */
bool edges_follow(EdgeStream* s, DcfgTrace* t);

/* Make the tables; DYNAMICS may be NULL.  Afterwards the stream can be
   visited. */
bool edges_tally(EdgeStream* s, Tally* statics, Tally* dynamics);
void edges_visit(EdgeStream* s, void (*visit)(void* arg, uint32_t block),
                 void* arg, const Tally* dynamics);

/* Return the index of an edge's arc: its id, or, if ids are far apart, its
   index. */
static inline uint32_t arc_of(const EdgeStream* s, uint32_t edge)
{
   return s->dense ? s->p->edges[edge].id : edge;
}

/* Note that NODE jumps. */
void edges_set_jumps(EdgeStream* s, uint32_t node);

/* Return whether NODE goes straight on to TO, which becomes its successor if it
   has none. */
bool edges_go_straight(EdgeStream* s, uint32_t node, uint32_t to);

/* Return whether a block's last instruction can jump. */
bool edges_can_jump(const DcfgProcess* p, uint32_t node);

#endif /* DCFG_EDGE_STREAM_H */
