#include <pthread.h>
#include <unistd.h>
static int total = 1, ready;
static int ends[2];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static void* doubler(void* arg)
{
   char byte = 1;
   total = total * 2;   /* DOUBLES */
   return write(ends[1], &byte, 1) == 1 ? arg : NULL;
}
static void* adder(void* arg)
{
   char byte;
   if (read(ends[0], &byte, 1) != 1)
      return NULL;
   pthread_mutex_lock(&guard);
   total = total + 5;   /* ADDS */
   ready = 1;
   pthread_cond_signal(&turn);
   pthread_mutex_unlock(&guard);
   return arg;
}
int main(void)
{
   pthread_t a, b;
   if (pipe(ends) != 0 || pthread_create(&a, NULL, adder, NULL) != 0)
      return 1;
   pthread_mutex_lock(&guard);
   pthread_create(&b, NULL, doubler, NULL);
   while (!ready)
      pthread_cond_wait(&turn, &guard);
   int seen = total;    /* READS */
   pthread_mutex_unlock(&guard);
   pthread_join(a, NULL);
   pthread_join(b, NULL);
   return write(1, &seen, sizeof(seen)) != sizeof(seen);        /* TELLS */
}
