/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Spool: many byte sequences in bounded memory. */

/* Owns: sequences that are written side by side and read one after the
   other.  Handed: bytes.

   They grow in memory until there is too much of it.  Then all of them go to a
   file without a name, and memory is empty again.  So a sequence is some parts
   of the file, each ending with a complete entry, and the bytes in memory. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_IN_MEMORY (256u << 20)
#define LARGEST_PART   (1u << 20)

struct Spool {
   Sequence* all;
   size_t    n;
   uint64_t  in_memory;         // size of all buffers, in bytes
   int       fd;                // -1: no file yet
   uint64_t  length;            // length of the file
   uint8_t   part[2 * LARGEST_PART];
};

Spool* spool_new(size_t n)
{
   Spool* s = zalloc(1, sizeof(*s));

   s->all = zalloc(n + 1, sizeof(Sequence));
   s->n   = n;
   s->fd  = -1;
   return s;
}

Sequence* spool_sequence(Spool* s, size_t i)
{
   return &s->all[i];
}

static void forget(Spool* s, Sequence* q)
{
   s->in_memory -= q->room;
   free(q->bytes);
   q->bytes = NULL;
   q->used  = q->room = 0;
}

void spool_free(Spool* s)
{
   for (size_t i = 0; i < s->n; i++) {
      free(s->all[i].bytes);
      free(s->all[i].parts);
   }
   if (s->fd >= 0)
      close(s->fd);
   free(s->all);
   free(s);
}

static void open_file(Spool* s)
{
   const char* dir  = getenv("TMPDIR");
   char*       path = text_copy(text_format("%s/dcfg-XXXXXX",
                                            dir != NULL ? dir : "/tmp"));

   s->fd = mkstemp(path);
   if (s->fd < 0)
      die("%s: %s", path, strerror(errno));
   unlink(path);
   free(path);
}

static void store(Spool* s, Sequence* q)
{
   uint32_t at = 0;

   if (s->fd < 0)
      open_file(s);
   q->parts = need(realloc(q->parts, (q->n_parts + (size_t)1) * 2
                                     * sizeof(uint64_t)));
   q->parts[2 * q->n_parts]     = s->length;
   q->parts[2 * q->n_parts + 1] = q->used;
   q->n_parts++;
   while (at < q->used) {
      ssize_t n = pwrite(s->fd, q->bytes + at, q->used - at,
                         (off_t)s->length);
      if (n < 0 && errno == EINTR)
         continue;
      if (n < 0)
         die("a temporary file: %s", strerror(errno));
      at        += (uint32_t)n;
      s->length += (uint64_t)n;
   }
   forget(s, q);
}

void spool_need(Spool* s, Sequence* q)
{
   if (q->room - q->used >= MAX_ADDED)
      return;
   if (q->used >= LARGEST_PART) {
      store(s, q);
   } else if (s->in_memory > MOST_IN_MEMORY) {
      for (size_t i = 0; i < s->n; i++)
         if (s->all[i].used > 0)
            store(s, &s->all[i]);
   }
   uint32_t room = q->room == 0 ? MAX_ADDED : 2 * q->room;
   q->bytes      = need(realloc(q->bytes, room));
   s->in_memory += room - q->room;
   q->room       = room;
}

void spool_play(Spool* s, Sequence* q, Playback* p)
{
   *p = (Playback){ .spool = s, .q = q };
}

bool spool_more(Playback* p)
{
   Sequence* q = p->q;
   Spool*    s = p->spool;

   if (p->at < p->end)
      return true;
   if (p->part > q->n_parts)
      return false;
   if (p->part == q->n_parts) {
      p->at  = q->bytes;
      p->end = q->bytes + q->used;
   } else {
      uint64_t from = q->parts[2 * p->part], n = q->parts[2 * p->part + 1];
      uint64_t got = 0;
      while (got < n) {
         ssize_t more = pread(s->fd, s->part + got, n - got,
                              (off_t)(from + got));
         if (more < 0 && errno == EINTR)
            continue;
         if (more <= 0)
            die("a temporary file: %s", more < 0 ? strerror(errno)
                                                 : "it is too short");
         got += (uint64_t)more;
      }
      p->at  = s->part;
      p->end = s->part + n;
   }
   p->part++;
   return p->at < p->end || spool_more(p);
}
