/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Breakpoints and watchpoints of a debugger. */

#ifndef DCFG_CMD_GDB_POINTS_H
#define DCFG_CMD_GDB_POINTS_H

#include "cmd/state/program_state.h"

/* GdbCondition: N bytes of an agent expression's bytecode. */
typedef
   struct {
      uint8_t* code;
      size_t   n;
   }
   GdbCondition;

/* GdbPoint: a breakpoint or watchpoint.  Its kind has the number that packet Z
   gives it. */
enum { POINT_SOFTWARE, POINT_HARDWARE, POINT_WRITE, POINT_READ,
       POINT_ACCESS, N_POINT_KINDS };
typedef
   struct {
      unsigned kind;
      uint64_t addr, size;      // size in bytes; a breakpoint's has no use
      GdbCondition* conditions; // the point stops the program if one of the N
      size_t   n, room;         // conditions holds, or if there is none
   }
   GdbPoint;

/* GdbPoints: all points that the client has set.  Only gdb_points.c writes
   it. */
typedef
   struct {
      GdbPoint* points;
      size_t    n, room;
      DcfgReplaySet* set;       // instructions of all breakpoints
      bool      current;        // .set is up to date
   }
   GdbPoints;

#define MOST_POINTS 4096

/* Insert or remove the point that TEXT describes: a packet's text behind "Z" or
   "z".  Inserting a point again replaces its conditions; removing one that is
   not there succeeds.  Return false if the packet is malformed or there are
   MOST_POINTS already. */
bool points_insert(GdbPoints* p, const char* text);
bool points_remove(GdbPoints* p, const char* text);
void points_free(GdbPoints* p, ProgramState* s);

/* Remove the breakpoints from address LOW up to HIGH. */
void points_forget(GdbPoints* p, uint64_t low, uint64_t high);

/* Return whether there is a breakpoint, of either kind, at ADDR. */
bool points_has(const GdbPoints* p, uint64_t addr);

/* GdbHit: a point that stops the program. */
typedef
   struct {
      uint64_t        time;     // time of the instruction at the breakpoint, or
                                // with the access
      const GdbPoint* point;
   }
   GdbHit;

/* Find the first breakpoint from time FROM on whose condition holds, or the
   last one before FROM if BACK.  Consider times below END, or from END on if
   BACK.  Set *HIT if one is found. */
DcfgReplayFound points_find_break(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

/* Find likewise the first or last instruction that accesses the memory of a
   watchpoint in the manner that the watchpoint's kind says. */
DcfgReplayFound points_find_watch(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

#endif /* DCFG_CMD_GDB_POINTS_H */
