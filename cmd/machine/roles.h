/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How instructions use registers. */

#ifndef DCFG_CMD_ROLES_H
#define DCFG_CMD_ROLES_H

#include "cmd/machine/machines.h"

#include <stddef.h>

/* Return the roles in W, for roles_free(), and tell the library which values of W
   have loaded bytes (dcfg_wet_tell_loads()). */
Roles roles_new(DcfgWet* w);
void  roles_free(Roles* r);

/* Tell the library that alone, before an index of W is made. */
void tell_loads(DcfgWet* w);

/* Write the instruction's assembly to TEXT of SIZE bytes. */
void instr_text(const DcfgWetInstr* in, char* text, size_t size);

#endif /* DCFG_CMD_ROLES_H */
