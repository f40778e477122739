/* Runs that are cut in many places: dump() is called for --dump-before and
   --dump-after, and requests ask for parts.  With `x' as second argument, these
   are requests that nobody knows.  Letters of the first argument say what
   runs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <valgrind/dcfg.h>

#define REQUEST(number) VALGRIND_DO_CLIENT_REQUEST_STMT(number, "x", 0, 0, 0, 0)

static volatile int n, depth;
static int pipe_ends[2], dump_request;

__attribute__((noinline)) static void dump(void)
{
   n++;
}

static int recurse(int k)
{
   if (k % 4 == 3)
      dump();
   return k < 2 ? k : recurse(k - 1) + recurse(k - 2);
}

/* Cut within handlers, and within one that interrupts another. */
static void handler(int sig)
{
   dump();
   if (sig == SIGUSR1 && depth++ < 1)
      raise(SIGUSR2);
   dump();
}

static void signals(void)
{
   for (int i = 0; i < 3; i++) {
      depth = 0;
      raise(SIGUSR1);
      dump();
      kill(getpid(), SIGUSR2);
   }
}

/* A fault in the middle of straight code; it goes on behind. */
static void step_over(int sig, siginfo_t* info, void* context)
{
   dump();
#if defined(__x86_64__)
   ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;
#endif
}

static void faults(void)
{
#if defined(__x86_64__)
   for (int i = 0; i < 3; i++)
      __asm__ volatile("xor %%eax, %%eax; nop; movb %%al, (%%rax); nop"
                       ::: "eax", "memory");
#endif
}

static void* work(void* arg)
{
   for (long i = 0; i < 40; i++)
      if (i % 8 == (long)arg)
         dump();
   if (write(pipe_ends[1], "x", 1) != 1)
      n = 0;
   return NULL;
}

/* All threads run when one of them asks for a part. */
static void threads(void)
{
   pthread_t t[3];
   char      c;

   for (long i = 0; i < 3; i++)
      pthread_create(&t[i], NULL, work, (void*)i);
   if (read(pipe_ends[0], &c, 1) != 1)
      n = 0;
   dump();
   for (int i = 0; i < 3; i++)
      pthread_join(t[i], NULL);
}

/* Requests inside one block of code. */
static void requests(void)
{
   for (int i = 0; i < 9; i++) {
      n += i;
      REQUEST(dump_request);
      n ^= 5;
      n += i;
      if (i % 3 == 0)
         REQUEST(dump_request);
      n++;
   }
}

/* Other code at one address, each in parts of its own. */
static void code(void)
{
#if defined(__x86_64__)
   static const char texts[3][4] = { "\x90\xc3", "\xf8\x90\xc3", "\xf9\xc3" };
   char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   for (int i = 0; i < 6; i++) {
      memcpy(page, texts[i / 2], 4);
      VALGRIND_DISCARD_TRANSLATIONS(page, 4);
      ((void (*)(void))page)();
      dump();
   }
#endif
}

/* Code that is not collected when the run is cut. */
static void gaps(void)
{
   for (int i = 0; i < 4; i++) {
      n += i;
      if (i > 0)
         DCFG_STOP;
      n += recurse(2);
      if (i % 2)
         REQUEST(dump_request);
      n += recurse(2);
      DCFG_START;
      n ^= i;
   }
}

int main(int argc, char** argv)
{
   static const int numbers[2] = { VG_USERREQ__DCFG_DUMP, 0x12345678 };
   struct sigaction a;

   dump_request = numbers[argv[2][0] == 'x'];
   memset(&a, 0, sizeof(a));
   a.sa_handler = handler;
   sigaction(SIGUSR1, &a, NULL);
   sigaction(SIGUSR2, &a, NULL);
   a.sa_flags     = SA_SIGINFO;
   a.sa_sigaction = step_over;
   sigaction(SIGSEGV, &a, NULL);
   if (pipe(pipe_ends) != 0)
      return 1;
   for (const char* what = argv[1]; *what != 0; what++)
      switch (*what) {
         case 'r': n += recurse(9); break;
         case 's': signals();       break;
         case 'f': faults();        break;
         case 't': threads();       break;
         case 'q': requests();      break;
         case 'c': code();          break;
         case 'g': gaps();          break;
         case 'z': DCFG_ZERO;       break;
      }
   return 0;
}
