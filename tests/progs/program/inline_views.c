/* See cmd/program/inline_views.t. */
#include <pthread.h>
#include "step.h"
#include <valgrind/callgrind.h>
volatile unsigned sink;
static __attribute__((noinline)) unsigned fib(unsigned n) { return n < 2 ? step(n) : fib(n - 1) + fib(n - 2); }
static unsigned early(unsigned n) { if (n < 9) return n; for (unsigned i = 0; i < n; i++) sink += i * n; return sink; }
__attribute__((noinline)) unsigned first(unsigned n) { return early(n) + 1; }
__attribute__((noinline)) unsigned second(unsigned n) { return early(n) ^ first(n); }
static void* run(void* n) { sink += a_work(20) + lib_work(7) + first(12); return n; }
int main(void)
{
   pthread_t t;
   sink = a_work(40) + b_work(9) + lib_work(11) + fib(9) + second(10);
   CALLGRIND_DUMP_STATS;
   for (unsigned i = 0; i < 9; i++) sink += early(i * 3) + twice(i);
   pthread_create(&t, 0, run, 0);
   pthread_join(t, 0);
   return 0;
}
