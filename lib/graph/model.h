/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A DCFG in memory. */

#ifndef DCFG_MODEL_H
#define DCFG_MODEL_H

#include "lib/base/job.h"

/* IdMap: from an id to an index.  A plain array if ids are dense, else pairs
   sorted by id. */
typedef
   struct {
      uint32_t  n;              // size of the array, or number of pairs
      uint32_t* dense;          // by id; NULL: pairs
      uint32_t* ids;
      uint32_t* indices;
   }
   IdMap;

uint32_t id_find(const IdMap* map, uint32_t id);
void     id_free(Job* job, IdMap* map);

/* The tables of MERGED. */
typedef
   struct {
      DcfgMerged shown;         // if .shown.threads is not NULL
      Array      runs;          // DcfgMergedRun
      Array      homes;         // DcfgMergedHome
      Array      entries, overlapping;         // uint32_t
      Array      rows;          // DcfgMergedRow
      Array      left_out;      // DcfgLeftOut
   }
   MergedTables;

/* Process: a process as dcfg.h shows it, and data for lookups. */
typedef
   struct {
      DcfgProcess shown;        // first, so that a DcfgProcess* is a Process*
      Array       images;       // DcfgImage
      Array       symbols;      // DcfgSymbol
      Array       sources;      // DcfgSource
      Array       nodes;        // DcfgNode
      Array       edges;        // DcfgEdge
      Array       counts;       // uint64_t: all COUNT_PER_THREAD
      Array       threads;      // uint64_t
      Array       routines;     // DcfgRoutine
      Array       loops;        // DcfgLoop
      Array       routine_nodes, exits, loop_nodes, backs;  // uint32_t
      Array       idoms;        // uint32_t; while loading, as .routine_nodes
      bool        has_instr_count;
      DcfgPart    part;         // if .part.number is not 0
      Array       preceding;    // uint64_t
      Array       image_numbers;    // uint32_t
      Array       continued;    // DcfgContinued
      Array       bypasses;     // DcfgLateBypass
      MergedTables merged;
      DcfgBaseline baseline;    // if .baseline.name is not NULL
      Array       baseline_functions;   // DcfgBaselineFunction
      Array       runs;         // DcfgRun
      bool        has_n_runs;
      DcfgCallSums calls;       // if .has_calls
      bool        has_calls;
      Array       functions;    // DcfgFunction
      Array       pairs;        // DcfgPair
      Array       costs;        // uint64_t: the lists of both
      IdMap       node_ids, edge_ids;
      /* The out-edges of node i are out[first_out[i]] to first_out[i + 1] -
         1. */
      uint32_t*   first_out;
      uint32_t*   out;
      uint32_t*   first_in;
      uint32_t*   in;
      uint32_t*   loop_of_head; // for each node
      uint32_t*   by_addr;      // blocks, sorted by address
      /* If things overlap: for each element the largest end so far, for symbols
         and sources within an image; else NULL. */
      uint64_t*   symbol_ends;
      uint64_t*   source_ends;
      uint64_t*   block_ends;
   }
   Process;

/* Model: a loaded file. */
typedef
   struct {
      Dcfg     shown;           // first, so that a Dcfg* is a Model*
      Job      job;
      Arena    strings;
      Array    files;           // DcfgFileName
      Array    edge_types;      // DcfgEdgeTypeName
      Array    special_nodes;   // DcfgSpecialNode
      Array    processes;       // Process
   }
   Model;

static inline const Process* inside(const DcfgProcess* process)
{
   return (const Process*)process;
}

/* Resolve ids: the first half of loading has stored ids where indices belong.
   Replace them by indices, and make all data for lookups. */
bool resolve_ids(Model* model);

/* Show what a head has: the processes, with numbers and runs. */
void show_heads(Model* model);

/* Return the end of a range of addresses, at most the last address. */
static inline uint64_t end_of(uint64_t addr, uint64_t size)
{
   return add_capped(addr, size);
}

/* Return the end of symbol I of image IM. */
uint64_t symbol_end(const Process* process, const DcfgImage* im, uint32_t i);

#endif /* DCFG_MODEL_H */
