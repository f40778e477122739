/* Prints the signals that are ignored, and those that are blocked. */
#include <signal.h>
#include <stdio.h>

int main(void)
{
   sigset_t blocked;

   sigprocmask(SIG_SETMASK, NULL, &blocked);
   for (int n = 1; n <= SIGRTMAX; n++) {
      struct sigaction a;
      if (sigaction(n, NULL, &a) == 0 && a.sa_handler == SIG_IGN)
         printf(" %d ignored\n", n);
      if (sigismember(&blocked, n))
         printf(" %d blocked\n", n);
   }
   return 0;
}
