/* Handlers on an alternate stack, ABOVE the thread's own one or below it, or with the FLAG to have none.  They return, or leave
   by siglongjmp() or __builtin_longjmp(): to a caller of the function that they interrupt, or to that function.  What they
   interrupt may be a handler. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include "counted.h"

#define SIZE 65536

static char       memory[2][SIZE] __attribute__((aligned(4096)));
static sigjmp_buf back;
static void*      place[5];

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

static NOINLINE void trap(void)
{
   COUNT("trap");
   if (__builtin_setjmp(place) == 0)
      __asm__ volatile("int3");
   spin(60);
}

/* leave_alone() calls no function. */
static void leave_alone(int sig)
{
   (void)sig;
   sink = 1;
   __builtin_longjmp(place, 1);
}

static void handler(int sig)
{
   BODY("handler");
   spin(10);
   if (sig == SIGUSR2)
      siglongjmp(back, 1);
   fault();
   trap();
   spin(20);                    /* a tail call */
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

static void* run(void* alternate)
{
   stack_t other = { .ss_sp = alternate, .ss_size = SIZE, .ss_flags = FLAG };

   COUNT("run");
   sigaltstack(&other, NULL);
   for (int i = 0; i < 5; i++) {
      work(SIGUSR1);
      work(SIGUSR2);
      fault();
      trap();
   }
   return NULL;
}

int main(void)
{
   struct sigaction returns = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
   struct sigaction leaves  = { .sa_handler = leave, .sa_flags = SA_ONSTACK };
   struct sigaction alone   = { .sa_handler = leave_alone, .sa_flags = SA_ONSTACK | SA_NODEFER };
   pthread_attr_t   a;
   pthread_t        t;

   sigaction(SIGUSR1, &returns, NULL);
   sigaction(SIGUSR2, &returns, NULL);
   sigaction(SIGILL, &leaves, NULL);
   sigaction(SIGTRAP, &alone, NULL);
   pthread_attr_init(&a);
   pthread_attr_setstack(&a, memory[!ABOVE], SIZE);
   pthread_create(&t, &a, run, memory[ABOVE]);
   pthread_join(t, NULL);
   tell_counts();
   return 0;
}
