/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sum of runs. */

/* Private to merge/.

   A process of a file is read as a sum of its own (merge_read.c), which
   merge_unite.c adds to the sum of all.  Code is the same if its image and its
   offset there are the same: images may be loaded at other addresses in each
   run.  A block has a node id, which stays for as long as the block begins
   there, whatever is added.  So only edges of blocks that are divided change.
   Numbers that depend on the order of files, such as these ids, are not in the
   result: merge_write.c orders runs, threads, images and nodes by contents. */

#ifndef DCFG_CMD_MERGE_H
#define DCFG_CMD_MERGE_H

#include "cmd/base/interned.h"
#include "cmd/base/keymap.h"
#include "cmd/base/names.h"

#include "format/put.h"

/* Names are interned: equal names are equal pointers. */

/* MergedBlock: a block of an image. */
typedef
   struct {
      uint64_t    offset;
      const char* sizes;        // a digit for each instruction, as in
                                // format/instr_sizes.h; NULL: not known
      uint32_t    size, n_instrs, last_offset;
      uint32_t    id : 31;      // in the sum
      uint32_t    enters : 1;   // in some run, a routine begins here
   }
   MergedBlock;

typedef
   struct {
      const char* name;
      uint64_t    offset, size;
   }
   MergedSymbol;

typedef
   struct {
      const char* file;
      uint64_t    offset, size;
      uint32_t    line, n_instrs;
   }
   MergedRow;

typedef
   struct {
      const char*   name;
      uint64_t      key;        // the same for the same image of any run
      uint32_t      turn;       // images before it in its run that nothing but
                                // this number tells from it
      uint32_t      home;       // the first run that has it, by number
      uint32_t      number;     // its number in that run
      bool          overlapping;        // rows of a run overlap
      uint64_t      load, size; // .load: in the run .home
      const char*   build_id;   // this and .code_hash: NULL if not known
      const char*   code_hash;
      uint32_t      n_blocks, n_symbols, n_rows;
      MergedBlock*  blocks;     // by offset; so are the other arrays
      MergedSymbol* symbols;
      MergedRow*    rows;       // each row of any run, once
   }
   MergedImage;

/* MergedRun: a run in a sum, with the keys of the runs' order: process id,
   instructions, hash of all that was counted. */
typedef
   struct {
      const char* path;         // file that brought it
      uint64_t    id, instrs, hash;
      uint32_t    n_threads;
      uint32_t    first_thread; // in the sum, with --threads=keep
      uint32_t    first_part;   // as in PART; 0: it is no part
      uint32_t    part, last_part;      // the first and the last part that it
                                        // has
      uint32_t    n_before, n_after;    // threads
      uint64_t*   before;       // by thread: instructions in the parts before
                                // .part
      uint64_t*   after;        // by thread: instructions to the end of
                                // .last_part
   }
   MergedRun;

/* Ids of nodes: those of blocks begin at MERGED_BLOCK. */
enum { MERGED_START = 1, MERGED_END = 2, MERGED_UNKNOWN = 3, MERGED_BLOCK = 4 };

#define NO_ID UINT32_MAX

/* Passing: how an edge divides blocks, if it is the only one between its
   ends. */
typedef
   enum {
      PASSES,                   // control falls through it
      PASSES_ONWARD,            // likewise; alone it divides no block
      TRANSFERS                 // its source ends a block, and its target
                                // begins one
   }
   Passing;

/* MergedEdge: an edge of a sum. */
typedef
   struct {
      uint32_t source, target;
      uint16_t type;            // DcfgEdgeType
      uint16_t passing;         // Passing, of the counted traversals
      uint32_t n_counts;        // threads with a count; a bypass may have none
      uint32_t first;           // index of its first count, in a sum that is
                                // about to be added to another
   }
   MergedEdge;

/* MergedCount: a thread's count.  With --threads=keep, these are most of a sum:
   32-bit halves avoid four bytes of padding. */
typedef
   struct {
      uint32_t thread;
      uint32_t low, high;       // halves of the count, which is not 0
   }
   MergedCount;

