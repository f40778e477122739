/* See cmd/report.t. */
#include <stdlib.h>
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
FAR static int a(int n) { return n + 1; }
FAR static int b(int n) { return n * 3; }
FAR static int c(int n) { return n - 7; }
static int (*table[])(int) = { a, b, c };
FAR int loops(int n) { int s = 0; for (int i = 0; i < n; i++) s += sink; return s; }
FAR int nest(int n) { int s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) s += sink; return s; }
FAR int down(int n)
{
   int s = 0;
   for (int i = 0; i < 3; i++) {
      s += sink;
      if (n > 0 && i == 1)
         s += down(n - 1);
   }
   return s;
}
int main(int argc, char** argv)
{
   for (int i = 0; i < 60; i++)
      sink = table[i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2](i);
   for (int i = 1; i <= 8; i++)
      sink += loops(i);
   sink += nest(5);
   sink += down(4);
   return 0;
}
