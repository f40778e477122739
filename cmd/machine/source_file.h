/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of a source file. */

#ifndef DCFG_CMD_SOURCE_FILE_H
#define DCFG_CMD_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct SourceFile SourceFile;

/* NULL if it cannot be read. */
SourceFile* source_file_open(const char* path);

/* F may be NULL. */
void source_file_close(SourceFile* f);

uint32_t source_file_lines(const SourceFile* f);

/* Line N, from 1, without its end; whatever bytes it has.  NULL if there is
   none. */
const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length);

#endif /* DCFG_CMD_SOURCE_FILE_H */
