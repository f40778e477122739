/* Goes through an indirect branch, and past a conditional one, more often than a word of 32 bits can count: 3 x 1.5 billion
   times, but for the last time of each. */
int main(void)
{
   for (int round = 0; round < 3; round++) {
      unsigned n = 1500000000, at;
      __asm__ volatile("call 1f\n"
                       "1: pop %1\n"
                       "add $2f-1b, %1\n"
                       "2: dec %0\n"
                       "jz 3f\n"
                       "jmp *%1\n"
                       "3:\n" : "+r"(n), "=&r"(at) : : "cc");
   }
   return 0;
}
