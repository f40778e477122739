/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Basic blocks, edges and images. */

#ifndef __DCFG_GRAPH_H
#define __DCFG_GRAPH_H

#include "format/port.h"
#include "tool/arch/insn.h"

/* EdgeType: the edge types of the format in the order of its specification
   (section 2.5).  The value is the EDGE_TYPE_ID in the file. */
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

/* Node ids.  Block number I, from 0, is node NodeFirstBlock + I. */
enum { NodeStart = 1, NodeEnd = 2, NodeUnknown = 3, NodeFirstBlock = 4 };

/* Substitutes for an instruction: the special nodes START and END. */
#define INSTR_START 0xFFFFFFFFu
#define INSTR_END   0xFFFFFFFEu

/* Instr: an executed instruction. */
typedef
   struct {
      ULong addr;
      UInt  image;
      UChar len;
      UChar kind;      // an InsnKind
   }
   Instr;

typedef
   struct {
      ULong addr;
      UInt  image;
      UInt  size;          // in bytes
      UInt  n_instrs;
      UInt  last_offset;   // offset of the last instruction, in bytes
      ULong count;         // executions by all threads
   }
   Block;

typedef
   struct {
      UInt  source, target;       // node ids
      UChar type;                 // an EdgeType
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
      Block*     blocks;          // by (image, addr)
      UInt       n_edges;
      Edge*      edges;           // by (source, target); EDGE_ID is the index,
                                  // from 1
      EdgeCount* counts;          // sorted by edge, then by thread
      UInt       n_threads;
      ULong*     thread_instrs;   // for each thread: executed instructions
      UInt*      node_of;         // for each instruction: the id of its block
   }
   Graph;

/* GraphBuilder: makes a graph in two passes over the same flows.  The first
   pass finds the leaders of blocks; the second counts edges. */
typedef struct _GraphBuilder GraphBuilder;

/* Begin a graph of N_INSTRS instructions by (image, addr), without duplicates.
   The caller keeps INSTRS for as long as the builder lives. */
GraphBuilder* DCFG_(new_graph)(const Instr* instrs, UInt n_instrs,
                               UInt n_threads);

/* Add to the counts: THREAD executed INSTRS[0 .. N-1], indices of instructions,
   one after the other, COUNT times. */
void DCFG_(graph_run)(GraphBuilder* gb, UInt thread, const UInt* instrs,
                      UInt n, ULong count);

/* Add to the counts: after instruction SOURCE, which does not transfer control,
   THREAD went on to TARGET. */
void DCFG_(graph_onward)(GraphBuilder* gb, UInt thread, UInt source,
                         UInt target, ULong count);

/* Add to the counts: THREAD transferred control from SOURCE, or INSTR_START, to
   TARGET, or INSTR_END.  In the second pass, a COUNT of 0 makes a bypass. */
void DCFG_(graph_edge)(GraphBuilder* gb, UInt thread, UInt source,
                       UInt target, EdgeType type, ULong count);

/* End the first pass: divide the instructions into blocks. */
void DCFG_(partition)(GraphBuilder* gb);

/* End the second pass: add the call bypasses, free GB and return the graph. */
Graph* DCFG_(finish_graph)(GraphBuilder* gb);

void DCFG_(delete_graph)(Graph* graph);

/* Return, for each node, the one counted edge that leaves it, by id; 0 if the
   node has several or none.  The caller frees the array. */
UInt* DCFG_(only_edges)(const Graph* graph);

/* Return the rank of an edge's type.  Readers allow one edge for a pair of nodes,
   but flows of several types may join the same pair: the edge has the type with
   the lowest rank.  The type of the source's last instruction comes before a
   signal that happened after it, and a counted edge before a bypass. */
UInt DCFG_(edge_rank)(EdgeType type);

/* Return the block that begins where block B ends, in the same image; N_BLOCKS
   if there is none. */
UInt DCFG_(block_behind)(const Block* blocks, UInt n_blocks, UInt b);

/* Return whether edges of this type stay in a routine.  Bypasses do; calls,
   returns, context changes, entry and exit do not. */
Bool DCFG_(is_intra_routine)(EdgeType type);

/*--- Images                                               ---*/

typedef
   struct {
      Addr         addr;
      SizeT        size;
      const HChar* name;       // as in the object file, not demangled
   }
   ImageSymbol;

typedef
   struct {
      Addr addr;               // address of an instruction
      UInt file;               // see DCFG_(source_file_name)
      UInt line;
   }
   ImageLine;

/* ImageInfo: the description of an image. */
typedef
   struct {
      const HChar* name;       // path of the file, or [anon]
      Addr         load;       // address of the file's first byte
      SizeT        size;       // from there to the end of the last code
      const HChar* build_id;   // hexadecimal; NULL: none
      ULong        code_hash;  // hash of the code if there is no build id; 0:
                               // none
      const ImageSymbol* symbols;   // by address, then by name
      UInt               n_symbols;
      const ImageLine*   lines;     // by address
      UInt               n_lines;
   }
   ImageInfo;

#endif
