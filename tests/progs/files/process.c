/* Does to its process what a tool that writes files at its end has to stand: see the ways below. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Waits for any child while a debugger asks for a file; the child ends with standard input.  Prints whether the child was
   the one that was found. */
static int wait_for_any(void)
{
   char  c;
   pid_t found, child = fork();

   if (child == 0) {
      while (read(0, &c, 1) > 0)
         ;
      _exit(0);
   }
   puts("ready");
   fflush(stdout);
   found = waitpid(-1, NULL, 0);
   puts(found == child ? "mine" : "another");
   return 0;
}

int main(int argc, char **argv)
{
   const char *way = argc > 1 ? argv[1] : "";

   if (strcmp(way, "wait") == 0)
      return wait_for_any();
   if (strcmp(way, "close") == 0) {
      puts("last words");
      fclose(stdout);
      close(1);
   }
   if (strcmp(way, "ignore") == 0)
      signal(SIGCHLD, SIG_IGN);
   if (strcmp(way, "environ") == 0)
      for (char **e = environ; *e != NULL; e++)
         memset(*e, 'x', strlen(*e));
   return 0;
}
