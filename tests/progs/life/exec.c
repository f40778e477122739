/* Does what its arguments say: a name is executed by execve; a number is that many calls of work(); "fork" goes on in a
   child, whose parent waits and ends.  If execve returns, it prints so, and the list goes on. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

__attribute__((noinline)) void work(void) { n++; }

int main(int argc, char **argv, char **env)
{
   int i, k;

   for (i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "fork")) {
         if (fork() != 0) {
            wait(NULL);
            return 0;
         }
      } else if (argv[i][0] >= '0' && argv[i][0] <= '9') {
         for (k = atoi(argv[i]); k > 0; k--)
            work();
      } else {
         char *args[] = { argv[i], NULL };
         execve(argv[i], args, env);
      }
   }
   return 0;
}
