/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Following the calls of threads. */

#ifndef __DCFG_FOLLOW_H
#define __DCFG_FOLLOW_H

#include "calls/calls.h"
#include "calls/listener.h"
#include "calls/toggle.h"

/* From now on follow calls and collect what they cost, for each thread
   separately or for all together.  Before the program runs, once. */
void DCFG_(follow_calls)(Bool separately);

/* From now on follow calls and tell L.  Before the program runs, once. */
void DCFG_(listen_to_calls)(const CallListener* l);

/* From now on count what threads execute, for DCFG_(instrs_run) alone.
   Before the program runs. */
void DCFG_(count_instrs)(void);

/* When these have been asked for: heed the functions that options name, and
   signal handlers, for what PM makes of them. */
void DCFG_(heed_functions)(const PartMaker* pm);

/* Turn over whether THREAD is collected.  It is not in generated code. */
void DCFG_(toggle_thread)(UInt thread);

/* What THREAD, which has not ended, has executed, up to where it stands. */
ULong DCFG_(instrs_run)(UInt thread);

/* What happened in THREAD, or in all. */
const CallProfile* DCFG_(call_profile)(UInt thread);

/* Account for what is active as if it ended now; and take that back. */
void DCFG_(account_for_calls)(void);
void DCFG_(take_account_back)(void);

#endif /* __DCFG_FOLLOW_H */
