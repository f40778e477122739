/* Writes lines with the time, until somebody kills it. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
   struct timespec t;
   char            line[64];

   for (long i = 0;; i++) {
      clock_gettime(CLOCK_REALTIME, &t);
      if (write(1, line, (size_t)snprintf(line, sizeof(line), "%ld %ld\n", i, t.tv_nsec)) < 0)
         return 1;
   }
}
