/* signals: interruptions of 32-bit code.  Faults, some repaired and others left by longjmp; a trap; an undefined
   instruction; a division by zero.  Signals that a program sends itself, to handlers of both kinds, which return by
   different system calls. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static sigjmp_buf env;
static volatile int seen;
static char *page;

static void repair(int sig, siginfo_t *info, void *context)
{
   (void)sig; (void)info; (void)context;
   seen++;
   mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void away(int sig) { seen += sig; siglongjmp(env, sig); }
static void count(int sig) { seen += sig; }

static void stores(char *to, int n)
{
   __asm__ volatile ("rep stosb" : "+D" (to), "+c" (n) : "a" (1) : "memory");
}

int main(void)
{
   struct sigaction act = { 0 };
   volatile int zero = 0, sum = 0;
   int i;

   page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   act.sa_sigaction = repair;
   act.sa_flags = SA_SIGINFO;
   sigaction(SIGSEGV, &act, NULL);
   page[3] = 1;
   for (i = 0; i < 3; i++) {
      mprotect(page, 4096, PROT_NONE);
      stores(page, 5);
   }
   act.sa_handler = count;
   act.sa_flags = 0;
   sigaction(SIGUSR1, &act, NULL);
   sigaction(SIGTRAP, &act, NULL);
   for (i = 0; i < 5; i++)
      raise(SIGUSR1);
   __asm__ volatile ("int3");
   act.sa_handler = away;
   sigaction(SIGFPE, &act, NULL);
   sigaction(SIGILL, &act, NULL);
   sigaction(SIGSEGV, &act, NULL);
   if (sigsetjmp(env, 1) == 0)
      sum += 7 / zero;
   if (sigsetjmp(env, 1) == 0)
      __asm__ volatile ("ud2");
   if (sigsetjmp(env, 1) == 0)
      sum += *(volatile int *)(long)(zero + 8);
   printf("%d %d\n", seen, sum);
   return seen == 4 + 5 * SIGUSR1 + SIGTRAP + SIGFPE + SIGILL + SIGSEGV ? 0 : 1;
}
