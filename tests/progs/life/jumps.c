/* Handlers left by siglongjmp, through frames that never return: of a signal raised, of faults, and one handler in the
   other.  The numbers of calls follow from the arguments: 6, 4 and 3. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf env;
static volatile int zero, n;

__attribute__((noinline)) void on_user(int sig)  { n += sig; siglongjmp(env, 1); }
__attribute__((noinline)) void on_fault(int sig) { n += sig; siglongjmp(env, 2); }
__attribute__((noinline)) void on_outer(int sig) { n += sig; raise(SIGUSR1); abort(); }
__attribute__((noinline)) void landed(void)      { n++; }

__attribute__((noinline)) static int deep(int k, int what)
{
   volatile int here = k;
   if (k == 0) {
      if (what == 0)
         raise(SIGUSR1);
      else if (what == 1)
         *(volatile int *)(long)zero = here;
      else
         raise(SIGUSR2);
   }
   return deep(k - 1, what) + here;
}

int main(int argc, char **argv)
{
   volatile int what, k;
   signal(SIGUSR1, on_user);
   signal(SIGUSR2, on_outer);
   signal(SIGSEGV, on_fault);
   for (what = 0; what < 3 && what + 1 < argc; what++)
      for (k = atoi(argv[what + 1]); k > 0; k--) {
         if (sigsetjmp(env, 1) == 0)
            deep(10, what);
         landed();
      }
   printf("%d\n", n);
   return 0;
}
