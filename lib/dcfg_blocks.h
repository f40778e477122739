/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: blocks of an address stream. */

/* What can be known of a program from nothing but the instructions that it
   executed, each with address and size.

   An instruction JUMPS if it was ever followed by one that does not begin
   where it ends.  LEADERS are the first instruction, and what was executed
   right after one that jumps, wherever it went.  A STATIC block goes from a
   leader to an instruction that jumps or to the one before the next leader.
   A DYNAMIC block goes from a leader to the first instruction that jumps,
   through other leaders; there is one for each leader, so they overlap.

   All of that is about the whole sequence: a branch that falls through a
   million times and then is taken ends blocks from the beginning.  Still it
   is passed once, and what is kept is in proportion to the code that was
   executed and to the edges between blocks, not to the length.

   An instruction is its address and its size.  Where code changes, one may
   be followed by two of other sizes at one address; then no block can have
   both, and it counts as one that jumps.  Where instructions overlap, two of
   them may be followed by the same one without a jump; that begins a static
   block, for each instruction is in one of these, and no dynamic block.

   In what order the functions are called: dcfg_blocks_new(); then all of the
   stream by dcfg_blocks_add(), dcfg_blocks_lackey() or dcfg_blocks_trace();
   dcfg_blocks_finish(); then the tables.  After an error, which the same
   call tells again, only dcfg_blocks_free() makes sense.  For example:

      DcfgBlocks* b = dcfg_blocks_new("lackey.txt", NULL, &err);
      if (b != NULL && dcfg_blocks_lackey(b, "lackey.txt", &err)
          && dcfg_blocks_finish(b, &err)) {
         const DcfgBlockTable* t = dcfg_blocks_static(b);
         for (uint32_t i = 0; i < t->n_blocks; i++)
            printf("0x%" PRIx64 ": %" PRIu64 "\n", t->blocks[i].first,
                   t->blocks[i].count);
      }
      dcfg_blocks_free(b);

   What dcfg.h says of files, ownership, threads, errors and options holds
   here too. */

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

/* To the block that was executed next. */
typedef
   struct {
      uint64_t count;
      uint32_t target;          // in the table's blocks
      bool     falls;           // it begins where this one ends
   }
   DcfgStreamEdge;

typedef
   struct {
      uint64_t first, last;     // addresses of the instructions
      uint64_t count;           // executions: how often it was begun
      uint64_t departures;      // sum of its edges: less by the times that a
                                // sequence ended in it
      uint32_t n_instrs;
      uint32_t kind;            // DcfgEndKind
      uint32_t first_edge, n_edges;     // most frequent first, then by target
   }
   DcfgStreamBlock;

/* In order of address, where that is equal by size of the first instruction;
   of a graph in the order of its nodes. */
typedef
   struct {
      uint32_t               n_blocks, n_edges;
      const DcfgStreamBlock* blocks;
      const DcfgStreamEdge*  edges;
   }
   DcfgBlockTable;

/* Nothing yet.  NAME is for errors; OPTIONS may be NULL.  NULL with *ERR set
   if there is no memory. */
DCFG_API DcfgBlocks* dcfg_blocks_new(const char* name,
                                     const DcfgOptions* options,
                                     DcfgError* err);

/* B may be NULL. */
DCFG_API void dcfg_blocks_free(DcfgBlocks* b);

/* The next instruction of the current sequence.  It is an error if SIZE is 0
   or the instruction goes beyond the last address. */
DCFG_API bool dcfg_blocks_add(DcfgBlocks* b, uint64_t addr, uint32_t size,
                              DcfgError* err);

/* From now on instructions belong to sequence NUMBER, which goes on where it
   was left; in the beginning it is 0.  There is one for each thread; a signal
   handler, too, should be given one of its own, so that the instruction that
   was interrupted does not look as if it had jumped. */
DCFG_API bool dcfg_blocks_sequence(DcfgBlocks* b, uint32_t number,
                                   DcfgError* err);

/* The current sequence has ended.  What is added next begins it anew. */
DCFG_API bool dcfg_blocks_stop(DcfgBlocks* b, DcfgError* err);

/* All instructions in a file as valgrind --tool=lackey --trace-mem=yes
   writes it, plain or compressed; "-" is the standard input.  Lines of data
   accesses and Valgrind's own are passed over.  Of any other, of one that is
   cut short and of a file without an instruction the error's place has the
   number, as "line 17". */
DCFG_API bool dcfg_blocks_lackey(DcfgBlocks* b, const char* path,
                                 DcfgError* err);

/* All edges of the selected threads that are to come in a trace of process
   P, which must live until dcfg_blocks_free().  A signal, and a system call
   that does not go on behind its instruction, is no jump: the handler is a
   sequence of its own, after which the interrupted one goes on.  Not to be
   mixed with instructions. */
DCFG_API bool dcfg_blocks_trace(DcfgBlocks* b, const DcfgProcess* p,
                                DcfgTrace* t, DcfgError* err);

/* What the edges that P counts for a THREAD say without a trace: that is
   static blocks, and dynamic ones are not to be had.  If signals came where
   control could go on in several ways, *UNKNOWN is how often it is not known
   which: then edges' counts are too small by so much. */
DCFG_API bool dcfg_blocks_graph(DcfgBlocks* b, const DcfgProcess* p,
                                uint32_t thread, uint64_t* unknown,
                                DcfgError* err);

/* The stream has ended: make the tables. */
DCFG_API bool dcfg_blocks_finish(DcfgBlocks* b, DcfgError* err);

/* The tables, which B owns; NULL before dcfg_blocks_finish(), and a dynamic
   one for a graph alone. */
DCFG_API const DcfgBlockTable* dcfg_blocks_static(const DcfgBlocks* b);
DCFG_API const DcfgBlockTable* dcfg_blocks_dynamic(const DcfgBlocks* b);

/* Instructions executed; 0 before dcfg_blocks_finish(). */
DCFG_API uint64_t dcfg_blocks_instrs(const DcfgBlocks* b);

/* After dcfg_blocks_finish(), to look at the same stream a second time: when
   it is added again, with the same calls, VISIT is told of each execution of
   a dynamic block when it begins, and of DCFG_NONE when a sequence ends.  It
   is an error if the stream is another one.  dcfg_blocks_sequence() has no
   place here. */
DCFG_API void dcfg_blocks_visit(DcfgBlocks* b,
                                void (*visit)(void* arg, uint32_t block),
                                void* arg);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_BLOCKS_H */
