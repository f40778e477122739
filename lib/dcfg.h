/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: reader of DCFGs and DCFG-traces. */

/* A DCFG is a program's control-flow graph as it was executed: images, basic
   blocks, edges with a count for each thread, routines, loops.  A DCFG-trace is
   the sequence of edges that each thread took.  This library reads both, in
   format version 1, from any writer.  The specification of the format is
   Intel's "Dynamic Control-Flow Graph (DCFG) and DCFG-Trace Format
   Specifications"; libdcfg(3) has its address.  For example:

      DcfgError err;
      Dcfg*     d = dcfg_load("dcfg.out.1234.json", NULL, &err);

      if (d == NULL) {
         char text[DCFG_ERROR_TEXT_SIZE];
         fprintf(stderr, "%s\n", dcfg_error_text(&err, text));
         exit(1);
      }
      const DcfgProcess* p = dcfg_process(d, 0);
      for (uint32_t i = 0; i < p->n_loops; i++)
         printf("loop at 0x%" PRIx64 ": %" PRIu64 " iterations\n",
                p->nodes[p->loops[i].head].addr,
                dcfg_loop_iterations(p, i, DCFG_ALL_THREADS));
      dcfg_free(d);

   FILES may be plain or compressed by gzip, bzip2, xz or zstd; their first
   bytes tell, not their names.  "-" is the standard input.

   IDS AND INDICES.  In the file, everything has an id.  In the library,
   everything is in an array, and a number that refers to something is an index
   into its array; only members named `id' are ids of the file.  DCFG_NONE
   refers to nothing.  dcfg_node_by_id() and dcfg_edge_by_id() translate ids to
   indices.

   OWNERSHIP.  The result of dcfg_load() owns everything that can be reached
   from it, until dcfg_free(); strings end with a zero byte.  The same holds for
   a trace and dcfg_trace_close(), a chunk and dcfg_chunk_free(), a decoder and
   dcfg_decoder_free().  A chunk does not depend on its trace: it may be used,
   and freed, after the trace was closed.

   THREADS.  A loaded DCFG never changes: any number of threads may use it
   without locks, until dcfg_free().  The same holds for a chunk.  A trace or a
   decoder may be used by one thread at a time.  Different objects never
   influence each other.

   ERRORS are values.  A function that can fail takes a DcfgError*, which may be
   NULL, and its result tells whether it failed.  No input, however broken, ends
   the program or makes it take more memory than DcfgOptions.max_memory.

   UNITS.  Sizes and offsets are in bytes; addresses are those of the running
   program; an instruction counts once for each execution.  Counts are 64 bits
   wide; sums that do not fit stay at UINT64_MAX. */

#ifndef DCFG_H
#define DCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dcfg_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#  define DCFG_API __attribute__((visibility("default")))
#else
#  define DCFG_API
#endif

#define DCFG_VERSION_MAJOR 1
#define DCFG_VERSION_MINOR 0

/* No such thing: no routine, no loop, not found. */
#define DCFG_NONE        UINT32_MAX

/* In place of a thread: all threads together. */
#define DCFG_ALL_THREADS UINT32_MAX

/* A node's COUNT if the file does not have one. */
#define DCFG_NO_COUNT    UINT64_MAX

/*--- Errors                                               ---*/

typedef
   enum {
      DCFG_OK = 0,
      DCFG_ERROR_FILE,          // the file cannot be opened or read
      DCFG_ERROR_COMPRESSION,   // compressed data broken or cut short
      DCFG_ERROR_JSON,          // not JSON, or cut short
      DCFG_ERROR_FORMAT,        // JSON, but not a DCFG or trace
      DCFG_ERROR_LIMIT,         // more than DcfgOptions allow
      DCFG_ERROR_MEMORY,        // none left
      DCFG_ERROR_ARGUMENT,      // an error of the caller
      DCFG_ERROR_KIND           // a trace where a DCFG is needed, or a DCFG
                                // where a trace is
   }
   DcfgStatus;

/* DcfgError: what went wrong, and where. */
typedef
   struct {
      DcfgStatus status;
      uint64_t   offset;        // in the uncompressed text, in bytes
      char       file[256];     // the path, or its end if it is longer
      char       place[192];    // for example "PROCESSES[0].EDGES[17]"; or ""
      char       reason[256];
   }
   DcfgError;

#define DCFG_ERROR_TEXT_SIZE 800

/* Write "FILE: PLACE: REASON (byte N)" as one line to TEXT, which has room for
   DCFG_ERROR_TEXT_SIZE bytes.  Return TEXT. */
