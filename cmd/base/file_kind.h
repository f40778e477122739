/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of files. */

#ifndef DCFG_CMD_FILE_KIND_H
#define DCFG_CMD_FILE_KIND_H

#include <stdbool.h>

typedef
   enum {
      KIND_OTHER,       // none of the others
      KIND_GRAPH, KIND_TRACE, KIND_TURNS, KIND_XRAY, KIND_MAP, KIND_WET,
      KIND_PROFILE, KIND_UFTRACE, KIND_VECTORS, KIND_PROGRAM, KIND_EMPTY,
      KIND_UNFINISHED, KIND_CHOICE, KIND_LACKEY   // may be needed, is never
                                                  // found
   }
   FileKind;

/* Return the kind of the file PATH, by its first bytes and not by its name. */
FileKind file_kind(const char* path);

/* Return whether PATH is a whole execution trace, without reading more of
   it. */
bool is_wet(const char* path);

/* Return for example "a DCFG-trace, which valgrind --tool=dcfg --trace=yes
   writes". */
const char* kind_needed(FileKind needed);

/* Return "PATH is FOUND, not NEEDED: use `dcfg report PATH'".  FOUND is not
   KIND_OTHER.  Nothing reads an empty file, so no command stands behind
   that. */
const char* wrong_kind(const char* path, FileKind found, FileKind needed);

#endif /* DCFG_CMD_FILE_KIND_H */
