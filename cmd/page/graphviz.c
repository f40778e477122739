/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: colours, widths and quoting in Graphviz's language, and runs of its
   program.  Handed: counts, texts. */

#include "cmd/page/graphviz.h"

#include "cmd/base/format.h"

#include <math.h>

void dot_text(FILE* out, const char* s)
{
   for (; *s != 0; s++) {
      if (*s == '"' || *s == '\\')
         fputc('\\', out);
      fputc(*s, out);
   }
}

/* Return the heat, from white over yellow and orange to red.  The square root
   is used because the eye compares areas. */
static double heat(uint64_t part, uint64_t whole)
{
   double x = whole == 0 ? 0 : sqrt((double)part / (double)whole);

   return x < 0 ? 0 : x > 1 ? 1 : x;
}

const char* heat_colour(uint64_t part, uint64_t whole)
{
   static const double stop[][4] = {
      { 0.00, 255, 255, 255 }, { 0.25, 255, 247, 214 },
      { 0.50, 254, 217, 118 }, { 0.75, 253, 141, 60 }, { 1.01, 214, 47, 39 }
   };
   double x = heat(part, whole);
   int    i = 0, rgb[3];

   while (i < 3 && x >= stop[i + 1][0])
      i++;
   for (int k = 0; k < 3; k++) {
      double t = (x - stop[i][0]) / (stop[i + 1][0] - stop[i][0]);
      rgb[k] = (int)(stop[i][k + 1] + t * (stop[i + 1][k + 1]
                                           - stop[i][k + 1]));
   }
   return text_format("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

const char* ink_colour(uint64_t part, uint64_t whole)
{
   return heat(part, whole) > 0.88 ? "#ffffff" : "#222222";
}

double line_width(uint64_t count, uint64_t most)
{
   if (most < 2 || count == 0)
      return 1;
   return 0.7 + 3.3 * pow((double)count / (double)most, 0.4);
}

/* Owns: starting the program dot, and waiting for it.  Handed: graphs in
   dot's language.

   dot does not notice that a disk is full.  So it writes to a pipe, and a
   process of ours copies that to a file while the command goes on. */

#include "cmd/base/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_THERE = 127, NOT_STARTED = 126 };

static FILE* temporary(void)
{
   FILE* f = tmpfile();

   if (f == NULL)
      die("a temporary file for Graphviz: %s", strerror(errno));
   return f;
}

Graphviz graphviz_new(void)
{
   return (Graphviz){ .in = temporary(), .out = temporary() };
}

void graphviz_free(Graphviz* g)
{
   fclose(g->in);
   fclose(g->out);
}

static _Noreturn void become_dot(const Graphviz* g, const char* format,
                                 int out, bool quiet, unsigned seconds)
{
   int           null = quiet ? open("/dev/null", O_WRONLY) : -1;
   struct rlimit limit = { seconds, seconds };

   if (null >= 0)
      dup2(null, 2);
   if (seconds > 0)
      setrlimit(RLIMIT_CPU, &limit);
   if (dup2(fileno(g->in), 0) < 0 || dup2(out, 1) < 0)
      _exit(NOT_STARTED);
   execlp("dot", "dot", format, (char*)NULL);
   _exit(errno == ENOENT ? NOT_THERE : NOT_STARTED);
}

/* Copy what dot writes from the pipe FROM to TO.  The status is errno, or 0. */
static _Noreturn void become_copier(int from, FILE* to)
{
   char    text[1 << 14];
   ssize_t n;

   while ((n = read(from, text, sizeof(text))) > 0)
      if (fwrite(text, 1, (size_t)n, to) != (size_t)n)
         _exit(errno);
   _exit(n < 0 || fflush(to) != 0 ? errno : 0);
}

static pid_t new_process(void)
{
   pid_t pid = fork();

   if (pid < 0)
      die("fork: %s", strerror(errno));
   return pid;
}

void graphviz_start(Graphviz* g, const char* format, bool quiet,
                    unsigned seconds)
{
   int ends[2];

   if (fflush(g->in) != 0 || lseek(fileno(g->in), 0, SEEK_SET) != 0)
      die("a temporary file for Graphviz: %s", strerror(errno));
   if (pipe2(ends, O_CLOEXEC) != 0)
      die("a pipe for Graphviz: %s", strerror(errno));
   if ((g->dot = new_process()) == 0)
      become_dot(g, format, ends[1], quiet, seconds);
   close(ends[1]);
   if ((g->copier = new_process()) == 0)
      become_copier(ends[0], g->out);
   close(ends[0]);
}

bool graphviz_end(Graphviz* g)
{
   int copied = wait_for(g->copier), status = wait_for(g->dot);

   if (copied != 0)
      die("a temporary file for Graphviz: %s",
          WIFEXITED(copied) ? strerror(WEXITSTATUS(copied)) : "write error");
   g->missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE;
   rewind(g->out);
   return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
