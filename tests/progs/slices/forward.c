/* See cmd/slice/forward.t. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int taken, shared[8];
static jmp_buf out;
static long double sum = 1;

static void handler(int number)
{
   taken = taken * 3 + number;
}

static int recurse(int n, int value)
{
   if (n == 0)
      longjmp(out, value + 1);
   return recurse(n - 1, value * 2) + n;
}

static void* other(void* arg)
{
   for (int i = 0; i < 8; i++)
      shared[i] = shared[i] * 5 + *(int*)arg;
   return arg;
}

int main(int argc, char** argv)
{
   unsigned char bytes[32], copy[32];
   int ends[2], value = argc, jumped;
   pthread_t t;

   signal(SIGUSR1, handler);
   if (pipe(ends) != 0)
      return 1;
   for (int i = 0; i < 32; i++)
      bytes[i] = (unsigned char)(i * value);
   if (write(ends[1], bytes, sizeof(bytes)) != 32 || read(ends[0], copy, sizeof(copy)) != 32)
      return 1;
   for (int i = 0; i < 4; i++) {
      raise(SIGUSR1);
      value += copy[i] + taken;
      sum = sum * 1.5L + value;
   }
   jumped = setjmp(out);
   if (jumped == 0)
      recurse(5, value);
   value += jumped;
   pthread_create(&t, NULL, other, &value);
   pthread_join(t, NULL);
   for (int i = 0; i < 8; i++)
      value += shared[i] % 7 ? i : shared[i];
   memmove(copy + 3, copy, 20);
   value += copy[9] + (int)sum;
   return write(1, &value, sizeof(value)) != sizeof(value);
}
