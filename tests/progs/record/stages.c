/* Memory, signals and code that change again and again in a long run.  With an
   argument, the first stage also shares memory, or starts a thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;
static volatile int           alarms, faults, users;
static sigjmp_buf             again;

static void work(int n)
{
   for (int i = 0; i < n; i++)
      sum = sum * 31 + i;
}

static void on_alarm(int s)
{
   sum += ++alarms;
}

static void on_user(int s)
{
   users++;
   work(5000);
}

static void on_fault(int s, siginfo_t* info, void* context)
{
   faults++;
   sum += (unsigned long)info->si_addr & 0xFFF;
   siglongjmp(again, 1);
}

static void fault_at(volatile char* at)
{
   if (!sigsetjmp(again, 1))
      *at = 1;
}

static int deep(int n)
{
   char room[300];

   memset(room, n, sizeof(room));
   sum += room[n % 300];
   return n == 0 ? 0 : deep(n - 1) + room[1];
}

static void* map(size_t n, int prot, int flags, int fd)
{
   return mmap(NULL, n, prot, flags, fd, 0);
}

static char *file, *hidden, *moved, *code, *blocks[40];

static void map_file(void)
{
   int fd = open("contents", O_RDWR | O_CREAT, 0600);

   for (int i = 0; i < 3000; i++)
      if (write(fd, &i, 4) != 4)
         abort();
   file = map(12000, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
   file[5000] ^= 1;
   close(fd);
   unlink("contents");
}

static void use_heap(int k)
{
   for (int i = 0; i < 60; i++, k++) {
      size_t n = k % 20 == 0 ? 200000 : 1000 + k * 7919u % 6000;
      free(blocks[k % 40]);
      blocks[k % 40] = malloc(n);
      memset(blocks[k % 40], k, n < 3000 ? n : 3000);
   }
   raise(SIGUSR1);
}

static void run_code(int k)
{
#if defined(__x86_64__) || defined(__i386__)
   for (int i = k; i < k + 40; i++) {
      code[0] = (char)0xB8;
      memcpy(code + 1, &i, 4);
      code[5] = (char)0xC3;
      sum += ((int (*)(void))code)();
      work(200);
   }
#endif
}

static void use_library(void)
{
   void* library = dlopen("libm.so.6", RTLD_NOW);
   double (*cosine)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;

   work(100000);
   sum += cosine ? (int)(1000 * cosine(0.5)) : 0;
   if (library && alarms % 2)
      dlclose(library);
}

static void fork_and_wait(void)
{
   int   status = 0;
   pid_t child = fork();

   if (child == 0)
      _exit(3);
   waitpid(child, &status, 0);
   sum += status;
}

static void block_and_wait(void)
{
   sigset_t set;

   sigemptyset(&set);
   sigaddset(&set, SIGALRM);
   sigprocmask(SIG_BLOCK, &set, NULL);
   work(300000);
   sigemptyset(&set);
   sigsuspend(&set);
   sigaddset(&set, SIGALRM);
   sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void start(void)
{
   const struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
   struct sigaction       fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
   struct sigaction       user = { .sa_handler = on_user, .sa_flags = SA_ONSTACK | SA_RESTART };
   stack_t                other = { .ss_sp = malloc(65536), .ss_size = 65536 };

   sigaltstack(&other, NULL);
   sigaction(SIGSEGV, &fault, NULL);
   sigaddset(&user.sa_mask, SIGALRM);
   sigaction(SIGUSR1, &user, NULL);
   signal(SIGALRM, on_alarm);
   setitimer(ITIMER_REAL, &often, NULL);
   map_file();
   hidden = map(65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
   strcpy(hidden + 5000, "secret");
   mprotect(hidden, 65536, PROT_NONE);
   moved = map(8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
   strcpy(moved, "moved");
   code = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
   deep(1000);
}

static void stage(int k)
{
   use_heap(60 * k);
   fault_at(hidden);
   fault_at((char*)16);
   run_code(k);
   moved = mremap(moved, 8192u << k, 8192u << (k + 1), MREMAP_MAYMOVE);
   moved[8192u << k] = (char)k;
   if (k % 2)
      madvise(moved, 4096, MADV_DONTNEED);
   for (int i = 0; i < 400; i++)
      madvise(moved, 4096, MADV_NORMAL);
   sum += moved[0];
   deep(50);
   memset((char*)__builtin_frame_address(0) - 9000, 0, 3000);
   use_library();
   if (k % 3 == 0)
      fork_and_wait();
   block_and_wait();
   mprotect(hidden, 65536, PROT_READ);
   sum += hidden[5001] + file[5000];
   mprotect(hidden, 65536, PROT_NONE);
}

static void* thread(void* none)
{
   return none;
}

int main(int argc, char** argv)
{
   pthread_t other;

   if (argc > 1 && strcmp(argv[1], "shares") == 0)
      map(4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
   if (argc > 1 && strcmp(argv[1], "threads") == 0) {
      pthread_create(&other, NULL, thread, NULL);
      pthread_join(other, NULL);
   }
   start();
   work(60000000);
   for (int k = 0; k < 8; k++) {
      stage(k);
      work(k < 4 ? 2000000 : 100000);
   }
   printf("%d faults, %d signals\n", faults, users);
   return 5;
}
