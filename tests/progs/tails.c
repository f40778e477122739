/* A pseudorandom bit decides, again and again, whether a thousand jumps forward are executed, which have no other way
   out. */
#include <stdio.h>

#if defined(__aarch64__)
#define JUMP "b"
#else
#define JUMP "jmp"
#endif

int main(void)
{
   unsigned x = 1, n = 0;

   for (unsigned i = 0; i < 1500; i++) {
      x = x * 1103515245 + 12345;
      if (x & 0x20000)
         __asm__ volatile(".rept 1100\n" JUMP " 1f\nnop\n1:\n.endr");
      else
         n++;
   }
   printf("%u\n", n);
   return 0;
}
