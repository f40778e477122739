/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

#ifndef DCFG_CMD_INTERNED_H
#define DCFG_CMD_INTERNED_H

#include <stddef.h>

/* Interned: returns the same pointer for equal names, valid as long as it
   lives. */
typedef struct Interned Interned;

Interned*   interned_new(void);
void        interned_free(Interned* names);
const char* intern(Interned* names, const char* name);

/* Return the same for the N characters of TEXT, of which none is NUL. */
const char* intern_part(Interned* names, const char* text, size_t n);

#endif /* DCFG_CMD_INTERNED_H */
