/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: reading DCFGs and DCFG-traces. */

/* A DCFG is a program's control-flow graph as it was executed: images,
   basic blocks, edges with a count for each thread, routines, loops.  A
   DCFG-trace is the sequence of edges that each thread took.  This library
   reads both, in format version 1, from any writer.  The specification of
   the format is Intel's "Dynamic Control-Flow Graph (DCFG) and DCFG-Trace
   Format Specifications"; libdcfg(3) has its address.  For example:

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

   IDS AND INDICES.  The file gives everything an id.  Here everything is in
   an array, and a number that refers to something is an index into its
   array; only what is called `id' is one of the file's ids.  DCFG_NONE
   stands for nothing.  dcfg_node_by_id() and dcfg_edge_by_id() translate.

   OWNERSHIP.  What dcfg_load() returns owns all that can be reached from it
   and lives until dcfg_free(); strings end with a zero byte.  The same holds
   for a trace and dcfg_trace_close(), a chunk and dcfg_chunk_free(), a
   decoder and dcfg_decoder_free().  A chunk does not depend on the trace it
   came from: it may be used, and freed, after that was closed.

   THREADS.  A loaded DCFG never changes: any number of threads may use it
   without locks, to dcfg_free().  So it is with a chunk, but a trace and a
   decoder are each for one thread at a time.  Different objects never
   influence each other.

   ERRORS are values.  A function that can fail takes a DcfgError*, which
   may be NULL, and says in its result that it failed.  No input, however
   broken, ends the program or makes it take more memory than
   DcfgOptions.max_memory.

   UNITS.  Sizes and offsets are in bytes; addresses are those of the
   running program; instructions count once each time they are executed.
   Counts are 64 bits wide; sums that do not fit stay at UINT64_MAX. */

#ifndef DCFG_H
#define DCFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* As a thread: all threads together. */
#define DCFG_ALL_THREADS UINT32_MAX

/* A node's COUNT where the file gives none. */
#define DCFG_NO_COUNT    UINT64_MAX

/*--- Errors                                               ---*/

typedef
   enum {
      DCFG_OK = 0,
      DCFG_ERROR_FILE,          // cannot be opened or read
      DCFG_ERROR_COMPRESSION,   // compressed data broken or cut short
      DCFG_ERROR_JSON,          // not JSON, or cut short
      DCFG_ERROR_FORMAT,        // JSON, but not a DCFG or trace
      DCFG_ERROR_LIMIT,         // more than DcfgOptions allow
      DCFG_ERROR_MEMORY,        // none left
      DCFG_ERROR_ARGUMENT,      // the caller's mistake
      DCFG_ERROR_KIND           // a trace where a DCFG is needed, or the
                                // other way round
   }
   DcfgStatus;

/* What went wrong, and where. */
typedef
   struct {
      DcfgStatus status;
      uint64_t   offset;        // bytes into the uncompressed text
      char       file[256];     // its end, if the path is longer
      char       place[192];    // as "PROCESSES[0].EDGES[17]"; or ""
      char       reason[256];
   }
   DcfgError;

#define DCFG_ERROR_TEXT_SIZE 800

/* "FILE: PLACE: REASON (byte N)" as one line, in TEXT, which has room for
   DCFG_ERROR_TEXT_SIZE bytes and is returned. */
DCFG_API const char* dcfg_error_text(const DcfgError* err, char* text);

/*--- Options                                              ---*/

typedef
   enum {
      DCFG_PROBLEM_RULE,        // breaks the specification
      DCFG_PROBLEM_SURFACE      // keeps to it, but is not written as all
                                // known writers do and some readers need
   }
   DcfgProblemKind;

/* Something that loading can go on after.  The strings are gone when the
   function that was told returns. */
