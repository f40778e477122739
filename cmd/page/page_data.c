/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Data in a page. */

/* Owns: compressing data and writing it as text.  Handed: bytes, as they are
   made; memory does not grow with them. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     // fopencookie
#endif
#include "cmd/page/page_data.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <zlib.h>

#define CHUNK (3 * 16384)       // bytes; base64 of a multiple of 3 needs no
                                // padding

typedef
   struct {
      FILE*    out;
      z_stream z;
      unsigned char packed[CHUNK];
   }
   PageData;

/* Write the N BYTES in base64 (RFC 4648). */
static void put_base64(FILE* out, const unsigned char* bytes, size_t n)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";

   for (size_t i = 0; i < n; i += 3) {
      size_t   left = n - i;
      unsigned word = (unsigned)bytes[i] << 16
                      | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0)
                      | (left > 2 ? bytes[i + 2] : 0);
      char     text[4] = { digits[word >> 18], digits[word >> 12 & 63],
                           left > 1 ? digits[word >> 6 & 63] : '=',
                           left > 2 ? digits[word & 63] : '=' };
      fwrite(text, 1, sizeof(text), out);
   }
}

/* Compress the input of .z.  HOW: zlib's Z_NO_FLUSH or Z_FINISH. */
static void squeeze(PageData* d, int how)
{
   for (;;) {
      int r = deflate(&d->z, how);
      if (d->z.avail_out > 0 && r != Z_STREAM_END)
         return;
      put_base64(d->out, d->packed, CHUNK - d->z.avail_out);
      d->z.next_out  = d->packed;
      d->z.avail_out = CHUNK;
      if (r == Z_STREAM_END)
         return;
   }
}

static ssize_t take(void* cookie, const char* bytes, size_t n)
{
   PageData* d = cookie;

   d->z.next_in  = (Bytef*)(uintptr_t)bytes;
   d->z.avail_in = (uInt)n;
   squeeze(d, Z_NO_FLUSH);
   return (ssize_t)n;
}

static int finish(void* cookie)
{
   PageData* d = cookie;

   squeeze(d, Z_FINISH);
   deflateEnd(&d->z);
   free(d);
   return 0;
}

FILE* page_data_open(FILE* out)
{
   PageData* d = zalloc(1, sizeof(*d));
   FILE*     f;

   d->out         = out;
   d->z.next_out  = d->packed;
   d->z.avail_out = CHUNK;
   if (deflateInit2(&d->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY)
          != Z_OK
       || (f = fopencookie(d, "w", (cookie_io_functions_t){
                                      .write = take, .close = finish }))
          == NULL)
      die("out of memory");
   return f;
}

void page_data_close(FILE* data)
{
   fclose(data);
}
