/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The general registers of x86 and amd64. */

#ifndef DCFG_CMD_X86_REGISTERS_H
#define DCFG_CMD_X86_REGISTERS_H

#include <capstone/capstone.h>

/* General registers, by their encoding. */
enum { RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7,
       R11 = 11 };

/* Set *N to the general register that R is a part of, and return the place of
   its lowest bit there; return -1 if R is no part of one. */
int x86_part_of(x86_reg r, unsigned* n);

#endif /* DCFG_CMD_X86_REGISTERS_H */
