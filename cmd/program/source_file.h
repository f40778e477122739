/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of a source file. */

#ifndef DCFG_CMD_SOURCE_FILE_H
#define DCFG_CMD_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct SourceFile SourceFile;

/* Open a source file.  Return NULL if it cannot be read. */
SourceFile* source_file_open(const char* path);

/* Close F, which may be NULL. */
void source_file_close(SourceFile* f);

uint32_t source_file_lines(const SourceFile* f);

/* Return line N, counted from 1, without its end; it may have any bytes.  NULL
   if it does not exist. */
const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length);

/* Return line N likewise, without the blanks and tabs at its begin; NULL also
   if F is NULL. */
const char* source_file_code(const SourceFile* f, uint32_t n, size_t* length);

#endif /* DCFG_CMD_SOURCE_FILE_H */
