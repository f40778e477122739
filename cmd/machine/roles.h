/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions use registers. */

#ifndef DCFG_CMD_ROLES_H
#define DCFG_CMD_ROLES_H

#include "cmd/machine/machines.h"

#include <stddef.h>

Roles roles_new(DcfgWet* w);
void  roles_free(Roles* r);

/* Write the instruction's assembly to TEXT of SIZE bytes. */
void instr_text(const DcfgWetInstr* in, char* text, size_t size);

#endif /* DCFG_CMD_ROLES_H */
