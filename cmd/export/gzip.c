/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of gzip. */

/* Owns: the bytes that are on their way to a file.  Handed: an open file, and
   bytes by the other files of the room. */

#include "cmd/export/gzip.h"

#include "cmd/base/cmd.h"

#include <zlib.h>

struct Gzip {
   FILE*         file;
   const char*   path;
   z_stream      z;
   size_t        used;
   unsigned char text[1 << 16];
   unsigned char packed[1 << 15];
};

static void pack(Gzip* g, int flush)
{
   g->z.next_in = g->text;
   g->z.avail_in = (unsigned)g->used;
   do {
      size_t n;
      g->z.next_out = g->packed;
      g->z.avail_out = sizeof(g->packed);
      if (deflate(&g->z, flush) == Z_STREAM_ERROR)
         die("%s: it could not be compressed", g->path);
      n = sizeof(g->packed) - g->z.avail_out;
      fwrite(g->packed, 1, n, g->file);
   } while (g->z.avail_out == 0);
   g->used = 0;
}

void gzip_put(Gzip* g, const void* bytes, size_t n)
{
   const unsigned char* at = bytes;

   while (n > 0) {
      size_t some = sizeof(g->text) - g->used < n ? sizeof(g->text) - g->used
                                                  : n;
      memcpy(g->text + g->used, at, some);
      g->used += some;
      at += some;
      n -= some;
      if (g->used == sizeof(g->text))
         pack(g, Z_NO_FLUSH);
   }
}

/* zlib's windowBits 15, and 16 for a gzip header, which has no name and no
   time. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8

Gzip* gzip_new(FILE* file, const char* path, int level)
{
   Gzip* g = zalloc(1, sizeof(*g));

   g->file = file;
   g->path = path;
   if (deflateInit2(&g->z, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                    Z_DEFAULT_STRATEGY) != Z_OK)
      die("%s: it could not be compressed", path);
   return g;
}

void gzip_end(Gzip* g)
{
   pack(g, Z_FINISH);
   deflateEnd(&g->z);
   free(g);
}
