/* Takes a branch more often than a word of 32 bits can count: 3 x 1.5 billion times, but for the last time of each. */
static __attribute__((noinline, noclone)) void count_down(unsigned n)
{
   __asm__ volatile("1: dec %0\n"
                    "jnz 1b\n" : "+r"(n) : : "cc");
}

int main(void)
{
   for (int round = 0; round < 3; round++)
      count_down(1500000000);
   return 0;
}
