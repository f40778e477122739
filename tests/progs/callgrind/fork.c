/* A child, and a child of the child; each process does something of its own before and after. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int n;

NOINLINE void work(int k)
{
   while (k-- > 0)
      n++;
}

NOINLINE void before(void)        { work(50); }
NOINLINE void in_parent(void)     { work(10); }
NOINLINE void in_child(void)      { work(20); }
NOINLINE void in_grandchild(void) { work(30); }

NOINLINE pid_t make(void (*what)(void))
{
   pid_t p = fork();
   if (p == 0)
      what();
   else
      waitpid(p, 0, 0);
   return p;
}

NOINLINE void child(void)
{
   in_child();
   if (make(in_grandchild) != 0)
      in_child();
}

int main(void)
{
   before();
   if (make(child) != 0)
      in_parent();
   return 0;
}
