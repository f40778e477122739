#include <pthread.h>
#include <stdio.h>

__attribute__((noinline))
static int is_prime(int n)
{
   for (int d = 2; d * d <= n; d++)
      if (n % d == 0)
         return 0;
   return n > 1;
}

static void *count_primes(void *arg)
{
   int *n = arg;
   int found = 0;
   for (int i = 0; i < *n; i++)
      found += is_prime(i);
   *n = found;
   return NULL;
}

int main(void)
{
   int a = 1000, b = 2000;
   pthread_t other;

   pthread_create(&other, NULL, count_primes, &b);
   count_primes(&a);
   pthread_join(other, NULL);
   printf("%d %d\n", a, b);
   return 0;
}