typedef
   struct {
      DcfgProblemKind kind;
      const char*     rule;     // see below
      const char*     place;    // as in DcfgError
      const char*     what;
      uint64_t        offset;   // as in DcfgError; 0 if only seen later
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

/* How far the library is with what may take long.  The strings are gone when the
   function that was told returns. */
typedef
   struct {
      const char* file;         // as in DcfgError
      const char* doing;        // "reading", or "slicing"
      uint64_t    done, all;    // bytes or chunks; ALL is 0 if nobody knows it
   }
   DcfgProgress;

/* All zero is the default. */
typedef
   struct {
      /* The most that may be allocated, in bytes.  0: 256 MiB, with 64 bytes
         more for each byte of text, and at most 640 for each byte of a
         compressed file; no more than 16 GiB.  Of what means something, a
         byte of text needs at most 20, so that only files which were made
         for it, and some with thousands of idle threads, meet this. */
      uint64_t max_memory;
      /* NULL: the first problem because of which something in the file
         cannot be used is an error, and others do not matter.  Else this is
         told of each problem, a row that cannot be used is left out, and a
         reference that cannot be resolved becomes DCFG_NONE. */
      void   (*problem)(void* arg, const DcfgProblem* problem);
      void*    problem_arg;
      /* The most that may be written to a file in TMPDIR for what is
         compressed and cannot be read in its order: a slice's trace; in bytes.
         0: 1 GiB, with 64 bytes more for each of the compressed file. */
      uint64_t max_disk;
      /* NULL, or this is told now and then how far the library is, in the
         thread that called it. */
      void   (*progress)(void* arg, const DcfgProgress* progress);
      void*    progress_arg;
   }
   DcfgOptions;

/*--- What is in a DCFG                                    ---*/

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

/* A row of FILE_NAMES. */
typedef
   struct {
      uint32_t    id;
      const char* name;
   }
   DcfgFileName;

/* A row of EDGE_TYPES. */
typedef
   struct {
      uint32_t     id;
      DcfgEdgeType type;
      const char*  name;        // as written
   }
   DcfgEdgeTypeName;

/* A row of SPECIAL_NODES. */
typedef
   struct {
      uint32_t     id;
      DcfgNodeKind kind;
      const char*  name;        // as written
   }
   DcfgSpecialNode;

/* An object file, or another mapping with code.  What belongs to it stands
   together in the process's arrays. */
typedef
   struct {
      uint32_t id;
      uint32_t file;            // in files of the Dcfg; DCFG_NONE if unnamed
      uint64_t load_addr;
      uint64_t size;
      uint32_t first_symbol,  n_symbols;
      uint32_t first_source,  n_sources;
      uint32_t first_node,    n_nodes;
      uint32_t first_routine, n_routines;
      const char* build_id;     // in hexadecimal; NULL: not told
      const char* code_hash;    // where there is none; NULL: not told
   }
   DcfgImage;

/* An image's symbols are in order of address; so are its source rows. */
typedef
   struct {
      const char* name;
      uint64_t    addr;
      uint64_t    size;         // 0: to the next symbol, or its image's end
   }
   DcfgSymbol;

/* SIZE bytes of code that a source line was compiled to. */
typedef
   struct {
      uint64_t addr;
      uint64_t size;
      uint32_t file;            // in files of the Dcfg
      uint32_t line;
      uint32_t n_instrs;
   }
   DcfgSource;

/* A basic block or a special node. */
typedef
   struct {
      uint64_t addr;
      uint64_t count;           // COUNT, all threads; or DCFG_NO_COUNT
      uint32_t id;
      uint32_t kind;            // DcfgNodeKind; if not BLOCK, what follows
                                // is DCFG_NONE or 0
      uint32_t image;
      uint32_t size;
      uint32_t n_instrs;
      uint32_t last_offset;     // of the last instruction, from addr
      uint32_t routine;
      uint32_t loop;            // the innermost that has it
      uint32_t idom;            // node: its immediate dominator; a routine's
                                // entry has itself
   }
   DcfgNode;

typedef
   struct {
      uint64_t count;           // all threads
      uint64_t first_count;     // for dcfg_edge_count()
      uint32_t n_counts;        // length of COUNT_PER_THREAD
      uint32_t id;
      uint32_t source, target;  // nodes
      uint32_t type;            // DcfgEdgeType
      uint32_t type_name;       // in edge_types of the Dcfg
   }
   DcfgEdge;

/* Its nodes, exits and loops: dcfg_routine_nodes() and so on. */
typedef
   struct {
      uint32_t entry;           // node
      uint32_t image;
      uint32_t first_node, n_nodes;
      uint32_t first_exit, n_exits;
      uint32_t first_loop, n_loops;     // in loops of the process
   }
   DcfgRoutine;

typedef
   struct {
      uint32_t head;            // node
      uint32_t routine;
      uint32_t parent;          // loop; DCFG_NONE for an outermost one
      uint32_t depth;           // 1 for an outermost one
      uint32_t first_node, n_nodes;
      uint32_t first_back, n_backs;
   }
   DcfgLoop;

/* A thread that runs on from an earlier part of the run. */
typedef
   struct {
      uint32_t thread;
      uint32_t type;            // DcfgEdgeType that ENTRY stands for; or
                                // DCFG_NONE: it was within a block
   }
   DcfgContinued;

/* A CONTEXT_CHANGE_BYPASS from an instruction of an earlier part. */
typedef
   struct {
      uint64_t offset;          // in the image
      uint32_t image_number;
      uint32_t target;          // node; or DCFG_NONE
   }
   DcfgLateBypass;

/* What joins a part of a run to the parts before it; valgrind-dcfg writes that
   as PART, a key that format 1.00 does not have. */
typedef
   struct {
      uint32_t              number;         // from 1
      uint32_t              first;          // the first of those that follow
                                            // one another without a gap
      uint32_t              n_preceding;    // threads
      uint32_t              n_image_numbers;
      uint32_t              n_continued;
      uint32_t              n_bypasses;
      const uint64_t*       preceding;      // instructions since .first
      const uint32_t*       image_numbers;  // by image, in the whole run
      const DcfgContinued*  continued;
      const DcfgLateBypass* bypasses;
   }
   DcfgPart;

/* A row of PROCESSES.  NODES are first all blocks, an image's after the
   other's, then the special nodes.  Everything else is in the file's order
   if not said otherwise.  For reading only. */
typedef
   struct {
      uint64_t           id;            // PROCESS_ID
      uint64_t           instr_count;   // INSTR_COUNT; the sum if missing
      const uint64_t*    thread_instrs; // INSTR_COUNT_PER_THREAD
      uint32_t           n_threads;     // its length; if missing, the
                                        // longest COUNT_PER_THREAD's
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
      const DcfgPart*    part;          // NULL: this is a whole run
   }
   DcfgProcess;

/* A loaded file. */
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
      uint64_t                json_size;        // uncompressed, in bytes
   }
   Dcfg;

