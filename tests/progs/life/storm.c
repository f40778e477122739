/* Threads that compute, allocate, call and wait while signals rain: a timer's for any of them, others sent from one to the
   other.  One thread leaves its handlers by siglongjmp, one has them on an alternate stack, some system calls are
   restarted and some are not.  Prints how often each handler was entered. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

static pthread_t threads[THREADS];
static volatile int stop;
static volatile int alarms, users, faults;
static int jumps;
static __thread sigjmp_buf leave;
static __thread volatile int may_jump;
static volatile int zero;

static void add(volatile int *p) { __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }

__attribute__((noinline)) void on_alarm(int sig)  { (void)sig; add(&alarms); }

__attribute__((noinline)) void on_user(int sig)
{
   (void)sig;
   add(&users);
   if (may_jump) {
      may_jump = 0;
      siglongjmp(leave, 1);
   }
}

__attribute__((noinline)) void on_fault(int sig, siginfo_t *info, void *context)
{
   (void)sig;
   (void)info;
   (void)context;
   add(&faults);
   siglongjmp(leave, 2);
}

static int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }

static void *compute(void *arg)
{
   volatile int sum = 0;
   while (!stop)
      sum += fib(8);
   return arg;
}

static void *jump(void *arg)
{
   stack_t alt = { .ss_sp = malloc(65536), .ss_size = 65536 };
   volatile int rounds = 0;
   sigaltstack(&alt, NULL);
   while (!stop) {
      int how = sigsetjmp(leave, 1);
      if (how == 0) {
         may_jump = 1;
         fib(6);
         if (++rounds % 64 == 0) {
            may_jump = 0;
            *(volatile int *)(long)zero = rounds;
         }
      } else
         jumps++;
      may_jump = 0;
   }
   return arg;
}

static void *allocate(void *arg)
{
   char text[200];
   while (!stop) {
      char *p = malloc(100 + (unsigned)alarms % 4000);
      snprintf(text, sizeof text, "%d %p %s", alarms, (void *)p, "words to be copied");
      strcpy(p, text);
      free(p);
   }
   return arg;
}

static void *wait_much(void *arg)
{
   struct timespec t = { 0, 300000 };
   int fds[2], k = 0;
   char c;
   if (pipe(fds) != 0)
      abort();
   while (!stop) {
      nanosleep(&t, NULL);
      (void)!write(fds[1], "x", 1);
      (void)!read(fds[0], &c, 1);
      pthread_kill(threads[k++ % 3], SIGUSR1);
   }
   return arg;
}

int main(void)
{
   void *(*const jobs[THREADS])(void *) = { compute, jump, allocate, wait_much };
   struct itimerval every = { { 0, 700 }, { 0, 700 } }, none = { { 0, 0 }, { 0, 0 } };
   struct sigaction sa;
   struct timespec rest = { 0, 150000000 };
   int i;

   memset(&sa, 0, sizeof sa);
   sa.sa_handler = on_alarm;
   sa.sa_flags = SA_RESTART;
   sigaction(SIGALRM, &sa, NULL);
   sa.sa_handler = on_user;
   sa.sa_flags = SA_ONSTACK;
   sigaction(SIGUSR1, &sa, NULL);
   sa.sa_sigaction = on_fault;
   sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
   sigaction(SIGSEGV, &sa, NULL);
   for (i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, jobs[i], NULL);
   setitimer(ITIMER_REAL, &every, NULL);
   while (nanosleep(&rest, &rest) != 0)
      ;
   /* On a slow machine, until each handler was entered. */
   while (alarms == 0 || users == 0 || faults == 0) {
      rest.tv_nsec = 5000000;
      nanosleep(&rest, NULL);
   }
   stop = 1;
   for (i = THREADS - 1; i >= 0; i--)
      pthread_join(threads[i], NULL);
   setitimer(ITIMER_REAL, &none, NULL);
   /* The last one may still be on its way. */
   rest.tv_nsec = 5000000;
   while (nanosleep(&rest, &rest) != 0)
      ;
   printf("%d %d %d\n", alarms, users, faults);
   return 0;
}
