/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions and inlined ones in a file's debug information. */

#ifndef DCFG_CMD_SCOPES_H
#define DCFG_CMD_SCOPES_H

#include "cmd/base/keymap.h"

#include <elfutils/libdw.h>

#define NO_SCOPE UINT32_MAX

/* ScopeRange: code of a scope, from .low to before .high.  Of two ranges that
   overlap, the deeper scope's is the inner one; of equally deep ones, that of
   the larger number. */
typedef
   struct {
      uint64_t low, high;
      uint32_t scope, depth;
   }
   ScopeRange;

/* Intervals: in order of address and not overlapping; each has its innermost
   scope. */
typedef
   struct {
      ScopeRange* all;
      size_t      n, room;
   }
   Intervals;

/* Return the innermost scope at ADDR, or NO_SCOPE; the answer is the same up to
   *END. */
uint32_t    interval_at(const Intervals* v, uint64_t addr, uint64_t* end);

#define NO_ADDR UINT64_MAX

/* Scope: a function with code of its own, or an instance of an inlined one.
   Addresses are those of the file. */
typedef
   struct {
      uint64_t entry;           // a function's begin, an instance's
                                // DW_AT_entry_pc; or NO_ADDR
      uint32_t parent;          // NO_SCOPE for a function
      uint32_t origin;          // index in .origins
      uint32_t unit;            // index in .units
      uint32_t file;            // an instance's call: number of the file in the
                                // unit; a function: index of its DIE in
                                // .origins
      uint32_t line;            // an instance's call; 0: not known
      uint32_t depth;           // 0 for a function
   }
   Scope;

/* ScopeUnit: a compilation unit.  Its lines may be in another file than the
   rest. */
typedef
   struct {
      Dwarf_Die die;
      Dwarf_Die lines;
   }
   ScopeUnit;

/* CodeSpan: addresses from .low to before .high. */
typedef
   struct {
      uint64_t low, high;
   }
   CodeSpan;

/* Scopes: the scopes of a file that have wanted code; a parent stands before
   its children. */
typedef
   struct Scopes {
      Scope*     scopes;
      size_t     n, room;
      Dwarf_Die* origins;               // with those of all other inlined
                                        // functions
      KeyMap*    origin_numbers;        // keys: places in memory
      size_t     n_origins, origin_room;
      KeyMap*    closure_members;       // keys: places in memory of functions
                                        // in types without a name, such as
                                        // lambdas'
      Dwarf_Die* closures;              // by number in .closure_members: the
                                        // type
      size_t     n_closures, closure_room;
      ScopeUnit* units;
      size_t     n_units, unit_room;
      Intervals  intervals;
      uint64_t   n_broken;              // ranges and trees that were left out
      uint32_t   n_missing;             // .dwo files
      char*      missing;               // path of the first one, or NULL
   }
   Scopes;

/* Read the scopes of DWARF that have code in SPANS, which are in order and do
   not overlap, and in the executable segments of ELF.  If N_SPANS is 0, no code is
   wanted. */
Scopes* scopes_read(Dwarf* dwarf, Elf* elf, const CodeSpan* spans,
                    size_t n_spans);
void    scopes_free(Scopes* s);

/* Sort N spans, and join those that touch or overlap.  Return how many are
   left. */
size_t    join_spans(CodeSpan* spans, size_t n);

/* Return the file's executable segments, in order, to be freed; *N is their
   number. */
CodeSpan* code_segments(Elf* elf, size_t* n);

/* InlinedFunction: a function of the source.  Texts of one that was read from a
   file are valid while the file is open, or until text_forget(). */
typedef
   struct {
      const char* name;         // linkage name, or the source's; or "?"
      const char* file;         // path of the declaration, or "?"
      uint32_t    line;         // 0: not known
      bool        is_artificial;        // the source does not have it, as an
                                        // implicit constructor
   }
   InlinedFunction;

/* Return the function with origin ORIGIN. */
InlinedFunction scope_function(Scopes* s, uint32_t origin);

/* Get the line of the instruction at ADDR, an address of the file, in SCOPE; 0:
   it has none.  Return false if the line is not known. */
bool            scope_line(Scopes* s, uint32_t scope, uint64_t addr,
                           const char** file, uint32_t* line);

/* Return the file of the call of SCOPE, an instance; or "?". */
const char*     scope_call_file(Scopes* s, uint32_t scope);

#endif /* DCFG_CMD_SCOPES_H */
