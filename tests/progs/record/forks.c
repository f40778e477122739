/* Makes children of each kind while another thread runs: they start threads, get signals, fork themselves, die, execute
   programs, and outlive their parent.  A thread is in a call when the process ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long shared;
static volatile int  started;

/* Prints who this is, and what differs from run to run. */
static void say(const char* who)
{
   struct timespec t;

   clock_gettime(CLOCK_REALTIME, &t);
   printf("%s %d of %d: %ld %ld\n", who, getpid(), getppid(), shared, t.tv_nsec);
   fflush(stdout);
}

static void* run_on(void* arg)
{
   for (;;) {
      started = 1;
      if (++shared % 50000 == 0)
         usleep(100);
   }
   return arg;
}

static void* race(void* arg)
{
   for (int i = 0; i < 20000; i++)
      shared = shared * 3 + (long)arg;
   return NULL;
}

static void on_signal(int signo)
{
   shared += signo;
}

static void with_threads(void)
{
   pthread_t t[2];

   signal(SIGUSR1, on_signal);
   for (long i = 0; i < 2; i++)
      pthread_create(&t[i], NULL, race, (void*)(i + 1));
   kill(getpid(), SIGUSR1);
   for (int i = 0; i < 2; i++)
      pthread_join(t[i], NULL);
   say("threads");
   exit(3);
}

static void with_child(void)
{
   int status;

   if (fork() == 0) {
      say("grandchild");
      _exit(4);
   }
   wait(&status);
   shared = status;
   say("parent");
   abort();
}

static void with_program(void)
{
   execl("/no/such/program", "x", NULL);
   execl("/bin/echo", "echo", "program", NULL);
}

/* Outlives the process that made it. */
static void daemon_of(void)
{
   pid_t parent = getpid();

   if (fork() != 0)
      _exit(0);
   setsid();
   while (getppid() == parent)
      usleep(1000);
   say("daemon");
   _exit(5);
}

int main(void)
{
   void (*const children[])(void) = { with_threads, with_child, with_program, daemon_of };
   pthread_t t;
   int       status;

   say("begin");
   pthread_create(&t, NULL, run_on, NULL);
   while (!started)
      usleep(100);
   for (unsigned i = 0; i < sizeof(children) / sizeof(children[0]); i++) {
      if (fork() == 0)
         children[i]();
      wait(&status);
      printf("status %x\n", status);
      fflush(stdout);
   }
   say("end");
   return 0;
}
