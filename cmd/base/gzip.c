/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the bytes that are on their way.  Handed: an open file, and bytes. */

#define _GNU_SOURCE 1   // for fopencookie

#include "cmd/base/gzip.h"

#include "cmd/base/cmd.h"

#include <zlib.h>

typedef
   struct {
      FILE*    out;
      void   (*put)(FILE* out, const unsigned char* bytes, size_t n);
      z_stream z;
      unsigned char packed[GZIP_PIECE];
   }
   Gzip;

static void put_as_it_is(FILE* out, const unsigned char* bytes, size_t n)
{
   fwrite(bytes, 1, n, out);
}

/* Compress the input of .z.  HOW: zlib's Z_NO_FLUSH or Z_FINISH. */
static void squeeze(Gzip* g, int how)
{
   for (;;) {
      int r = deflate(&g->z, how);
      if (g->z.avail_out > 0 && r != Z_STREAM_END)
         return;
      g->put(g->out, g->packed, GZIP_PIECE - g->z.avail_out);
      g->z.next_out  = g->packed;
      g->z.avail_out = GZIP_PIECE;
      if (r == Z_STREAM_END)
         return;
   }
}

static ssize_t take(void* gzip, const char* bytes, size_t n)
{
   Gzip* g = gzip;

   g->z.next_in  = (Bytef*)(uintptr_t)bytes;
   g->z.avail_in = (uInt)n;
   squeeze(g, Z_NO_FLUSH);
   return (ssize_t)n;
}

static int finish(void* gzip)
{
   Gzip* g = gzip;

   squeeze(g, Z_FINISH);
   deflateEnd(&g->z);
   free(g);
   return 0;
}

/* zlib's windowBits 15, and 16 for a gzip header, which has no name and no
   time. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8

FILE* gzip_open(FILE* out, int level,
                void (*put)(FILE* out, const unsigned char* bytes, size_t n))
{
   Gzip* g = zalloc(1, sizeof(*g));

   g->out         = out;
   g->put         = put != NULL ? put : put_as_it_is;
   g->z.next_out  = g->packed;
   g->z.avail_out = GZIP_PIECE;
   if (deflateInit2(&g->z, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                    Z_DEFAULT_STRATEGY) != Z_OK)
      die("out of memory");
   return need(fopencookie(g, "w", (cookie_io_functions_t){
                                      .write = take, .close = finish }));
}
