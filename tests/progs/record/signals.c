/* Signals at any time, in loops and in system calls.  Handlers restart calls, or do not, or mend a fault.  There are
   sigsuspend, masks, and an alternate stack.  At the end comes the signal that the argument names. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sum = 1, ticks, seen;
static char*             page;
static sigjmp_buf        back;

static void on_alarm(int s)
{
   ticks++;
   seen = seen * 31 + sum;
}

static void on_user(int s, siginfo_t* info, void* context)
{
   seen = seen * 31 + (uint64_t)info->si_code + (uint64_t)s;
}

static void on_fault(int s, siginfo_t* info, void* context)
{
   if (info->si_addr == page)
      mprotect(page, 4096, PROT_READ | PROT_WRITE);
   else
      siglongjmp(back, 1);
}

static void set(int s, void (*handler)(int, siginfo_t*, void*), int flags)
{
   struct sigaction a;

   memset(&a, 0, sizeof(a));
   a.sa_sigaction = handler;
   a.sa_flags     = SA_SIGINFO | flags;
   sigaction(s, &a, NULL);
}

int main(int argc, char** argv)
{
   struct itimerval every = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
   struct timespec  rest  = { 0, 20000000 };
   stack_t          other = { malloc(65536), 0, 65536 };
   sigset_t         block, old;
   char             c;
   int              pipes[2], interrupted = 0, status;

   sigaltstack(&other, NULL);
   signal(SIGALRM, on_alarm);
   set(SIGUSR1, on_user, SA_ONSTACK);
   set(SIGSEGV, on_fault, 0);
   setitimer(ITIMER_REAL, &every, NULL);
   for (int i = 0; ticks < 20; i++)
      sum = sum * 6364136223846793005u + 1442695040888963407u;
   for (volatile long double one = 1, all = 0; ticks < 25;)     /* x87 */
      sum += (int)(all += one);
   while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
      interrupted++;
   set(SIGALRM, (void (*)(int, siginfo_t*, void*))on_alarm, SA_RESTART);
   pipe(pipes);
   if (fork() == 0) {
      usleep(30000);
      write(pipes[1], "x", 1);
      _exit(7);
   }
   read(pipes[0], &c, 1);
   setitimer(ITIMER_REAL, &never, NULL);
   wait(&status);

   sigemptyset(&block);
   sigaddset(&block, SIGUSR1);
   sigprocmask(SIG_BLOCK, &block, &old);
   raise(SIGUSR1);
   sigsuspend(&old);
   sigprocmask(SIG_SETMASK, &old, NULL);
   kill(getpid(), SIGUSR1);

   page    = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   page[0] = 3;
   if (sigsetjmp(back, 1) == 0)
      *(volatile int*)8 = 1;
   printf("%llu %llu %d %c %d %d\n", (unsigned long long)ticks, (unsigned long long)seen, interrupted > 0, c,
          WEXITSTATUS(status), page[0]);
   fflush(stdout);
   if (argc > 1) {
      signal(atoi(argv[1]), SIG_DFL);
      kill(getpid(), atoi(argv[1]));
   }
   return (int)(seen & 31);
}