typedef
   struct {
      MergedEdge*  all;         // by source, then target
      size_t       n;
      MergedCount* counts;      // edge by edge, then by thread
      size_t       n_counts, counts_room;
   }
   MergedEdges;

/* MergedStep: an edge and a thread's count; a bypass may have none. */
typedef
   struct {
      uint32_t source, target;
      uint32_t thread;
      uint16_t type, passing;
      uint64_t count;
   }
   MergedStep;

typedef
   struct {
      MergedStep* all;          // in any order
      size_t      n, room;
   }
   MergedSteps;

typedef
   struct {
      Interned*    names;
      uint64_t     process_id;  // set by order_runs()
      MergedRun*   runs;        // in the order of files, until order_runs()
      MergedImage* images;      // in the order of their first files
      KeyMap*      places;      // from keys of images to their indices
      uint64_t*    thread_instrs;
      MergedEdges  edges;
      uint32_t     n_runs, runs_room, n_images, images_room, n_threads;
      uint32_t     n_ids;       // ids of nodes so far
      bool         with_blocks, with_routines;
      bool         keep;        // threads of runs stay apart
      bool         apart;       // images of other builds stay apart
   }
   Merged;

/* LeftOut: files that are not in a sum, and the reasons. */
typedef
   struct {
      char* file;
      char* reason;
   }
   LeftFile;

typedef
   struct {
      uint64_t  n_files;        // files in the sum
      uint32_t  n, room;
      LeftFile* all;
   }
   LeftOut;

/* Incoming: a process on its way into a sum, as a sum of its own. */
typedef
   struct {
      Merged         sum;
      const Program* g;
      const char*    path;
      const char*    root;      // images are looked for below; or NULL
      uint32_t*      ids;       // by node: its id in .sum; NO_ID: left out
      uint32_t*      first;     // by id in .sum: the node that it is, or begins
                                // with, in the sum that it was added to
      uint64_t       idle;      // edges and blocks left out
   }
   Incoming;

static inline bool has_file(const MergedImage* im)
{
   return im->name[0] == '/';
}

static inline uint64_t block_end(const MergedBlock* b)
{
   return b->offset + b->size;
}

static inline uint64_t row_end(const MergedRow* r)
{
   return r->offset + r->size;
}

static inline MergedCount merged_count(uint32_t thread, uint64_t count)
{
   return (MergedCount){ thread, (uint32_t)count, (uint32_t)(count >> 32) };
}

static inline uint64_t count_of(MergedCount c)
{
   return (uint64_t)c.high << 32 | c.low;
}

/*--- merge_read.c                                         ---*/

Merged      merged_new(Interned* names, bool keep, bool apart);
void        merged_free(Merged* m);

/* Return why process G cannot be added to any sum; NULL if it can. */
const char* run_fault(const Program* g);

/* Describe the run G, read from PATH: keys of its order, and which part it
   is. */
MergedRun   describe_run(const Program* g, const char* path);

/* Read process G, which has no fault, for M.  It is RUN, or with NULL a partial
   sum, or, if NEXT_PART, the next part of the only run of M.  RUN's contents
   are the result's from then on. */
Incoming    read_process(const Merged* m, const Program* g, MergedRun* run,
                         bool next_part, const char* path, const char* root);
void        free_incoming(Incoming* in);

/* Sort rows by offset. */
void        sort_rows(MergedRow* rows, uint32_t n);
int         row_order(const void* a, const void* b);

/*--- merge_partial.c                                      ---*/

/* Return the fault in MERGED of G, or NULL. */
const char* partial_fault(const Program* g);

/* Turn what was read from a partial sum into what its runs had.  Return, by
   edge, whether no run has it; to be freed. */
bool*       read_partial(Incoming* in);

/* PartialTables: the data for MERGED. */
typedef
   struct {
      const Merged*   m;
      const LeftOut*  left_out;
      const uint32_t* order;            // images in the order of the file
      const uint32_t* added;            // EDGE_IDs of edges that no run has
      uint32_t        n_added;
      const bool*     rows_differ;      // by index in .order: they differ from
                                        // those in the file
      uint32_t      (*file_id)(const void* files, const char* name);
      const void*     files;
   }
   PartialTables;

