/* Calls with arguments that are known, and then waits for the end of its input: for xray.t. */
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;

NOINLINE static void six(long a, long b, long c, long d, long e, long f)
{
   sink += a + b + c + d + e + f;
}

NOINLINE static int leaf(int n)
{
   return n * 3 + 1;
}

/* Jumps to leaf when optimised. */
NOINLINE static int jumps(int n)
{
   return leaf(n + 7);
}

NOINLINE static int waits(void)
{
   char c;

   puts("ready");
   fflush(stdout);
   return fread(&c, 1, 1, stdin);
}

int main(int argc, char **argv)
{
   int s = argc;

   six(1, -2, 3, 0x123456789abcdef, 5, 6);
   for (int i = 0; i < 50; i++)
      s += jumps(i) + leaf(i);
   sink += s;
   if (argc > 1)
      sink += waits();
   six(6, 5, 4, 3, 2, 1);
   return 0;
}