DCFG_API const char* dcfg_error_text(const DcfgError* err, char* text);

/*--- Options                                              ---*/

typedef
   enum {
      DCFG_PROBLEM_RULE,        // the file breaks the specification
      DCFG_PROBLEM_SURFACE      // allowed, but no known writer does it, and
                                // some readers fail
   }
   DcfgProblemKind;

/* DcfgProblem: an error in the file after which loading can go on.  The strings
   are valid until the function that gets them returns. */
typedef
   struct {
      DcfgProblemKind kind;
      const char*     rule;     // a name, see below
      const char*     place;    // as in DcfgError
      const char*     what;
      uint64_t        offset;   // as in DcfgError; 0 if it is not known
   }
   DcfgProblem;

/* The rules, by name:
      RULE     type              a value of another type than is needed
               number            an integer that is none, or out of range
               missing           a value that must be there is not
               duplicate-key     a key twice in an object
               duplicate-column  a column twice in a table's header
               duplicate-id      two things with one id
               duplicate-node    a node in two routines, or twice in a list
               unknown-id        an id that stands for nothing
               loop-parent       loops that contain each other
               address           addresses that go beyond 64 bits
               instr-sizes       INSTR_SIZES that does not fit the blocks
               transition        a row of TRANSITION_TABLE that is not sound
               dictionary        an entry of STRING_DICTIONARY, likewise
      SURFACE  key               a key that format 1.00 does not have
               column            a column that format 1.00 does not have
               column-order      columns in another order
               duplicate-edge    two edges with one source and target
               row-length        a row longer than the header
               number-style      a hex string for an integer, or the reverse
               missing-table     no FILE_NAMES, EDGE_TYPES or SPECIAL_NODES
               loop-columns      an outermost loop with a parent's column
               loops-empty       LOOPS of a routine that has none
               routines-empty    ROUTINES without one, where blocks are
               string            a string that is not UTF-8 */

/* DcfgProgress: how much of a long task is done.  The strings are valid until
   the function that gets them returns. */
typedef
   struct {
      const char* file;         // as in DcfgError
      const char* doing;        // "reading", or "slicing"
      uint64_t    done, all;    // bytes or chunks; .all is 0 if not known
   }
   DcfgProgress;

/* DcfgOptions: all zero is the default. */
typedef
   struct {
      /* The most memory that may be allocated, in bytes.  0: 256 MiB, plus 64
         bytes for each byte of text, but at most 640 for each byte of a
         compressed file, and at most 16 GiB.  A byte of meaningful text needs
         at most 20 bytes.  So only files that were made for it reach the limit,
         and some with thousands of idle threads. */
      uint64_t max_memory;
      /* NULL: the first problem that makes something in the file unusable is an
         error, and other problems are ignored.  Otherwise the library calls the
         function for each problem, leaves out rows that it cannot use, and sets
         references that it cannot resolve to DCFG_NONE. */
      void   (*problem)(void* arg, const DcfgProblem* problem);
      void*    problem_arg;
      /* The most bytes that may be written to a file in TMPDIR, for compressed
         input that cannot be read in its order: a slice's trace.  0: 1 GiB,
         plus 64 bytes for each byte of the compressed file. */
      uint64_t max_disk;
      /* NULL; or called now and then with the progress, in the thread that
         called the library. */
      void   (*progress)(void* arg, const DcfgProgress* progress);
      void*    progress_arg;
   }
   DcfgOptions;

/* --- Contents of a DCFG                                   --- */

typedef
   enum {
      DCFG_EDGE_ENTRY, DCFG_EDGE_EXIT,
      DCFG_EDGE_CALL, DCFG_EDGE_DIRECT_CALL, DCFG_EDGE_INDIRECT_CALL,
      DCFG_EDGE_RETURN, DCFG_EDGE_CALL_BYPASS,
      DCFG_EDGE_BRANCH, DCFG_EDGE_CONDITIONAL_BRANCH,
      DCFG_EDGE_UNCONDITIONAL_BRANCH, DCFG_EDGE_DIRECT_BRANCH,
      DCFG_EDGE_INDIRECT_BRANCH, DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH,
      DCFG_EDGE_INDIRECT_CONDITIONAL_BRANCH,
      DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH,
      DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH,
      DCFG_EDGE_REP, DCFG_EDGE_FALL_THROUGH,
      DCFG_EDGE_SYSTEM_CALL, DCFG_EDGE_SYSTEM_RETURN,
      DCFG_EDGE_SYSTEM_CALL_BYPASS,
      DCFG_EDGE_CONTEXT_CHANGE, DCFG_EDGE_CONTEXT_CHANGE_RETURN,
      DCFG_EDGE_CONTEXT_CHANGE_BYPASS,
      DCFG_EDGE_EXCLUDED_CODE_BYPASS, DCFG_EDGE_UNKNOWN,
      DCFG_EDGE_OTHER           // a name that format 1.00 does not have
   }
   DcfgEdgeType;

