/* Ways for a process to end: argv[1] says which; the rest is what it executes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TIMES
#define TIMES 3
#endif

static volatile int sum;

/* Another input divides blocks in other places. */
static void work(int n)
{
   for (int i = 0; i < TIMES * n; i++) {
      switch (i % 5) {
         case 0: sum += i; break;
         case 1: sum ^= i;              /* goes on */
         case 2: sum -= 1; break;
         case 3: if (n % 2) goto in;
         default: sum *= 3;
      }
      if (sum % 7 == 0)
in:      sum++;
   }
}

void part(void);
__attribute__((noinline)) void part(void)
{
   sum += 2;
}

int main(int argc, char** argv)
{
   const char* how = argc > 1 ? argv[1] : "";

   work(atoi(how));
   if (strcmp(how, "fork") == 0) {
      for (int i = 0; i < 3; i++)
         if (fork() == 0) {
            work(i);
            return 0;
         }
      while (wait(NULL) > 0)
         ;
   }
   if (strcmp(how, "exec") == 0)
      execv(argv[2], argv + 2);
   if (strcmp(how, "crash") == 0)
      abort();
   if (strcmp(how, "parts") == 0)
      for (int i = 0; i < 2; i++)
         part();
   if (strcmp(how, "limit") == 0) {
      /* From here on another process writes the files.  The limit is also Valgrind's, if it starts anew. */
      rlim_t most = argc > 2 ? 1 << 28 : 0;
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most });
      if (argc > 2)
         execv(argv[2], argv + 2);
   }
   work(50);
   return 0;
}
