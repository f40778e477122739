/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of gzip. */

#ifndef DCFG_CMD_GZIP_H
#define DCFG_CMD_GZIP_H

#include <stddef.h>
#include <stdio.h>

typedef struct Gzip Gzip;

/* Compress to FILE, which messages call PATH.  LEVEL: zlib's.  The same bytes make the
   same file: it has no name and no time.  These functions die on errors. */
Gzip* gzip_new(FILE* file, const char* path, int level);
void  gzip_put(Gzip* g, const void* bytes, size_t n);

/* Write the end to the file, which stays open. */
void  gzip_end(Gzip* g);

#endif /* DCFG_CMD_GZIP_H */