typedef
   enum {
      DCFG_NODE_BLOCK,
      DCFG_NODE_START, DCFG_NODE_END, DCFG_NODE_UNKNOWN,
      DCFG_NODE_OTHER           // a name that format 1.00 does not have
   }
   DcfgNodeKind;

/* DcfgFileName: a row of FILE_NAMES. */
typedef
   struct {
      uint32_t    id;
      const char* name;
   }
   DcfgFileName;

/* DcfgEdgeTypeName: a row of EDGE_TYPES. */
typedef
   struct {
      uint32_t     id;
      DcfgEdgeType type;
      const char*  name;        // as written
   }
   DcfgEdgeTypeName;

/* DcfgSpecialNode: a row of SPECIAL_NODES. */
typedef
   struct {
      uint32_t     id;
      DcfgNodeKind kind;
      const char*  name;        // as written
   }
   DcfgSpecialNode;

/* DcfgImage: an object file, or another mapping with code.  Its parts are
   neighbours in the process's arrays. */
typedef
   struct {
      uint32_t id;
      uint32_t file;            // index in files of the Dcfg; DCFG_NONE: no
                                // name
      uint64_t load_addr;
      uint64_t size;
      uint32_t first_symbol,  n_symbols;
      uint32_t first_source,  n_sources;
      uint32_t first_node,    n_nodes;
      uint32_t first_routine, n_routines;
      const char* build_id;     // in hexadecimal; NULL: not in the file
      const char* code_hash;    // instead of a build id; NULL: not in the file
      const char* instr_sizes;  // a digit of base 36 for each instruction, its
                                // bytes: nodes one after the other, a node of
                                // unknown sizes with zeros; NULL: not in the
                                // file
   }
   DcfgImage;

/* DcfgSymbol: an image's symbols are sorted by address, and so are its source
   rows. */
typedef
   struct {
      const char* name;
      uint64_t    addr;
      uint64_t    size;         // 0: to the next symbol, or the image's end
   }
   DcfgSymbol;

/* DcfgSource: .size bytes of code that were compiled from a source line. */
typedef
   struct {
      uint64_t addr;
      uint64_t size;
      uint32_t file;            // index in files of the Dcfg
      uint32_t line;
      uint32_t n_instrs;
   }
   DcfgSource;

/* DcfgNode: a basic block or a special node. */
typedef
   struct {
      uint64_t addr;
      uint64_t count;           // COUNT, of all threads; or DCFG_NO_COUNT
      uint32_t id;
      uint32_t kind;            // a DcfgNodeKind; if it is not BLOCK, the
                                // members below are DCFG_NONE or 0
      uint32_t image;
      uint32_t size;
      uint32_t n_instrs;
      uint32_t last_offset;     // offset of the last instruction from .addr
      uint32_t routine;
      uint32_t loop;            // the innermost loop around it
      uint32_t idom;            // its immediate dominator, a node; a routine's
                                // entry has itself
   }
   DcfgNode;

typedef
   struct {
      uint64_t count;           // all threads
      uint64_t first_count;     // used by dcfg_edge_count()
      uint32_t n_counts;        // length of COUNT_PER_THREAD
      uint32_t id;
      uint32_t source, target;  // nodes
      uint32_t type;            // a DcfgEdgeType
      uint32_t type_name;       // index in edge_types of the Dcfg
   }
   DcfgEdge;

/* DcfgRoutine: its nodes, exits and loops are found by dcfg_routine_nodes() and
   other functions. */
typedef
   struct {
      uint32_t entry;           // a node
      uint32_t image;
      uint32_t first_node, n_nodes;
      uint32_t first_exit, n_exits;
      uint32_t first_loop, n_loops;     // index in loops of the process
   }
   DcfgRoutine;

typedef
   struct {
      uint32_t head;            // a node
      uint32_t routine;
      uint32_t parent;          // a loop; DCFG_NONE for an outermost one
      uint32_t depth;           // 1 for an outermost one
      uint32_t first_node, n_nodes;
      uint32_t first_back, n_backs;
   }
   DcfgLoop;

