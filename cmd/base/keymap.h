
/*--------------------------------------------------------------------*/
/*--- Numbers for keys.                                   keymap.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
