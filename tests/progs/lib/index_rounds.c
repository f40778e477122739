#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long ticks;
static long sums[3], total;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;
static void on_signal(int number) { ticks += number; }
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void deep(int n) { if (n == 0) longjmp(out, 1); deep(n - 1); }
static void* work(void* arg)
{
   long k = (long)arg, a[30];
   for (int round = 0; round < 30; round++) {
      for (int i = 0; i < 30; i++)
         a[i] = (i * 7919 + round * k) % 101;
      sums[k] += a[k + round % 10] + fib(8 + k);
      if (round % 7 == 0) {
         pthread_mutex_lock(&guard);
         total += sums[k];
         pthread_mutex_unlock(&guard);
      }
      if (round % 11 == 0)
         raise(SIGUSR1);
   }
   return NULL;
}
int main(int argc, char** argv)
{
   int rounds = argc > 1 ? atoi(argv[1]) : 1;
   signal(SIGUSR1, on_signal);
   for (int r = 0; r < rounds; r++) {
      pthread_t t[3];
      char* p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (long i = 0; i < 3; i++)
         pthread_create(&t[i], NULL, work, (void*)i);
      for (int i = 0; i < 3; i++)
         pthread_join(t[i], NULL);
      if (!setjmp(out))
         deep(20);
      raise(SIGUSR1);
      strcpy(p, "hello");
      p = mremap(p, 8192, 65536, MREMAP_MAYMOVE);
      total += p[1] + p[9000];
      munmap(p, 65536);
      if (write(1, &total, sizeof(total)) != sizeof(total))
         return 1;
   }
   return total == 0;
}