/* The most rows that `dcfg merge' writes to RUN: they tell what a sum is of,
   and a sum does not grow with its runs. */
#define DCFG_MOST_RUNS 100

/* DcfgFunction: a function that ran, in CALLS.  Its costs are found by
   dcfg_function_self() and dcfg_function_inclusive(). */
typedef
   struct {
      uint64_t addr;            // its begin; 0 without an image
      uint64_t first_number;    // these three are used by the functions above
      uint32_t n_self, n_inclusive;
      uint32_t id;
      uint32_t image;           // DCFG_NONE: none of the file's
   }
   DcfgFunction;

/* DcfgPair: the calls from one function to another, in CALLS.  See
   dcfg_pair_calls() and dcfg_pair_inclusive(). */
typedef
   struct {
      uint32_t caller, callee;  // functions
      uint64_t first_number;    // these three are used by the functions above
      uint32_t n_calls, n_inclusive;
   }
   DcfgPair;

/* DcfgCallSums: who called whom, as valgrind-dcfg writes it with --calls=yes, in
   CALLS, a key that format 1.00 does not have.  A jump to another function's
   begin is a call, too.  Stubs of linkage tables are a part of their callers. */
typedef
   struct {
      uint32_t            n_functions, n_pairs;
      const DcfgFunction* functions;
      const DcfgPair*     pairs;
   }
   DcfgCallSums;

/* DcfgProcess: a row of PROCESSES.  Nodes are first all blocks, image by image,
   and then the special nodes.  Other arrays are in the file's order unless
   stated otherwise.  For reading only. */
typedef
   struct {
      uint64_t           id;            // PROCESS_ID
      uint64_t           instr_count;   // INSTR_COUNT; or the sum if it is
                                        // missing
      const uint64_t*    thread_instrs; // INSTR_COUNT_PER_THREAD
      uint32_t           n_threads;     // its length; or that of the longest
                                        // COUNT_PER_THREAD if it is missing
      uint32_t           n_blocks;
      uint32_t           n_nodes;       // blocks and special nodes
      uint32_t           n_images;
      uint32_t           n_symbols;
      uint32_t           n_sources;
      uint32_t           n_edges;
      uint32_t           n_routines;
      uint32_t           n_loops;
      const DcfgImage*   images;
      const DcfgSymbol*  symbols;
      const DcfgSource*  sources;
      const DcfgNode*    nodes;
      const DcfgEdge*    edges;
      const DcfgRoutine* routines;
      const DcfgLoop*    loops;
      const DcfgPart*    part;          // NULL: a whole run
      const DcfgMerged*  merged;        // NULL: no partial sum
      const DcfgBaseline* baseline;     // NULL: no baseline
      /* The runs that the counts are of.  A file of one run has a row of RUN;
         files of other writers have none.  A sum of `dcfg merge' has rows of
         its first runs by .start, at most DCFG_MOST_RUNS. */
      const DcfgRun*     runs;
      uint32_t           n_recorded;    // length of .runs
      uint64_t           n_runs;        // all of them
      const DcfgCallSums* calls;        // NULL: not recorded
   }
   DcfgProcess;

/* Dcfg: a loaded file. */
typedef
   struct {
      uint32_t                major_version, minor_version;
      uint32_t                n_files;
      uint32_t                n_edge_types;
      uint32_t                n_special_nodes;
      uint32_t                n_processes;
      const DcfgFileName*     files;
      const DcfgEdgeTypeName* edge_types;
      const DcfgSpecialNode*  special_nodes;
      uint64_t                json_size;        // bytes of uncompressed text
   }
   Dcfg;

/*--- Loading                                              ---*/

/* Load the DCFG in the file PATH.  Return NULL with *ERR set if that fails.
   OPTIONS may be NULL.  The text is read once, front to back. */
DCFG_API Dcfg* dcfg_load(const char* path, const DcfgOptions* options,
                         DcfgError* err);

/* Load the head of the DCFG in PATH: its first process with .id, the numbers of
   instructions, and .runs.  All other arrays are empty.  Files of valgrind-dcfg
   have these before all that is long, so that a head is fast to read, however
   large the file is, and whatever follows. */
DCFG_API Dcfg* dcfg_load_head(const char* path, const DcfgOptions* options,
                              DcfgError* err);

