/* See cmd/export/champsim.t. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile unsigned long n, sum;
static char* page;
static void handler(int s)
{
   for (int i = 0; i < s; i++)
      if (i % 3)
         sum += i;
   n++;
   mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
   struct itimerval often = { { 0, 1000 }, { 0, 1000 } };

   page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   signal(SIGSEGV, handler);
   signal(SIGALRM, handler);
   for (unsigned i = 0; i < 20; i++) {
      mprotect(page, 4096, PROT_NONE);
      __asm__ volatile("test $1, %b0; jz 1f; nop; 1: mov (%1), %%rax" : : "q"(i), "r"(page) : "rax", "memory");
      mprotect(page, 4096, PROT_NONE);
      __asm__ volatile("test $1, %b0; jnz 1f; mov (%1), %%rax; 1: mov (%1), %%rax" : : "q"(i), "r"(page) : "rax", "memory");
   }
   setitimer(ITIMER_REAL, &often, 0);
   for (unsigned long i = 1; n < 42; i++)
      if (i * 2654435761u >> 7 & 1)
         sum += i;
   return 0;
}
