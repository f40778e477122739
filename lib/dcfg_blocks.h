/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: static and dynamic blocks of an address stream. */

/* This part of the library finds blocks from nothing but the executed
   instructions, each with address and size.

   An instruction JUMPS if it was ever followed by one that does not begin where
   it ends.  LEADERS are the first instruction, and every instruction that was
   executed right after one that jumps, whether it had jumped then or not.  A
   STATIC block goes from a leader to an instruction that jumps, or to the one
   before the next leader.  A DYNAMIC block goes from a leader to the first
   instruction that jumps, through other leaders.  There is one for each leader,
   so they overlap.

   The definitions are about the whole sequence: a branch that falls through a
   million times and then is taken ends blocks from the beginning.  Still one
   pass is enough.  Memory is proportional to the executed code and to the edges
   between blocks, not to the length.

   An instruction is its address and its size.  Code may change: then an
   instruction may be followed by two of other sizes at one address.  No block
   can have both, so the instruction counts as one that jumps.  Instructions may
   overlap: then two of them may be followed by the same one without a jump.
   That one begins a static block, because each instruction is in one static
   block, but no dynamic block.

   The functions are called in this order: dcfg_blocks_new(); then the whole
   stream by dcfg_blocks_add(), dcfg_blocks_lackey() or dcfg_blocks_trace();
   dcfg_blocks_finish(); then the tables.  After an error, only
   dcfg_blocks_free() may be called; the failing call would return the same
   error.  For example:

      DcfgBlocks* b = dcfg_blocks_new("lackey.txt", NULL, &err);

      if (b != NULL && dcfg_blocks_lackey(b, "lackey.txt", &err)
          && dcfg_blocks_finish(b, &err)) {
         const DcfgBlockTable* t = dcfg_blocks_static(b);
         for (uint32_t i = 0; i < t->n_blocks; i++)
            printf("0x%" PRIx64 ": %" PRIu64 "\n", t->blocks[i].first,
                   t->blocks[i].count);
      }
      dcfg_blocks_free(b);

   The rules of dcfg.h on files, ownership, threads, errors and options hold
   here, too. */

#ifndef DCFG_BLOCKS_H
#define DCFG_BLOCKS_H

#include "dcfg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DcfgBlocks DcfgBlocks;

typedef
   enum {
      DCFG_END_NB,      // always fell through, or nothing followed
      DCFG_END_UB,      // always went to the same other place
      DCFG_END_CB,      // fell through, or went to one other place
      DCFG_END_IJ       // all else
   }
   DcfgEndKind;

/* DcfgStreamEdge: to the block that was executed next. */
typedef
   struct {
      uint64_t count;
      uint32_t target;          // index in the table's blocks
      bool     falls;           // does it begin where this one ends?
   }
   DcfgStreamEdge;

typedef
   struct {
      uint64_t first, last;     // addresses of first and last instruction
      uint64_t count;           // executions, counted at the begin
      uint64_t departures;      // sum of the edges' counts; a sequence that
                                // ends in the block has no edge
      uint32_t n_instrs;
      uint32_t kind;            // a DcfgEndKind
      uint32_t first_edge, n_edges;     // most frequent first, then by target
   }
   DcfgStreamBlock;

/* DcfgBlockTable: blocks by address, then by size of the first instruction; for
   a graph by node. */
typedef
   struct {
      uint32_t               n_blocks, n_edges;
      const DcfgStreamBlock* blocks;
      const DcfgStreamEdge*  edges;
   }
   DcfgBlockTable;

/* Begin without instructions.  NAME is for errors; OPTIONS may be NULL.  Return
   NULL with *ERR set if there is no memory. */
DCFG_API DcfgBlocks* dcfg_blocks_new(const char* name,
                                     const DcfgOptions* options,
                                     DcfgError* err);

/* Free B, which may be NULL. */
DCFG_API void dcfg_blocks_free(DcfgBlocks* b);

/* Add the next instruction of the present sequence.  It is an error if SIZE is
   0 or the instruction goes beyond the last address. */
DCFG_API bool dcfg_blocks_add(DcfgBlocks* b, uint64_t addr, uint32_t size,
                              DcfgError* err);

/* Switch to sequence NUMBER, which continues where it was left; at the begin,
   the number is 0.  Use a sequence for each thread.  Use one for a signal
   handler, too, so that the interrupted instruction does not count as one that
   jumped. */
DCFG_API bool dcfg_blocks_sequence(DcfgBlocks* b, uint32_t number,
                                   DcfgError* err);

/* End the present sequence.  The next instruction begins it anew. */
DCFG_API bool dcfg_blocks_stop(DcfgBlocks* b, DcfgError* err);

/* Add all instructions of a file that valgrind --tool=lackey --trace-mem=yes
   writes, plain or compressed; "-" is the standard input.  Lines of data
   accesses and of Valgrind are skipped.  Other lines, a line that is cut short,
   and a file without instructions are errors; their place is as "line 17". */
DCFG_API bool dcfg_blocks_lackey(DcfgBlocks* b, const char* path,
                                 DcfgError* err);

/* Add all further edges of the selected threads in a trace of process P, which
   must live until dcfg_blocks_free().  Signals are not jumps, nor are system
   calls that do not continue behind their instruction: the handler is a
   sequence of its own, and the interrupted one continues afterwards.  Do not
   mix this with dcfg_blocks_add(). */
DCFG_API bool dcfg_blocks_trace(DcfgBlocks* b, const DcfgProcess* p,
                                DcfgTrace* t, DcfgError* err);

/* Add what the edges of P tell for a THREAD without a trace: static blocks
   only. If signals came where control could continue in several ways, *UNKNOWN
   is how often the way is not known: then counts of edges lack so many. */
DCFG_API bool dcfg_blocks_graph(DcfgBlocks* b, const DcfgProcess* p,
                                uint32_t thread, uint64_t* unknown,
                                DcfgError* err);

/* Make the tables: the stream has ended. */
DCFG_API bool dcfg_blocks_finish(DcfgBlocks* b, DcfgError* err);

/* Return a table, which B owns; NULL before dcfg_blocks_finish(), and for
   dynamic blocks of a graph. */
DCFG_API const DcfgBlockTable* dcfg_blocks_static(const DcfgBlocks* b);
DCFG_API const DcfgBlockTable* dcfg_blocks_dynamic(const DcfgBlocks* b);

/* Return the executed instructions; 0 before dcfg_blocks_finish(). */
DCFG_API uint64_t dcfg_blocks_instrs(const DcfgBlocks* b);

/* Prepare a second pass over the same stream, after dcfg_blocks_finish().
   When the stream is added again with the same calls, VISIT is called for
   each execution of a dynamic block when it begins, and with DCFG_NONE when
   a sequence ends.  Another stream is an error.  Not with
   dcfg_blocks_sequence(). */
DCFG_API void dcfg_blocks_visit(DcfgBlocks* b,
                                void (*visit)(void* arg, uint32_t block),
                                void* arg);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_BLOCKS_H */