/* Load a DCFG of SIZE bytes in memory, which may be compressed and are not
   needed afterwards.  NAME is for errors. */
DCFG_API Dcfg* dcfg_load_memory(const void* data, size_t size,
                                const char* name,
                                const DcfgOptions* options, DcfgError* err);

/* Free D, which may be NULL. */
DCFG_API void dcfg_free(Dcfg* d);

/* --- Other text files --- */

/* Open any file, compressed or not, as text.  Return NULL with *ERR set if that
   fails. */
typedef struct DcfgText DcfgText;

DCFG_API DcfgText* dcfg_text_open(const char* path,
                                  const DcfgOptions* options, DcfgError* err);

/* Read the next bytes, at most SIZE, to BUF.  Return how many: 0 at the end,
   with err->status DCFG_OK, or after an error. */
DCFG_API size_t dcfg_text_read(DcfgText* t, void* buf, size_t size,
                               DcfgError* err);

/* Close T, which may be NULL. */
DCFG_API void dcfg_text_close(DcfgText* t);

/* Return process number INDEX, or NULL. */
DCFG_API const DcfgProcess* dcfg_process(const Dcfg* d, uint32_t index);

/* Return the process with this PROCESS_ID, or NULL. */
DCFG_API const DcfgProcess* dcfg_process_by_id(const Dcfg* d, uint64_t id);

/*--- Looking things up                                    ---*/

/* Indices in arguments may be anything.  For one that does not exist, the
   result is DCFG_NONE, NULL or 0. */

/* Return the index of a node or edge by its id.  Takes constant time, or
   logarithmic time if the ids are far apart. */
DCFG_API uint32_t dcfg_node_by_id(const DcfgProcess* p, uint32_t id);
DCFG_API uint32_t dcfg_edge_by_id(const DcfgProcess* p, uint32_t id);

/* Return the block that has the byte at ADDR.  If several do: one that begins
   at ADDR, else the one that begins last. */
DCFG_API uint32_t dcfg_node_at(const DcfgProcess* p, uint64_t addr);

/* Write all blocks with the byte at ADDR to NODES, at most MAX, in the order of
   that preference.  Return how many there are. */
DCFG_API uint32_t dcfg_nodes_at(const DcfgProcess* p, uint64_t addr,
                                uint32_t* nodes, uint32_t max);

/* Return the image that has ADDR.  If several do, the last in the file; in
   files of this tool, that is the youngest. */
DCFG_API uint32_t dcfg_image_at(const DcfgProcess* p, uint64_t addr);

/* Return the symbol, or the source row, for ADDR in IMAGE, as an index in the
   process's array.  If IMAGE is DCFG_NONE, in the image at ADDR.  Of several,
   the one that begins last. */
DCFG_API uint32_t dcfg_symbol_at(const DcfgProcess* p, uint32_t image,
                                 uint64_t addr);
DCFG_API uint32_t dcfg_source_at(const DcfgProcess* p, uint32_t image,
                                 uint64_t addr);

/* Return the symbol for the first byte of a node's block. */
DCFG_API uint32_t dcfg_symbol_of(const DcfgProcess* p, uint32_t node);

/* Return the edges that leave or reach a node, as indices in the file's order.
   *N is their number. */
DCFG_API const uint32_t* dcfg_out_edges(const DcfgProcess* p, uint32_t node,
                                        uint32_t* n);
DCFG_API const uint32_t* dcfg_in_edges(const DcfgProcess* p, uint32_t node,
                                       uint32_t* n);

/* Return the edge from SOURCE to TARGET. */
DCFG_API uint32_t dcfg_edge_between(const DcfgProcess* p, uint32_t source,
                                    uint32_t target);

/* Return a routine's nodes, by index, or its exits, in the file's order. */
DCFG_API const uint32_t* dcfg_routine_nodes(const DcfgProcess* p,
                                            uint32_t routine, uint32_t* n);
DCFG_API const uint32_t* dcfg_routine_exits(const DcfgProcess* p,
                                            uint32_t routine, uint32_t* n);

/* Return a loop's nodes, by index, or the sources of its back edges, in the
   file's order; return whether a node is in the loop. */
DCFG_API const uint32_t* dcfg_loop_nodes(const DcfgProcess* p, uint32_t loop,
                                         uint32_t* n);
DCFG_API const uint32_t* dcfg_loop_backs(const DcfgProcess* p, uint32_t loop,
                                         uint32_t* n);
DCFG_API bool dcfg_loop_contains(const DcfgProcess* p, uint32_t loop,
                                 uint32_t node);

