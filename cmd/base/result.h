/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files for results. */

#ifndef DCFG_CMD_RESULT_H
#define DCFG_CMD_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Open a file for a result.  It gets its name when all results are complete;
   otherwise it is removed.  If PATH is a link, its target is replaced; a file
   that is not regular is written in place.  If PATH ends in .gz, .bz2, .xz or
   .zst, the text goes through that program.  NULL and "-": the standard output.
   All these functions exit after an error. */
FILE* open_result(const char* path);

/* ResultKind: how a result differs from the usual one. */
typedef
   enum {
      RESULT_USUAL,
      RESULT_LONG,              // gigabytes that repeat themselves: xz runs with
                                // -2 and on all processors; with its own default
                                // it is 30 times slower there
      RESULT_PRIVATE,           // only the user may read the file
      RESULT_AS_IT_IS           // compressed already, whatever the suffix
   }
   ResultKind;

FILE* open_result_as(const char* path, ResultKind kind);

/* Complete F, which is not the standard output. */
void  finish_result(FILE* f);

/* Give all results their names: all are complete. */
void  name_results(void);

/* Complete and name all open results, and flush the standard output. */
void  close_results(void);

/* Do the same, and print to stderr what to type next; lines end with
   newlines. */
void  say_next(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Return the suffix of PATH that names a compressor, or the end of PATH. */
const char* compressed_suffix(const char* path);

/*--- Compressed by the command itself                     ---*/

/* Return a stream that writes to OUT all it gets, as gzip of zlib's LEVEL,
   with PUT, or as it is if that is NULL.  PUT gets GZIP_PIECE bytes at a time,
   but for the last ones.  The same bytes make the same gzip: it has no name and
   no time.  Closing the stream leaves OUT open. */
FILE* gzip_open(FILE* out, int level,
                void (*put)(FILE* out, const unsigned char* bytes, size_t n));

#define GZIP_PIECE (3 * 16384)

#endif /* DCFG_CMD_RESULT_H */
