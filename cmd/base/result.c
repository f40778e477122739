/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: files for results, until they have their names; streams that compress.
   Handed: paths, text.

   Until a result is complete, its file has another name.  The file is removed
   if the command ends, unless it is killed outright. */

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/base/result.h"
#include "cmd/base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef
   struct Result {
      struct Result* next;
      FILE*          file;          // NULL: it is complete
      char*          path;
      char*          target;        // path of the final file
      char*          unfinished;    // temporary path; NULL: written in place
      pid_t          compressor;    // process, or 0
   }
   Result;

/* volatile: a signal handler reads it. */
static Result* volatile results;

/* --- Incomplete results                                   --- */

static void remove_unfinished(void)
{
   for (const Result* r = results; r != NULL; r = r->next)
      if (r->unfinished != NULL)
         unlink(r->unfinished);
}

static void die_of_signal(int number)
{
   remove_unfinished();
   raise(number);
}

static void remove_at_end(void)
{
   static const int numbers[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU,
                                  SIGXFSZ };
   static bool      done;
   struct sigaction now, before;

   if (done)
      return;
   done = true;
   atexit(remove_unfinished);
   memset(&now, 0, sizeof(now));
   now.sa_handler = die_of_signal;
   now.sa_flags = SA_RESETHAND | SA_NODEFER;
   for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
      if (sigaction(numbers[i], NULL, &before) == 0
          && before.sa_handler != SIG_IGN)
         sigaction(numbers[i], &now, NULL);
}

/*--- Names                                                ---*/

/* Return whether PATH is a device, a pipe or similar.  These are written in
   place; only a regular file may be replaced. */
