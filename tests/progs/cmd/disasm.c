/* See cmd/disasm.t. */
#include <stdio.h>
static __attribute__((noinline)) int odd(int n);
static __attribute__((noinline)) int even(int n) { return n == 0 ? 1 : odd(n - 1) * 3; }
static __attribute__((noinline)) int odd(int n) { return n == 0 ? 0 : even(n - 1) + n; }
int main(int argc, char** argv)
{
   int sum = 0;
   for (int i = 0; i < 50; i++) {
      if (argc > 2)
         sum += puts(argv[i]);
      sum += even(i % 7);
   }
   return printf("%d\n", sum) < 0;
}
