/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sum of runs. */

#ifndef DCFG_CMD_MERGE_H
#define DCFG_CMD_MERGE_H

#include "cmd/base/cmd.h"

/* Names are interned here: equal names are equal pointers. */

/* MergedBlock: a block, at an offset in its image: images may be loaded at
   other addresses in each run. */
typedef
   struct {
      uint64_t offset;
      uint32_t size, n_instrs, last_offset;
      bool     enters;          // in some run, a routine begins here
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
      uint32_t      turn;       // images before it with the same name
      uint32_t      home;       // the first run that has it, by number
      uint32_t      number;     // its number in that run
      uint32_t      group;      // index of its MergedGroup, or NO_GROUP
      bool          overlapping;        // rows of a run overlap
      uint64_t      load, size; // .load: in the run .home
      const char*   build_id;   // this and .code_hash: NULL if not known
      const char*   code_hash;
      uint32_t      n_blocks, n_symbols, n_rows;
      MergedBlock*  blocks;     // by offset; so are the other arrays
      MergedSymbol* symbols;
      MergedRow*    rows;       // each row of any run, once
      char*         sizes;      // instructions' sizes as in DcfgImage, or NULL
   }
   MergedImage;

#define NO_GROUP UINT32_MAX

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

/* MergedGroup: runs that agree in everything about code without a file.  Until
   all runs are there, it is not known which images of such code are the same in
   several groups, so each group has its own. */
typedef
   struct {
      uint64_t  hash;
      uint32_t* runs;
      uint32_t  n_runs, room;
      uint32_t* images;         // indices in the sum's images
      uint32_t  n_images;
   }
   MergedGroup;

/* Ids of nodes: as in files, blocks begin at 4, in the order of images. */
enum { MERGED_START = 1, MERGED_END = 2, MERGED_UNKNOWN = 3, MERGED_BLOCK = 4 };

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

/* MergedStep: an edge and a thread's count of a run.  A bypass may have no
   count. */
typedef
   struct {
      uint32_t source, target;
      uint32_t thread;
      uint16_t type;            // DcfgEdgeType
      uint16_t passing;         // Passing
      uint64_t count;
   }
   MergedStep;

/* MergedEdge: an edge of a sum. */
typedef
   struct {
      uint32_t source, target;
      uint16_t type;            // DcfgEdgeType
      uint16_t passing;         // Passing, of the counted traversals
      uint32_t n_counts;        // threads with a count; a bypass may have none
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
      MergedEdge*  all;          // by source, then target
      size_t       n;
      MergedCount* counts;      // edge by edge, then by thread
      size_t       n_counts;
   }
   MergedEdges;

