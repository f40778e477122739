/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stubs of procedure linkage tables. */

#ifndef DCFG_CMD_STUBS_H
#define DCFG_CMD_STUBS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* Stubs: a stub jumps to the address in a slot of the global offset table; the
   slot's relocation tells the function. */
typedef struct Stubs Stubs;

/* Find the stubs of an ELF file for x86-64, x86 or arm64; other files have
   none. */
Stubs* stubs_new(Elf* elf);
void   stubs_free(Stubs* s);

/* Return the function whose stub is the SIZE bytes of CODE, at ADDR in the
   file; NULL if it is no stub. */
const char* stubs_name(const Stubs* s, const uint8_t* code, size_t size,
                       uint64_t addr);

/* The most bytes of a stub. */
#define LONGEST_STUB 12

#endif /* DCFG_CMD_STUBS_H */
