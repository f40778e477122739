/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Coverage: lines, functions and branches of the source, with counts. */

#ifndef DCFG_CMD_COVERAGE_H
#define DCFG_CMD_COVERAGE_H

#include "cmd/base/keymap.h"
#include "cmd/base/cmd.h"
#include "cmd/base/select.h"
#include "cmd/program/inline_view.h"
#include "cmd/program/functions.h"

/*--- Lines of an ELF file: debug_lines.c                  ---*/

/* DebugLine: the source line of the code from ADDR to END, addresses of the
   file. */
typedef
   struct {
      uint64_t addr, end;
      uint32_t file;            // index in .files
      uint32_t line, column;    // from 1; column 0 if unknown
      bool     is_only;         // no empty row of another line is at ADDR
   }
   DebugLine;

/* DebugFunction: a function that has lines. */
typedef
   struct {
      char*    name;
      uint64_t addr, size;
      uint32_t file, line;      // the declaration's, as gcov has it
      bool     is_named;        // NAME is from debug information
      bool     is_optimised;    // the compiler changed the order of branches
   }
   DebugFunction;

/* DebugLines: lines and functions of an ELF file, from its debug information or
   from that in a separate file. */
typedef
   struct {
      char**         files;
      uint32_t       n_files;
      DebugLine*     lines;     // in order of address, not overlapping
      size_t         n_lines, room;
      DebugFunction* functions; // in order of address; one at an address
      size_t         n_functions, function_room;
   }
   DebugLines;

/* Read the lines of the file at PATH.  Return NULL, and the reason in *WHY, if
   there is no debug information, or only another build's than BUILD_ID (NULL:
   any). */
DebugLines* debug_lines_read(const char* path, const char* build_id,
                             const char** why);
void        debug_lines_free(DebugLines* d);

/* Return the line of the code at ADDR, or NULL. */
const DebugLine* debug_line_at(const DebugLines* d, uint64_t addr);

/* Return the function that has the code at ADDR, or NULL. */
const DebugFunction* debug_function_at(const DebugLines* d, uint64_t addr);

/*--- Coverage of the source                               ---*/

/* CoverFunction: a function of the source, in all its copies. */
typedef
   struct {
      const char* name;
      uint32_t    file, line;
      uint64_t    calls;        // and entries where it was inlined
      uint64_t    flows;        // ways into it there
      bool        ran;          // a copy of its own ran
   }
   CoverFunction;

#define NO_COVER_FUNCTION UINT32_MAX

/* Branch: a conditional branch of the machine code. */
typedef
   struct {
      uint32_t file, line;
      uint64_t copy;            // the function's copy that has it
      uint64_t addr;            // the branch's, in the file
      uint64_t to, falls_to;    // targets of its two ways
      bool     jumps_first;     // gcov has the way of the jump first
      bool     is_optimised;
      uint32_t block;           // its number in the tracefile if it has a block
                                // for itself
      uint64_t taken, not_taken;
      bool     executed;
   }
   Branch;

/* CoverLine: a source line. */
typedef
   struct {
      uint64_t count;           // cover_times() tells what it means
      uint64_t instrs;          // by cover_instrs()
      bool     executed;
      uint32_t owner;           // line of the function that has it; 0: none;
                                // UINT32_MAX: several
   }
   CoverLine;

/* CoverageOf: the code of which the coverage is. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;     // the graph, .g's
      Code*              code;
      const bool*        chosen;        // by image
      const Selection*   selected;      // blocks; NULL: all of those images
      uint32_t           thread;
      const char*        root;  // folder that holds the images' files, or NULL
      bool               branches;      // find them
      bool               quiet; // do not say which files have no lines
   }
   CoverageOf;

/* Coverage: source files, lines, functions and branches of all chosen images.
   Line I has key keymap_key(.lines, I). */
