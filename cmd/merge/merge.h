/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sum of runs. */

#ifndef DCFG_CMD_MERGE_H
#define DCFG_CMD_MERGE_H

#include "cmd/base/cmd.h"

/* A position in code is an offset in its image, as images may be loaded
   elsewhere in each run.  Names are interned: equal names are equal
   pointers. */

typedef
   struct {
      uint64_t offset;
      uint32_t size, n_instrs, last_offset;
      bool     enters;          // some run has a routine that begins here
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
      uint32_t      turn;       // how many images of the name are before it
      uint32_t      home;       // the first run that has it, by number
      uint32_t      number;     // among those of that run
      uint32_t      group;      // MergedGroup; or NO_GROUP
      bool          overlapping;        // rows of a run overlap
      uint64_t      load, size; // load: in the run .home
      const char*   build_id;   // NULL: not told; so is the other one
      const char*   code_hash;
      uint32_t      n_blocks, n_symbols, n_rows;
      MergedBlock*  blocks;     // in order of offset; so are the others
      MergedSymbol* symbols;
      MergedRow*    rows;       // rows of all runs, each once
      char*         sizes;      // instructions' sizes as a DcfgImage has them;
                                // or NULL
   }
   MergedImage;

#define NO_GROUP UINT32_MAX

/* MergedRun: a run that is in a sum, and what runs are ordered by: process id,
   instructions, hash of all that was counted. */
typedef
   struct {
      const char* path;         // file that brought it
      uint64_t    id, instrs, hash;
      uint32_t    n_threads;
      uint32_t    first_thread; // in the sum, if threads stand side by side
      uint32_t    first_part;   // as PART says; 0: it is no part
      uint32_t    part, last_part;      // the first and the last that are in it
      uint32_t    n_before, n_after;    // threads
      uint64_t*   before;       // instructions by thread, in the parts before
      uint64_t*   after;        // .part, and up to the end of .last_part
   }
   MergedRun;

/* MergedGroup: runs that agree in all that touches code without a file.  Only
   the last merge knows which images of such code are the same, so until then
   each group has its own. */
typedef
   struct {
      uint64_t  hash;
      uint32_t* runs;
      uint32_t  n_runs, room;
      uint32_t* images;         // places among those of the sum
      uint32_t  n_images;
   }
   MergedGroup;

/* Node ids as files have them: blocks from 4 on, in the order of images. */
enum { MERGED_START = 1, MERGED_END = 2, MERGED_UNKNOWN = 3, MERGED_BLOCK = 4 };

/* Passing: the effect of an edge on its ends, if nothing else leads there. */
typedef
   enum {
      PASSES,                   // control falls through it
      PASSES_ONWARD,            // and by itself this would divide no block
      TRANSFERS                 // its ends are ends of blocks
   }
   Passing;

/* A thread's traversals of an edge, as a run brings them; a bypass may have
   none. */
typedef
   struct {
      uint32_t source, target;
      uint32_t thread;
      uint16_t type;            // DcfgEdgeType
      uint16_t passing;         // Passing
      uint64_t count;
   }
   MergedStep;

/* An edge of a sum, and what a thread has there. */
typedef
   struct {
      uint32_t source, target;
      uint16_t type;            // DcfgEdgeType
      uint16_t passing;         // Passing, of what is counted
      uint32_t n_counts;        // threads; none: a bypass
   }
   MergedEdge;

/* MergedCount: with --threads=keep, a sum consists mostly of these.  A number
   of 64 bits would take four bytes more. */
typedef
   struct {
      uint32_t thread;
      uint32_t low, high;       // halves of the count, which is not 0
   }
   MergedCount;

typedef
   struct {
      MergedEdge*  all;          // in order of source, target
      size_t       n;
      MergedCount* counts;      // edge by edge, by thread within one
      size_t       n_counts;
   }
   MergedEdges;

typedef
   struct {
      uint64_t     process_id;  // order_runs() sets it
      MergedRun*   runs;        // as they came; order_runs() puts them in order
      MergedGroup* groups;
      uint32_t     n_runs, runs_room, n_groups, groups_room;
      uint32_t     n_images, room;
      uint32_t     n_threads;
      MergedImage* images;      // in the order in which they came
      MergedEdges  edges;
      uint64_t*    thread_instrs;
      bool         with_blocks, with_routines;
      bool         keep;        // threads of runs stand side by side
      bool         apart;       // other builds are other images
   }
   Merged;

/* LeftOut: files that are not in a sum, and why. */
typedef
   struct {
      char* file;
      char* reason;
   }
   LeftFile;

typedef
   struct {
      uint64_t  n_files;        // files that are in it
      uint32_t  n, room;
      LeftFile* all;
   }
   LeftOut;

static inline bool has_file(const MergedImage* im)
{
   return im->name[0] == '/';
}

/*--- merge_order.c                                        ---*/

/* The order of runs: less than 0 if A is before B. */
int  run_order(const MergedRun* a, const MergedRun* b);

