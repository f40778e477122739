#include <pthread.h>
#include <unistd.h>
static int total;
static int ends[2];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
#if LOCKED
#define LOCK(mutex) pthread_mutex_lock(&mutex)
#define UNLOCK(mutex) pthread_mutex_unlock(&mutex)
#else
#define LOCK(mutex)
#define UNLOCK(mutex)
#endif
static void* worker(void* arg)
{
   LOCK(guard);
   char byte = 1;
#if HELD
   if (write(ends[1], &byte, 1) != 1)
      return NULL;
   for (volatile int i = 0; i < 200000; i++) ;
#endif
   total = total + *(int*)arg;  /* WRITES */
   UNLOCK(guard);
   if (write(ends[1], &byte, 1) != 1)
      return NULL;
   pause();
   return arg;
}
int main(void)
{
   pthread_t t;
   int amount = 7;      /* GIVES */
   char byte;
   if (pipe(ends) != 0 || pthread_create(&t, NULL, worker, &amount) != 0 || read(ends[0], &byte, 1) != 1)
      return 1;
   LOCK(READERS);
   int seen = total;    /* READS */
   UNLOCK(READERS);
   return write(1, &seen, sizeof(seen)) != sizeof(seen);        /* TELLS */
}