/*--- Loading                                              ---*/

/* The DCFG in the file PATH, or NULL with *ERR set.  OPTIONS may be NULL.
   Text is read once, front to back. */
DCFG_API Dcfg* dcfg_load(const char* path, const DcfgOptions* options,
                         DcfgError* err);

/* The same for SIZE bytes in memory, which may be compressed too and are not
   needed afterwards.  NAME is for errors. */
DCFG_API Dcfg* dcfg_load_memory(const void* data, size_t size,
                                const char* name,
                                const DcfgOptions* options, DcfgError* err);

/* D may be NULL. */
DCFG_API void dcfg_free(Dcfg* d);

/* --- Other text --- */

/* Any file, compressed or not, as text: NULL with *ERR set if it cannot be
   opened. */
typedef struct DcfgText DcfgText;

DCFG_API DcfgText* dcfg_text_open(const char* path,
                                  const DcfgOptions* options, DcfgError* err);

/* The next bytes, at most SIZE, to BUF.  Returns how many; 0 at the end, with
   err->status DCFG_OK, or after an error. */
DCFG_API size_t dcfg_text_read(DcfgText* t, void* buf, size_t size,
                               DcfgError* err);

/* T may be NULL. */
DCFG_API void dcfg_text_close(DcfgText* t);

/* The INDEXth process, or NULL. */
DCFG_API const DcfgProcess* dcfg_process(const Dcfg* d, uint32_t index);

/* The process that has this PROCESS_ID, or NULL. */
DCFG_API const DcfgProcess* dcfg_process_by_id(const Dcfg* d, uint64_t id);

/*--- Looking things up                                    ---*/

