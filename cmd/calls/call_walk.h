/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace, and what is summed up of them. */

#ifndef DCFG_CMD_CALL_WALK_H
#define DCFG_CMD_CALL_WALK_H

#include "cmd/base/keymap.h"
#include "cmd/base/select.h"
#include "cmd/program/functions.h"

/* The depth of the deepest calls that watchers are told of, unless they want
   all.  Instructions of deeper calls count for the call at this depth. */
#define MAX_DEPTH 1000

/* CallWatcher: is told of calls, in order.  AT: instructions that the thread
   executed so far.  BEGIN comes first for each thread, and END last; calls that
   have not returned are left before END.  EDGE is told of each edge, after the
   calls that it ended and began, with the number of active calls.  A thread that
   leaves its stack for another one leaves all calls of it, and RESUME, or ENTER if
   that is NULL, is told of each that goes on later.  BLOCK is
   told of each block of the call on top, before its edge, and whether the
   watcher was told of that call.  Any function may be NULL. */
typedef
   struct {
      void (*begin)(void* arg, uint32_t thread);
      void (*enter)(void* arg, uint32_t function, uint64_t at);
      void (*resume)(void* arg, uint32_t function, uint64_t at);
      void (*leave)(void* arg, uint64_t at);
      void (*block)(void* arg, uint32_t node, bool told);
      void (*edge)(void* arg, const DcfgEdge* e, size_t depth);
      void (*end)(void* arg, uint64_t at);
      bool  all;                // tell of calls at any depth
      const Selection* only;    // instructions that count; NULL: all
      void* arg;
   }
   CallWatcher;

/* Tell of all calls of THREAD, or of all threads, in the trace at PATH: a
   DCFG-trace, or a whole execution trace, which has no EDGE and no BLOCK.
   Return the number of instructions executed in them.  Die if the trace cannot
   be read. */
uint64_t walk_calls(const Functions* f, const char* path, uint32_t thread,
                    const CallWatcher* watcher);

/* FunctionCost: instructions of a function's calls.  The inclusive cost counts
   once if a function calls itself. */
typedef
   struct {
      uint64_t calls, self, all;
      uint64_t from;            // when the outermost active call began
      uint32_t active;
      uint32_t function;
   }
   FunctionCost;

/* CostStack: the active calls of one thread after another, and the costs so
   far. */
typedef
   struct {
      FunctionCost* spent;      // by function
      uint32_t*     open;       // functions of the active calls
      size_t        n, room;
      uint64_t      last;       // instructions that have been counted
   }
   CostStack;

/* Begin a thread; begin a call of FUNCTION, whose .calls is not counted here;
   end the innermost call.  AT: instructions that the thread executed. */
void costs_begin(CostStack* c);
void costs_enter(CostStack* c, uint32_t function, uint64_t at);
void costs_leave(CostStack* c, uint64_t at);

/* Return, by function of F, what THREAD or all threads spent in the trace at
   PATH: an array that the caller frees.  *TOTAL is the sum of all instructions.
   Die if the trace cannot be read. */
FunctionCost* function_costs(const Functions* f, const char* path,
                             uint32_t thread, uint64_t* total);

/* Bins of entries with 1, 2 to 3, 4 to 7 iterations, and so on. */
#define TRIP_BINS 64

/* LoopTrips: the sum over all entries to a loop, and the least and most
   iterations of one entry. */
typedef
   struct {
      uint64_t entries, iterations, least, most;
      uint64_t bins[TRIP_BINS];
   }
   LoopTrips;

/* Return, by loop, the trips of THREAD or of all threads in the trace at PATH;
   NULL for a loop that was not entered.  Free it with loop_trips_free().  Die
   if the trace cannot be read. */
LoopTrips** loop_trips(const Functions* f, const char* path, uint32_t thread);
void        loop_trips_free(const Functions* f, LoopTrips** trips);

/* StackTree: call stacks of one run or two, by names of functions.  Stack 0 is
   empty. */
typedef
   struct {
      const char* name;
      uint32_t    parent;
      uint32_t    depth;        // 0: the empty stack
      uint32_t    latest;       // its child that was asked for last, or 0
      uint64_t    self[2];      // by run: instructions in it
      uint64_t    total[2];     // by run: with stacks above it
   }
   Stack;

typedef
   struct {
      Stack*    stacks;         // a parent stands before its children
      uint32_t  n, room;
      KeyMap*   keys;
      Interned* names;
      KeyMap*   name_numbers;   // by address
      bool      is_full;        // the user was told
   }
   StackTree;

StackTree* tree_new(void);
void       tree_free(StackTree* t);

/* Return the stack with NAME, which T->names owns, above PARENT.  Return PARENT
   if it, or the tree, has too many stacks. */
uint32_t   tree_child(StackTree* t, uint32_t parent, const char* name);

/* Add the selected part of the trace at PATH to RUN 0 or 1.  Return the number
   of its instructions. */
uint64_t   tree_add(StackTree* t, const Functions* f, const char* path,
                    const Selection* sel, int run);

/* Sum the totals, after the last addition.  Return the stacks, to be freed:
   those with the same parent together, by name. */
uint32_t*  tree_finish(StackTree* t);

#endif /* DCFG_CMD_CALL_WALK_H */
