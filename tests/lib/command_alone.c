/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The command dcfg with sanitizers. */

/* Owns: the command as a program of its own, and as one that forks for each
   run.  Handed: the objects of command_server.c, in which main(), exit() and
   fclose() have other names.

   A start of this program takes six times as long as one without sanitizers,
   and tests start it thousands of times.  "dcfg_sanitized --forks" has started
   already.  Its standard input is a socket, from which it gets command lines:

     u32 size, u32 A       with three descriptors, for the command's 0, 1 and 2
     SIZE bytes            strings, each with a zero at its end: the directory,
                           A arguments, and the variables of the environment

   Each runs in a child of its own, which begins as the program does and ends as
   it does.  The answer is the child's status, i32, as wait() has it.  A child
   dies with this process. */

#include "command_call.h"

#undef main
#undef exit
#undef fclose

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* GCC has no header that declares it; LLVM has. */
void __lsan_do_leak_check(void);

/* The sanitizer calls this, and adds the options of ASAN_OPTIONS. */
const char* __asan_default_options(void);

const char* __asan_default_options(void)
{
   return "detect_stack_use_after_return=1:abort_on_error=1:"
          "leak_check_at_exit=0";
}

/* End the process in the middle of its work.  Memory in use then is no leak. */
void command_exit(int status)
{
   exit(status);
}

int command_close(FILE* f)
{
   return fclose(f);
}

/*--- A child for each command line                        ---*/

enum { N_FDS = 3, FAILED = 125 };

static char*  strings;                  // the command line, as it was sent
static char** args;

/* Receive the numbers before the strings, and the descriptors. */
static void receive_head(uint32_t head[2], int fds[N_FDS])
{
   union {
      struct cmsghdr align;
      char           bytes[CMSG_SPACE(N_FDS * sizeof(int))];
   } control;
   struct iovec    part = { head, 2 * sizeof(uint32_t) };
   struct msghdr   m = { .msg_iov = &part, .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof(control) };
   struct cmsghdr* c;

   if (recvmsg(0, &m, MSG_WAITALL) != (ssize_t)part.iov_len
       || (c = CMSG_FIRSTHDR(&m)) == NULL
       || c->cmsg_len != CMSG_LEN(N_FDS * sizeof(int)))
      _exit(FAILED);
   memcpy(fds, CMSG_DATA(c), N_FDS * sizeof(int));
}

/* Become the process that the next command line asks for.  Return its number
   of arguments. */
static int receive(void)
{
   uint32_t head[2];
   int      fds[N_FDS];
   char*    s;

   receive_head(head, fds);
   strings = malloc(head[0] + 1);
   args = calloc(head[1] + 1, sizeof(*args));
   if (strings == NULL || args == NULL
       || recv(0, strings, head[0], MSG_WAITALL) != (ssize_t)head[0])
      _exit(FAILED);
   for (int i = 0; i < N_FDS; i++) {
      dup2(fds[i], i);
      close(fds[i]);
   }
   if (chdir(strings) != 0)
      _exit(FAILED);
   s = strings + strlen(strings) + 1;
   for (uint32_t i = 0; i < head[1]; i++, s += strlen(s) + 1)
      args[i] = s;
   for (; s < strings + head[0]; s += strlen(s) + 1)
      putenv(s);
   return (int)head[1];
}

/* Fork for each command line, and return its number of arguments in the
   child. */
static int next_child(void)
{
   char    byte;
   int32_t status;

   while (recv(0, &byte, 1, MSG_PEEK) == 1) {
      pid_t self = getpid(), child = fork();
      if (child == 0) {
         prctl(PR_SET_PDEATHSIG, SIGKILL);
         if (getppid() != self)
            _exit(FAILED);
         return receive();
      }
      if (child < 0 || waitpid(child, &status, 0) != child
          || send(0, &status, sizeof(status), MSG_NOSIGNAL) < 0)
         break;
   }
   _exit(0);
}

int main(int argc, char** argv)
{
   int status;

   if (argc == 2 && strcmp(argv[1], "--forks") == 0) {
      argc = next_child();
      argv = args;
   }
   status = command_main(argc, argv);
   /* The search takes half of a small run: a script whose forms others have,
      too, says that they search.  Errors have ways of their own. */
   if (status != 0 || getenv("DCFG_LEAKS_SOUGHT") == NULL)
      __lsan_do_leak_check();
   return status;
}
