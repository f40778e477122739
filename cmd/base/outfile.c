/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fast output of text, compressed if the name says so. */

/* Owns: the buffer between a writer of much text and its file.  Handed:
   text. */

#include "cmd/base/outfile.h"

#include "cmd/base/cmd.h"
#include "cmd/base/result.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

Outfile* outfile_open(const char* path)
{
   Outfile* o = zalloc(1, sizeof(*o));

   o->path = path;
   o->fd   = path == NULL ? STDOUT_FILENO : fileno(open_result(path));
   return o;
}

void out_flush(Outfile* o)
{
   const char* at = o->text;

   while (o->used > 0) {
      ssize_t n = write(o->fd, at, o->used);
      if (n < 0 && errno == EINTR)
         continue;
      if (n < 0)
         write_failed(o->path);
      at      += n;
      o->used -= (uint32_t)n;
   }
}

void outfile_close(Outfile* o)
{
   out_flush(o);
   close_results();
   free(o);
}

void out_text(Outfile* o, const char* s)
{
   while (*s != 0)
      out_char(o, *s++);
}

void out_decimal(Outfile* o, uint64_t n)
{
   out_up_to(o, put_decimal(out_room(o, MAX_DIGITS), n));
}

void out_hex(Outfile* o, uint64_t n)
{
   unsigned shift = 60;

   while (shift > 0 && n >> shift == 0)
      shift -= 4;
   for (;; shift -= 4) {
      out_char(o, "0123456789abcdef"[n >> shift & 15]);
      if (shift == 0)
         return;
   }
}
