/* Calls in two threads, recursion, and functions that are inlined. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int sink;
static inline __attribute__((always_inline)) int area(int n)
{
   for (int i = 0; i < n; i++)
      sink += i;
   return sink;
}
static inline __attribute__((always_inline)) int twice(int n)
{
   return area(n) + area(n + 1);
}
__attribute__((noinline)) static int leaf(int n)
{
   return twice(n) & 7;
}
__attribute__((noinline)) static int work(int n)
{
   int sum = leaf(n);
   sum += area(n + 2);
   return sum + twice(n);
}
__attribute__((noinline)) static int tree(int n)
{
   return n < 2 ? work(n) : tree(n - 1) + tree(n - 2) + leaf(2);
}
static int compare(const void *a, const void *b)
{
   return *(const int *)a - *(const int *)b + 0 * work(1);
}
static void *thread(void *arg)
{
   int numbers[9] = { 5, 3, 8, 1, 9, 2, 7, 4, 6 };
   qsort(numbers, 9, sizeof(int), compare);
   return (void *)(size_t)tree(numbers[0] + *(int *)arg);
}
int main(void)
{
   int       two = 2;
   pthread_t t;
   pthread_create(&t, NULL, thread, &two);
   tree(7);
   pthread_join(t, NULL);
   printf("%d\n", sink > 0);
   return 0;
}
