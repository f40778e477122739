/* makecontext() and swapcontext(): two coroutines with stacks from malloc(), one with its stack in main()'s frame, and one
   that begins three times on one stack.  They take turns in the middle of a recursion, too. */
#include <stdlib.h>
#include <ucontext.h>
#include "counted.h"

#define SIZE 65536

static ucontext_t home, co[4];
static int me, done[4];

static NOINLINE void yield(void)
{
   COUNT("yield");
   swapcontext(&co[me], &home);
}

static NOINLINE int nest(int n)
{
   COUNT("nest");
   spin(20);
   if (n == 0) {
      yield();
      return 0;
   }
   return 1 + nest(n - 1);
}

static NOINLINE void step(int i)
{
   COUNT("step");
   spin(200 + i);
   if (i % 2)
      yield();
}

static void body(int id)
{
   BODY("body");
   for (int i = 0; i < 3 + id; i++) {
      step(i);
      sink += nest(id);
   }
   done[id] = 1;
   swapcontext(&co[id], &home);
}

static NOINLINE void begin(int id, char* stack)
{
   COUNT("begin");
   getcontext(&co[id]);
   co[id].uc_stack.ss_sp   = stack;
   co[id].uc_stack.ss_size = SIZE;
   co[id].uc_link          = &home;
   done[id]                = 0;
   makecontext(&co[id], (void (*)(void))body, 1, id);
}

static NOINLINE void turn(int id)
{
   COUNT("turn");
   me = id;
   if (!done[id])
      swapcontext(&home, &co[id]);
}

int main(void)
{
   char  own[SIZE] __attribute__((aligned(16)));
   char* last = malloc(SIZE);

   begin(0, malloc(SIZE));
   begin(1, malloc(SIZE));
   begin(2, own);
   for (int k = 0; k < 3; k++) {
      begin(3, last);
      for (int i = 0; i < 30; i++)
         turn(i % 4);
   }
   spin(1000);
   tell_counts();
   return 0;
}
