/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A pager for output to a terminal. */

/* Owns: the pager's process.  Handed: DCFG_PAGER and PAGER of the
   environment. */

#include "cmd/base/pager.h"

#include "cmd/base/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;

/* Wait for the pager.  Closing standard output ends its input. */
static void wait_for_pager(void)
{
   close(STDOUT_FILENO);
   while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
      ;
}

/* Wait for the pager before dying: a shell takes the terminal back when this
   process ends. */
static void end_by_signal(int signo)
{
   wait_for_pager();
   signal(signo, SIG_DFL);
   raise(signo);
}

static void end(void)
{
   fflush(NULL);
   wait_for_pager();
}

#define DEFAULT_PAGER "if command -v less > /dev/null; then exec less; " \
                      "else exec cat; fi"

static const char* pager_name(void)
{
   const char* name = getenv("DCFG_PAGER");

   if (name == NULL)
      name = getenv("PAGER");
   return name != NULL ? name : DEFAULT_PAGER;
}

static void run_pager(int text)
{
   if (dup2(text, STDIN_FILENO) >= 0) {
      setenv("LESS", "FRX", 0);
      execl("/bin/sh", "sh", "-c", pager_name(), (char*)NULL);
   }
   _exit(127);
}

static void start(void)
{
   static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM };
   int              ends[2];

   if (pipe(ends) != 0)
      return;
   pager = fork();
   if (pager == 0) {
      close(ends[1]);
      run_pager(ends[0]);
   }
   close(ends[0]);
   if (pager > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
      for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
         void (*before)(int) = signal(signals[i], end_by_signal);
         if (before != SIG_DFL)
            signal(signals[i], before);
      }
      atexit(end);
   }
   close(ends[1]);
}

void pager_start(void)
{
   const char* name = pager_name();

   if (terminal_is_there() && name[0] != 0 && strcmp(name, "cat") != 0)
      start();
}