/* Return the loop with this head, or DCFG_NONE. */
DCFG_API uint32_t dcfg_loop_by_head(const DcfgProcess* p, uint32_t node);

/* Return the routine with this entry, or DCFG_NONE. */
DCFG_API uint32_t dcfg_routine_by_entry(const DcfgProcess* p, uint32_t node);

/* Return format 1.00's name for a type, such as "DIRECT_CALL". */
DCFG_API const char* dcfg_edge_type_text(DcfgEdgeType type);

/* Return whether a type belongs to a family.  "Local" edges stay in their
   routine, except branches that are tail calls. */
DCFG_API bool dcfg_is_call(DcfgEdgeType type);      // CALL, ..._CALL except
                                                    // SYSTEM_CALL
DCFG_API bool dcfg_is_return(DcfgEdgeType type);    // ...RETURN
DCFG_API bool dcfg_is_bypass(DcfgEdgeType type);    // ..._BYPASS
DCFG_API bool dcfg_is_local(DcfgEdgeType type);     // ...BRANCH, REP,
                                                    // FALL_THROUGH, ..._BYPASS

/*--- Figures                                              ---*/

/* Each function is for one THREAD, or for DCFG_ALL_THREADS. */

/* Return how often an edge was taken. */
DCFG_API uint64_t dcfg_edge_count(const DcfgProcess* p, uint32_t edge,
                                  uint32_t thread);

/* Return how often a block was executed: for a thread the sum of its edges'
   counts; for all threads COUNT, if the file has it. */
DCFG_API uint64_t dcfg_node_executions(const DcfgProcess* p, uint32_t node,
                                       uint32_t thread);

/* Return the sum of the counts of the edges into, or out of, a node.  In a
   correct file both are equal for every block. */
DCFG_API uint64_t dcfg_node_inflow(const DcfgProcess* p, uint32_t node,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_node_outflow(const DcfgProcess* p, uint32_t node,
                                    uint32_t thread);

/* Return the instructions executed in a block; in a routine's own blocks; in a
   loop's blocks, with those of inner loops; in the process, by its own count.
   Called routines do not count. */
DCFG_API uint64_t dcfg_node_instrs(const DcfgProcess* p, uint32_t node,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_routine_instrs(const DcfgProcess* p, uint32_t routine,
                                      uint32_t thread);
DCFG_API uint64_t dcfg_loop_instrs(const DcfgProcess* p, uint32_t loop,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_process_instrs(const DcfgProcess* p, uint32_t thread);

/* Return the number of calls of a routine: call edges to its entry, and jumps
   to it from another routine if the entry is a function's first block or has no
   symbol.  Stubs of linkage tables and tail calls are such jumps. */
DCFG_API uint64_t dcfg_routine_calls(const DcfgProcess* p, uint32_t routine,
                                     uint32_t thread);

/* Return that number plus all other ways in: jumps to code that routines share,
   signals, a thread's first block. */
DCFG_API uint64_t dcfg_routine_entries(const DcfgProcess* p,
                                       uint32_t routine, uint32_t thread);

/* Return what a function of CALLS cost itself; and with all that it called,
   each instruction once, also if it called itself. */
DCFG_API uint64_t dcfg_function_self(const DcfgProcess* p, uint32_t function,
                                     uint32_t thread);
DCFG_API uint64_t dcfg_function_inclusive(const DcfgProcess* p,
                                          uint32_t function, uint32_t thread);

/* Return how often a function called another one; and the instructions that ran
   during these calls, each once. */
DCFG_API uint64_t dcfg_pair_calls(const DcfgProcess* p, uint32_t pair,
                                  uint32_t thread);
DCFG_API uint64_t dcfg_pair_inclusive(const DcfgProcess* p, uint32_t pair,
                                      uint32_t thread);

/* Return the number of iterations of a loop: executions of its head. */
DCFG_API uint64_t dcfg_loop_iterations(const DcfgProcess* p, uint32_t loop,
                                       uint32_t thread);

/* Return how often control came to the head from outside the loop.  A return to
   the head counts as coming from the calling block, which a bypass edge joins
   to the head.  So if a loop's last block is a call, its return does not enter
   the loop anew. */
DCFG_API uint64_t dcfg_loop_entries(const DcfgProcess* p, uint32_t loop,
                                    uint32_t thread);

#ifdef __cplusplus
}
#endif

#include "dcfg_trace.h"

#endif /* DCFG_H */
