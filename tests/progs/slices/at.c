/* See cmd/slice/at.t. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int table[40];
static volatile int shared;
static int __attribute__((noinline)) factorial(int n)
{
   if (n < 2)
      return 1;
   return n * factorial(n - 1);
}
static int __attribute__((noinline)) twice(int x) { return 2 * x; }
static int ascending(const void* a, const void* b)
{
   return *(const int*)a - *(const int*)b;
}
static void* work(void* arg)
{
   for (int i = 0; i < 5; i++) shared += *(int*)arg;
   shared = shared
            + twice(shared)
            + twice(3);
   return arg;
}
static int __attribute__((noinline)) length(const char* s)
{
   const char* at = s; while (*at++ != 0) ; return (int)(at - s);
}
static int __attribute__((noinline)) sum_of(int n)
{
   int s = 0;
   for (int i = 0; i < n; i++) s += table[i] * i;
   for (int i = 0; i < n; i++)
      if (table[i] & 1)
         s += twice(table[i]); else s -= table[i];
   int i = 0; while (i < n) { int k = i; do { s ^= k; k /= 2; } while (k > 0); i++; }
   return s;
}
static int __attribute__((noinline)) tree(int n) { return n < 2 ? n : tree(n - 1) + tree(n - 2); }
int main(int argc, char** argv)
{
   pthread_t a, b;
   int one = argc, two = argc + 1;
   struct { long x[60]; } zero = { { 0 } };
   for (int i = 0; i < 40; i++) table[i] = (i * 37 + argc) % 41;
   qsort(table, 40, sizeof(int), ascending);
   pthread_create(&a, NULL, work, &one); pthread_create(&b, NULL, work, &two);
   pthread_join(a, NULL); pthread_join(b, NULL);
   shared += (int)zero.x[argc] + sum_of(30) + twice(sum_of(3)) + factorial(6) + length(argv[0]) + tree(6);
   return write(1, (void*)&shared, sizeof(shared)) != sizeof(shared);
}
