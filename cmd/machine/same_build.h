/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Is a file the build that was executed? */

#ifndef DCFG_CMD_SAME_BUILD_H
#define DCFG_CMD_SAME_BUILD_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>

/* A build id in hexadecimal; longer ones are cut off, as in recordings. */
#define BUILD_ID_SIZE 129

/* The build id of ELF, of a file with or without sections; "" if it has
   none. */
void find_build_id(Elf* elf, char id[BUILD_ID_SIZE]);

/* A recording has BUILD_ID or CODE_HASH of the image whose file, or debug
   information, ELF is now; NULL: it has not.  Return how ELF differs, NULL if
   it does not or nothing tells. */
const char* build_difference(Elf* elf, const char* build_id,
                             const char* code_hash);

/* The same of MODULE's debug information, which may be in a file of its own: a
   whole sentence; NULL if nothing differs. */
const char* debug_difference(Dwfl_Module* module, const char* build_id);

/* The sentence that all commands say of the file at PATH, with its
   DIFFERENCE. */
const char* not_executed(const char* path, const char* difference);

#endif /* DCFG_CMD_SAME_BUILD_H */