/* Does B begin with the part behind A's last one? */
bool run_follows(const MergedRun* a, const MergedRun* b);

/* Runs are in order then, and so are their threads. */
void order_runs(Merged* m);

/* Sums of one run each, N of them and at least one, are in the order of these
   then, and have ids of their own. */
void order_processes(Merged* all, uint32_t n);

/* By (home, number): numbers of M's images.  To be freed. */
uint32_t* order_homes(const Merged* m);

/*--- merge_steps.c                                        ---*/

uint16_t passing_of(uint32_t edge_type);

MergedCount merged_count(uint32_t thread, uint64_t count);
uint64_t    count_of(MergedCount c);

/* N steps more, in any order; they are sorted.  A pair has one type, and a
   thread one count there. */
void add_steps(MergedEdges* edges, MergedStep* steps, size_t n);

/* Edges have got other ends, so that they may be out of order and a pair may
   be there twice, or counts of 0, which go; with the last one its edge goes. */
void order_edges(MergedEdges* edges);

void free_edges(MergedEdges* edges);

/*--- merge_blocks.c                                       ---*/

/* DecodeFn: finds where the N instructions of SIZE bytes of code begin,
   relative to OFFSET.  Returns false if the code is not known, or is other
   code. */
typedef bool (*DecodeFn)(void* arg, uint64_t offset, uint32_t size, uint32_t n,
                         uint32_t* starts);

/* From an old block's last piece so far to the next one, by new numbers. */
typedef
   struct {
      uint32_t block;           // the old one
      uint32_t from, to;
   }
   Cut;

/* Pieces: the pieces that the blocks of one list have become. */
typedef
   struct {
      uint32_t* first;          // by old number: its first piece and
      uint32_t* last;           // its last one
      Cut*      cuts;           // in order of block, then of code
      uint32_t  n_cuts, room;
   }
   Pieces;

typedef
   struct {
      MergedBlock* blocks;
      uint32_t     n, room;
      Pieces       a, b;
      uint32_t     n_guessed;   // places where numbers of instructions say so
   }
   Division;

typedef
   enum {
      DIVIDED,
      DIVIDE_CONTRADICTION,     // not the same code
      DIVIDE_NEEDS_CODE         // instructions are not known from the lists
   }
   DivideResult;

/* Blocks that are entered where those of A or B are, and left where those of
   A or B are.  If that cannot be done, *WHERE is the offset. */
DivideResult divide_blocks(const MergedBlock* a, uint32_t n_a,
                           const MergedBlock* b, uint32_t n_b,
                           DecodeFn decode, void* arg, Division* d,
                           uint64_t* where);
void         division_free(Division* d);

/*--- merge_sizes.c                                        ---*/

typedef
   struct {
      const MergedImage* im;
      size_t*            first; // by block; NULL: no sizes; to be freed
   }
   KnownSizes;

KnownSizes known_sizes(const MergedImage* im);

/* K's image decodes a block; see DecodeFn. */
bool known_starts(const KnownSizes* k, uint64_t offset, uint32_t size,
                  uint32_t n, uint32_t* starts);

/* The sizes of the blocks of D, into which A and B are divided; to be freed.
   False, with *WHERE, if A and B contradict. */
bool divide_sizes(const MergedImage* a, const MergedImage* b,
                  const Division* d, char** sizes, uint64_t* where);

/* IM's sizes when blocks are joined: ROOT has for each block the one that it
   becomes part of, by numbers from BASE.  To be freed. */
char* join_sizes(const MergedImage* im, const uint32_t* root, uint32_t base);

/* The sizes of all images in ORDER; NULL if there are none.  To be freed. */
char* list_sizes(const Merged* m, const uint32_t* order);

/*--- merge_rows.c                                         ---*/

/* By place. */
void sort_rows(MergedRow* rows, uint32_t n);

/* Do rows overlap, which are in order? */
bool rows_overlap(const MergedRow* rows, uint32_t n);

/* The source rows of A and B, each once.  False, with *WHERE, if they say
   different things of the same place. */
bool unite_rows(const MergedRow* a, uint32_t n_a, const MergedRow* b,
                uint32_t n_b, MergedRow** rows, uint32_t* n, uint64_t* where);

/* IM's rows, those of one line joined where they touch, to *ROWS, to be freed.
   Dies if they say different things of the same code. */
void join_rows(const MergedImage* im, MergedRow** rows, uint32_t* n);

/*--- merge_places.c                                       ---*/

/* For each image an address where it does not overlap another run's.  To be
   freed. */
uint64_t* find_places(const Merged* m);

/*--- merge_write.c                                        ---*/

/* Routines, dominators and loops are found, and the file is written: a row of
   PROCESSES for each of the N.  Their edges are used up.  If LEFT_OUT is not
   NULL, what further merges need of the only process is written, too. */
void merged_write(Merged* processes, uint32_t n, const LeftOut* left_out,
                  FILE* out);

#endif /* DCFG_CMD_MERGE_H */
