/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Text that is read. */

#ifndef DCFG_CMD_TEXTFILE_H
#define DCFG_CMD_TEXTFILE_H

#include <stdio.h>

/* The text of a file, which may be compressed; "-" is the standard input.  Dies
   if it cannot be opened, and later if it cannot be read. */
FILE* open_text(const char* path);

#endif /* DCFG_CMD_TEXTFILE_H */
