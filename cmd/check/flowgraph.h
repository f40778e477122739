/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Graphs: what is reached, dominators, loops. */

#ifndef DCFG_CMD_FLOWGRAPH_H
#define DCFG_CMD_FLOWGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define NOWHERE UINT32_MAX

/* A graph of nodes 0 to n-1. */
typedef
   struct {
      uint32_t  n, n_edges, room;
      uint32_t* from;           // edges as they were added
      uint32_t* to;
      uint32_t* first_out;      // those of node i: out[first_out[i]] ...
      uint32_t* out;
      uint32_t* first_in;
      uint32_t* in;
      uint32_t* order;          // reached nodes in preorder
      uint32_t* number;         // place in it; NOWHERE
      uint32_t  n_reached;
      uint32_t* idom;           // the root has itself; NOWHERE
      uint32_t* enter;          // intervals: a dominates b if b's is in a's
      uint32_t* leave;
   }
   Flowgraph;

/* Empty it, for N nodes; what was allocated is used again.  Begin with all
   zero. */
void flow_reset(Flowgraph* g, uint32_t n);
void flow_edge(Flowgraph* g, uint32_t from, uint32_t to);

/* When all edges are there: what ROOT reaches, and dominators. */
void flow_analyse(Flowgraph* g, uint32_t root);

bool flow_dominates(const Flowgraph* g, uint32_t a, uint32_t b);

/* The natural loops: of each node the head of the smallest loop around it that
   is not its own; of each head the SIZE of its loop, of other nodes 0.  The
   loop of a head has the reached nodes whose PLACE is from the head's on, as
   many as its size is. */
void flow_loops(const Flowgraph* g, uint32_t* parent, uint32_t* size,
                uint32_t* place);

/* The natural loop of all back edges to HEAD: its nodes, which are marked
   with HEAD in MARK, go to NODES.  Returns how many; 0: there is no back
   edge.  MARK has an element a node, none of which is HEAD yet. */
uint32_t flow_loop(const Flowgraph* g, uint32_t head, uint32_t* mark,
                   uint32_t* nodes);

void flow_free(Flowgraph* g);

#endif /* DCFG_CMD_FLOWGRAPH_H */
