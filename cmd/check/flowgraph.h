/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graph algorithms: reachability, dominators, loops. */

#ifndef DCFG_CMD_FLOWGRAPH_H
#define DCFG_CMD_FLOWGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define NOWHERE UINT32_MAX

/* Flowgraph: a graph of nodes 0 to n-1. */
typedef
   struct {
      uint32_t  n, n_edges, room;
      uint32_t* from;           // edges, as they were added
      uint32_t* to;
      uint32_t* first_out;      // out-edges of node i begin at
                                // out[first_out[i]]
      uint32_t* out;
      uint32_t* first_in;
      uint32_t* in;
      uint32_t* order;          // reached nodes in preorder
      uint32_t* number;         // index in .order, or NOWHERE
      uint32_t  n_reached;
      uint32_t* idom;           // the root has itself; or NOWHERE
      uint32_t* enter;          // intervals: a dominates b if b's is inside a's
      uint32_t* leave;
   }
   Flowgraph;

/* Remove all edges, for N nodes; memory is used again.  At first, G is all
   zero. */
void flow_reset(Flowgraph* g, uint32_t n);
void flow_edge(Flowgraph* g, uint32_t from, uint32_t to);

/* Compute what ROOT reaches, and dominators, after all edges. */
void flow_analyse(Flowgraph* g, uint32_t root);

bool flow_dominates(const Flowgraph* g, uint32_t a, uint32_t b);

/* Find the natural loops.  PARENT: for each node the head of the smallest loop
   around it, other than its own.  SIZE: for each head the size of its loop, 0
   for other nodes.  PLACE: the loop of a head has the reached nodes with places
   from the head's on. */
void flow_loops(const Flowgraph* g, uint32_t* parent, uint32_t* size,
                uint32_t* place);

/* Find the natural loop of all back edges to HEAD.  Write its nodes to NODES,
   and mark them with HEAD in MARK, which has an element for each node, none of
   them HEAD yet.  Return their number; 0: there is no back edge. */
uint32_t flow_loop(const Flowgraph* g, uint32_t head, uint32_t* mark,
                   uint32_t* nodes);

void flow_free(Flowgraph* g);

#endif /* DCFG_CMD_FLOWGRAPH_H */
