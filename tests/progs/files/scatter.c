#include <stdlib.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>
static unsigned char memory[1 << 24];   /* readers do not divide: each quotient takes some bytes of the recording */
int main(int argc, char** argv) {
   unsigned long x = 1, sum = 0, floods = argc > 2 ? strtoul(argv[2], 0, 10) : 0;
   for (long n = atol(argv[1]); n > 0; n--) {
      x = x * 6364136223846793005UL / (unsigned)argc + 1442695040888963407UL;
      sum += memory[x >> 40]++;
      sum += memory[(x >> 20) & 0xffffff]++;
   }
   if (argc > 2 && argv[2][1] == 'w')           /* "0w": say so, and wait */
      for (sum += write(1, "w", 1) == 1; ; )
         pause();
   while (floods-- > 0)                 /* 16 MB each, which the recording has as they are */
      for (long n = 0; n < 1 << 24; )
         n += getrandom(memory + n, (1 << 24) - n, 0);
   printf("%lu\n", sum);
   return 0;
}