/* Indices passed to these functions may be anything: where there is no such
   thing, neither is there what was asked for (DCFG_NONE, NULL, 0). */

/* Index of a node or edge: constant time, or logarithmic if the ids are
   far apart. */
DCFG_API uint32_t dcfg_node_by_id(const DcfgProcess* p, uint32_t id);
DCFG_API uint32_t dcfg_edge_by_id(const DcfgProcess* p, uint32_t id);

/* The block that has the byte at ADDR.  Where several do, one that begins
   there is preferred, then the one that begins last. */
DCFG_API uint32_t dcfg_node_at(const DcfgProcess* p, uint64_t addr);

/* All of them, the preferred one first: at most MAX go to NODES.  Returns
   how many there are. */
DCFG_API uint32_t dcfg_nodes_at(const DcfgProcess* p, uint64_t addr,
                                uint32_t* nodes, uint32_t max);

/* The image that has ADDR; where several do, the last in the file, which is
   the youngest in files of this tool. */
DCFG_API uint32_t dcfg_image_at(const DcfgProcess* p, uint64_t addr);

/* The symbol and the source row (indices into the process's arrays) for
   ADDR in IMAGE.  With DCFG_NONE for the image, the one at ADDR.  Of several
   symbols or rows, the one that begins last. */
DCFG_API uint32_t dcfg_symbol_at(const DcfgProcess* p, uint32_t image,
                                 uint64_t addr);
DCFG_API uint32_t dcfg_source_at(const DcfgProcess* p, uint32_t image,
                                 uint64_t addr);

/* The symbol of the first byte of a node's block. */
DCFG_API uint32_t dcfg_symbol_of(const DcfgProcess* p, uint32_t node);

/* Edges that leave or reach a node, as indices in the file's order; how many
   goes to *N. */
DCFG_API const uint32_t* dcfg_out_edges(const DcfgProcess* p, uint32_t node,
                                        uint32_t* n);
DCFG_API const uint32_t* dcfg_in_edges(const DcfgProcess* p, uint32_t node,
                                       uint32_t* n);

/* The edge from one node to another. */
DCFG_API uint32_t dcfg_edge_between(const DcfgProcess* p, uint32_t source,
                                    uint32_t target);

/* A routine's nodes, in order of index, and its exits in the file's. */
DCFG_API const uint32_t* dcfg_routine_nodes(const DcfgProcess* p,
                                            uint32_t routine, uint32_t* n);
DCFG_API const uint32_t* dcfg_routine_exits(const DcfgProcess* p,
                                            uint32_t routine, uint32_t* n);

/* A loop's nodes, in order of index, and the sources of its back edges in
   the file's. */
DCFG_API const uint32_t* dcfg_loop_nodes(const DcfgProcess* p, uint32_t loop,
                                         uint32_t* n);
DCFG_API const uint32_t* dcfg_loop_backs(const DcfgProcess* p, uint32_t loop,
                                         uint32_t* n);
DCFG_API bool dcfg_loop_contains(const DcfgProcess* p, uint32_t loop,
                                 uint32_t node);

/* The loop with this head, or DCFG_NONE. */
DCFG_API uint32_t dcfg_loop_by_head(const DcfgProcess* p, uint32_t node);

/* The routine with this entry, or DCFG_NONE. */
DCFG_API uint32_t dcfg_routine_by_entry(const DcfgProcess* p, uint32_t node);

/* The name of format 1.00 for a type ("DIRECT_CALL"). */
DCFG_API const char* dcfg_edge_type_text(DcfgEdgeType type);

/* To which family a type belongs.  Edges of the last one stay in their
   routine, but for branches that serve as tail calls. */
DCFG_API bool dcfg_is_call(DcfgEdgeType type);      // CALL, ..._CALL but
                                                    // not SYSTEM_CALL
DCFG_API bool dcfg_is_return(DcfgEdgeType type);    // ...RETURN
DCFG_API bool dcfg_is_bypass(DcfgEdgeType type);    // ..._BYPASS
DCFG_API bool dcfg_is_local(DcfgEdgeType type);     // ...BRANCH, REP,
                                                    // FALL_THROUGH, ..._BYPASS

