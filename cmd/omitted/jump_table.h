/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables that indirect jumps go by. */

#ifndef DCFG_CMD_JUMP_TABLE_H
#define DCFG_CMD_JUMP_TABLE_H

/* Private to the room omitted/. */

#include "cmd/omitted/static_code.h"

/* Set *TARGETS to the addresses that the indirect jump N may lead to; the
   caller frees them.  E is the effect of N.  Return their number; 0 if the
   jump uses no table of a known form. */
size_t jump_table_read(const StaticCode* c, uint32_t n, const InstrEffect* e,
                       uint64_t** targets);

#endif /* DCFG_CMD_JUMP_TABLE_H */
