/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Merging with several processes. */

/* Owns: the child processes of dcfg merge -j.  Handed: names by cmd_merge.c. */

#include "cmd/merge/merge_jobs.h"

#include "cmd/base/format.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef
   struct {
      FileNames names;
      FILE*     file;           // for its partial sum
      pid_t     pid;
   }
   Child;

static void start_child(Child* c, void (*work)(void* arg,
                                               const FileNames* names,
                                               FILE* to), void* arg)
{
   pid_t parent = getpid();

   c->file = tmpfile();
   if (c->file == NULL)
      die("no temporary file: %s", strerror(errno));
   fflush(NULL);
   c->pid = fork();
   if (c->pid < 0)
      die("a process cannot be started: %s", strerror(errno));
   if (c->pid > 0)
      return;
   /* End with the parent: then nobody wants the sum any more. */
   prctl(PR_SET_PDEATHSIG, SIGTERM);
   if (getppid() != parent)
      _exit(STATUS_BAD);
   work(arg, &c->names, c->file);
   if (fflush(c->file) != 0 || ferror(c->file))
      die("a temporary file: %s", strerror(errno));
   _exit(STATUS_OK);
}

/* Wait for a child.  Die if it failed; a child that exits with an error has
   said why. */
static void wait_for_child(const Child* c)
{
   int   status;
   pid_t pid;

   do
      pid = waitpid(c->pid, &status, 0);
   while (pid < 0 && errno == EINTR);
   if (pid < 0)
      die("a process of -j is lost: %s", strerror(errno));
   if (WIFSIGNALED(status))
      die("a process of -j was ended by signal %d (%s), while it merged %s",
          WTERMSIG(status), strsignal(WTERMSIG(status)), c->names.all[0]);
   if (status != 0)
      exit(STATUS_BAD);
}

void merge_with_jobs(const FileNames* names, uint32_t n,
                     void (*work)(void* arg, const FileNames* names, FILE* to),
                     void (*take)(void* arg, const char* path,
                                  const char* shown),
                     void* arg)
{
   FileNames* lists;
   Child*     children;

   if (n > names->n)
      n = names->n;
   lists = zalloc(n, sizeof(*lists));
   children = zalloc(n, sizeof(*children));
   n = divide_files(names, n, lists);
   for (uint32_t i = 0; i < n; i++) {
      children[i].names = lists[i];
      start_child(&children[i], work, arg);
   }
   for (uint32_t i = 0; i < n; i++) {
      Child* c = &children[i];
      char*  path;
      char*  shown;
      wait_for_child(c);
      path = text_copy(text_format("/proc/self/fd/%d", fileno(c->file)));
      shown = text_copy(c->names.n == 1 ? c->names.all[0]
                        : text_format("one of %s and %" PRIu32 " other files",
                                      c->names.all[0], c->names.n - 1));
      take(arg, path, shown);
      free(path);
      free(shown);
      fclose(c->file);
      free_file_names(&c->names);
   }
   free(lists);
   free(children);
}