/* Put the member MERGED, for JsonDcfg.more.  ARG is a PartialTables. */
void        put_merged(Put* out, const void* arg);

/*--- merge_unite.c                                        ---*/

/* Add N to *SUM, a number of WHAT.  Die if it does not fit: a sum is exact. */
void        add_exact(uint64_t* sum, uint64_t n, const char* what);

uint16_t    passing_of(uint32_t edge_type);
void        add_step(MergedSteps* steps, MergedStep step);

/* Make steps of an edge with counts C. */
void        loosen(MergedSteps* steps, const MergedEdge* e,
                   const MergedCount* c);

/* Drop counts of 0, edges that had nothing else, and edges without a source. */
void        drop_empty(MergedEdges* edges);

/* Add STEPS, which are freed; a pair of nodes gets one edge. */
void        add_steps(MergedEdges* edges, MergedSteps* steps);

/* Add a process to M.  Die if it has other code.  A PART, which may be NULL,
   continues the threads of M. */
void        merged_add(Merged* m, Incoming* in, const DcfgPart* part);

/*--- merge_divide.c                                       ---*/

/* Cut: where a block is cut, from one piece to the next. */
typedef
   struct {
      uint32_t block;           // id in its own sum
      uint32_t from, to;        // ids in the united sum
   }
   Cut;

typedef
   struct {
      Cut*      all;            // those of a block side by side, by offset
      uint32_t  n, room;
      uint32_t* by_block;       // by id: 1 + index of its first cut; NULL: none
   }
   Cuts;

/* Uniting: a sum and a process that is being added. */
typedef
   struct {
      Merged*     m;
      Incoming*   in;
      uint32_t    image;        // index of the process's image
      struct Code* code;        // the process's; NULL: not opened yet
      Cuts        old, new;     // cuts of M's blocks, and of the process's
      uint32_t    n_guessed;    // cuts by numbers of instructions alone
      MergedSteps steps;        // steps to be added
   }
   Uniting;

/* NOWHERE: in place of an offset. */
#define NOWHERE UINT64_MAX

_Noreturn void die_other(const Uniting* u, const char* what, uint64_t offset);

uint32_t    new_id(Uniting* u);

/* Divide the blocks of M's image TO and of FROM, so that every begin and end of
   a block in one of them is one in TO.  Die if they have other code, or if
   nothing says where their instructions begin. */
void        divide_blocks(Uniting* u, MergedImage* to, const MergedImage* from);

/*--- merge_parts.c                                        ---*/

/* Give the images of a part their numbers in the run, which are their keys.
   Die if PART does not fit the file. */
void        number_parts(Incoming* in);

/* Continue the threads of M by those of a part, whose edges already have ids of
   M: a thread's EXIT in M and its ENTRY become the edge between them.  Bypasses
   that lead from earlier parts are added, too. */
void        join_threads(Uniting* u, const DcfgPart* part);

/* Join rows and blocks that only the cuts divided: M has all parts of a run. */
void        join_parts(Merged* m);

/*--- merge_write.c                                        ---*/

/* Compare runs A and B: less than 0 if A comes first. */
int         run_order(const MergedRun* a, const MergedRun* b);

/* Sort the runs of M, and their threads. */
void        order_runs(Merged* m);

/* Sort N sums, at least one, each of one run, and give them ids of their
   own. */
void        order_processes(Merged* all, uint32_t n);

/* Join IM's rows of one line where they touch.  *ROWS gets them, to be freed.
   Die if rows of the same code contradict. */
void        join_rows(const MergedImage* im, MergedRow** rows, uint32_t* n);

/* Find routines, dominators and loops, and write the file: a row of PROCESSES
   for each of the N sums.  Their edges are used up.  If LEFT_OUT is not NULL,
   write for the only process what further merges need, too. */
void        merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                         FILE* out);

#endif /* DCFG_CMD_MERGE_H */
