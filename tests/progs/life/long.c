/* Takes 36 million indirect branches: what a trace records of them, two bytes of each, is more than the tool keeps in
   memory. */
#include <stdio.h>

static void nothing(void)
{
}

int main(void)
{
   void (*volatile f)(void) = nothing;

   puts("ready");
   fflush(stdout);
   for (unsigned i = 0; i < 18000000u; i++)
      f();
   return 0;
}