typedef
   struct {
      CoverageOf    of;
      Functions*    f;
      Inlined*      in;
      Pieces*       pieces;
      uint64_t*     entries;    // by scope
      uint64_t*     flows;      // by scope
      Interned*     names;
      KeyMap*       file_numbers;       // keys: interned paths
      KeyMap*       lines;      // keys: line_key()
      CoverLine*     line;       // by number in .lines
      size_t        n_lines, line_room;
      KeyMap*       function_numbers;   // keys: interned texts
      CoverFunction* functions;
      size_t        n_functions, function_room;
      Branch*       branches;
      size_t        n_branches, branch_room;
      KeyMap*       odd;        // keys: lines whose branches are not gcov's
      /* The ELF file that is being read: */
      uint32_t      unit;       // its number, from 0
      uint32_t      image;      // an image of it
      uint64_t      base;       // the file's addresses minus that image's
      DebugLines*   d;
      uint32_t*     files;      // by file of .d: its number
      uint32_t*     symbols;    // by function of .d: its CoverFunction
      uint32_t*     owners;     // by line of .d: its CoverFunction
      bool*         is_inlined; // by line of .d: it has no copy of its own
      size_t        first_branch;
   }
   Coverage;

static inline uint64_t line_key(uint32_t file, uint32_t line)
{
   return (uint64_t)file << 32 | line;
}

/*--- The whole: line_counts.c                             ---*/

/* Read the files of the code's images, and count.  .unit is how many of them
   have lines. */
Coverage* coverage_new(const CoverageOf* of);
void      coverage_free(Coverage* coverage);

/* Return how often control reached the line, as gcov counts it. */
static inline uint64_t cover_times(const CoverLine* l)
{
   return l->count == 0 && l->executed ? 1 : l->count;
}

/* Call TELL for each instruction that ran and has a source line: of block NODE,
   at ADDR, of line LINE of file FILE, executed INSTRS times.  If it is not known
   where the block's instructions begin, all are told as the first one.  A stub
   of a linkage table is told as the instruction that called it. */
typedef void (*CoverInstr)(void* arg, uint32_t node, uint64_t addr,
                           uint64_t instrs, uint32_t file, uint32_t line);
void cover_each_instr(Coverage* coverage, CoverInstr tell, void* arg);

/* Add each instruction to the line that the graph names for it, as Callgrind
   does.  Lines from number .n_lines on, before the call, have no count. */
void cover_instrs(Coverage* coverage);

/* RanLine: a line that ran. */
typedef
   struct {
      uint64_t instrs, times;
      uint64_t key;             // a line_key()
      bool     counted;         // .times is known
   }
   RanLine;

/* Do cover_instrs().  Return the *N lines that ran, those with most instructions
   first; to be freed. */
RanLine* cover_ran_lines(Coverage* coverage, size_t* n);

/* Return the number of file FILE of the graph.  Debug information may name it by
   a longer path. */
uint32_t cover_graph_file(Coverage* coverage, uint32_t file);

/* Return the path of file FILE. */
static inline const char* cover_path(const Coverage* coverage, uint32_t file)
{
   return (const char*)(uintptr_t)keymap_key(coverage->file_numbers, file);
}

/* Return the numbers of all lines, in order of file and line, to be freed. */
uint64_t* cover_line_keys(const Coverage* coverage);

/*--- For the room alone                                   ---*/

/* Return whether IMAGE has the file that is being read. */
bool cover_is_here(const Coverage* coverage, uint32_t image);

/* Return the number of the source file at PATH. */
uint32_t cover_file(Coverage* coverage, const char* path);

/* Return the line, made if it is not there. */
CoverLine* cover_line(Coverage* coverage, uint32_t file, uint32_t line);

/* line_functions.c: find the functions of the file that is being read, with
   their calls, and the function of each line. */
void cover_find_functions(Coverage* coverage);

/* Make what the functions say agree with their lines, as lcov demands. */
void cover_settle_functions(Coverage* coverage);

/* line_branches.c: find all conditional branches of the file that is being
   read, executed or not. */
void cover_find_branches(Coverage* coverage);

/* Count the last instruction of block NODE, if it is a branch. */
void cover_count_branch(Coverage* coverage, uint32_t node);

/* Sort all branches by file and line. */
void cover_sort_branches(Coverage* coverage);

#endif /* DCFG_CMD_COVERAGE_H */
