/* Catches SIGTRAP, of its own instructions and of kill(). */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int  traps;
static volatile long seen;

static void on_trap(int s, siginfo_t* info, void* context)
{
   traps++;
   seen = seen * 31 + info->si_code;
}

int main(void)
{
   struct sigaction a = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

   sigaction(SIGTRAP, &a, NULL);
   for (int i = 0; i < 100; i++) {
      __asm__ volatile("int3");
      if (i % 10 == 0)
         kill(getpid(), SIGTRAP);
      if (i % 10 == 5)
         raise(SIGTRAP);
   }
   printf("%d %ld\n", traps, seen);
   return 0;
}
