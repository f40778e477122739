/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A DCFG in memory. */

#ifndef DCFG_MODEL_H
#define DCFG_MODEL_H

#include "lib/base/job.h"
#include "lib/base/sort.h"

/* From an id to an index: a plain array where the ids are dense, else pairs
   in order of id. */
typedef
   struct {
      uint32_t  n;              // of the array, or of pairs
      uint32_t* dense;          // by id; or NULL
      uint32_t* ids;
      uint32_t* indices;
   }
   IdMap;

uint32_t id_find(const IdMap* map, uint32_t id);

/* What dcfg.h shows of a process, and what finds things in it. */
typedef
   struct {
      DcfgProcess shown;        // first: a DcfgProcess* is a Process*
      Array       images;       // DcfgImage
      Array       symbols;      // DcfgSymbol
      Array       sources;      // DcfgSource
      Array       nodes;        // DcfgNode
      Array       edges;        // DcfgEdge
      Array       counts;       // uint64_t: COUNT_PER_THREAD after each other
      Array       threads;      // uint64_t
      Array       routines;     // DcfgRoutine
      Array       loops;        // DcfgLoop
      Array       routine_nodes, exits, loop_nodes, backs;  // uint32_t
      Array       idoms;        // uint32_t; while loading: as routine_nodes
      bool        has_instr_count;
      DcfgPart    part;         // if .part.number is not 0
      Array       preceding;    // uint64_t
      Array       image_numbers;    // uint32_t
      Array       continued;    // DcfgContinued
      Array       bypasses;     // DcfgLateBypass
      IdMap       node_ids, edge_ids;
      /* Out edges of node i are out[first_out[i]] to first_out[i + 1] - 1. */
      uint32_t*   first_out;
      uint32_t*   out;
      uint32_t*   first_in;
      uint32_t*   in;
      uint32_t*   loop_of_head; // by node
      uint32_t*   by_addr;      // blocks in order of address
      /* Where things overlap, the largest end so far (within an image, for
         symbols and sources); else NULL. */
      uint64_t*   symbol_ends;
      uint64_t*   source_ends;
      uint64_t*   block_ends;
   }
   Process;

/* And of a file. */
typedef
   struct {
      Dcfg     shown;           // first
      Job      job;
      Arena    strings;
      Array    files;           // DcfgFileName
      Array    edge_types;      // DcfgEdgeTypeName
      Array    special_nodes;   // DcfgSpecialNode
      Array    processes;       // Process
   }
   Model;

static inline const Process* inside(const DcfgProcess* p)
{
   return (const Process*)p;
}

/* The first half of loading puts ids where indices belong; this puts the
   indices there, and makes all that lookups need. */
bool resolve_ids(Model* m);

/* Parts of it: in and out edges; loops by head and node; by address. */
bool index_edges(Model* m, Process* p, const char* place);
bool index_loops(Model* m, Process* p, const char* place);
bool index_addresses(Model* m, Process* p);

/* The end of a range of addresses; beyond the last one it stays there. */
static inline uint64_t end_of(uint64_t addr, uint64_t size)
{
   return add_capped(addr, size);
}

/* Where symbol I of image IM ends. */
uint64_t symbol_end(const Process* p, const DcfgImage* im, uint32_t i);

/* A map from KEYS, which are ids and are put in order.  Of two things with
   one id the first is found; it is a problem at PLACE. */
bool id_map(Job* job, IdMap* map, SortKey* keys, uint32_t n,
            const char* place, const char* id_name);
void id_free(Job* job, IdMap* map);

#endif /* DCFG_MODEL_H */
