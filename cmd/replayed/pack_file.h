/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A recording with the files that its replay needs. */

#ifndef DCFG_CMD_PACK_FILE_H
#define DCFG_CMD_PACK_FILE_H

#include "cmd/base/cmd.h"
#include "cmd/base/operands.h"

/* Names in a pack.  Files are below PACK_ROOT under their full names. */
#define PACK_REC  PACK_FIRST
#define PACK_LIST "builds"
#define PACK_ROOT "root"

/* Append the regular file FD to the archive TO, as NAME; or the text; or the end.
   They exit after an error. */
void pack_file(FILE* to, const char* name, int fd);
void pack_text(FILE* to, const char* name, const char* text, size_t size);
void pack_end(FILE* to);

/* Return FILE; but if it is a pack, the recording in it, which is unpacked beside
   FILE unless that has been done.  If the recording is one that was unpacked, and
   *ROOT is NULL, *ROOT becomes the directory with its files.  Both texts last as
   long as the process.  Die if FILE is a damaged pack. */
const char* pack_opened(const char* file, const char** root);

#endif /* DCFG_CMD_PACK_FILE_H */
