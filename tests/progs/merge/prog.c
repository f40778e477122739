/* Its work depends on its arguments.  It has a table of jumps, and blocks that some inputs divide. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int step(int x)
{
   int s = x;
   switch (x % 6) {
      case 0: s ^= 1; break;
      case 1: s *= 3;
      case 2: s += 9; break;
      case 3: goto inside;
      default: s--; break;
   }
   if (s % 2)
inside:
      s += 5;
   return s;
}
int main(int argc, char** argv)
{
   int s = 0, n = atoi(argv[1]);
   for (int i = n % 7; i < n; i++)
      s += step(i);
   if (n > 100)
      puts(strdup("more"));
   if (n % 2)
      printf("%d\n", s);
   else
      printf("%f %s\n", s * 1.5, argc > 2 ? argv[2] : "");
   return 0;
}
