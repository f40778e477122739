
/*--------------------------------------------------------------------*/
/*--- A file that is written, compressed if its name says so.outfile.c ---*/
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

/* Owns: where much text goes.  Handed: text.  Taken by: wet_text.c,
   cmd_wet.c. */

#include "outfile.h"

#include "cmd.h"
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The one in work, for what is done at the end. */
static Outfile* unfinished;

static void remove_unfinished(void)
{
   if (unfinished != NULL)
      unlink(unfinished->unfinished);
}

static const char* compressor_of(const char* path)
{
   static const char* const all[][2] = {
      { ".gz", "gzip" }, { ".bz2", "bzip2" }, { ".xz", "xz" },
      { ".zst", "zstd" }
   };
   size_t n = strlen(path);

   for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
      size_t k = strlen(all[i][0]);
      if (n > k && strcmp(path + n - k, all[i][0]) == 0)
         return all[i][1];
   }
   return NULL;
}

/* What is written to o->fd goes through PROGRAM from now on. */
static void compress_with(Outfile* o, const char* program)
{
   int ends[2];

   if (pipe(ends) != 0 || (o->compressor = fork()) < 0)
      die("%s: %s", o->path, strerror(errno));
   if (o->compressor == 0) {
      dup2(ends[0], STDIN_FILENO);
      dup2(o->fd, STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      close(o->fd);
      execlp(program, program, "-c", (char*)NULL);
      complain("%s: %s", program, strerror(errno));
      _exit(STATUS_BAD);
   }
   close(ends[0]);
   close(o->fd);
   o->fd = ends[1];
   fcntl(o->fd, F_SETFD, FD_CLOEXEC);
   /* If that program ends early, its status says so. */
   signal(SIGPIPE, SIG_IGN);
}

Outfile* outfile_open(const char* path)
{
   Outfile*    o = zalloc(1, sizeof(*o));
   const char* program;

   o->path = path;
   o->fd   = STDOUT_FILENO;
   if (path == NULL)
      return o;
   if (is_special_file(path)) {
      o->fd = open(path, O_WRONLY | O_CLOEXEC);
   } else {
      o->unfinished = text_copy(text_format("%s.tmp-%ld", path,
                                            (long)getpid()));
      o->fd = open(o->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                   0666);
   }
   if (o->fd < 0)
      die("%s: %s", path, strerror(errno));
   if (o->unfinished != NULL) {
      unfinished = o;
      atexit(remove_unfinished);
   }
   program = compressor_of(path);
   if (program != NULL)
      compress_with(o, program);
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
         die("%s: %s", o->path == NULL ? "standard output" : o->path,
             strerror(errno));
      at      += n;
      o->used -= (uint32_t)n;
   }
}

void outfile_close(Outfile* o)
{
   int status = 0;

   out_flush(o);
   if (o->path != NULL) {
      if (close(o->fd) != 0)
         die("%s: %s", o->path, strerror(errno));
      if (o->compressor != 0
          && (waitpid(o->compressor, &status, 0) < 0 || status != 0))
         die("%s: it could not be compressed", o->path);
      if (o->unfinished != NULL && rename(o->unfinished, o->path) != 0)
         die("%s: %s", o->path, strerror(errno));
      unfinished = NULL;
   }
   free(o->unfinished);
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
