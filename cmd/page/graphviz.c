/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs of Graphviz. */

/* Owns: starting the program dot, and waiting for it.  Handed: graphs in
   dot's language.

   dot does not notice that a disk is full.  So it writes to a pipe, and a
   process of ours copies that to a file while the command goes on. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     // pipe2
#endif

#include "cmd/page/graphviz.h"

#include "cmd/base/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

static int status_of(pid_t pid)
{
   int status;

   while (waitpid(pid, &status, 0) < 0)
      if (errno != EINTR)
         die("waiting for dot: %s", strerror(errno));
   return status;
}

bool graphviz_end(Graphviz* g)
{
   int copied = status_of(g->copier), status = status_of(g->dot);

   if (copied != 0)
      die("a temporary file for Graphviz: %s",
          WIFEXITED(copied) ? strerror(WEXITSTATUS(copied)) : "write error");
   g->missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE;
   rewind(g->out);
   return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
