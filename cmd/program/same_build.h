/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Comparison of builds. */

#ifndef DCFG_CMD_SAME_BUILD_H
#define DCFG_CMD_SAME_BUILD_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>

/* Size of a build id in hexadecimal; longer ones are cut, as in recordings. */
#define BUILD_ID_SIZE 129

/* Find the build id of ELF, with or without sections; "" if it has none. */
void find_build_id(Elf* elf, char id[BUILD_ID_SIZE]);

/* Return how ELF differs from the image of a recording with BUILD_ID or
   CODE_HASH, of which one may be NULL; NULL if it does not differ, or nothing
   is known.  ELF is the image's file, or debug information, as it is now. */
const char* build_difference(Elf* elf, const char* build_id,
                             const char* code_hash);

/* Likewise for MODULE's debug information, which may be in a file of its own.
   Return a whole sentence; NULL if nothing differs. */
const char* debug_difference(Dwfl_Module* module, const char* build_id);

/* Return the message about the file at PATH with its DIFFERENCE, the same for
   all commands. */
const char* not_executed(const char* path, const char* difference);

#endif /* DCFG_CMD_SAME_BUILD_H */
