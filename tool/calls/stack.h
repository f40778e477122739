/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls, and the stack of active calls. */

#ifndef __DCFG_STACK_H
#define __DCFG_STACK_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"
#include "tool/calls/calls.h"
#include "tool/dcfg_output.h"

/* Tell the stack that superblock SB is left as LEAVE says, for PLACE or TARGET,
   with stack pointer SP.  Called by generated code, with the base of the
   thread's cell array. */
void DCFG_(leave_for_place)(ULong* base, Superblock* sb, UWord leave,
                            const Place* place, Addr sp);
void DCFG_(leave_for)(ULong* base, Superblock* sb, UWord leave, Addr target,
                      Addr sp);

/* Likewise, if functions change what is collected.  SB has counted
   everything. */
void DCFG_(leave_heeding)(ULong* base, Superblock* sb, UWord leave,
                          Addr target, Addr sp);

/* Do the work of DCFG_(branch_miss) for an indirect jump; a target that makes
   it a call is a miss each time.  The stack is told by leave_heeding(). */
void DCFG_(count_jump)(ULong* base, Superblock* sb, Addr target);

/* Do the work of DCFG_(branch_miss), and tell the stack, for an indirect jump
   that cannot have raised the stack pointer. */
void DCFG_(jump_miss)(ULong* base, Superblock* sb, Addr target, Addr sp);

/* The stack pointer, which was FROM, has been loaded with TO, which is not in the
   frame of the function that runs.  Called by generated code. */
void DCFG_(load_sp)(ULong* base, Addr from, Addr to);

/* The life of threads and handlers, for watchers of tool/calls/follow.c: all
   that following calls needs; or only what changes whether a thread is
   collected. */
extern const Watcher DCFG_(call_watcher);
extern const Watcher DCFG_(handler_watcher);

/* Register W, which has the hooks of one of them, and use its stacks from now
   on.  SEPARATELY: each thread has its own profile. */
void DCFG_(watch_stacks)(const Watcher* w, Bool separately);

/* Start or stop collecting THREAD, the opposite of now.  It is not in generated
   code. */
void DCFG_(toggle_thread)(UInt thread);

/* Return the number of instructions that THREAD, which has not ended, has
   executed. */
ULong DCFG_(instrs_run)(UInt thread);

/* Return the number of those on the stack where it is now. */
ULong DCFG_(instrs_on_stack)(UInt thread);

/* Return how many superblocks THREAD, if it has not ended, has run, if that is
   counted. */
ULong DCFG_(superblocks_run)(UInt thread);

/* Return the profile of THREAD, or of all threads. */
const CallProfile* DCFG_(call_profile)(UInt thread);

/* Add the costs of active calls to the profile, as if they ended now; subtract
   them again. */
void DCFG_(account_for_calls)(void);
void DCFG_(take_account_back)(void);

#endif
