/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic blocks and edges. */

#ifndef __DCFG_GRAPH_H
#define __DCFG_GRAPH_H

#include "arch/insn.h"
#include "base/port.h"

/* The edge types of the format, in the order of its specification
   (section 2.5); the value is the EDGE_TYPE_ID that is written. */
typedef
   enum {
      EdgeEntry = 1, EdgeExit,
      EdgeCall, EdgeDirectCall, EdgeIndirectCall, EdgeReturn,
      EdgeCallBypass,
      EdgeBranch, EdgeConditionalBranch, EdgeUnconditionalBranch,
      EdgeDirectBranch, EdgeIndirectBranch,
      EdgeDirectConditionalBranch, EdgeIndirectConditionalBranch,
      EdgeDirectUnconditionalBranch, EdgeIndirectUnconditionalBranch,
      EdgeRep, EdgeFallThrough,
      EdgeSystemCall, EdgeSystemReturn, EdgeSystemCallBypass,
      EdgeContextChange, EdgeContextChangeReturn, EdgeContextChangeBypass,
      EdgeExcludedCodeBypass, EdgeUnknown,
      N_EDGE_TYPES = EdgeUnknown
   }
   EdgeType;

/* Node ids.  Block number I (from 0) is node NodeFirstBlock + I. */
enum { NodeStart = 1, NodeEnd = 2, NodeUnknown = 3, NodeFirstBlock = 4 };

/* In place of an instruction: the special nodes' sides of ENTRY and EXIT. */
#define INSTR_START 0xFFFFFFFFu
#define INSTR_END   0xFFFFFFFEu

/* An executed instruction. */
typedef
   struct {
      ULong addr;
      UInt  image;
      UChar len;
      UChar kind;      // InsnKind
   }
   Instr;

typedef
   struct {
      ULong addr;
      UInt  image;
      UInt  size;          // bytes
      UInt  n_instrs;
      UInt  last_offset;   // of the last instruction from addr, bytes
      ULong count;         // executions, all threads
   }
   Block;

typedef
   struct {
      UInt  source, target;       // node ids
      UChar type;                 // EdgeType
      UInt  first_count, n_counts;
   }
   Edge;

typedef
   struct {
      UInt  thread;
      ULong count;                // not 0
   }
   EdgeCount;

typedef
   struct {
      UInt       n_blocks;
      Block*     blocks;          // in order of (image, addr)
      UInt       n_edges;
      Edge*      edges;           // in order of (source, target); the
                                  // EDGE_ID is the place, from 1
      EdgeCount* counts;          // of all edges; by thread within one
      UInt       n_threads;
      ULong*     thread_instrs;   // instructions executed, per thread
      UInt*      node_of;         // for each instruction, its block's id
   }
   Graph;

/* Building a graph takes two passes over the same flows: the first finds
   where blocks begin, the second counts edges between blocks. */
typedef struct _GraphBuilder GraphBuilder;

/* INSTRS are in order of (image, addr), which is unique; they stay the
   caller's and must outlive the builder. */
GraphBuilder* DCFG_(new_graph)(const Instr* instrs, UInt n_instrs,
                               UInt n_threads);

/* THREAD executed the N instructions INSTRS[0 .. N-1], by index, one
   after the other, COUNT times. */
void DCFG_(graph_run)(GraphBuilder* gb, UInt thread, const UInt* instrs,
                      UInt n, ULong count);

/* From SOURCE, which transfers no control, it went on to TARGET. */
void DCFG_(graph_onward)(GraphBuilder* gb, UInt thread, UInt source,
                         UInt target, ULong count);

/* Control was transferred from SOURCE (or INSTR_START) to TARGET (or
   INSTR_END).  A COUNT of 0 makes a bypass edge in the second pass. */
void DCFG_(graph_edge)(GraphBuilder* gb, UInt thread, UInt source,
                       UInt target, EdgeType type, ULong count);

/* The first pass is complete. */
void DCFG_(partition)(GraphBuilder* gb);

/* The second pass is complete: adds the call bypasses and returns the
   graph.  GB is gone. */
Graph* DCFG_(finish_graph)(GraphBuilder* gb);

void DCFG_(delete_graph)(Graph* g);

/* By node id, the one traversed edge out of it, by id; 0 where there are
   several or none.  For the caller to free. */
UInt* DCFG_(only_edges)(const Graph* g);

/* Does an edge of this type stay in its routine?  Bypasses do; calls,
   returns, context changes, entry and exit do not. */
Bool DCFG_(is_intra_routine)(EdgeType type);

#endif /* __DCFG_GRAPH_H */
