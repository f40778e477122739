#include <stdlib.h>
#include <sys/mman.h>
#define PAIRS 256
typedef struct { int once, often; } Pair;
static volatile Pair pairs[PAIRS];
static unsigned seed = 1;
static int next(void) { return seed = seed * 1103515245u + 12345u; }
int main(void)
{
   Pair* far = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   char* much = mmap(NULL, 80 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   for (int i = 0; i < PAIRS; i++)
      pairs[i].once = far[i].once = next();
   for (int round = 0; round < 300; round++) {
      for (int i = 0; i < PAIRS; i++) {
         pairs[i].often = next();
         far[i].often = next();
      }
      for (int i = 0; i < 80 << 20 && round == 75; i += 4096)
         much[i] = (char)i;
   }
   return 0;
}
