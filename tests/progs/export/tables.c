/* See cmd/export/tables.t. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const short rounds[64] = { [0 ... 63] = 2000, [17] = 9000 };
struct item { int key; long sum; };
static struct item items[64];
__attribute__((noinline)) static long work(int n)
{
   long s = 0;
   for (int i = 0; i < n; i++) {
      struct item* it = &items[i % 64]; it->sum += i ^ it->key; s += it->sum % 7;
   }
   return s;
}
__attribute__((noinline)) static long rare(long s) { return s * 3 + 1; }
int main(int argc, char** argv)
{
   int  rank = atoi(argv[1]);
   long s = 0;
   for (int i = 0; i < 64; i++)
      items[i].key = i * 31;
   s += work(rounds[rank]);
   if (rank == 42)
      s = rare(s);
   printf("%d\n", s == 12345);
   return 0;
}
