/* Memory that mremap() moves keeps what has written it. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

int sum;

int main(void)
{
   char *a = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   char *wall = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   char *b = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   if (a == MAP_FAILED || wall == MAP_FAILED || b == MAP_FAILED)
      return 1;
   a[5000] = 7;
   a = mremap(a, 8192, 16384, MREMAP_MAYMOVE | MREMAP_FIXED, b);
   if (a == MAP_FAILED)
      return 1;
   sum = a[5000];
   return sum != 7;
}
