/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Following the calls of threads. */

#ifndef __DCFG_FOLLOW_H
#define __DCFG_FOLLOW_H

#include "tool/calls/calls.h"
#include "tool/calls/listener.h"
#include "tool/calls/toggle.h"

/* Follow calls and collect their costs, SEPARATELY for each thread or for all
   together.  Called at most once, before the program runs. */
void DCFG_(follow_calls)(Bool separately);

/* Follow calls and tell L each one.  Called at most once, before the program
   runs. */
void DCFG_(listen_to_calls)(const CallListener* l);

/* Count the instructions that threads execute, for DCFG_(instrs_run) only.
   Called before the program runs. */
void DCFG_(count_instrs)(void);

/* Heed the functions that options name, and signal handlers, and tell PM.
   Called after the functions above. */
void DCFG_(heed_functions)(const PartMaker* pm);

/* Start or stop collecting THREAD, the opposite of now.  It is not in generated
   code. */
void DCFG_(toggle_thread)(UInt thread);

/* Return the number of instructions that THREAD, which has not ended, has
   executed. */
ULong DCFG_(instrs_run)(UInt thread);

/* Return the profile of THREAD, or of all threads. */
const CallProfile* DCFG_(call_profile)(UInt thread);

/* Add the costs of active calls to the profile, as if they ended now; subtract
   them again. */
void DCFG_(account_for_calls)(void);
void DCFG_(take_account_back)(void);

#endif /* __DCFG_FOLLOW_H */