typedef
   struct {
      uint64_t     process_id;  // set by order_runs()
      MergedRun*   runs;        // in the order of files, until order_runs()
      MergedGroup* groups;
      uint32_t     n_runs, runs_room, n_groups, groups_room;
      uint32_t     n_images, room;
      uint32_t     n_threads;
      MergedImage* images;      // in the order of their first files
      MergedEdges  edges;
      uint64_t*    thread_instrs;
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

static inline bool has_file(const MergedImage* im)
{
   return im->name[0] == '/';
}

/*--- merge_order.c                                        ---*/

/* Compare runs A and B: less than 0 if A comes first. */
int  run_order(const MergedRun* a, const MergedRun* b);

/* Return whether B begins with the part after A's last one. */
bool run_follows(const MergedRun* a, const MergedRun* b);

/* Sort the runs of M, and their threads. */
void order_runs(Merged* m);

/* Sort N sums, at least one, each of one run, and give them ids of their
   own. */
void order_processes(Merged* all, uint32_t n);

/* Return the indices of M's images by (.home, .number), to be freed. */
uint32_t* order_homes(const Merged* m);

/*--- merge_steps.c                                        ---*/

/* Add N to *SUM, a number of WHAT.  Die if it does not fit: a sum is exact. */
void     add_exact(uint64_t* sum, uint64_t n, const char* what);

uint16_t passing_of(uint32_t edge_type);

MergedCount merged_count(uint32_t thread, uint64_t count);
uint64_t    count_of(MergedCount c);

/* Add N steps, in any order, which are sorted.  A pair of nodes gets one edge,
   and a thread one count there. */
void add_steps(MergedEdges* edges, MergedStep* steps, size_t n);

/* Sort and join edges whose ends were changed.  Counts of 0 are dropped, and
   edges that had nothing else. */
void order_edges(MergedEdges* edges);

void free_edges(MergedEdges* edges);

/*--- merge_blocks.c                                       ---*/

/* DecodeFn: store where the N instructions of SIZE bytes of code at OFFSET
   begin, relative to OFFSET, in STARTS.  Return false if the code is not known,
   or is other code. */
typedef bool (*DecodeFn)(void* arg, uint64_t offset, uint32_t size, uint32_t n,
                         uint32_t* starts);

/* Cut: where a block is cut: from one piece to the next, by new numbers. */
typedef
   struct {
      uint32_t block;           // old number
      uint32_t from, to;
   }
   Cut;

/* Pieces: the pieces into which the blocks of a list are divided. */
typedef
   struct {
      uint32_t* first;          // by old number: first piece
      uint32_t* last;           // by old number: last piece
      Cut*      cuts;           // by block, then by address
      uint32_t  n_cuts, room;
   }
   Pieces;

typedef
   struct {
      MergedBlock* blocks;
      uint32_t     n, room;
      Pieces       a, b;
      uint32_t     n_guessed;   // cuts by numbers of instructions alone
   }
   Division;

typedef
   enum {
      DIVIDED,
      DIVIDE_CONTRADICTION,     // the lists have other code
      DIVIDE_NEEDS_CODE         // the lists do not say where instructions begin
   }
   DivideResult;

/* Divide the blocks of lists A and B, so that every begin and end of a block in
   one list is one in D.  If that fails, *WHERE is the offset. */
DivideResult divide_blocks(const MergedBlock* a, uint32_t n_a,
                           const MergedBlock* b, uint32_t n_b,
                           DecodeFn decode, void* arg, Division* d,
                           uint64_t* where);
void         division_free(Division* d);

/*--- merge_sizes.c                                        ---*/

typedef
   struct {
      const MergedImage* im;
      size_t*            first; // by block: its first digit; NULL: no sizes; to
                                // be freed
   }
   KnownSizes;

KnownSizes known_sizes(const MergedImage* im);

/* Find the begins of instructions in a block of K's image; see DecodeFn. */
bool known_starts(const KnownSizes* k, uint64_t offset, uint32_t size,
                  uint32_t n, uint32_t* starts);

/* Return the sizes for the blocks of D, from the sizes of A and B, to be freed.
   Return false, and the offset in *WHERE, if A and B contradict. */
bool divide_sizes(const MergedImage* a, const MergedImage* b,
                  const Division* d, char** sizes, uint64_t* where);

/* Return IM's sizes after joining blocks, to be freed.  ROOT: by block, the
   block that it becomes part of, numbered from BASE. */
char* join_sizes(const MergedImage* im, const uint32_t* root, uint32_t base);

/* Return the sizes of all images in ORDER, to be freed; NULL if none are
   known. */
char* list_sizes(const Merged* m, const uint32_t* order);

/*--- merge_rows.c                                         ---*/

/* Sort rows by offset. */
void sort_rows(MergedRow* rows, uint32_t n);

/* Return whether rows, which are sorted, overlap. */
bool rows_overlap(const MergedRow* rows, uint32_t n);

/* Unite the source rows of A and B, each once.  Return false, and the offset in
   *WHERE, if they contradict. */
bool unite_rows(const MergedRow* a, uint32_t n_a, const MergedRow* b,
                uint32_t n_b, MergedRow** rows, uint32_t* n, uint64_t* where);

/* Join IM's rows of one line where they touch.  *ROWS gets them, to be freed.
   Die if rows of the same code contradict. */
void join_rows(const MergedImage* im, MergedRow** rows, uint32_t* n);

/*--- merge_places.c                                       ---*/

/* Return an address for each image, where it does not overlap images of other
   runs; to be freed. */
uint64_t* find_places(const Merged* m);

/*--- merge_write.c                                        ---*/

/* Find routines, dominators and loops, and write the file: a row of PROCESSES
   for each of the N sums.  Their edges are used up.  If LEFT_OUT is not NULL,
   write for the only process what further merges need, too. */
void merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                  FILE* out);

#endif /* DCFG_CMD_MERGE_H */