static bool is_special_file(const char* path)
{
   struct stat st;

   return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static const char* const compressors[][2] = {
   { ".gz", "gzip" }, { ".bz2", "bzip2" }, { ".xz", "xz" }, { ".zst", "zstd" }
};

static const char* compressor_of(const char* suffix)
{
   for (size_t i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++)
      if (strcmp(suffix, compressors[i][0]) == 0)
         return compressors[i][1];
   return NULL;
}

const char* compressed_suffix(const char* path)
{
   const char* dot = strrchr(path, '.');

   return dot != NULL && dot != path && compressor_of(dot) != NULL
          ? dot : path + strlen(path);
}

/* Return the path that links lead to, existing or not. */
static char* end_of_links(const char* path)
{
   char*   at = text_copy(path);
   char    to[PATH_MAX];
   ssize_t n;

   for (int i = 0; (n = readlink(at, to, sizeof(to) - 1)) >= 0; i++) {
      const char* slash = strrchr(at, '/');
      char*       next;
      if (i == 40)
         die("%s: %s", path, strerror(ELOOP));
      to[n] = 0;
      next = text_copy(to[0] == '/' || slash == NULL ? to
                       : text_format("%.*s/%s", (int)(slash - at), at, to));
      free(at);
      at = next;
   }
   return at;
}

/*--- Opening and closing                                  ---*/

/* Return a descriptor whose data go to FD through PROGRAM, with options QUICK
   if these are not NULL. */
static int compress_with(Result* r, const char* program,
                         const char* const* quick, int fd)
{
   int ends[2];

   if (pipe(ends) != 0 || (r->compressor = fork()) < 0)
      die("%s: %s", r->path, strerror(errno));
   if (r->compressor == 0) {
      results = NULL;
      signal(SIGPIPE, SIG_DFL);
      dup2(ends[0], STDIN_FILENO);
      dup2(fd, STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      close(fd);
      if (quick == NULL)
         execlp(program, program, "-c", (char*)NULL);
      else
         execlp(program, program, "-c", quick[0], quick[1], (char*)NULL);
      complain("%s: %s", program, strerror(errno));
      _exit(STATUS_BAD);
   }
   close(ends[0]);
   close(fd);
   fcntl(ends[1], F_SETFD, FD_CLOEXEC);
   /* A write to a program that ended early must not end the command: the
      status of the program tells. */
   signal(SIGPIPE, SIG_IGN);
   return ends[1];
}

/* Add R to the list if it could be opened.  errno is kept. */
static void add_result(Result* r, int fd)
{
   if (fd < 0)
      return;
   r->next = results;
   results = r;
}

#define MOST_STALE 1000

/* Create R's unfinished file, with MODE.  Its name has a number if a process
   with this id has left one behind.  Return its descriptor, or -1 with errno. */
static int create_unfinished(Result* r, mode_t mode)
{
   int fd = -1;

   for (int i = 0; i < MOST_STALE; i++) {
      free(r->unfinished);
      r->unfinished = text_copy(i == 0
         ? text_format("%s.tmp-%ld", r->target, (long)getpid())
         : text_format("%s.tmp-%ld.%d", r->target, (long)getpid(), i));
      fd = open(r->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (fd >= 0 || errno != EEXIST)
         break;
   }
   return fd;
}

FILE* open_result_as(const char* path, ResultKind kind)
{
   static const char* const quick[] = { "-2", "-T0" };
   const char* program = kind == RESULT_AS_IT_IS || path == NULL
                         ? NULL : compressor_of(compressed_suffix(path));
   Result*     r;
   sigset_t    all, before;
   int         fd;

   if (path == NULL || strcmp(path, "-") == 0)
      return stdout;
   remove_at_end();
   r = zalloc(1, sizeof(*r));
   r->path = text_copy(path);
   if (is_special_file(path)) {
      fd = open(path, O_WRONLY | O_CLOEXEC);
      add_result(r, fd);
   } else {
      r->target = end_of_links(path);
      /* Signals are blocked: a handler finds only files that are in the
         list. */
      sigfillset(&all);
      sigprocmask(SIG_SETMASK, &all, &before);
      fd = create_unfinished(r, kind == RESULT_PRIVATE ? 0600 : 0666);
      add_result(r, fd);
      sigprocmask(SIG_SETMASK, &before, NULL);
   }
   if (fd < 0)
      die("%s: %s", path, strerror(errno));
   if (program != NULL)
      fd = compress_with(r, program, kind == RESULT_LONG
                                     && strcmp(program, "xz") == 0
                                     ? quick : NULL, fd);
   r->file = need(fdopen(fd, "w"));
   return r->file;
}

FILE* open_result(const char* path)
{
   return open_result_as(path, RESULT_USUAL);
}

static void finish(Result* r)
{
   bool bad = false;

   /* A compressor that failed has said why. */
   if (r->compressor != 0)
      bad = ferror(r->file) != 0 || fclose(r->file) != 0;
   else
      close_output(r->file, r->path);
   r->file = NULL;
   if (r->compressor != 0 && (wait_for(r->compressor) != 0 || bad))
      die("%s could not be compressed", r->path);
}

void finish_result(FILE* f)
{
   for (Result* r = results; r != NULL; r = r->next)
      if (r->file == f) {
         finish(r);
         return;
      }
}

void name_results(void)
{
   while (results != NULL) {
      Result* r = results;
      if (r->unfinished != NULL && rename(r->unfinished, r->target) != 0)
         die("%s: %s", r->path, strerror(errno));
      results = r->next;
      FREE_ALL(r->path, r->target, r->unfinished, r);
   }
}

void close_results(void)
{
   for (Result* r = results; r != NULL; r = r->next)
      if (r->file != NULL)
         finish(r);
   if (fflush(stdout) != 0 || ferror(stdout) != 0)
      write_failed(NULL);
   name_results();
}

void say_next(const char* format, ...)
{
   va_list args;

   close_results();
   progress_hide();
   va_start(args, format);
   vfprintf(stderr, format, args);
   va_end(args);
}

/*--- gzip                                                 ---*/

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

static ssize_t take_bytes(void* gzip, const char* bytes, size_t n)
{
   Gzip* g = gzip;

   g->z.next_in  = (Bytef*)(uintptr_t)bytes;
   g->z.avail_in = (uInt)n;
   squeeze(g, Z_NO_FLUSH);
   return (ssize_t)n;
}

static int end_gzip(void* gzip)
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
                                      .write = take_bytes, .close = end_gzip }));
}
