/* Instructions with repeat prefixes, in the section `work`: counts from 0 on, searches that end early and late, backwards,
   32-bit addresses, and with a timer's signals.  Those that Valgrind 3.19 does not execute, or executes once, are not here:
   REPNE CMPS, REP LODS. */
#include <signal.h>
#include <sys/time.h>

#define WORK __attribute__((section("work"), noinline))

static char from[8192], to[8192];
static volatile int n_signals;

/* Let the next signal of the timer come soon, but for the last. */
static void arm(int left)
{
   struct itimerval soon = { { 0, 0 }, { 0, left > 0 ? 1000 : 0 } };

   setitimer(ITIMER_REAL, &soon, 0);
}

static void pass(int number)
{
   (void)number;
   arm(40 - ++n_signals);
}

#define REPEAT(text, d, s, n, a)                                                                                        \
   do {                                                                                                                 \
      void *di = d, *si = s;                                                                                            \
      long  cx = n, ax = a;                                                                                             \
      __asm__ volatile("test %%al, %%al\n\t" text "\n\tcld" : "+D"(di), "+S"(si), "+c"(cx), "+a"(ax) : : "cc", "memory"); \
   } while (0)

static WORK void counts(long n)
{
   REPEAT("rep movsb", to, from, n, 0);
   REPEAT("rep movsw", to, from, n, 0);
   REPEAT("rep movsl", to, from, n, 0);
   REPEAT("rep stosb", to, from, n, 0);
   REPEAT("rep stosl", to, from, n, 0);
   REPEAT("repe cmpsb", to, from, n, 0);
   REPEAT("repe cmpsw", to, from, n, 0);
   REPEAT("repe scasb", to, from, n, 0);
   REPEAT("repne scasb", to, from, n, 1);
   REPEAT("repne scasl", to, from, n, 1);
   REPEAT("std; rep movsb", to + 999, from + 999, n, 0);
   REPEAT("rep movsb; rep movsb", to, from, n, 0);
#ifdef __x86_64__
   REPEAT("rep movsq", to, from, n, 0);
   REPEAT("rep stosq", to, from, n, 0);
   REPEAT("repe cmpsq", to, from, n, 0);
   REPEAT("addr32 rep stosb", to, from, n, 0);
   REPEAT("addr32 repne scasb", to, from, n, 1);
#endif
}

static WORK void timer(void)
{
   for (int i = 0; i < 40; i++)
      REPEAT("rep stosb", to, from, 1000, 0);
}

int main(void)
{
   signal(SIGALRM, pass);
   for (long n = 0; n < 5; n++)
      counts(n);
   counts(300);
   from[7] = 1;
   counts(8);
   counts(9);
   to[3] = 1;
   counts(9);
   arm(1);
   timer();
   return 0;
}
