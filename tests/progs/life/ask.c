/* A program to look into from outside.  work() has been called seven times when it prints "ready", and five times more after
   its standard input has ended.  With the argument "busy", threads compute, call, and wait meanwhile. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int n;
static volatile unsigned long spins;
static int begun;

__attribute__((noinline)) void work(void) { n++; }
__attribute__((noinline)) static int deeper(int k) { return k ? 1 + deeper(k - 1) : n; }

static void begin(void) { __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST); }

static void *sleeper(void *arg)
{
   begin();
   pause();
   return arg;
}

static void *spinner(void *arg)
{
   begin();
   for (;;)
      spins++;
   return arg;
}

static void *caller(void *arg)
{
   begin();
   for (;;)
      deeper(20);
   return arg;
}

int main(int argc, char **argv)
{
   void *(*const jobs[])(void *) = { sleeper, spinner, caller, spinner };
   pthread_t t;
   char c;
   int i;

   (void)argv;
   for (i = 0; i < 4 && argc > 1; i++)
      pthread_create(&t, NULL, jobs[i], NULL);
   for (i = 0; i < 7; i++)
      work();
   /* All threads must have begun, and had time to block or compute. */
   if (argc > 1)
      do
         usleep(200000);
      while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 4);
   (void)!write(1, "ready\n", 6);
   while (read(0, &c, 1) > 0)
      ;
   for (i = 0; i < 5; i++)
      work();
   return 0;
}
