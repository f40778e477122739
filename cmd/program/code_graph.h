/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's code, executed or not. */

#ifndef DCFG_CMD_CODE_GRAPH_H
#define DCFG_CMD_CODE_GRAPH_H

#include "cmd/base/keymap.h"
#include "cmd/program/initial_memory.h"
#include "cmd/program/variables.h"

#include "lib/dcfg_slice.h"

#define NO_NODE UINT32_MAX

/* CodeNode: an instruction of the program. */
typedef
   struct {
      uint64_t addr;
      uint32_t near;            // an instruction of the trace in its image
      uint32_t instr;           // its number in the trace; NO_NODE: it was
                                // not executed
      uint32_t first, n;        // its successors; of a call, its return site
      uint32_t callee;          // begin of the function that it calls
                                // directly, of the program; or NO_NODE
      uint32_t up;              // its immediate post-dominator; NO_NODE: the
                                // end of its function, or none
      uint32_t entry;           // begin of its function; NO_NODE: unknown
      uint8_t  size;
      bool     call;
      bool     returns;         // control leaves its function
      bool     ends;            // no node runs after it
      bool     open;            // a jump or call with unknown targets
   }
   CodeNode;

/* StaticCode: a graph of all code that seeds lead to, over jumps and direct
   calls. */
typedef
   struct {
      DcfgWet*   w;
      TraceProgram* program;
      CodeNode*  nodes;
      uint32_t   n;
      uint32_t*  successors;
      bool       bounded;       // some code is left out: there is too much
      ImageBytes bytes;         // contents of images
      KeyMap*    numbers;       // nodes' numbers, by code_key()
   }
   StaticCode;

/* Return the node at ADDR of the image of instruction NEAR, or NO_NODE. */
uint32_t code_node_at(const StaticCode* code, uint64_t addr, uint32_t near);

/* Set *E to the effect of node N.  Return false if it cannot be decoded. */
bool code_effect(const StaticCode* code, uint32_t n, InstrEffect* e);

static inline uint32_t code_successor(const StaticCode* code, uint32_t n,
                                      uint32_t k)
{
   return code->successors[code->nodes[n].first + k];
}

static inline bool code_is_branch(const StaticCode* code, uint32_t n)
{
   return code->nodes[n].n > 1 && !code->nodes[n].call;
}

/* CodeSeed: the address of an instruction of the program, and an instruction
   of the trace in the same image. */
typedef
   struct {
      uint64_t addr;
      uint32_t near;
   }
   CodeSeed;

/* Return the graph of the code that SEEDS lead to.  EXECUTED says, by
   instruction of the trace, whether it was executed. */
StaticCode* code_graph_new(TraceProgram* program, const bool* executed,
                           const CodeSeed* seeds, size_t n_seeds);
void        code_graph_free(StaticCode* code);

typedef
   struct {
      bool*     executed;       // by instruction of the trace
      CodeSeed* seeds;          // the program's own executed code
      size_t    n_seeds, room;
   }
   OwnCode;

/* Return the program's own code, as far as TOTALS count it as executed.  The
   program is the code that dcfg slice lists line by line.  OWN is a pattern
   for more images, or NULL.  Free the result with own_code_free(). */
OwnCode own_code_find(DcfgWet* wet, const char* own,
                      const DcfgSliceTotal* totals);
void    own_code_free(OwnCode* o);

#endif /* DCFG_CMD_CODE_GRAPH_H */
