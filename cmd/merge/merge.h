/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sum of runs. */

/* Private to merge/.

   A sum has runs, images, and edges.  Code is the same if its image and its
   offset there are the same: images may be loaded at other addresses in each
   run.  An edge leads from the end of a block to the begin of one.  So edges
   stay as they are when a block is divided: its first piece has its begin, and
   its last piece its end.  The ids of these and other numbers depend on the
   order of files, and are not in the result: merge_write.c orders runs,
   threads, images and nodes by contents.

   A count enters a list of its edge, function or pair when it is read, and
   stays there until the sum is written.

   Names are interned: equal names are equal pointers. */

#ifndef DCFG_CMD_MERGE_H
#define DCFG_CMD_MERGE_H

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"

#include "lib/dcfg_parts.h"

/* MergedBlock: a block of an image. */
typedef
   struct {
      uint64_t    offset;
      const char* sizes;        // a digit for each instruction, as in
                                // format/dcfg_tables.h; NULL: not known
      uint32_t    size, n_instrs, last_offset;
      uint32_t    begin : 31;   // id of its begin; before it is added, the
                                // index of the process's node
      uint32_t    enters : 1;   // in some run, a routine begins here
      uint32_t    end;          // id of its end
   }
   MergedBlock;

typedef
   struct {
      const char* file;
      uint64_t    offset, size;
      uint32_t    line, n_instrs;
   }
   MergedRow;

typedef
   struct {
      const char*    name;
      uint64_t       key;       // the same for the same image of any run
      DcfgMergedHome home;      // the first run that has it, by number
      bool           overlapping;       // rows of a run overlap
      uint64_t       size;
      uint64_t       place;     // load address in the result
      const char*    build_id;  // this and .code_hash: NULL if not known
      const char*    code_hash;
      uint32_t       n_blocks, n_symbols, n_rows, n_joined;
      MergedBlock*   blocks;    // by offset; so are the other arrays
      DcfgSymbol*    symbols;   // .addr: their offset
      MergedRow*     rows;      // each row of any run, once
      MergedRow*     joined;    // rows of one line that touch are one; NULL
                                // before join_rows()
   }
   MergedImage;

/* MergedRun: a run in a sum, or a part that is held back. */
typedef
   struct {
      const char*   path;       // file that brought it
      DcfgMergedRun key;        // id, instructions and hash order the runs
      uint32_t      number;     // in the order in which runs came
      uint32_t      first_thread;       // in the sum, with --threads=keep
      uint32_t      process;    // a part's process in the file
      uint32_t      next;       // the next part of the run, by index; or NO_ID
      bool          goes_on;    // another part has this one as its .next
   }
   MergedRun;

/* Ids of the special nodes, begin and end; those of blocks start at
   MERGED_BLOCK. */
enum { MERGED_START = 1, MERGED_END = 2, MERGED_UNKNOWN = 3, MERGED_BLOCK = 4 };

#define NO_ID UINT32_MAX

/* Count: a thread's count of a row. */
typedef
   struct {
      uint32_t thread;
      uint32_t next;            // the row's count of the next thread; 0: none
      uint64_t n;
   }
   Count;

typedef
   struct {
      Count* all;               // the first is not used
      size_t n, room;
   }
   ThreadCounts;

/* CountRow: the counts of an edge, a function or a pair, by thread. */
typedef
   struct {
      uint32_t first;           // 0: none
      uint32_t last;            // the one that was added to last
   }
   CountRow;

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

typedef
   struct {
      CountRow row;             // a bypass may have no counts
      uint16_t type;            // DcfgEdgeType; DCFG_EDGE_OTHER: no edge any
                                // more
      uint16_t passing;         // Passing, of the counted traversals
   }
   MergedEdge;

/* MergedEdges: numbered by KEYS, the source's end and the target's begin. */
typedef
   struct {
      KeyMap*      keys;
      MergedEdge*  all;
      ThreadCounts counts;
      uint32_t     n, room;
   }
   MergedEdges;

/* MergedFunction: a function of CALLS. */
#define NO_IMAGE_KEY UINT64_MAX
typedef
   struct {
      uint64_t key;             // its image's; or NO_IMAGE_KEY
      uint64_t offset;
      uint32_t number;          // in the order in which functions came
      uint32_t image;           // id in the result; 0: none
      CountRow self, all;
   }
   MergedFunction;

/* MergedPair: how often a function called another, and what that cost. */
typedef
   struct {
      CountRow calls, costs;
   }
   MergedPair;

/* MergedCalls: CALLS of a sum. */
typedef
   struct {
      KeyMap*         functions;
      KeyMap*         pairs;    // by caller and callee
      MergedFunction* all;
      MergedPair*     all_pairs;
      ThreadCounts    counts;
      uint32_t        n_functions, room, n_pairs, pairs_room;
      bool            any, lost;        // do runs have calls; do some not?
   }
   MergedCalls;

typedef
   struct {
      Interned*    names;
      uint64_t     process_id;  // set by order_runs()
      MergedRun*   runs;
      DcfgRun*     recorded;    // the first of them by start, as RUN tells
      MergedImage* images;      // in the order of their first files
      KeyMap*      places;      // from keys of images to their indices
      uint64_t*    thread_instrs;
      MergedEdges  edges;
      MergedCalls  calls;
      uint64_t     n_all;       // runs, with those in files that are sums
      uint32_t     n_recorded, n_runs, runs_room;
      uint32_t     n_images, images_room, n_threads;
      uint32_t     n_ids;       // ids of begins and ends so far
      bool         with_blocks, with_routines;
      bool         keep;        // threads of runs stay apart
      bool         apart;       // images of other builds stay apart
   }
   Merged;

