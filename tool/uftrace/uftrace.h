/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The directory that uftrace reads. */

#ifndef __DCFG_UFTRACE_H
#define __DCFG_UFTRACE_H

#include "pub_tool_basics.h"
#include "tool/calls/active.h"

/* The threads' logs. */
extern const CallLog DCFG_(uftrace_calls);

/* Claim the directory that option OPT names with FORMAT, before the program
   runs.  If it cannot be made, print a message and exit. */
void DCFG_(claim_uftrace)(const HChar* opt, const HChar* format);

/* Write the directory, with the logs of FORMAT, a number of tool/calls/active.h. */
void DCFG_(write_uftrace)(const HChar* opt, const HChar* name, UInt format);

#endif /* __DCFG_UFTRACE_H */
