/* why: --output=777 */
/* A structure goes into functions and out of them by value. */
#include <stdio.h>

struct span { int low, high; long sum; int times; };

__attribute__((noinline)) static struct span make(int from)
{
   struct span s;
   s.low = from - 10;
   s.high = from * 7;                   /* true */
   s.sum = (long)from * from;
   s.times = 1;
   return s;
}

__attribute__((noinline)) static struct span wider(struct span s, int by)
{
   s.low -= by;
   s.times++;
   return s;
}

int main(int argc, char** argv)
{
   struct span s = make(110 + argc);
   for (int i = 0; i < 3; i++)
      s = wider(s, i);
   printf("%d %d %ld %d\n", s.low, s.high, s.sum, s.times);
   return argv[0] == NULL;
}