/* LeftOut: files that are not in a sum, and the reasons. */
typedef
   struct {
      uint64_t     n_files;     // files in the sum
      uint32_t     n, room;
      DcfgLeftOut* all;
   }
   LeftOut;

/* Cut: where a block is cut, from the end of a piece to the begin of the
   next. */
typedef
   struct {
      uint32_t block;           // id of its begin in M, or index of the
                                // process's node
      uint32_t from, to;
   }
   Cut;

typedef
   struct {
      Cut*     all;             // by block
      uint32_t n, room;
   }
   Cuts;

/* Addition: a process on its way into a sum. */
typedef
   struct {
      Merged*        m;
      const Program* g;
      const DcfgPart* part;     // NULL: the process is no part
      const char*    path;
      const char*    root;      // images are looked for below; or NULL
      MergedImage*   images;    // as many as the process has
      MergedRun*     runs;
      uint32_t       n_runs, first_thread;
      uint32_t*      begins;    // by node: ids in M; NO_ID: it is left out
      uint32_t*      ends;
      uint32_t*      exits;     // by thread of .part that goes on: where it
                                // stood
      uint64_t       idle;      // edges and blocks that are left out
      uint32_t       image;     // index of the image in turn
      struct Code*   code;      // the process's; NULL: not opened yet
      Cuts           old, new;  // cuts of M's blocks, and of the process's
      uint32_t       n_continued;       // threads of .part that go on
      uint32_t       n_guessed; // cuts by numbers of instructions alone
   }
   Addition;

/* Add N to *SUM, a number of WHAT.  Die if it does not fit: a sum is exact. */
static inline void add_exact(uint64_t* sum, uint64_t n, const char* what)
{
   if (!add_count(sum, n))
      die("these runs have more than 18,446,744,073,709,551,615 (2^64 - 1) %s "
          "together, the most that a file can have: merge fewer runs", what);
}

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

/*--- merge_read.c                                         ---*/

/* Return why process G cannot be added to any sum; NULL if it can. */
const char* run_fault(const Program* g);

/* Describe the run G, read from PATH. */
MergedRun   describe_run(const Program* g, const char* path);

/* Compare runs A and B: less than 0 if A comes first. */
int         run_order(const void* a, const void* b);

/* Read A's process: RUN, or with NULL a partial sum, or a part. */
void        read_process(Addition* a, const MergedRun* run);

/* Die because what PART says cannot be. */
_Noreturn void die_part(const Addition* a);

/* Compare rows by offset. */
int         row_order(const void* a, const void* b);

/*--- merge_divide.c                                       ---*/

/* NOWHERE: in place of an offset. */
#define NOWHERE UINT64_MAX

/* Die because the image in turn is another build than M's. */
_Noreturn void die_other(const Addition* a, const char* what, uint64_t offset);

/* Return a new id of a begin or an end. */
uint32_t    new_id(Addition* a);

/* Divide the blocks of M's image X and of A's image Y, so that every begin and
   end of a block in one of them is one in the result.  Return the N blocks.  Die
   if the images have other code, or if nothing says where their instructions
   begin. */
MergedBlock* divide_blocks(Addition* a, const MergedImage* x,
                           const MergedImage* y, uint32_t* n);

/* Close the process's code. */
void        close_code(Addition* a);

/*--- merge_sum.c                                          ---*/

Merged      merged_new(Interned* names, bool keep, bool apart);
void        merged_free(Merged* m);

/* Add process G, which has no fault and was read from PATH, to M: RUN; or with
   NULL a partial sum, or a PART, the next one of M's only run.  Die if it has
   other code.  Code is looked for below ROOT, if that is not NULL. */
void        merged_add(Merged* m, const Program* g, const MergedRun* run,
                       const DcfgPart* part, const char* path,
                       const char* root);

/* Make IM->joined.  Die if rows of the same code contradict. */
void        join_rows(MergedImage* im);

/* Join rows and blocks that only the cuts divided: M has all parts of a run. */
void        join_parts(Merged* m);

/* Add the call bypasses that no run has: one run called, and another one saw
   the return.  A bypass that has another reason becomes one, too, so that it
   does not matter whether a partial sum had it already. */
void        add_call_bypasses(Merged* m);

/*--- merge_in_place.c                                     ---*/

/* SumFn: write the partial sum of N files to OUT, and return the status. */
typedef int SumFn(const char* const* files, uint32_t n, const char* out);

/* Add the runs that wait beside FILE to it, as SUM_UP does.  Return false if it
   has said why this failed. */
bool        merge_in_place(const char* file, SumFn* sum_up);

/*--- merge_write.c                                        ---*/

/* Sort the runs of M, and their threads. */
void        order_runs(Merged* m);

/* Sort N sums, at least one, each of one run, and give them ids of their
   own. */
void        order_processes(Merged* all, uint32_t n);

/* Find routines, dominators and loops, and write the file: a row of PROCESSES
   for each of the N sums, which are used up.  If LEFT_OUT is not NULL, write for
   the only process what further merges need, too. */
void        merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                         FILE* out);

#endif /* DCFG_CMD_MERGE_H */
