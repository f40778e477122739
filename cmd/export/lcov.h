/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Coverage for lcov. */

#ifndef DCFG_CMD_LCOV_H
#define DCFG_CMD_LCOV_H

/* Private to the room export. */

#include "cmd/base/keymap.h"
#include "cmd/base/sums.h"
#include "cmd/export/export.h"
#include "cmd/inline/pieces.h"
#include "cmd/shared/functions.h"

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

/* LcovFunction: a function of the source, in all its copies. */
typedef
   struct {
      const char* name;
      uint32_t    file, line;
      uint64_t    calls;        // and entries where it was inlined
      uint64_t    flows;        // ways into it there
      bool        ran;          // a copy of its own ran
   }
   LcovFunction;

#define NO_LCOV_FUNCTION UINT32_MAX

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

/* LcovLine: a source line. */
typedef
   struct {
      uint64_t count;
      bool     executed;
      uint32_t owner;           // line of the function that has it; 0: none;
                                // UINT32_MAX: several
   }
   LcovLine;

/* Coverage: source files, lines, functions and branches of all chosen images. */
typedef
   struct {
      const Export* x;
      Functions*    f;
      Inlined*      in;
      Pieces*       pieces;
      uint64_t*     entries;    // by scope
      uint64_t*     flows;      // by scope
      Interned*     names;
      KeyMap*       file_numbers;       // keys: interned paths
      KeyMap*       lines;      // keys: line_key()
      LcovLine*     line;       // by number in .lines
      size_t        n_lines, line_room;
      KeyMap*       function_numbers;   // keys: interned texts
      LcovFunction* functions;
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
      uint32_t*     symbols;    // by function of .d: its LcovFunction
      uint32_t*     owners;     // by line of .d: its LcovFunction
      bool*         is_inlined; // by line of .d: it has no copy of its own
      size_t        first_branch;
   }
   Coverage;

static inline uint64_t line_key(uint32_t file, uint32_t line)
{
   return (uint64_t)file << 32 | line;
}

/*--- Files and lines: export_coverage.c                   ---*/

/* Return whether IMAGE has the file that is being read. */
bool lcov_is_here(const Coverage* coverage, uint32_t image);

/* Return the number of the source file at PATH. */
uint32_t lcov_file(Coverage* coverage, const char* path);

/* Return the line, made if it is not there. */
LcovLine* lcov_line(Coverage* coverage, uint32_t file, uint32_t line);

/*--- Functions: lcov_functions.c                          ---*/

/* Find the functions of the file that is being read, with their calls, and the
   function of each line. */
void lcov_find_functions(Coverage* coverage);

/* Make what the functions say agree with their lines, as lcov demands. */
void lcov_settle_functions(Coverage* coverage);

/* Write the functions of FILE.  LINES: numbers of its lines, in order. */
void lcov_put_functions(const Coverage* coverage, uint32_t file,
                        const uint64_t* lines, size_t n_lines);

/*--- Branches: lcov_branches.c                            ---*/

/* Find all conditional branches of the file that is being read, executed or
   not. */
void lcov_find_branches(Coverage* coverage);

/* Count the last instruction of block NODE, if it is a branch. */
void lcov_count_branch(Coverage* coverage, uint32_t node);

/* Sort all branches, for lcov_put_branches(). */
void lcov_sort_branches(Coverage* coverage);

/* Write the branches of FILE, from FIRST on.  Return the index of the next
   file's first one. */
size_t lcov_put_branches(const Coverage* coverage, size_t first, uint32_t file);

#endif /* DCFG_CMD_LCOV_H */
