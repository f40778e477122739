/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   VEX's IR of one instruction. */

/* Private to wet/. */

#ifndef __DCFG_LIFT_H
#define __DCFG_LIFT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "format/port.h"

/* Call TAKE with ARG and the unoptimised IR of the instruction at CODE, with
   LEN readable bytes, as if it were at ADDR.  Not while anything is being
   translated. */
void DCFG_(lift)(const UChar* code, UInt len, Addr addr,
                 void (*take)(void* arg, const IRSB* sb), void* arg);

#endif /* __DCFG_LIFT_H */
