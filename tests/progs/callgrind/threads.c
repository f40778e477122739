/* Threads that make each other, so that each is there until those it made have ended; or, with an argument, the first
   thread makes them all, so that one takes the place of another.  What is executed does not depend on when Valgrind
   lets them run: each is joined where it was made, and by then it has long ended, so that nobody has to wait. */
#include <poll.h>
#include <pthread.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;

NOINLINE void work(int k)
{
   while (k-- > 0)
      n++;
}

NOINLINE int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }

NOINLINE void make(void *(*body)(void *), int ms)
{
   pthread_t t;

   pthread_create(&t, 0, body, 0);
   poll(0, 0, ms);
   pthread_join(t, 0);
}

static void *one(void *arg)
{
   work(100);
   return arg;
}

static void *two(void *arg)
{
   work(fib(7));
   pthread_exit(arg);
}

static void *three(void *arg)
{
   work(5);
   make(two, 300);
   work(20);
   return arg;
}

int main(int argc, char **argv)
{
   (void)argv;
   work(10);
   if (argc == 1)
      make(three, 900);
   else {
      make(one, 300);
      make(two, 300);
      make(one, 300);
   }
   return 0;
}
