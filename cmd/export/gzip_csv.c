/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables as compressed CSV. */

/* Owns: a table's text, and its compression.  Handed: fields by
   export_tables.c.

   The text is RFC 4180's, but with newlines alone.  Equal rows give equal
   bytes: the file has neither a name nor a time. */

#include "cmd/export/gzip_csv.h"

#include "cmd/base/cmd.h"
#include "cmd/base/csv.h"
#include "cmd/base/format.h"
#include "cmd/base/outfile.h"
#include "cmd/base/result.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct GzipCsv {
   FILE*         file;
   const char*   path;
   z_stream      z;
   bool          in_row;
   size_t        used;
   char          text[1 << 16];
   unsigned char packed[1 << 15];
};

static void pack(GzipCsv* t, int flush)
{
   t->z.next_in = (unsigned char*)t->text;
   t->z.avail_in = (unsigned)t->used;
   do {
      size_t n;
      t->z.next_out = t->packed;
      t->z.avail_out = sizeof(t->packed);
      if (deflate(&t->z, flush) == Z_STREAM_ERROR)
         die("%s: it could not be compressed", t->path);
      n = sizeof(t->packed) - t->z.avail_out;
      fwrite(t->packed, 1, n, t->file);
   } while (t->z.avail_out == 0);
   t->used = 0;
}

static void put_bytes(GzipCsv* t, const char* s, size_t n)
{
   while (n > 0) {
      size_t some = sizeof(t->text) - t->used < n ? sizeof(t->text) - t->used
                                                  : n;
      memcpy(t->text + t->used, s, some);
      t->used += some;
      s += some;
      n -= some;
      if (t->used == sizeof(t->text))
         pack(t, Z_NO_FLUSH);
   }
}

/* zlib's windowBits 15, and 16 for a gzip header, which has no name and no
   time. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8
#define GZIP_LEVEL  4

GzipCsv* csv_open(const char* path, const char* columns)
{
   GzipCsv* t = zalloc(1, sizeof(*t));

   t->path = path;
   t->file = open_result_as_it_is(path);
   if (deflateInit2(&t->z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                    Z_DEFAULT_STRATEGY) != Z_OK)
      die("%s: it could not be compressed", path);
   put_bytes(t, columns, strlen(columns));
   return t;
}

void csv_close(GzipCsv* t)
{
   put_bytes(t, "\n", 1);
   pack(t, Z_FINISH);
   deflateEnd(&t->z);
   finish_result(t->file);
   free(t);
}

void csv_row(GzipCsv* t, const char* prefix)
{
   put_bytes(t, "\n", 1);
   put_bytes(t, prefix, strlen(prefix));
}

void csv_text(GzipCsv* t, const char* s)
{
   char*       quoted = csv_quoted(s);
   const char* field = quoted != NULL ? quoted : s;

   put_bytes(t, ",", 1);
   put_bytes(t, field, strlen(field));
   free(quoted);
}

void csv_number(GzipCsv* t, uint64_t n)
{
   char  text[MAX_DIGITS + 1] = ",";
   char* end = put_decimal(text + 1, n);

   put_bytes(t, text, (size_t)(end - text));
}

void csv_signed(GzipCsv* t, int64_t n)
{
   if (n >= 0)
      csv_number(t, (uint64_t)n);
   else
      put_bytes(t, text_format(",%lld", (long long)n),
                strlen(text_format(",%lld", (long long)n)));
}
