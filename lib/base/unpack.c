/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Unpacked copies of compressed files, for reading in any order. */

/* Owns: the temporary file with the unpacked contents.  Handed: an input at its
   begin.  Taken by: wet_open.c.

   The file has no name, so it goes away with its descriptor, however the
   program ends. */

#define _GNU_SOURCE     // for O_TMPFILE

#include "lib/base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* directory(void)
{
   const char* dir = getenv("TMPDIR");

   return dir == NULL || dir[0] == 0 ? "/tmp" : dir;
}

static void fail(Job* job)
{
   job_fail(job, DCFG_ERROR_FILE, NULL,
            "it is compressed, and cannot be unpacked in %s (TMPDIR names "
            "another place): %s", directory(), strerror(errno));
}

/* Create a file without a name.  Some file systems cannot: then remove the
   name. */
static int new_file(Job* job)
{
   int   fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
   char* path;

   if (fd >= 0)
      return fd;
   if (asprintf(&path, "%s/dcfg-XXXXXX", directory()) < 0) {
      job_fail(job, DCFG_ERROR_MEMORY, NULL, "out of memory");
      return -1;
   }
   fd = mkostemp(path, O_CLOEXEC);
   if (fd >= 0)
      unlink(path);
   else
      fail(job);
   free(path);
   return fd;
}

static bool put(int fd, const uint8_t* buf, size_t n)
{
   while (n > 0) {
      ssize_t done = write(fd, buf, n);
      if (done < 0 && errno == EINTR)
         continue;
      if (done < 0)
         return false;
      buf += done;
      n   -= (size_t)done;
   }
   return true;
}

/* The disk space that a compressed file may take, as dcfg.h says. */
#define DISK_AT_FIRST (1ULL << 30)
#define DISK_PER_FILE 64

static uint64_t allowed(const Job* job, const Input* in)
{
   uint64_t n = input_size(in);

   return job->options.max_disk > 0 ? job->options.max_disk
          : n > (UINT64_MAX - DISK_AT_FIRST) / DISK_PER_FILE ? UINT64_MAX
          : DISK_AT_FIRST + DISK_PER_FILE * n;
}

int input_unpack(Job* job, Input* in, uint64_t size)
{
   enum { SIZE = 1 << 18 };
   uint64_t left = size;
   uint8_t* buf;
   size_t   got;
   bool     ok;
   int      fd;

   if (size > allowed(job, in)) {
      job_fail(job, DCFG_ERROR_LIMIT, NULL,
               "unpacked it needs %llu bytes of disk, more than the %llu that "
               "are allowed", (unsigned long long)size,
               (unsigned long long)allowed(job, in));
      return -1;
   }
   buf = job_realloc(job, NULL, 0, SIZE);
   fd  = buf == NULL ? -1 : new_file(job);
   ok  = fd >= 0;
   while (ok && left > 0) {
      ok = input_read(in, buf, left < SIZE ? left : SIZE, &got);
      if (ok && got == 0)
         break;
      if (ok && !(ok = put(fd, buf, got)))
         fail(job);
      left -= ok ? got : 0;
   }
   ok = ok && input_at_end(in);
   job_free(job, buf, SIZE);
   if (ok)
      return fd;
   if (fd >= 0)
      close(fd);
   return -1;
}
