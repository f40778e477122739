
/*--------------------------------------------------------------------*/
/*--- The files that a subcommand reads.                operands.h ---*/
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

#ifndef DCFG_CMD_OPERANDS_H
#define DCFG_CMD_OPERANDS_H

#include "cmd/base/cmd.h"

#include "lib/dcfg.h"

/* For a command line without files: the newest DCFG in the current directory
   goes to FILES[0], and with TRACE, that of the same process to FILES[1].
   Says on stderr what they are; dies if there is none. */
void default_files(const Command* c, const char** files, bool trace);

/* What the library is to do with a file: PROBLEM may be NULL. */
DcfgOptions read_options(void (*problem)(void* arg, const DcfgProblem* p),
                         void* arg);

/* Load, or die. */
Dcfg* load_dcfg(const char* path);

/* Why a file could not be read, where a DCFG is needed or, with TRACE, a
   DCFG-trace. */
const char* unreadable(const DcfgError* err, bool trace);

/* The thread of --thread=N, which must be one of a process; all of them
   without the option, which is UINT64_MAX. */
uint32_t need_thread(const Dcfg* d, uint64_t thread);

#endif /* DCFG_CMD_OPERANDS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
