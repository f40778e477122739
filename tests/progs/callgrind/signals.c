/* Handlers of signals that the program raises itself.  They call functions, raise another signal, return, or jump out
   if there is an argument. */
#include <setjmp.h>
#include <signal.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;
static sigjmp_buf env;

NOINLINE void work(int k)
{
   while (k-- > 0)
      n++;
}

NOINLINE void inner(int s) { work(s); }

NOINLINE void outer(int s)
{
   work(1);
   raise(SIGUSR2);
   work(s);
}

NOINLINE void away(int s)
{
   work(s);
   siglongjmp(env, 1);
}

NOINLINE void deep(int k, int s)
{
   if (k == 0)
      raise(s);
   else
      deep(k - 1, s);
   work(1);
}

int main(int argc, char **argv)
{
   volatile int i;

   (void)argv;
   signal(SIGUSR1, outer);
   signal(SIGUSR2, inner);
   signal(SIGTERM, away);
   for (i = 0; i < 3; i++)
      deep(i, SIGUSR1);
   raise(SIGUSR2);
   for (i = 0; argc > 1 && i < 4; i++)
      if (!sigsetjmp(env, 1))
         deep(i, SIGTERM);
   return 0;
}
