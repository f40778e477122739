/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables that indirect jumps go by. */

#ifndef DCFG_CMD_JUMP_TABLE_H
#define DCFG_CMD_JUMP_TABLE_H

/* Private to the room omitted/. */

#include "cmd/omitted/static_code.h"

/* Set *TARGETS, which the caller frees, to where indirect jump N, whose effect is
   E, may lead.  Returns their number; 0 if it goes by no table that is known. */
size_t jump_table_read(const StaticCode* c, uint32_t n, const InstrEffect* e,
                       uint64_t** targets);

#endif /* DCFG_CMD_JUMP_TABLE_H */
