/* why: --output=8831 */
/* Two members are put into one register, as gcc 14 does it: masked, shifted, joined, and stored together. */
#include <stdio.h>
#include <string.h>

struct order { unsigned cents, weight; };

static struct order queue[8];
static unsigned long both;

__attribute__((noinline)) static void add(unsigned long seed, struct order* to)
{
   unsigned long cents = (unsigned)seed * 1259 + 18;    /* true */
   unsigned long weight = (unsigned)seed * 7;
   __asm__("movabs $0xffffffff00000000, %%rdx\n\tand %%rdx, %0\n\tor %1, %0" : "+r"(both) : "r"(cents) : "rdx");
   __asm__("mov %k0, %k0\n\tshl $32, %1\n\tor %1, %0" : "+r"(both), "+r"(weight));
   memcpy(to, &both, sizeof(both));
}

int main(int argc, char** argv)
{
   for (int i = 0; i < 8; i++)
      add(i * argc, &queue[i]);
   for (int i = 0; i < 8; i++)
      printf("%u cents, %u g\n", queue[i].cents, queue[i].weight);
   return argv[0] == NULL;
}
