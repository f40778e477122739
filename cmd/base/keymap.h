/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Map from keys to numbers. */

#ifndef DCFG_CMD_KEYMAP_H
#define DCFG_CMD_KEYMAP_H

#include "cmd/base/cmd.h"

/* KeyMap: gives 64-bit keys the numbers 0, 1, 2 and so on, in the order of
   their first occurrence.  Finding a key takes at most 64 steps, whatever the
   keys are. */
typedef struct KeyMap KeyMap;

KeyMap*  keymap_new(void);
void     keymap_free(KeyMap* m);

/* Return the number of KEY, a new one if it has none. */
uint32_t keymap_number(KeyMap* m, uint64_t key);

/* Return the number of KEY, or UINT32_MAX if it has none. */
uint32_t keymap_find(const KeyMap* m, uint64_t key);

uint32_t keymap_size(const KeyMap* m);
uint64_t keymap_key(const KeyMap* m, uint32_t number);

#endif /* DCFG_CMD_KEYMAP_H */
