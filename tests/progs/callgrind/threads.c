/* Threads of which one runs at a time, as each is joined where it was made.  They make each other, so that all are there
   at the end; or, with an argument, the first thread makes them all, so that one takes the place of another. */
#include <pthread.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;

NOINLINE void work(int k)
{
   while (k-- > 0)
      n++;
}

NOINLINE int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }

NOINLINE void make(void *(*body)(void *))
{
   pthread_t t;

   pthread_create(&t, 0, body, 0);
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
   make(two);
   work(20);
   return arg;
}

int main(int argc, char **argv)
{
   (void)argv;
   work(10);
   if (argc == 1)
      make(three);
   else {
      make(one);
      make(two);
      make(one);
   }
   return 0;
}
