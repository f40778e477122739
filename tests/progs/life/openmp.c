/* OpenMP: a parallel loop, a reduction, sections that wait for each other.  work() is called 5000 times. */
#include <stdio.h>

static int sums[64];

__attribute__((noinline)) void work(int i)
{
#pragma omp atomic
   sums[i % 64] += i;
}

int main(void)
{
   int i, total = 0;

#pragma omp parallel for schedule(dynamic, 16)
   for (i = 0; i < 5000; i++)
      work(i);
#pragma omp parallel for reduction(+ : total)
   for (i = 0; i < 64; i++)
      total += sums[i];
#pragma omp parallel
   {
#pragma omp critical
      total++;
#pragma omp barrier
#pragma omp single
      total += 100000;
   }
   printf("%d\n", total);
   return 0;
}
