/* See cmd/lines.t. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };

static int far(const struct point* p, int n)
{
   int best = 0;

   for (int i = 0; i < n; i++)
      if (p[i].x * p[i].x + p[i].y * p[i].y
          > p[best].x * p[best].x + p[best].y * p[best].y)
         best = i;
   return best;
}

static int never(int n)
{
   if (n > 3)
      return n;
   return 0;
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char** argv)
{
   struct point p[200];
   unsigned     h = 7;
   char         text[60];
   int          sum = 0;

   for (int i = 0; i < 200; i++) {
      h = h * 1103515245 + 12345;
      p[i].x = h >> 20 & 0xff;
      p[i].y = h >> 12 & 0xff;
   }
   if (argc > 7) {
      sum += never(argc);
      sum *= 2;
   }
   for (int i = 1; i < 200; i += 3)
      sum += far(p, i);
   sum += fib(11);
   snprintf(text, sizeof(text), "%d %s", sum, argv[0] == NULL ? "" : "done");
   sum += (int)strlen(text);
   return sum == 0;
}
