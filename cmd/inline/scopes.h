/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions and inlined ones in a file's debug information. */

#ifndef DCFG_CMD_SCOPES_H
#define DCFG_CMD_SCOPES_H

/* Private to the room inline/. */

#include "cmd/base/keymap.h"
#include "cmd/inline/intervals.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

#define NO_ADDR UINT64_MAX

/* Scope: a function with code of its own, or an instance of an inlined one.
   Addresses are the file's. */
typedef
   struct {
      uint64_t entry;           // a function's first instruction, an instance's
                                // DW_AT_entry_pc; or NO_ADDR
      uint32_t parent;          // NO_SCOPE: a function
      uint32_t origin;          // index in .origins
      uint32_t unit;            // index in .units
      uint32_t file;            // an instance's call: the unit's number of the
                                // file; a function: its own DIE, in .origins
      uint32_t line;            // an instance's call; 0: not known
      uint32_t depth;           // 0: a function
   }
   Scope;

/* ScopeUnit: a compilation unit; its lines may be in another file than the rest
   of it. */
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

/* Scopes: those of one file that have code which is asked for; each behind its
   parent. */
typedef
   struct {
      Scope*     scopes;
      size_t     n, room;
      Dwarf_Die* origins;               // with all others that were inlined
      KeyMap*    origin_numbers;        // by place in memory
      size_t     n_origins, origin_room;
      KeyMap*    closure_members;       // likewise: functions of types
                                        // without a name, as of lambdas
      Dwarf_Die* closures;              // by number in that: the type
      size_t     n_closures, closure_room;
      ScopeUnit* units;
      size_t     n_units, unit_room;
      Intervals  intervals;
      uint64_t   n_broken;              // ranges and trees that were left out
      uint32_t   n_missing;             // .dwo files
      char*      missing;               // the first one; or NULL
   }
   Scopes;

/* Read the scopes of DWARF that have code in SPANS, which are in order and do
   not overlap.  Code lies in SEGMENTS, likewise.  At most MOST ranges are
   read.  Nothing is asked for with N_SPANS 0. */
Scopes* scopes_read(Dwarf* dwarf, const CodeSpan* spans, size_t n_spans,
                    const CodeSpan* segments, size_t n_segments, uint64_t most);
void    scopes_free(Scopes* s);

#endif /* DCFG_CMD_SCOPES_H */
