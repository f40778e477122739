/* Threads that run together; one begins what another one ends.  Handlers and a child run inside. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/dcfg.h>

static volatile int sink;
static pthread_barrier_t all;

static void on_signal(int sig)
{
   sink += sig;
}

__attribute__((noinline)) static void turn(int n)
{
   for (int i = 0; i < n; i++)
      sink += i;
}

static void *run(void *arg)
{
   int who = *(int *)arg;

   for (int round = 0; round < 6; round++) {
      if (round == who + 1)
         DCFG_START;
      turn(100);
      raise(SIGUSR1);
      pthread_barrier_wait(&all);
      turn(10);
      if (round == 5 - who)
         DCFG_STOP;
      pthread_barrier_wait(&all);
   }
   return NULL;
}

int main(void)
{
   pthread_t threads[3];
   int who[3] = { 0, 1, 2 };

   signal(SIGUSR1, on_signal);
   pthread_barrier_init(&all, NULL, 3);
   for (int i = 0; i < 3; i++)
      pthread_create(&threads[i], NULL, run, &who[i]);
   for (int i = 0; i < 3; i++)
      pthread_join(threads[i], NULL);
   DCFG_START;
   turn(5);
   if (fork() == 0) {
      turn(7);
      DCFG_STOP;
      turn(9);
      _exit(0);
   }
   DCFG_STOP;
   wait(NULL);
   DCFG_START;
   turn(3);
   return 0;
}
