/* Coroutines whose body ends by a tail call: what that function returns to was not called by the body. */
#include <ucontext.h>
#include "counted.h"

#define SIZE 65536

static ucontext_t home, co;
static char       memory[SIZE];

static NOINLINE void turn(int i)
{
   COUNT("turn");
   swapcontext(&co, &home);
   spin(i);
   sink++;
}

static NOINLINE void last(int i)
{
   COUNT("last");
   turn(i);
   spin(i);
   sink++;
}

static void body(void)
{
   BODY("body");
   turn(5);
   last(7);
}

int main(void)
{
   COUNT("main");
   for (int i = 0; i < 9; i++) {
      getcontext(&co);
      co.uc_stack.ss_sp   = memory;
      co.uc_stack.ss_size = SIZE;
      co.uc_link          = &home;
      makecontext(&co, body, 0);
      for (int k = 0; k < 3; k++)
         swapcontext(&home, &co);
   }
   tell_counts();
   return 0;
}
