/* signals: interruptions of arm64 code.  Faults in plain and exclusive accesses, some repaired and others left by longjmp;
   a breakpoint; an undefined instruction; signals that a program sends itself. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf env;
static volatile int seen;
static char *page;

static void repair(int sig, siginfo_t *info, void *context)
{
   (void)sig; (void)info; (void)context;
   seen++;
   mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void step_over(int sig, siginfo_t *info, void *context)
{
   (void)sig; (void)info;
   seen++;
   ((ucontext_t *)context)->uc_mcontext.pc += 4;
}

static void away(int sig) { seen += sig; siglongjmp(env, sig); }
static void count(int sig) { seen += sig; }

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
   struct sigaction act = { 0 };

   act.sa_sigaction = handler;
   act.sa_flags = SA_SIGINFO;
   sigaction(sig, &act, NULL);
}

int main(void)
{
   volatile int sum = 0;
   int i;

   page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   handle(SIGSEGV, repair);
   page[3] = 1;
   for (i = 0; i < 3; i++) {
      mprotect(page, 4096, PROT_NONE);
      __asm__ volatile ("stp x0, x1, [%0, #16]!\n\tldp x2, x3, [%0], #32" : : "r" (page) : "x2", "x3", "memory");
      mprotect(page, 4096, PROT_READ);
      sum += __atomic_add_fetch((int *)page, 1, __ATOMIC_SEQ_CST);
   }
   signal(SIGUSR1, count);
   for (i = 0; i < 5; i++)
      raise(SIGUSR1);
   handle(SIGTRAP, step_over);
   __asm__ volatile ("brk #0");
   handle(SIGILL, step_over);
   __asm__ volatile ("udf #0");
   signal(SIGSEGV, away);
   signal(SIGILL, away);
   if (sigsetjmp(env, 1) == 0)
      sum += *(volatile int *)16;
   if (sigsetjmp(env, 1) == 0)
      __asm__ volatile ("udf #1");
   if (sigsetjmp(env, 1) == 0)
      ((void (*)(void))8)();
   printf("%d %d\n", seen, sum);
   return 0;
}
