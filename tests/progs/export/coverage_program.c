/* See cmd/export/coverage.t. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int never(int n)
{
   if (n > 3)
      return n;
   return 0;
}

static int fib(int n)
{
   if (n < 2)
      return n;
   return fib(n - 1) + fib(n - 2);
}

static int kind(int c)
{
   switch (c % 5) {
   case 0:
      return 1;
   case 1:
   case 2:
      return c > 50 ? 2 : 3;
   case 3:
      break;
   default:
      c++;
   }
   return c;
}

static int compare(const void* a, const void* b)
{
   int x = *(const int*)a, y = *(const int*)b;

   return x < y ? -1 : x > y;
}

static int search(const int* v, int n, int what)
{
   int low = 0, high = n;

   while (low < high) {
      int mid = (low + high) / 2;
      if (v[mid] == what)
         return mid;
      if (v[mid] < what)
         low = mid + 1;
      else
         high = mid;
   }
   return -1;
}

int main(int argc, char** argv)
{
   int v[100], sum = 0, found = 0;
   char text[200];
   unsigned h = 7;

   for (int i = 0; i < 100; i++) {
      h = h * 1103515245 + 12345;
      v[i] = h >> 16 & 0xff;
   }
   qsort(v, 100, sizeof v[0], compare);
   for (int i = 0; i < 300; i++)
      if (search(v, 100, i) >= 0)
         found++;
   for (int i = 0; i < 40; i++) sum += kind(i);
   do {
      sum -= 3;
      if (sum == 5)
         continue;
   } while (sum > 100);
   if (argc > 5 && never(argc))
      sum++;
   if (argc == 2 || argv[0] == NULL)
      sum += fib(12);
   else
      sum = never(sum);
   memset(text, 'a', sizeof text);
   text[50] = 0;
   printf("%d %d %zu\n", sum, found, strlen(text));
   return 0;
}
