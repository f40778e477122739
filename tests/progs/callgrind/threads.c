/* Threads that make each other, so that each is there until those it made have ended; or, with an argument, the first
   thread makes them all, so that one takes the place of another.  The executed code does not depend on when they run.  A
   thread writes its id to standard output.  The one that made it reads a byte before it joins it: the first thread from
   standard input, another one from standard error.  The test gives that byte when the thread has ended, so that joining
   never waits. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;

NOINLINE void work(int k)
{
   while (k-- > 0)
      n++;
}

NOINLINE int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }

NOINLINE void make(void *(*body)(void *), int from)
{
   pthread_t t;
   char      c;

   pthread_create(&t, 0, body, 0);
   (void)!read(from, &c, 1);
   pthread_join(t, 0);
}

NOINLINE void tell(void)
{
   int id = syscall(SYS_gettid);

   (void)!write(1, &id, sizeof(id));
}

static void *one(void *arg)
{
   tell();
   work(100);
   return arg;
}

static void *two(void *arg)
{
   tell();
   work(fib(7));
   pthread_exit(arg);
}

static void *three(void *arg)
{
   tell();
   work(5);
   make(two, 2);
   work(20);
   return arg;
}

int main(int argc, char **argv)
{
   (void)argv;
   work(10);
   if (argc == 1)
      make(three, 0);
   else {
      make(one, 0);
      make(two, 0);
      make(one, 0);
   }
   return 0;
}
