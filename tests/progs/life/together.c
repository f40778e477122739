/* Children that all end at the same moment as nearly as can be: they wait for a pipe to be closed. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
   int i, fds[2], children = argc > 1 ? atoi(argv[1]) : 8;
   char c;

   if (pipe(fds) != 0)
      return 1;
   for (i = 0; i < children; i++)
      if (fork() == 0) {
         close(fds[1]);
         (void)!read(fds[0], &c, 1);
         _exit(0);
      }
   usleep(300000);
   close(fds[1]);
   while (wait(NULL) > 0)
      ;
   return 0;
}
