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
      uint64_t* keys;           // the keys of .arcs, sorted, once all are there
      uint32_t* last;           // by node: its last two targets
      uint32_t* ipdom;          // by node: immediate post-dominator, once known
      uint8_t*  branches;       // by node: leads to several
      uint32_t  near;           // see wet_function_at()
      uint16_t* scanned;        // by superblock: leading instructions whose
                                // arcs are noted
   }
   WetGraph;

/* ArcEnds: arcs sorted by one end: those of node i are .others from .first[i] up
   to .first[i + 1]. */
typedef
   struct {
      uint32_t* first;
      uint32_t* others;
   }
   ArcEnds;

/* Sort the N_ARCS arcs KEYS, as in WetGraph, of N nodes by the node to which they
   lead, or from which; free that. */
bool ends_start(ArcEnds* e, Job* job, uint32_t n, const uint64_t* keys,
                size_t n_arcs, bool by_to);
void ends_free(ArcEnds* e, Job* job, uint32_t n, size_t n_arcs);

#define GRAPH_EXIT(g) ((uint32_t)((g)->w->instrs.n + (g)->w->unexecuted.n))

/* Add arcs: from the end, those to instructions with which an activation began.
   These are no control flow. */
bool wet_graph_new(Job* job, const DcfgWet* w, WetGraph* g);
bool wet_graph_arc(WetGraph* g, uint32_t from, uint32_t to);

/* Add the arcs within superblock SB, up to its instruction number N. */
bool wet_graph_within(WetGraph* g, uint32_t sb, uint32_t n);

/* Add the arcs of the static closure, and find .ipdom and .branches.  All arcs
   that were executed have been added. */
bool wet_graph_finish(WetGraph* g);
void wet_graph_free(WetGraph* g);

#endif /* DCFG_LIB_WET_GRAPH_H */
