/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The files that a subcommand reads. */

#ifndef DCFG_CMD_OPERANDS_H
#define DCFG_CMD_OPERANDS_H

#include "cmd/base/cmd.h"
#include "cmd/base/file_kind.h"

#include "lib/dcfg.h"

/* For a command line without files: the newest DCFG in the current directory
   goes to FILES[0], and with TRACE, that of the same process to FILES[1].
   Says on stderr what they are; dies if there is none. */
void default_files(const Command* c, const char** files, bool trace);

/* Return the newest file of KIND in the current directory, likewise: an XRay log
   or a whole execution trace. */
const char* default_file(const Command* c, FileKind kind);

/* Die: of a DCFG and its trace only FILE is named. */
_Noreturn void one_is_missing(const Command* c, const char* file);

/* Options of the library for a file that is read.  PROBLEM, given ARG, is told of
   each violation; it may be NULL. */
DcfgOptions read_options(void (*problem)(void* arg, const DcfgProblem* p),
                         void* arg);

/* Load, or die. */
Dcfg* load_dcfg(const char* path);

/* Why a file could not be read where one of kind NEEDED is; KIND_OTHER: of any. */
const char* unreadable(const DcfgError* err, FileKind needed);

/* Die if PATH is known to be of another kind than NEEDED. */
void refuse_other_kind(const char* path, FileKind needed);

/* The thread of --thread=N, which must be one of a process; all of them
   without the option, which is UINT64_MAX. */
uint32_t need_thread(const Dcfg* d, uint64_t thread);

#endif /* DCFG_CMD_OPERANDS_H */
