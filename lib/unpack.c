
/*--------------------------------------------------------------------*/
/*--- Compressed files that are read in any order.        unpack.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: what is compressed as a file that is not.  Handed: an input at its
   begin.  Taken by: wet_open.c.

   The file is gone with its descriptor, however the program ends. */

#define _GNU_SOURCE     // O_TMPFILE

#include "unpack.h"

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

/* Not all file systems have files without a name from their begin. */
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

int input_unpack(Job* job, Input* in)
{
   enum { SIZE = 1 << 18 };
   uint8_t* buf = job_realloc(job, NULL, 0, SIZE);
   int      fd = buf == NULL ? -1 : new_file(job);
   size_t   got;
   bool     ok = fd >= 0;

   while (ok && (ok = input_read(in, buf, SIZE, &got)) && got > 0)
      if (!(ok = put(fd, buf, got)))
         fail(job);
   job_free(job, buf, SIZE);
   if (ok)
      return fd;
   if (fd >= 0)
      close(fd);
   return -1;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
