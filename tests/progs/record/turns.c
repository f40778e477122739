/* Two threads that compute in registers, and make no system call meanwhile.  The first one counts until the other one has had a
   turn, so its registers depend on when that was. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static volatile int ready;

static void* work(void* arg)
{
   uint64_t x = (uintptr_t)arg;

   __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
   while (ready < 2)
      x++;
   for (int i = 0; i < 500000; i++)
      __asm__ volatile("imul $1664525, %0, %0; add $3, %0; jmp 1f; 1:" : "+r"(x));
   return (void*)(uintptr_t)x;
}

int main(void)
{
   pthread_t t[2];
   void*     x;

   for (int i = 0; i < 2; i++)
      pthread_create(&t[i], NULL, work, (void*)(uintptr_t)(2 * i + 1));
   for (int i = 0; i < 2; i++) {
      pthread_join(t[i], &x);
      printf("%lx\n", (unsigned long)(uintptr_t)x);
   }
   return 0;
}
