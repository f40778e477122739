
/*--------------------------------------------------------------------*/
/*--- Is a file the build that was executed?         same_build.h ---*/
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
