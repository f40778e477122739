/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph of a trace's instructions. */

#ifndef DCFG_LIB_WET_GRAPH_H
#define DCFG_LIB_WET_GRAPH_H

#include "lib/wet/wet.h"

/* WetGraph: the nodes are instructions, executed or not. */
typedef
   struct {
      Job*      job;
      DcfgWet*  w;
      NumberMap arcs;           // from, to, of which numbers begin with 1
      uint32_t* last;           // by node: its last two targets
      uint32_t* ipdom;          // immediate post-dominators, when known
      uint8_t*  branches;       // by node: does it lead to several?
      uint16_t* scanned;        // by superblock: instructions of which it is
                                // noted where they lead
   }
   WetGraph;

#define GRAPH_EXIT(g) ((uint32_t)((g)->w->instrs.n + (g)->w->unexecuted.n))

bool wet_graph_new(Job* job, DcfgWet* w, WetGraph* g);
bool wet_graph_arc(WetGraph* g, uint32_t from, uint32_t to);

/* The arcs within superblock SB, up to its instruction number N. */
bool wet_graph_within(WetGraph* g, uint32_t sb, uint32_t n);

/* No arc is added or asked for any more: give their memory back. */
void wet_graph_forget_arcs(WetGraph* g);

/* When all arcs are there that were gone along: add those of the static
   closure, and find .ipdom and .branches. */
bool wet_graph_finish(WetGraph* g);
void wet_graph_free(WetGraph* g);

#endif /* DCFG_LIB_WET_GRAPH_H */
