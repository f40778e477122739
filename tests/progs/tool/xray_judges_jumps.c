/* See tool/xray_judges.t. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR __attribute__((noinline, noclone))

extern char** environ;
void second(int n);
static volatile int cell;
static jmp_buf outer, inner;
static sigjmp_buf from_signal;

FAR static void work(int n) { for (int i = 0; i < n; i++) cell = cell + i; }
FAR static void step(int n) { work(n); if (n > 3) second(n); }
FAR static void far_away(void) { work(70); longjmp(outer, 2); }
FAR static void away(int n) { work(30); if (n == 0) longjmp(inner, 1); if (n == 1) far_away(); work(2); }
FAR static void between(int n) { work(20); away(n); work(3); }
FAR static void nested(int n) { if (setjmp(inner) == 0) between(n); work(50); }
FAR static void jumps(void)
{
   if (setjmp(outer) == 0) {
      nested(0);
      nested(2);
      nested(1);
   }
   work(40);
}
FAR static void handler(int n) { work(n); siglongjmp(from_signal, 1); }
FAR static void interrupted(void) { work(15); raise(SIGUSR1); }
FAR static void signals(void)
{
   for (volatile int i = 0; i < 3; i++)
      if (sigsetjmp(from_signal, 1) == 0)
         interrupted();
   work(25);
}
FAR static void fails(void)
{
   char* args[] = { "no-such-program", NULL };
   execv("/no-such-program", args);
   work(60);
   execvp("no-such-program-either", args);
   work(10);
}
FAR static void children(void)
{
   char* args[] = { "true", NULL };
   pid_t pid = vfork();
   if (pid == 0) {
      execve("/bin/true", args, environ);
      _exit(1);
   }
   waitpid(pid, NULL, 0);
   work(35);
   if ((pid = fork()) == 0) {
      work(5);
      _exit(0);
   }
   waitpid(pid, NULL, 0);
   if (posix_spawn(&pid, "/bin/true", NULL, NULL, args, environ) == 0)
      waitpid(pid, NULL, 0);
   work(45);
}
static void* thread(void* arg)
{
   jmp_buf own;
   (void)arg;
   for (volatile int i = 0; i < 20; i++)
      if (setjmp(own) == 0) {
         work(1000);
         longjmp(own, 1);
      }
   return NULL;
}
int main(int argc, char** argv)
{
   pthread_t other;
   char* args[] = { "true", NULL };
   signal(SIGUSR1, handler);
   jumps();
   signals();
   fails();
   children();
   step(5);
   pthread_create(&other, NULL, thread, NULL);
   thread(NULL);
   pthread_join(other, NULL);
   jumps();
   work(100);
   if (argc > 1)
      execv("/bin/true", args);
   return 0;
}
