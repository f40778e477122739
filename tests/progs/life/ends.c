/* Ways in which a process ends, as the argument says; work() was called seven times before each of them.  With a second
   argument, threads wait in a system call and compute meanwhile.  Says "ready" when it waits for a signal. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int n;
static volatile unsigned long spins;
static volatile int asleep;
static const char *way;

__attribute__((noinline)) void work(void)    { n++; }
__attribute__((noinline)) void at_exit(void) { n += 2; }
__attribute__((noinline)) void on_signal(int sig) { n += sig; }
/* The result is used, else Valgrind's translation leaves the access out. */
__attribute__((noinline)) void fault(volatile int *p) { *p = n; }

static void leave(void)
{
   int i;
   for (i = 0; i < 7; i++)
      work();
   if (!strcmp(way, "exit"))
      exit(3);
   if (!strcmp(way, "_exit"))
      _exit(4);
   if (!strcmp(way, "exit_thread"))     /* the process goes on: see main() */
      pthread_exit(NULL);
   if (!strcmp(way, "sys_exit"))
      syscall(SYS_exit, 5);
   if (!strcmp(way, "abort"))
      abort();
   if (!strcmp(way, "segv"))
      fault(NULL);
   if (!strcmp(way, "handled_abort")) {
      signal(SIGABRT, on_signal);
      abort();
   }
   if (!strcmp(way, "kill_self"))
      kill(getpid(), SIGKILL);
   if (!strcmp(way, "wait") || !strcmp(way, "spin")) {
      printf("ready\n");
      fflush(stdout);
      for (;;)
         if (way[0] == 'w')
            pause();
         else
            spins++;
   }
}

static void *sleeper(void *arg)
{
   asleep = 1;
   pause();
   return arg;
}

static void *spinner(void *arg)
{
   for (;;)
      spins++;
   return arg;
}

/* Leave when the other threads have begun, and had time to block or compute. */
static void *leaver(void *arg)
{
   do
      usleep(20000);
   while (!asleep || spins == 0);
   leave();
   return arg;
}

int main(int argc, char **argv)
{
   pthread_t t;

   way = argc > 1 ? argv[1] : "exit";
   atexit(at_exit);
   if (argc > 2) {
      pthread_create(&t, NULL, sleeper, NULL);
      pthread_create(&t, NULL, spinner, NULL);
      pthread_create(&t, NULL, leaver, NULL);
      pthread_join(t, NULL);
   } else
      leave();
   return 0;
}
