/* Two desks sell the last two seats.  One of them looks how many are left
   before it has the lock. */
#include <pthread.h>
#include <stdio.h>

static int seats = 2;
static pthread_barrier_t both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *desk(void *wanted)
{
   int n = *(int *)wanted;
   int left = seats;
   pthread_barrier_wait(&both);
   pthread_mutex_lock(&lock);
   if (left >= n)
      seats = seats - n;
   pthread_mutex_unlock(&lock);
   return NULL;
}

int main(void)
{
   int n = 2;
   pthread_t other;
   pthread_barrier_init(&both, NULL, 2);
   pthread_create(&other, NULL, desk, &n);
   desk(&n);
   pthread_join(other, NULL);
   printf("%d seats\n", seats);
   return 0;
}
