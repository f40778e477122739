/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of a trace's instructions. */

#ifndef DCFG_LIB_WET_GRAPH_H
#define DCFG_LIB_WET_GRAPH_H

#include "lib/wet/wet.h"

/* WetGraph: a graph of instructions, executed or not. */
typedef
   struct {
      Job*      job;
      const DcfgWet* w;
      NumberMap arcs;           // keys: from, to, both counted from 1
      uint32_t* last;           // by node: its last two targets
      uint32_t* ipdom;          // by node: immediate post-dominator, once known
      uint8_t*  branches;       // by node: leads to several
      uint32_t  near;           // see wet_function_at()
      uint16_t* scanned;        // by superblock: leading instructions whose
                                // arcs are noted
   }
   WetGraph;

#define GRAPH_EXIT(g) ((uint32_t)((g)->w->instrs.n + (g)->w->unexecuted.n))

bool wet_graph_new(Job* job, const DcfgWet* w, WetGraph* g);
bool wet_graph_arc(WetGraph* g, uint32_t from, uint32_t to);

/* Add the arcs within superblock SB, up to its instruction number N. */
bool wet_graph_within(WetGraph* g, uint32_t sb, uint32_t n);

/* Free the arcs: none is added or asked for any more. */
void wet_graph_forget_arcs(WetGraph* g);

/* Add the arcs of the static closure, and find .ipdom and .branches.  All arcs
   that were executed have been added. */
bool wet_graph_finish(WetGraph* g);
void wet_graph_free(WetGraph* g);

#endif /* DCFG_LIB_WET_GRAPH_H */
