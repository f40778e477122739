/* A child, made in the way that the argument says, runs what its parent does not, and the other way round.  After
   "thread" a second thread makes it, while a third one computes.  Prints the child's process id. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;
static volatile int spins;

NOINLINE void before(void)     { n += 1; }
NOINLINE void both(void)       { n += 2; }
NOINLINE void in_parent(void)  { n += 3; }
NOINLINE void in_child(void)   { n += 4; }
NOINLINE void in_grandchild(void) { n += 5; }

static const char *way;
static char **environment;

static int child(int deeper)
{
   int i;
   for (i = 0; i < 7; i++)
      in_child();
   both();
   if (deeper) {
      pid_t p = fork();
      if (p == 0) {
         for (i = 0; i < 3; i++)
            in_grandchild();
         _exit(0);
      }
      waitpid(p, NULL, 0);
   }
   return 42;
}

static int cloned(void *arg)
{
   (void)arg;
   return child(0);
}

static pid_t make_child(void)
{
   static char stack[65536] __attribute__((aligned(16)));
   static char *const argv[] = { "true", NULL };
   pid_t p = -1;

   if (!strcmp(way, "vfork")) {
      p = vfork();
      if (p == 0) {
         in_child();
         _exit(42);
      }
   } else if (!strcmp(way, "spawn")) {
      if (posix_spawn(&p, "/bin/true", NULL, NULL, argv, environment) != 0)
         abort();
   } else if (!strcmp(way, "clone")) {
      p = clone(cloned, stack + sizeof stack, SIGCHLD, NULL);
   } else if (!strcmp(way, "raw")) {
      p = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
      if (p == 0)
         syscall(SYS_exit_group, child(0));
   } else {
      p = fork();
      if (p == 0)
         exit(child(!strcmp(way, "fork")));
   }
   return p;
}

static void *run(void *arg)
{
   int i, status;
   pid_t p;

   for (i = 0; i < 5; i++)
      before();
   p = make_child();
   waitpid(p, &status, 0);
   for (i = 0; i < 11; i++)
      in_parent();
   both();
   printf("%d %d\n", (int)p, WEXITSTATUS(status));
   return arg;
}

static void *spin(void *arg)
{
   for (;;)
      spins++;
   return arg;
}

int main(int argc, char **argv, char **env)
{
   pthread_t t;

   way = argc > 1 ? argv[1] : "fork";
   environment = env;
   if (strcmp(way, "thread"))
      run(NULL);
   else {
      pthread_create(&t, NULL, spin, NULL);
      pthread_create(&t, NULL, run, NULL);
      pthread_join(t, NULL);
   }
   return 0;
}
