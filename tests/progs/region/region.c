/* region [WHAT]: recursion, loops, a longjmp out of both; and what it asks of the tool: "requests", "callgrind" (the same,
   but only with Callgrind's requests), "monitor" (the same, as monitor commands), "parts", "zero". */
#include <setjmp.h>
#include <string.h>
#include <valgrind/callgrind.h>
#include <valgrind/dcfg.h>

static volatile int sink;
static jmp_buf out;

__attribute__((noinline)) void inner(int n)
{
   for (int i = 0; i < n; i++)
      sink += i;
}

__attribute__((noinline)) void work(int n)
{
   inner(n);
   if (n > 1)
      work(n - 1);
   inner(1);
   if (n == 7)
      longjmp(out, 1);
}

__attribute__((noinline)) void other(int n)
{
   for (int i = 0; i < n; i++)
      sink ^= i;
}

__attribute__((noinline)) void done(void)
{
   sink++;
}

int main(int argc, char **argv)
{
   const char *what = argc > 1 ? argv[1] : "";
   int theirs = strcmp(what, "callgrind") == 0, requests = theirs || strcmp(what, "requests") == 0;
   int asks = strcmp(what, "monitor") == 0;
   int parts = strcmp(what, "parts") == 0, zero = strcmp(what, "zero") == 0;

   for (int i = 1; i < 10; i++) {
      if (requests && (theirs || i % 2))
         CALLGRIND_START_INSTRUMENTATION;
      else if (requests)
         DCFG_START;
      if (asks)
         (void)VALGRIND_MONITOR_COMMAND("start");
      if (setjmp(out) == 0)
         work(i);
      if (requests && (theirs || i % 3))
         CALLGRIND_STOP_INSTRUMENTATION;
      else if (requests)
         DCFG_STOP;
      if (asks)
         (void)VALGRIND_MONITOR_COMMAND("stop");
      if (parts && i % 3 == 0)
         CALLGRIND_DUMP_STATS_AT("a name");
      if (zero && i == 5)
         DCFG_ZERO;
      other(i);
      done();
   }
   return 0;
}
