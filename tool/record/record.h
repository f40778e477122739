/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Recorded runs: --record and --replay. */

#ifndef __DCFG_RECORD_H
#define __DCFG_RECORD_H

#include "pub_tool_basics.h"
#include "tool/base/options.h"

extern const Options DCFG_(record_options);

/* Return whether this run is recorded. */
Bool DCFG_(is_recorded)(void);

/* In a replay, set the program's arguments and environment as they were, before
   anybody looks at them.  FINISH writes all outputs: the log may end before the
   program does.  An error is reported and ends the tool. */
void DCFG_(prepare_replay)(void (*finish)(void));

/* Begin, before the program runs, after all others that hear of the core's
   events.  An error in the options is reported and ends the tool. */
void DCFG_(start_record)(void);

/* The program has ended: write the end of the log, and tell of it. */
void DCFG_(end_record)(void);

/* This process is the child of a fork. */
void DCFG_(record_forked)(void);

#endif /* __DCFG_RECORD_H */
