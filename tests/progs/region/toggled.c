/* toggled WHAT: functions for options that toggle collecting or begin a part.  They are entered a thousand times, recursive,
   left by longjmp, with signals inside and across, with a child, by several threads.
   "requests" toggles by requests, "stops" begins and ends in the middle, "says" puts marks. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include <valgrind/dcfg.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static jmp_buf out;

NOINLINE void leaf(int n)
{
   for (int i = 0; i < n; i++)
      sink += i;
}

NOINLINE void often(int n)
{
   leaf(n % 7);
   sink++;
}

NOINLINE void deep(int n)
{
   leaf(n);
   if (n > 0)
      deep(n - 1);
   sink--;
}

NOINLINE void jumper(int n)
{
   leaf(2);
   if (n == 0)
      longjmp(out, 1);
   jumper(n - 1);
   leaf(3);
}

NOINLINE int tail(int n)
{
   sink += n;
   return sink;
}

NOINLINE __attribute__((optimize("optimize-sibling-calls"))) int goes_on(int n)
{
   sink ^= n;
   return tail(n + 1);
}

NOINLINE int even(int n)
{
   sink += 2 * n;
   return sink;
}

NOINLINE int odd(int n)
{
   leaf(n);
   return sink;
}

NOINLINE __attribute__((optimize("optimize-sibling-calls"))) int goes_by(int (*next)(int), int n)
{
   sink ^= n;
   return next(n);
}

NOINLINE void handler(int sig)
{
   leaf(sig % 5);
   often(3);
   sink++;
}

NOINLINE void jumps_out(int sig)
{
   leaf(2);
   longjmp(out, sig);
}

NOINLINE void raiser(void)
{
   leaf(4);
   raise(SIGUSR1);
   leaf(5);
}

NOINLINE void faults(void)
{
   leaf(1);
   if (setjmp(out) == 0)
      raise(SIGUSR2);
   leaf(6);
}

NOINLINE void forks(void)
{
   leaf(3);
   if (fork() == 0) {
      often(5);
      leaf(2);
      _exit(0);
   }
   wait(NULL);
   leaf(4);
}

NOINLINE void asks(int n)
{
   leaf(n);
   CALLGRIND_TOGGLE_COLLECT;
   leaf(n + 1);
   often(n);
   if (n == 3)
      raise(SIGUSR1);
   DCFG_TOGGLE;
   leaf(2);
   if (n == 2) {
      CALLGRIND_TOGGLE_COLLECT;
      leaf(9);
   }
   if (n == 4)
      CALLGRIND_DUMP_STATS;
}

NOINLINE void says(int n)
{
   leaf(n);
   DCFG_MARK(n == 1 ? "" : n == 2 ? "in \303\244 call of two" : "odd");
   leaf(1);
   if (n == 3)
      DCFG_MARK((char *)16);
}

NOINLINE void halts(int n)
{
   leaf(n);
   CALLGRIND_STOP_INSTRUMENTATION;
   leaf(4);
}

NOINLINE void stops(void)
{
   often(1);
   CALLGRIND_START_INSTRUMENTATION;
   often(2);
   deep(3);
   halts(3);
   often(4);
   CALLGRIND_TOGGLE_COLLECT;
   CALLGRIND_START_INSTRUMENTATION;
   deep(1);
   often(5);
}

static pthread_barrier_t all;

static void *run(void *arg)
{
   int who = *(int *)arg;

   for (int round = 0; round < 4; round++) {
      often(who + round);
      if (round == who)
         deep(3);
      pthread_barrier_wait(&all);
      leaf(4);
   }
   return NULL;
}

NOINLINE void threads(void)
{
   pthread_t t[3];
   int who[3] = { 0, 1, 2 };

   pthread_barrier_init(&all, NULL, 3);
   for (int i = 0; i < 3; i++)
      pthread_create(&t[i], NULL, run, &who[i]);
   for (int i = 0; i < 3; i++)
      pthread_join(t[i], NULL);
   /* They have ended, and were not collected then. */
   CALLGRIND_DUMP_STATS;
   often(2);
   DCFG_DUMP("twice");
   often(3);
}

NOINLINE void all_kinds(int with_children)
{
   for (int i = 0; i < 1000; i++)
      often(i);
   leaf(20);
   deep(10);
   for (int i = 0; i < 3; i++)
      if (setjmp(out) == 0)
         jumper(4 + i);
   sink += goes_on(3);
   for (int i = 0; i < 8; i++)
      sink += goes_by(i % 3 == 0 ? even : odd, i);
   raiser();
   faults();
   raise(SIGUSR1);
   if (with_children)
      forks();
   deep(2);
}

int main(int argc, char **argv)
{
   const char *what = argc > 1 ? argv[1] : "";

   signal(SIGUSR1, handler);
   signal(SIGUSR2, jumps_out);
   if (strcmp(what, "requests") == 0)
      for (int i = 0; i < 6; i++)
         asks(i);
   else if (strcmp(what, "threads") == 0)
      threads();
   else if (strcmp(what, "says") == 0)
      for (int i = 0; i < 4; i++)
         says(i);
   else if (strcmp(what, "stops") == 0)
      stops();
   else
      all_kinds(strcmp(what, "forks") == 0);
   leaf(2);
   return 0;
}
