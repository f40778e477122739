/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Breakpoints and watchpoints of a debugger. */

#ifndef DCFG_CMD_GDB_POINTS_H
#define DCFG_CMD_GDB_POINTS_H

#include "cmd/state/program_state.h"

/* GdbCondition: bytecode. */
typedef
   struct {
      uint8_t* code;
      size_t   n;
   }
   GdbCondition;

/* GdbPoint: kinds are those of the packet Z. */
enum { POINT_SOFTWARE, POINT_HARDWARE, POINT_WRITE, POINT_READ,
       POINT_ACCESS, N_POINT_KINDS };
typedef
   struct {
      unsigned kind;
      uint64_t addr, size;
      GdbCondition* conditions; // the point stops if one holds, or if
      size_t   n, room;         // there is none
   }
   GdbPoint;

/* GdbPoints: written by gdb_points.c alone. */
typedef
   struct {
      GdbPoint* points;
      size_t    n, room;
      DcfgReplaySet* set;       // instructions of all breakpoints
      bool      current;        // .set is of these points
   }
   GdbPoints;

#define MOST_POINTS 4096

/* Take what stands behind "Z" or "z" at TEXT.  Return false if that is
   wrong. */
bool points_insert(GdbPoints* p, const char* text);
bool points_remove(GdbPoints* p, const char* text);
void points_free(GdbPoints* p, ProgramState* s);

/* Is there a breakpoint at ADDR? */
bool points_has(const GdbPoints* p, uint64_t addr);

/* GdbHit: a stop. */
typedef
   struct {
      uint64_t        time;     // time of the instruction at the breakpoint, or
                                // with the access
      const GdbPoint* point;
   }
   GdbHit;

/* Find the first breakpoint from time FROM on, or the last below FROM if BACK,
   whose condition holds.  The search ends at END. */
DcfgReplayFound points_find_break(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

/* Likewise for watchpoints: the instruction that changes, or uses, the
   memory. */
DcfgReplayFound points_find_watch(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

#endif /* DCFG_CMD_GDB_POINTS_H */
