/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Maps from keys to numbers, and names that are one string. */

#ifndef DCFG_CMD_KEYMAP_H
#define DCFG_CMD_KEYMAP_H

#include "cmd/base/cmd.h"

/* KeyMap: gives 64-bit keys the numbers 0, 1, 2 and so on, in the order of
   their first occurrence.  No file can make it slow. */
typedef struct KeyMap KeyMap;

KeyMap*  keymap_new(void);
void     keymap_free(KeyMap* m);

/* Return the number of KEY, a new one if it has none. */
uint32_t keymap_number(KeyMap* m, uint64_t key);

/* Return the number of KEY, or UINT32_MAX if it has none. */
uint32_t keymap_find(const KeyMap* m, uint64_t key);

uint32_t keymap_size(const KeyMap* m);
uint64_t keymap_key(const KeyMap* m, uint32_t number);

/* Interned: returns the same pointer for equal names, valid as long as it
   lives. */
typedef struct Interned Interned;

Interned*   interned_new(void);
void        interned_free(Interned* names);
const char* intern(Interned* names, const char* name);

/* Return the same for the N characters of TEXT, of which none is NUL. */
const char* intern_part(Interned* names, const char* text, size_t n);

#endif /* DCFG_CMD_KEYMAP_H */
