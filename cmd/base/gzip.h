/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream that compresses what is written to it. */

#ifndef DCFG_CMD_GZIP_H
#define DCFG_CMD_GZIP_H

#include <stdio.h>

/* Return a stream that writes to OUT all it gets, as gzip of zlib's LEVEL,
   with PUT, or as it is if that is NULL.  PUT gets GZIP_PIECE bytes at a time,
   but for the last ones.  The same bytes make the same gzip: it has no name and
   no time.  Closing the stream leaves OUT open. */
FILE* gzip_open(FILE* out, int level,
                void (*put)(FILE* out, const unsigned char* bytes, size_t n));

#define GZIP_PIECE (3 * 16384)

#endif /* DCFG_CMD_GZIP_H */
