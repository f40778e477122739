/* Lines and branches that markers leave out. */
#include <stdio.h>
#include <stdlib.h>
static int total;
static int whole(int n)               /* LCOV_EXCL_START */
{
   return n > 3 ? n : 3;
}                                     /* LCOV_EXCL_STOP */
static int kept(int n)
{
   if (n == 77)
      abort();                        /* LCOV_EXCL_LINE */
   if (n > 2)                         /* LCOV_EXCL_BR_LINE */
      total++;
   /* LCOV_EXCL_BR_START */
   if (n > 4)
      total += 2;
   while (total > 1000)
      total -= 7;
   /* LCOV_EXCL_BR_STOP */
   if (n > 5)
      total += 3;
   return total;                      // XLCOV_EXCLUDED, LCOV_EXCL_NOTHING
}
static int other(int n)               /* LCOV_EXCL_LINE */
{
   return kept(n) + whole(n);
}
static int gcovr(int n)
{
   /* GCOVR_EXCL_START */
   if (n > 1)
      total += 5;
   /* GCOVR_EXCL_STOP */
   if (n > 7)                         /* GCOVR_EXCL_BR_LINE */
      total += 6;
   total++;                           /* GCOVR_EXCL_LINE */
   return total;
}
int main(int argc, char **argv)
{
   for (int i = 0; i < 8; i++)
      total += other(i + argc) + gcovr(i);
   printf("%d\n", total);
   return argv == NULL;
}
