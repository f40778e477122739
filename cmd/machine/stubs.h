/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stubs of procedure linkage tables. */

#ifndef DCFG_CMD_STUBS_H
#define DCFG_CMD_STUBS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* A stub jumps to where a slot of the global offset table points; which
   function that is for, the slot's relocation says. */
typedef struct Stubs Stubs;

/* Those of an ELF file, which has some if it is for x86-64, x86 or arm64. */
Stubs* stubs_new(Elf* elf);
void   stubs_free(Stubs* s);

/* The function whose stub is the SIZE bytes of CODE, at ADDR in the file; NULL
   if it is none. */
const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr);

/* A stub has no more than these. */
#define LONGEST_STUB 12

#endif /* DCFG_CMD_STUBS_H */
