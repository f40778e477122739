/* A thread goes on on another one's own stack, and forks there.  That one ends meanwhile, on a coroutine's.  With DUMP, parts
   end before and behind that. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "counted.h"
#ifdef DUMP
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_DUMP_STATS
#endif

#define SIZE 65536

static ucontext_t lender, other, borrower;
static sem_t      left, taken, gone;
static char       memory[SIZE];

static NOINLINE void work(int n)
{
   COUNT("work");
   spin(n);
}

static void body(void)
{
   BODY("body");
   sem_post(&left);
   sem_wait(&taken);
   syscall(SYS_exit, 0);
}

static NOINLINE void lend(void)
{
   pid_t child;
   int   status = 0;

   COUNT("lend");
   work(10);
   swapcontext(&lender, &other);
   child = fork();
   if (child == 0) {
      spin(30);
      _exit(0);
   }
   if (waitpid(child, &status, 0) != child || status != 0)
      abort();
   CALLGRIND_DUMP_STATS;
   sem_post(&taken);
   sem_wait(&gone);
   CALLGRIND_DUMP_STATS;
   work(20);
   swapcontext(&lender, &borrower);
}

static void* lends(void* arg)
{
   COUNT("lends");
   getcontext(&other);
   other.uc_stack.ss_sp   = memory;
   other.uc_stack.ss_size = SIZE;
   makecontext(&other, body, 0);
   lend();
   return arg;
}

static void* borrows(void* arg)
{
   COUNT("borrows");
   swapcontext(&borrower, &lender);
   work(40);
   return arg;
}

int main(void)
{
   pthread_t a, b;

   pthread_create(&a, NULL, lends, NULL);
   sem_wait(&left);
   pthread_create(&b, NULL, borrows, NULL);
   pthread_join(a, NULL);
   sem_post(&gone);
   pthread_join(b, NULL);
   tell_counts();
   return 0;
}
