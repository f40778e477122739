/* Threads that race for memory without any lock, then with locks and condition variables.  One dies with a robust lock.  What
   the program prints depends on the order of its threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 6

static volatile uint64_t mixed = 1;
static volatile int      ready;
static pthread_mutex_t   lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t    cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t   robust;
static int               turn, order[THREADS * 3];

static void* work(void* arg)
{
   uintptr_t me = (uintptr_t)arg;

   __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
   for (int i = 0; i < 30000; i++)
      mixed = mixed * 6364136223846793005u + me;
   for (int i = 0; i < 3; i++) {
      pthread_mutex_lock(&lock);
      order[turn++] = (int)me;
      pthread_cond_signal(&cond);
      if (i == 1)
         usleep(100 * me);
      pthread_mutex_unlock(&lock);
   }
   if (me == 2)
      pthread_mutex_lock(&robust);
   char* own = malloc(1000 * me + 1);
   own[0] = 1;
   free(own);
   return NULL;
}

int main(void)
{
   pthread_mutexattr_t robustly;
   pthread_t           t[THREADS];

   pthread_mutexattr_init(&robustly);
   pthread_mutexattr_setrobust(&robustly, PTHREAD_MUTEX_ROBUST);
   pthread_mutex_init(&robust, &robustly);

   for (uintptr_t i = 0; i < THREADS; i++)
      pthread_create(&t[i], NULL, work, (void*)(i + 1));
   pthread_mutex_lock(&lock);
   while (turn < THREADS)
      pthread_cond_wait(&cond, &lock);
   pthread_mutex_unlock(&lock);
   for (int i = 0; i < THREADS; i++)
      pthread_join(t[i], NULL);
   printf("%d %016llx", pthread_mutex_lock(&robust), (unsigned long long)mixed);
   for (int i = 0; i < turn; i++)
      printf(" %d", order[i]);
   printf("\n");
   return (int)(mixed & 63);
}
