/* Handlers on an alternate stack, ABOVE the thread's own one or below it, which return or leave by siglongjmp(): to a caller
   of the function that they interrupt, or to that function. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include "counted.h"

#define SIZE 65536

static char       memory[2][SIZE] __attribute__((aligned(4096)));
static sigjmp_buf back;

static void handler(int sig)
{
   BODY("handler");
   spin(10);
   if (sig == SIGUSR2)
      siglongjmp(back, 1);
   spin(20);
}

static NOINLINE void step(int sig)
{
   COUNT("step");
   raise(sig);
   spin(30);
}

static NOINLINE void work(int sig)
{
   COUNT("work");
   if (sigsetjmp(back, 1) == 0)
      step(sig);
   spin(40);
}

static NOINLINE void fault(void)
{
   COUNT("fault");
   if (sigsetjmp(back, 1) == 0)
      __asm__ volatile("ud2");
   spin(50);
}

static void leave(int sig)
{
   (void)sig;
   BODY("leave");
   siglongjmp(back, 1);
}

static void* run(void* alternate)
{
   stack_t other = { .ss_sp = alternate, .ss_size = SIZE };

   COUNT("run");
   sigaltstack(&other, NULL);
   for (int i = 0; i < 5; i++) {
      work(SIGUSR1);
      work(SIGUSR2);
      fault();
   }
   return NULL;
}

int main(void)
{
   struct sigaction returns = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
   struct sigaction leaves  = { .sa_handler = leave, .sa_flags = SA_ONSTACK };
   pthread_attr_t   a;
   pthread_t        t;

   sigaction(SIGUSR1, &returns, NULL);
   sigaction(SIGUSR2, &returns, NULL);
   sigaction(SIGILL, &leaves, NULL);
   pthread_attr_init(&a);
   pthread_attr_setstack(&a, memory[!ABOVE], SIZE);
   pthread_create(&t, &a, run, memory[ABOVE]);
   pthread_join(t, NULL);
   tell_counts();
   return 0;
}
