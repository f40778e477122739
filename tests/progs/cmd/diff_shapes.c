/* See cmd/diff.t. */
#include <stdio.h>
#include <stdlib.h>
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
MORE
FAR static int same(int n) { return n * 3 + sink; }
FAR int other_same(int n);
FAR static int helper(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 3 == 0) s += i; else s ^= i; } return s; }
FAR static unsigned hash(const char* s) { unsigned h = 5381; while (*s) h = h * 33 ^ (unsigned char)*s++; return h; }
FAR static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
FAR static int fill(int* a, int n) { for (int i = 0; i < n; i++) a[i] = i * 7919 % 101; return n; }
FAR static int work(int n) { int s = 0; while (n-- > 0) s += helper(20); return s; }
int main(void)
{
   static int a[50];
   sink = fill(a, 50);
   qsort(a, 50, sizeof(*a), compare);
   printf("%d\n", work(100) + (int)hash("hello") + same(1) + other_same(2));
   return 0;
}
