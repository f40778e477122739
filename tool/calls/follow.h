/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Following the calls of threads: who wants it, and the code for it. */

#ifndef __DCFG_FOLLOW_H
#define __DCFG_FOLLOW_H

#include "tool/calls/calls.h"
#include "tool/calls/toggle.h"

/* Follow calls and collect their costs, SEPARATELY for each thread or for all
   together.  Called at most once, before the program runs. */
void DCFG_(follow_calls)(Bool separately);

/* Follow calls and sum up what functions and calls cost, by thread.  Called at
   most once, before the program runs. */
void DCFG_(sum_up_calls)(void);

/* Follow calls and tell L each one.  Called at most once, before the program
   runs. */
void DCFG_(listen_to_calls)(const CallListener* l);

/* Count the instructions that threads execute, for DCFG_(instrs_run) only.
   Called before the program runs. */
void DCFG_(count_instrs)(void);

/* Heed the functions that options name, and signal handlers, and tell PM.
   Called after the functions above. */
void DCFG_(heed_functions)(const PartMaker* pm);

#endif /* __DCFG_FOLLOW_H */
