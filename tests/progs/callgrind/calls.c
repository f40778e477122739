/* Calls that are no plain tree: recursion, recursion through three functions, tail calls, calls through pointers.  Ends
   in a recursion, with all of it on the stack, if there is an argument. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;

NOINLINE int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }

NOINLINE int red(int k);
NOINLINE int blue(int k);

NOINLINE int green(int k)
{
   n++;
   if (k % 3 == 0)
      return red(k - 1) + blue(k - 2);
   return k > 0 ? blue(k - 1) + 1 : 0;
}

NOINLINE int blue(int k) { return k > 0 ? red(k - 1) + 2 : 0; }
NOINLINE int red(int k)  { return k > 0 ? green(k - 1) + 3 : 0; }

/* With -O2 these are jumps. */
NOINLINE int last(int k)   { n += k; return n; }
NOINLINE int middle(int k) { n++; return last(k + 1); }
NOINLINE int first(int k)  { return k % 2 ? last(k) : middle(k); }

NOINLINE int ping(int k);
NOINLINE int pong(int k) { n++; return k == 0 ? n : ping(k - 1); }
NOINLINE int ping(int k) { n--; return k == 0 ? n : pong(k - 1); }

static int (*const table[])(int) = { fib, first, green, pong };

NOINLINE int leave(int k)
{
   if (k < 0)
      return n;
   if (k == 0)
      exit(0);
   return leave(k - 1) + 1;
}

int main(int argc, char **argv)
{
   int i, sum = 0;

   (void)argv;
   for (i = 0; i < 12; i++)
      sum += table[i % 4](i);
   n = sum;
   if (argc > 1)
      leave(6);
   return 0;
}
