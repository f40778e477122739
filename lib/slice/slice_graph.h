/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Whether instructions depend on branches. */

#ifndef DCFG_LIB_SLICE_GRAPH_H
#define DCFG_LIB_SLICE_GRAPH_H

#include "lib/wet/wet.h"
#include "lib/wet/wet_graph.h"

typedef
   struct {
      uint32_t post;            // postorder number in the tree of
                                // post-dominators
      uint32_t pre;
      uint32_t first, n;        // successors, in .successors
   }
   GraphNode;

/* ControlGraph: written by slice_graph.c alone; slice_acts.c notes its arcs. */
typedef
   struct {
      Job*       job;
      WetGraph   arcs;
      GraphNode* nodes;
      uint32_t*  successors;
      size_t     n_successors;  // room in .successors
      uint64_t*  groups;        // by instruction: key of its group, which
                                // depends on the same branches
   }
   ControlGraph;

bool graph_start(ControlGraph* c, Job* job, const DcfgWet* w);

/* Finish the graph: all arcs are noted. */
bool graph_finish(ControlGraph* c);
void graph_free(ControlGraph* c);

/* Return whether I depends on branch B. */
bool graph_depends(const ControlGraph* c, uint32_t i, uint32_t b);

static inline bool graph_is_branch(const ControlGraph* c, uint32_t i)
{
   return c->arcs.branches[i] != 0;
}

#endif /* DCFG_LIB_SLICE_GRAPH_H */
