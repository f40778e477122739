#include <stdio.h>
#include <stdlib.h>
static volatile int sink;

static inline int leaf(int x)
{
   int s = 0;
   for (int i = 0; i < 5; i++) s += x ^ sink;
   return s * 3;
}
static inline int branchy(int n) { if (n & 1) return leaf(n) + 1; return leaf(n + 7); }
int main(int argc, char** argv)
{
   int n = 0; for (int i = 0; i < 100; i++) n += branchy(i + argc);
   sink = n;
   return 0;
}
