/* makecontext and swapcontext: three coroutines take turns on stacks of their own, one of them ends by uc_link. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t home, co[3];
static volatile int turns[3];

__attribute__((noinline)) void turn(int i) { turns[i]++; }

static void body(int i)
{
   int k;
   for (k = 0; k < 5 + i; k++) {
      turn(i);
      swapcontext(&co[i], k % 2 ? &home : &co[(i + 1) % 3]);
   }
}

int main(void)
{
   int i;
   for (i = 0; i < 3; i++) {
      getcontext(&co[i]);
      co[i].uc_stack.ss_sp = malloc(65536);
      co[i].uc_stack.ss_size = 65536;
      co[i].uc_link = &home;
      makecontext(&co[i], (void (*)(void))body, 1, i);
   }
   for (i = 0; i < 12; i++)
      swapcontext(&home, &co[0]);
   printf("%d %d %d\n", turns[0], turns[1], turns[2]);
   return 0;
}
