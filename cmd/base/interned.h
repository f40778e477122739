/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names that are there once. */

#ifndef DCFG_CMD_INTERNED_H
#define DCFG_CMD_INTERNED_H

/* A name, the same pointer for the same name, as long as this lives. */
typedef struct Interned Interned;

Interned*   interned_new(void);
void        interned_free(Interned* names);
const char* intern(Interned* names, const char* name);

#endif /* DCFG_CMD_INTERNED_H */
