/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

#ifndef DCFG_CMD_INTERNED_H
#define DCFG_CMD_INTERNED_H

/* Interned: returns the same pointer for equal names, valid as long as it
   lives. */
typedef struct Interned Interned;

Interned*   interned_new(void);
void        interned_free(Interned* names);
const char* intern(Interned* names, const char* name);

#endif /* DCFG_CMD_INTERNED_H */
