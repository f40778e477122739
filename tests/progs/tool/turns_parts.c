/* See tool/turns.t. */
#include <pthread.h>
#include <signal.h>
#include <valgrind/callgrind.h>
#include <valgrind/dcfg.h>

static volatile unsigned cell;
static void handler(int s) { cell += s; }

__attribute__((noinline)) void some(unsigned n) { for (unsigned i = 0; i < n; i++) cell += i; }

static void* work(void* arg)
{
   for (int i = 0; i < 4; i++) {
      some(5000);
      if (i == 1 && arg == NULL)
         CALLGRIND_DUMP_STATS;
      if (i == 2 && arg != NULL)
         CALLGRIND_ZERO_STATS;
   }
   return arg;
}

int main(int argc, char** argv)
{
   pthread_t a, b;

   signal(SIGUSR1, handler);
   some(100);
   CALLGRIND_DUMP_STATS;
   CALLGRIND_DUMP_STATS;
   pthread_create(&a, NULL, work, NULL);
   pthread_create(&b, NULL, work, argv);
   raise(SIGUSR1);
   some(8000);
   CALLGRIND_TOGGLE_COLLECT;
   some(9000);
   CALLGRIND_TOGGLE_COLLECT;
   pthread_join(a, NULL);
   CALLGRIND_DUMP_STATS;
   CALLGRIND_STOP_INSTRUMENTATION;
   some(10);
   CALLGRIND_START_INSTRUMENTATION;
   pthread_join(b, NULL);
   return 0;
}
