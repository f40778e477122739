/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A directory that uftrace reads. */

#ifndef __DCFG_UFTRACE_H
#define __DCFG_UFTRACE_H

#include "pub_tool_basics.h"
#include "logs/active.h"

/* Threads' records. */
extern const CallLog DCFG_(uftrace_calls);

/* Before the program runs: the directory that option OPT names with FORMAT
   will be written.  If it cannot be made, say so and exit. */
void DCFG_(claim_uftrace)(const HChar* opt, const HChar* format);

/* Write it, with the records of FORMAT, a number of logs/active.h. */
void DCFG_(write_uftrace)(const HChar* opt, const HChar* name, UInt format);

#endif /* __DCFG_UFTRACE_H */
