/* Writes lines with the time, until somebody kills it; with an argument, it writes one and then only computes. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv)
{
   struct timespec   t;
   char              line[64];
   volatile unsigned sum = 1;

   for (long i = 0;; i++) {
      clock_gettime(CLOCK_REALTIME, &t);
      if (write(1, line, (size_t)snprintf(line, sizeof(line), "%ld %ld\n", i, t.tv_nsec)) < 0)
         return 1;
      while (argc > 1)
         sum = sum * 3 + 1;
   }
}
