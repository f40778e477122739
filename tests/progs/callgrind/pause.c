/* Waits in the middle of a recursion until its standard input ends; then it goes on to the same code in the same functions,
   within the calls that were active meanwhile. */
#include <unistd.h>

static volatile int n;

__attribute__((noinline)) static void work(int k)
{
   for (int i = 0; i < k; i++)
      n += i;
}

__attribute__((noinline)) static int down(int k)
{
   char c;

   work(10 * k);
   if (k == 12) {
      (void)!write(1, "ready\n", 6);
      while (read(0, &c, 1) > 0)
         ;
   }
   return k > 20 ? n : down(k + 1) + 1;
}

int main(void)
{
   return down(0) < 0;
}
