/* Does to its process what a tool that writes files at the end must survive: see the ways below. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Waits for any child while a debugger asks for a file; the child ends with standard input.  Prints whether it was the child
   that wait() found. */
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

static void *pauses(void *arg)
{
   for (;;)
      pause();
   return arg;
}

static void caught(int number)
{
   char text[] = "caught SIGTERM\n";

   if (number != SIGTERM)
      memcpy(text + 10, number == SIGINT ? "INT " : "HUP ", 4);
   (void)!write(1, text, sizeof(text) - 1);
}

static void handle(void (*handler)(int))
{
   struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };

   sigaction(SIGTERM, &act, NULL);
   sigaction(SIGINT, &act, NULL);
   sigaction(SIGHUP, &act, NULL);
}

/* Until standard input ends. */
static int wait_for_end(void)
{
   char c;

   puts("ready");
   fflush(stdout);
   while (read(0, &c, 1) > 0)
      ;
   return 0;
}

/* A child that ends when its parent has read a character; the parent ends with standard input. */
static int have_child(void)
{
   char  c;
   int   go[2];
   pid_t child;

   if (pipe(go) != 0)
      return 1;
   child = fork();
   if (child == 0) {
      close(go[1]);
      printf("%d\n", (int)getpid());
      fflush(stdout);
      _exit(read(go[0], &c, 1) != 0);
   }
   close(go[0]);
   (void)!read(0, &c, 1);
   close(go[1]);
   if (waitpid(child, NULL, 0) != child)
      return 1;
   puts("ended");
   fflush(stdout);
   while (read(0, &c, 1) > 0)
      ;
   return 0;
}

int main(int argc, char **argv)
{
   const char *way = argc > 1 ? argv[1] : "";

   if (strcmp(way, "wait") == 0)
      return wait_for_any();
   if (strcmp(way, "child") == 0)
      return have_child();
   if (strcmp(way, "threads") == 0) {
      pthread_t t;
      pthread_create(&t, NULL, pauses, NULL);
      return wait_for_end();
   }
   if (strcmp(way, "default") == 0)
      return wait_for_end();
   if (strcmp(way, "handle") == 0) {
      handle(caught);
      return wait_for_end();
   }
   if (strcmp(way, "ignored") == 0) {
      handle(SIG_IGN);
      return wait_for_end();
   }
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
