/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which kind of file is it? */

#ifndef DCFG_CMD_FILE_KIND_H
#define DCFG_CMD_FILE_KIND_H

#include <stdbool.h>

typedef
   enum {
      KIND_OTHER,       // none of these
      KIND_GRAPH, KIND_TRACE, KIND_TURNS, KIND_XRAY, KIND_MAP, KIND_WET,
      KIND_PROFILE, KIND_UFTRACE, KIND_VECTORS, KIND_PROGRAM,
      KIND_UNFINISHED, KIND_CHOICE, KIND_LACKEY   // needed, never found
   }
   FileKind;

/* The kind of the file PATH, by its first bytes, whatever its name is. */
FileKind file_kind(const char* path);

/* "a DCFG-trace, which valgrind --tool=dcfg --trace=yes writes" */
const char* kind_needed(FileKind needed);

/* "PATH is FOUND, not NEEDED: use `dcfg report PATH'".  FOUND is not
   KIND_OTHER. */
const char* wrong_kind(const char* path, FileKind found, FileKind needed);

#endif /* DCFG_CMD_FILE_KIND_H */
