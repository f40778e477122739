/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs of Graphviz. */

/* Owns: starting the program dot, and waiting for it.  Handed: graphs in dot's
   language.  Taken by: cmd_dot.c, view_layout.c. */

#include "cmd/shared/graphviz.h"

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
                                 const char* path, bool quiet,
                                 unsigned seconds)
{
   int           null = quiet ? open("/dev/null", O_WRONLY) : -1;
   struct rlimit limit = { seconds, seconds };

   if (null >= 0)
      dup2(null, 2);
   if (seconds > 0)
      setrlimit(RLIMIT_CPU, &limit);
   if (dup2(fileno(g->in), 0) < 0
       || (path == NULL && dup2(fileno(g->out), 1) < 0))
      _exit(NOT_STARTED);
   if (path == NULL)
      execlp("dot", "dot", format, (char*)NULL);
   else
      execlp("dot", "dot", format, "-o", path, (char*)NULL);
   _exit(errno == ENOENT ? NOT_THERE : NOT_STARTED);
}

void graphviz_start(Graphviz* g, const char* format, const char* path,
                    bool quiet, unsigned seconds)
{
   if (fflush(g->in) != 0 || lseek(fileno(g->in), 0, SEEK_SET) != 0)
      die("a temporary file for Graphviz: %s", strerror(errno));
   g->pid = fork();
   if (g->pid < 0)
      die("fork: %s", strerror(errno));
   if (g->pid == 0)
      become_dot(g, format, path, quiet, seconds);
}

bool graphviz_end(Graphviz* g)
{
   int status;

   while (waitpid(g->pid, &status, 0) < 0)
      if (errno != EINTR)
         die("waiting for dot: %s", strerror(errno));
   g->missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE;
   rewind(g->out);
   return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
