/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Call frame addresses. */

#ifndef DCFG_CMD_FRAME_RULE_H
#define DCFG_CMD_FRAME_RULE_H

/* Private to the room program/. */

#include "cmd/machine/processor.h"
#include "cmd/program/debug_image.h"

/* Find the rule for the call frame address just before the code at ADDR, an
   address of the run, in image M: *OFFSET + the value of register *REG.  Return
   false if M has none, or one of another form. */
bool frame_rule(const DebugImage* m, const Processor* p, uint64_t addr,
                unsigned* reg, int64_t* offset);

#endif /* DCFG_CMD_FRAME_RULE_H */
