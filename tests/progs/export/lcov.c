/* See cmd/export/lcov.t. */
#include <stdio.h>
#include <stdlib.h>
#define BETWEEN(a, x, b) ((a) <= (x) && (x) <= (b))
int total;
static int leaves(int n)
{
   if (n == 77) return 0;
   for (int i = 0; i < n; i++) {
      if (i == 5)
         break;
      if (i == 50) continue;
      total += i > 2 && n != 4 || i == n;
   }
   while (total > 1000)
      total -= 7;
   do
      total++;
   while (total % 4 != 0);
   while (1) {
      if (total > 100000)
         break;
      total += 7;
      if (total % 5 == 1)
         return n;
      if (total % 3 == 0)
         total++;
   }
   return n;
}
static int several(int a, int b)
{
   if (a > 3
       && (b < 2
           || b == a))
      return a > b ? a : b;
   else if (BETWEEN(1, a, 3) || !b)
      total += 2;
   if (a == 60)
      goto out;
   return (a & 1) ? b == 3 : a != 2;
out:
   return 9;
}
static double floats(double a, double b)
{
   if (a == b)
      return 0;
   return a < b ? a : b;
}
static int chosen(int n)
{
   switch (n) {
   case 1: return 3;
   case 9: return 4;
   }
   return 0;
}
int main(int argc, char** argv)
{
   double sum = 0;
   for (int i = 0; i < 20; i++) {
      sum += leaves(i) + several(i, 6 - i) + chosen(i);
      sum += floats(i, 7);
   }
   if (argc > 5 || getenv("NO SUCH THING"))
      puts("never");
   if (sum == 0)
      exit(3);
   return printf("%g %d\n", sum, total) < 0;
}
