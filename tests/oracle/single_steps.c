/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Executes a program instruction by instruction on the processor.

   single_steps FILE PROGRAM [ARG...]

   FILE gets the address of each instruction that PROGRAM executed, 8 bytes
   each.  An instruction with a repeat prefix is there once for each iteration.
   An instruction that failed with a signal is not there, until it is executed
   again.  All signals must have handlers.  The status is that of PROGRAM; 77: the kernel does not allow it. */

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t address(pid_t pid)
{
   struct user_regs_struct r;

   if (ptrace(PTRACE_GETREGS, pid, 0, &r) != 0)
      _exit(77);
#ifdef __x86_64__
   return r.rip;
#else
   return r.eip;
#endif
}

int main(int argc, char** argv)
{
   FILE*    f;
   int      status, signal = 0;
   uint64_t at;
   pid_t    pid = argc > 2 ? fork() : -1;

   if (pid < 0)
      return 77;
   if (pid == 0) {
      if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
         _exit(77);
      execv(argv[2], argv + 2);
      _exit(77);
   }
   f = fopen(argv[1], "wb");
   if (f == NULL || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
      return 77;
   at = address(pid);
   while (ptrace(PTRACE_SINGLESTEP, pid, 0, signal) == 0
          && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
      /* No instruction is executed when a signal stops the program, nor when
         the kernel then begins the handler. */
      if (signal == 0 && WSTOPSIG(status) == SIGTRAP)
         fwrite(&at, sizeof(at), 1, f);
      signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
      at     = address(pid);
   }
   fwrite(&at, sizeof(at), 1, f);
   fclose(f);
   return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
