/* See cmd/flame.t. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define FAR __attribute__((noinline, noclone))
static jmp_buf env;
static volatile int sink;
FAR static int cmp(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
FAR int fact(int n) { int r = 1; if (n > 1) r = n * fact(n - 1); sink = r; return r; }
FAR void deep(int d) { if (d == 0) longjmp(env, 1); deep(d - 1); sink = d; }
FAR int last(int n) { for (int i = 0; i < n; i++) sink += i; return sink; }
FAR int tail(int n) { sink = n; return last(n + 1); }
FAR static void handler(int s) { fact(3); sink = s; }
FAR static void* work(void* arg) { fact((int)(long)arg); sink = 1; return NULL; }
FAR static void leaf(void) { sink++; }
int main(int argc, char** argv)
{
   int a[16];
   pthread_t t;
   for (int i = 0; i < 16; i++)
      a[i] = i * 7 % 16;
   qsort(a, 16, sizeof(int), cmp);
   if (setjmp(env) == 0)
      deep(4);
   signal(SIGUSR1, handler);
   raise(SIGUSR1);
   sink = tail(a[3]);
   for (int i = 1; i < argc; i++)
      leaf();
   pthread_create(&t, NULL, work, (void*)5L);
   pthread_join(t, NULL);
   fact(4);
   return 0;
}