/*--- Figures                                              ---*/

/* Each for one THREAD, or for DCFG_ALL_THREADS. */

/* Traversals of an edge. */
DCFG_API uint64_t dcfg_edge_count(const DcfgProcess* p, uint32_t edge,
                                  uint32_t thread);

/* Executions of a block: its edges' counts for a thread; for all of them
   COUNT, where the file has it. */
DCFG_API uint64_t dcfg_node_executions(const DcfgProcess* p, uint32_t node,
                                       uint32_t thread);

/* The same from the edges alone: what comes in and what goes out.  In a
   sound file they are equal for every block. */
DCFG_API uint64_t dcfg_node_inflow(const DcfgProcess* p, uint32_t node,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_node_outflow(const DcfgProcess* p, uint32_t node,
                                    uint32_t thread);

/* Instructions executed in a block, in a routine's own blocks, in a loop's
   blocks with those of loops inside; and by the process as it says itself.
   Routines that were called do not count. */
DCFG_API uint64_t dcfg_node_instrs(const DcfgProcess* p, uint32_t node,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_routine_instrs(const DcfgProcess* p, uint32_t routine,
                                      uint32_t thread);
DCFG_API uint64_t dcfg_loop_instrs(const DcfgProcess* p, uint32_t loop,
                                   uint32_t thread);
DCFG_API uint64_t dcfg_process_instrs(const DcfgProcess* p, uint32_t thread);

/* Calls of a routine: traversals of call edges to its entry, and of jumps to
   it from another routine, if the entry is a function's first block or has no
   symbol.  Stubs of linkage tables and tail calls jump so. */
DCFG_API uint64_t dcfg_routine_calls(const DcfgProcess* p, uint32_t routine,
                                     uint32_t thread);

/* The same with all other ways to come in: jumps to code that routines
   share, signals, a thread's first block. */
DCFG_API uint64_t dcfg_routine_entries(const DcfgProcess* p,
                                       uint32_t routine, uint32_t thread);

/* Iterations of a loop: executions of its head. */
DCFG_API uint64_t dcfg_loop_iterations(const DcfgProcess* p, uint32_t loop,
                                       uint32_t thread);

/* How often control came to the head from outside the loop.  A return to
   the head counts as coming from the block that called, which a bypass edge
   joins to the head: a loop whose last block is a call is not entered anew
   when that returns. */
DCFG_API uint64_t dcfg_loop_entries(const DcfgProcess* p, uint32_t loop,
                                    uint32_t thread);

/*--- Traces                                               ---*/

/* A DCFG-trace holds, for each process, a table that says how bits become
   edges, and for each thread a sequence of chunks.  It is read in one pass;
   what is held at a time is the table and a few chunks, whatever the length
   of the file.  Chunks come as they stand in the file: all of a thread in
   order of execution, then those of the next thread.

   A sequence is written with 64 characters for six bits each, first bit
   first: 'A'-'Z' are 0-25, 'a'-'z' 26-51, '0'-'9' 52-61, '+' is 62, and 63
   is '-'.  The specification's tables name '-', a sentence in its 3.7.1.1
   '.': both are taken for 63. */

typedef struct DcfgTrace   DcfgTrace;
typedef struct DcfgChunk   DcfgChunk;
typedef struct DcfgDecoder DcfgDecoder;

/* A row of TRACE_DATA but for the sequence, and where it is from. */
typedef
   struct {
      uint64_t process_id;
      uint32_t process;         // its row in PROCESSES of the trace
      uint32_t thread;          // THREAD_ID, from 0
      uint64_t number;          // among the chunks of its thread, from 0
      uint64_t preceding_instrs;
      uint64_t instrs;
      uint64_t n_edges;
      uint32_t first_edge;      // id
      uint64_t size;            // of the sequence's text
      uint64_t offset;          // in the uncompressed text, near its end
   }
   DcfgChunkInfo;

/* Open a trace.  NULL with *ERR set if that cannot be done; the contents are
   looked at only when the first chunk is wanted. */
DCFG_API DcfgTrace* dcfg_trace_open(const char* path,
                                    const DcfgOptions* options,
                                    DcfgError* err);

/* The same for a trace in memory, which must stay until it is closed. */
DCFG_API DcfgTrace* dcfg_trace_open_memory(const void* data, size_t size,
                                           const char* name,
                                           const DcfgOptions* options,
                                           DcfgError* err);

/* T may be NULL. */
DCFG_API void dcfg_trace_close(DcfgTrace* t);

/* How much uncompressed text has been read: for showing progress. */
DCFG_API uint64_t dcfg_trace_offset(const DcfgTrace* t);

/* --- Edge after edge --- */

/* From now on only the chunks of this THREAD, or of all for
   DCFG_ALL_THREADS, in the process with this id, or in all for UINT64_MAX.
   The others are passed over without decoding. */
DCFG_API void dcfg_trace_select(DcfgTrace* t, uint64_t process_id,
                                uint32_t thread);

/* The ids of the next edges, at most MAX and at least one, all of one
   chunk: dcfg_trace_chunk_info() is about that chunk.  Returns how many; 0
   at the end of the trace, with err->status DCFG_OK, or after an error.
   After an error in a chunk the next call goes on with the next chunk;
   after any other there is nothing more. */
DCFG_API size_t dcfg_trace_next(DcfgTrace* t, uint32_t* edge_ids, size_t max,
                                DcfgError* err);

/* The chunk of the edges last returned; NULL before the first. */
DCFG_API const DcfgChunkInfo* dcfg_trace_chunk_info(const DcfgTrace* t);

/* Go forward, within the selected threads, to the first chunk that does not
   end before the thread's instruction number INSTR (from 0), without
   decoding those before; what has been read does not come back.  True if
   that instruction is in the chunk; else the trace leaves it out, or it is
   in what was read already, or *ERR is set.  With the process P that the
   trace belongs to, go on within the chunk: the next edge is then the one
   whose source block has the instruction. */
DCFG_API bool dcfg_trace_skip(DcfgTrace* t, uint64_t instr,
                              const DcfgProcess* p, DcfgError* err);

/* The number of instructions that the thread of the edges last returned had
   executed before the source block of the edge that comes next.  That takes
   the process that the trace belongs to, given here or to dcfg_trace_skip();
   without it, or before the chunk after that, UINT64_MAX.  With it, it is an
   error if there are more edges than it has counted: a short trace may claim
   any number of them. */
DCFG_API uint64_t dcfg_trace_position(const DcfgTrace* t);
DCFG_API void     dcfg_trace_count_with(DcfgTrace* t, const DcfgProcess* p);

/* --- Chunk after chunk, for instance to decode several in parallel --- */

/* The next chunk of the selected threads, which the caller then owns; NULL
   at the end, with err->status DCFG_OK, or after an error. */
DCFG_API DcfgChunk* dcfg_trace_next_chunk(DcfgTrace* t, DcfgError* err);

/* C may be NULL. */
DCFG_API void dcfg_chunk_free(DcfgChunk* c);

DCFG_API const DcfgChunkInfo* dcfg_chunk_info(const DcfgChunk* c);

/* The sequence as it is written, info->size bytes. */
DCFG_API const char* dcfg_chunk_text(const DcfgChunk* c);

/* A decoder for C, which must outlive it; NULL with *ERR set if the sequence
   is not well-formed.  Its memory does not depend on the number of edges. */
DCFG_API DcfgDecoder* dcfg_decoder_new(const DcfgChunk* c, DcfgError* err);

/* X may be NULL. */
DCFG_API void dcfg_decoder_free(DcfgDecoder* x);

/* The next edge ids of the chunk, at most MAX.  Returns how many: fewer
   than MAX only at the end of the chunk, with err->status DCFG_OK, or before
   an error, which is told with those edges and again from then on. */
DCFG_API size_t dcfg_decoder_next(DcfgDecoder* x, uint32_t* edge_ids,
                                  size_t max, DcfgError* err);

/* When all edges are decoded: did they need the last character of the
   sequence?  A good writer's do. */
DCFG_API bool dcfg_decoder_used_all(const DcfgDecoder* x);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_H */
