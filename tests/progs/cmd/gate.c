/* Work that grows, moves, gets another name: what the compiler's options say.  gate_other.c has another static twice(). */
#include <valgrind/callgrind.h>
#include <valgrind/dcfg.h>

#ifndef WORK
#define WORK work
#endif
#ifndef TIMES
#define TIMES 2000
#endif
#define FAR __attribute__((noinline, noclone))

int other(int n);
static volatile int sink;

FAR static int twice(int n)
{
   sink += n;
   return sink * 2;
}

#ifdef SPLIT
FAR static int inner(int n)
{
   int s = 0;
   for (int k = 0; k < 50; k++)
      s += sink + n;
   return s;
}
#endif

FAR static int WORK(int n)
{
   int s = 0;
   while (n-- > 0) {
#ifdef SPLIT
      s += inner(n);
#else
      for (int k = 0; k < 50; k++)
         s += sink + n;
#endif
   }
   return s;
}

#ifdef ADDED
FAR static void added(void)
{
   for (int k = 0; k < 1000; k++)
      sink += k;
}
#endif

int main(int argc, char** argv)
{
   sink = argc;
   for (int n = 0; n < 100; n++)
      sink += twice(n) + other(n);
#ifdef ADDED
   added();
#endif
#ifdef PARTS
   CALLGRIND_DUMP_STATS_AT("before");
   WORK(TIMES);
   DCFG_DUMP("work");
   WORK(2 * TIMES);
   DCFG_DUMP("work");
#else
   WORK(TIMES);
#endif
   return 0;
}
