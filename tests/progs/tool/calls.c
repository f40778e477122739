/* See tool/calls.t. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
static jmp_buf out;
FAR void leaf(int n) { while (n-- > 0) sink = n; }
FAR void twice(int n) { leaf(n); leaf(n); sink = 1; }
FAR void thrice(int n) { twice(n); leaf(n); sink = 2; }
FAR int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FAR int odd(int n);
FAR int even(int n) { sink = n; return n == 0 ? 1 : odd(n - 1) + 1; }
FAR int odd(int n) { leaf(3); return n == 0 ? 0 : even(n - 1) + 2; }
FAR void deep(int n) { if (n == 0) longjmp(out, 1); deep(n - 1); sink = n; }
FAR void handle(int s) { leaf(7); leaf(6); sink = fib(4) + s; }
FAR void* work(void* arg) { for (int i = 0; i < *(int*)arg; i++) thrice(5); return NULL; }
int main(int argc, char** argv)
{
   int       few = 3, many = 8;
   pthread_t a, b;

   for (int i = 0; i < 10; i++)
      thrice(i);
   sink = fib(12) + even(9);
   if (!setjmp(out))
      deep(6);
   signal(SIGUSR1, handle);
   raise(SIGUSR1);
   pthread_create(&a, NULL, work, &few);
   pthread_join(a, NULL);
   pthread_create(&b, NULL, work, &many);
   pthread_join(b, NULL);
   if (argc > 1) {
      pid_t child = fork();
      twice(4);
      if (child == 0)
         _exit(0);
      waitpid(child, NULL, 0);
   }
   return 0;
}
