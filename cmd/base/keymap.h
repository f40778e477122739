/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers for keys. */

#ifndef DCFG_CMD_KEYMAP_H
#define DCFG_CMD_KEYMAP_H

#include "cmd/base/cmd.h"

/* Keys of 64 bits get the numbers 0, 1, 2 and so on, in the order in which
   they come.  Whatever the keys are, finding one takes at most 64 steps. */
typedef struct KeyMap KeyMap;

KeyMap*  keymap_new(void);
void     keymap_free(KeyMap* m);

/* The number of KEY, which it gets now if it has none. */
uint32_t keymap_number(KeyMap* m, uint64_t key);

/* The number of KEY; UINT32_MAX if it has none. */
uint32_t keymap_find(const KeyMap* m, uint64_t key);

uint32_t keymap_size(const KeyMap* m);
uint64_t keymap_key(const KeyMap* m, uint32_t number);

#endif /* DCFG_CMD_KEYMAP_H */
