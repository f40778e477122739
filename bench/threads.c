/* Four threads that count primes and take turns at a lock. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N_THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_primes;
static unsigned limit;

static int is_prime(unsigned n)
{
   if (n % 2 == 0)
      return n == 2;
   for (unsigned d = 3; d * d <= n; d += 2)
      if (n % d == 0)
         return 0;
   return n > 1;
}

/* Each thread takes every N_THREADSth thousand of the numbers below limit. */
static void *work(void *arg)
{
   for (unsigned from = *(unsigned *)arg * 1000; from < limit; from += N_THREADS * 1000) {
      unsigned found = 0;
      for (unsigned n = from; n < from + 1000; n++)
         found += is_prime(n);
      pthread_mutex_lock(&lock);
      n_primes += found;
      pthread_mutex_unlock(&lock);
   }
   return NULL;
}

int main(int argc, char **argv)
{
   pthread_t threads[N_THREADS];
   unsigned  numbers[N_THREADS];

   limit = argc > 1 ? atoi(argv[1]) : 100000;
   for (unsigned i = 0; i < N_THREADS; i++) {
      numbers[i] = i;
      if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
         return 1;
   }
   for (unsigned i = 0; i < N_THREADS; i++)
      pthread_join(threads[i], NULL);
   printf("%u\n", n_primes);
   return 0;
}
