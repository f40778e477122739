/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The gdb that knows a recording's processor. */

/* Owns: the choice between the installed gdbs.  Handed: a processor. */

#include "cmd/gdb/gdb_debugger.h"

#include "cmd/machine/state_rules.h"

#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Execute gdb NAME with COMMAND, and nothing else.  Return whether it could. */
static bool executes(const char* name, const char* command)
{
   int   status = -1;
   pid_t child = fork();

   if (child == 0) {
      int none = open("/dev/null", O_RDWR);
      if (none >= 0) {
         dup2(none, STDIN_FILENO);
         dup2(none, STDOUT_FILENO);
         dup2(none, STDERR_FILENO);
         execlp(name, name, "-nx", "-batch", "-ex", command, (char*)NULL);
      }
      _exit(127);
   }
   while (child > 0 && waitpid(child, &status, 0) != child)
      ;
   return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char* gdb_debugger(const Processor* p)
{
   static const char* const names[] = { "gdb", "gdb-multiarch" };
   char                     command[64];

   if (p->seccomp == seccomp_arch_native())
      return names[0];
   snprintf(command, sizeof(command), "set architecture %s",
            p->state->architecture);
   for (unsigned i = 0; i < 2; i++)
      if (executes(names[i], command))
         return names[i];
   return NULL;
}
