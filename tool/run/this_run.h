/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   This run: which program it is, and where and when it started. */

#ifndef __DCFG_THIS_RUN_H
#define __DCFG_THIS_RUN_H

#include "dcfg_json.h"

/* Note the start, the working directory and the processor.  Call it before the
   program runs: the program may lock the tool out of /proc. */
void DCFG_(note_run)(void);

/* Note that a fork made this process: it starts now. */
void DCFG_(note_forked_run)(void);

/* This process executes RUN again: tell of that one. */
void DCFG_(set_this_run)(const JsonRun* run);

/* Return the kernel's number of the process, or of its thread TID, that the
   outputs tell of.  The third function sets it for a thread. */
Int  DCFG_(this_pid)(void);
Int  DCFG_(this_thread)(ThreadId tid);
void DCFG_(set_this_thread)(ThreadId tid, Int number);

/* Return what is recorded of this process.  The texts stay valid. */
JsonRun DCFG_(this_run)(void);

#endif
