/* Takes one conditional branch after the other, 100 million of them: a trace records more of them than the tool keeps in
   memory. */
#include <stdio.h>

int main(void)
{
   volatile unsigned x = 0;

   puts("ready");
   fflush(stdout);
   for (unsigned i = 0; i < 100000000u; i++)
      x = i;
   return x == 0;
}
