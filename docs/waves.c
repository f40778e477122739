/* Waves on a string, by several threads: a program for simulators. */
#include <stdio.h>
#include <stdlib.h>

#define POINTS 20000

static double now[POINTS], before[POINTS], next[POINTS];

/* Move the string by one step of time. */
static void step(void)
{
#pragma omp parallel for schedule(static)
   for (int i = 1; i < POINTS - 1; i++)
      next[i] = 2 * now[i] - before[i]
                + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
#pragma omp parallel for schedule(static)
   for (int i = 1; i < POINTS - 1; i++) {
      before[i] = now[i];
      now[i] = next[i];
   }
}

static double energy(void)
{
   double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
   for (int i = 1; i < POINTS - 1; i++)
      sum += (now[i] - before[i]) * (now[i] - before[i]);
   return sum;
}

int main(int argc, char** argv)
{
   int steps = argc > 1 ? atoi(argv[1]) : 30;

   for (int i = POINTS / 4; i < POINTS / 2; i++)
      now[i] = before[i] = 1;
   for (int k = 1; k <= steps; k++) {
      step();
      if (k % 10 == 0)
         printf("%4d %8.3f\n", k, energy());
   }
   return 0;
}
