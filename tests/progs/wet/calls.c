/* For tests/oracle/wet_model.py: calls of all kinds, recursion, tables. */
#include "kernel.h"

static int squares[32];

__attribute__((noinline)) static int fib(int n)
{
   return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n)
{
   return n == 0 ? 1 : odd(n - 1);
}

__attribute__((noinline)) static int odd(int n)
{
   return n == 0 ? 0 : even(n - 1);
}

__attribute__((noinline)) static int choose(int n)
{
   switch (n) {
      case 0: return 5;
      case 1: return fib(n + 3);
      case 2: n += 7; break;
      case 3: n *= 3; break;
      case 4: n--; break;
      case 5: return 9;
      case 6: n += 2;
   }
   return n;
}

static int (*const functions[])(int) = { fib, choose, even };

static int program(void)
{
   int sum = 0;

   for (int i = 0; i < 9; i++) {
      sum += functions[i % 3](i);
      if (i % 3 == 2)
         continue;
      squares[(i * 7 + sum) & 31] += sum;
      if (sum > 1000)
         break;
      do
         sum -= squares[sum & 31] | 1;
      while (sum > 50);
   }
   for (int i = 0; i < 16; i++)
      output[i] = 'a' + (squares[i] & 15);
   return 0;
}
