/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading text files. */

#ifndef DCFG_CMD_TEXTFILE_H
#define DCFG_CMD_TEXTFILE_H

#include "cmd/base/file_kind.h"

#include <stdio.h>

/* Open a text file of kind NEEDED, which may be compressed; "-" is the standard
   input.  Exits if it is of another kind or cannot be opened, and later if it
   cannot be read. */
FILE* open_text(const char* path, FileKind needed);

#endif /* DCFG_CMD_TEXTFILE_H */
