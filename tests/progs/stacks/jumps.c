/* Coroutines as QEMU makes them: makecontext() begins one, sigsetjmp() and siglongjmp() switch.  In between, siglongjmp()
   leaves functions of one stack, as it always does. */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include "counted.h"

#define SIZE 65536
#define N    3

static sigjmp_buf  here[N], home, away;
static ucontext_t  begun, creator;
static int         me, over[N];

static NOINLINE void change(sigjmp_buf* from, sigjmp_buf* to)
{
   COUNT("change");
   if (sigsetjmp(*from, 0) == 0)
      siglongjmp(*to, 1);
}

static NOINLINE void deep(int n)
{
   COUNT("deep");
   spin(10);
   if (n == 0)
      siglongjmp(away, 1);
   deep(n - 1);
}

static NOINLINE void try(int n)
{
   COUNT("try");
   if (sigsetjmp(away, 0) == 0)
      deep(n);
   spin(50);
}

static NOINLINE void work(int i)
{
   COUNT("work");
   spin(100 + i);
   try(i);
   change(&here[me], &home);
   spin(30);
}

static void body(int id)
{
   BODY("body");
   if (sigsetjmp(here[id], 0) == 0)
      setcontext(&creator);
   for (int i = 0; i < 4; i++)
      work(i + id);
   over[id] = 1;
   siglongjmp(home, 1);
}

static NOINLINE void create(int id)
{
   volatile int again = 0;

   COUNT("create");
   getcontext(&begun);
   begun.uc_stack.ss_sp   = malloc(SIZE);
   begun.uc_stack.ss_size = SIZE;
   begun.uc_link          = NULL;
   makecontext(&begun, (void (*)(void))body, 1, id);
   getcontext(&creator);
   if (!again) {
      again = 1;
      setcontext(&begun);
   }
}

static NOINLINE void enter(int id)
{
   COUNT("enter");
   me = id;
   if (!over[id])
      change(&home, &here[id]);
}

int main(void)
{
   for (int id = 0; id < N; id++)
      create(id);
   for (int i = 0; i < 6 * N; i++) {
      enter(i % N);
      spin(10);
   }
   try(5);
   tell_counts();
   return 0;
}
