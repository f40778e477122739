/* Instructions of arm64 that depend on the machine.  There are pairs of a load-exclusive and a store-exclusive, with many
   superblocks between both.  Other threads' turns, system calls and signals come there, too.  There is code that changes, and
   that invalidates what is cached of it.  Registers tell of the machine.  Prints how often stores failed, and what it read. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define THREADS 4

static uint64_t          shared, pair[2] __attribute__((aligned(16)));
static uint64_t          failed[THREADS], called[THREADS];
static volatile uint64_t ticks;

/* Adds N to a word; between both accesses are ROUNDS superblocks.  Returns how often the store failed. */
static unsigned add(uint64_t* word, uint64_t n, unsigned rounds)
{
   uint64_t old, left;
   unsigned fails, failures = 0;

   do {
      __asm__ volatile("   ldaxr %0, [%4]\n"
                       "   mov %1, %3\n"
                       "1: subs %1, %1, #1\n"
                       "   b.ne 1b\n"
                       "   add %0, %0, %5\n"
                       "   stlxr %w2, %0, [%4]\n"
                       : "=&r"(old), "=&r"(left), "=&r"(fails) : "r"((uint64_t)rounds), "r"(word), "r"(n) : "memory", "cc");
      failures += fails;
   } while (fails != 0);
   return failures;
}

static unsigned add_to_pair(unsigned rounds)
{
   uint64_t a, b, left;
   unsigned fails, failures = 0;

   do {
      __asm__ volatile("   ldxp %0, %1, [%5]\n"
                       "   mov %2, %4\n"
                       "1: subs %2, %2, #1\n"
                       "   b.ne 1b\n"
                       "   add %0, %0, #1\n"
                       "   add %1, %1, %0\n"
                       "   stxp %w3, %0, %1, [%5]\n"
                       : "=&r"(a), "=&r"(b), "=&r"(left), "=&r"(fails) : "r"((uint64_t)rounds), "r"(pair) : "memory", "cc");
      failures += fails;
   } while (fails != 0);
   return failures;
}

/* A system call between both accesses: getppid(). */
static unsigned call_between(uint64_t* word)
{
   uint64_t old;
   unsigned fails;

   __asm__ volatile("ldxr %0, [%2]; mov x8, #173; svc #0; add %0, %0, #1; stxr %w1, %0, [%2]"
                    : "=&r"(old), "=&r"(fails) : "r"(word) : "x0", "x8", "memory");
   return fails;
}

/* Calls code that is written anew each time. */
static uint64_t changing(void)
{
   uint32_t* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   uint64_t  sum  = 0;

   for (uint32_t k = 0; k < 300; k++) {
      code[0] = 0x52800000 | (k << 5);                    // mov w0, #k
      code[1] = 0xd65f03c0;                               // ret
      __builtin___clear_cache((char*)code, (char*)(code + 2));
      sum = sum * 31 + (uint64_t)((int (*)(void))(void*)code)();
   }
   munmap(code, 4096);
   return sum;
}

static void on_alarm(int s)
{
   ticks++;
}

static void* work(void* arg)
{
   uintptr_t me = (uintptr_t)arg;

   for (int i = 0; i < 300; i++) {
      failed[me] += add(&shared, me + 1, 500 + 100 * (unsigned)me);
      failed[me] += add_to_pair(300);
   }
   for (int i = 0; i < 20; i++)
      called[me] += call_between(&shared);
   called[me] += changing() << 8;
   return NULL;
}

int main(void)
{
   struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
   struct sigaction act;
   pthread_t        t[THREADS];
   uint64_t         lines, zeroing, counted, rate;

   memset(&act, 0, sizeof(act));
   act.sa_handler = on_alarm;
   act.sa_flags   = SA_RESTART;
   sigaction(SIGALRM, &act, NULL);
   setitimer(ITIMER_REAL, &every, NULL);
   for (uintptr_t i = 0; i < THREADS; i++)
      pthread_create(&t[i], NULL, work, (void*)i);
   for (int i = 0; i < THREADS; i++)
      pthread_join(t[i], NULL);
   while (ticks < 10)
      failed[0] += add(&shared, 1, 2000);
   setitimer(ITIMER_REAL, &never, NULL);
   __asm__ volatile("mrs %0, ctr_el0; mrs %1, dczid_el0; mrs %2, cntvct_el0; mrs %3, cntfrq_el0"
                    : "=r"(lines), "=r"(zeroing), "=r"(counted), "=r"(rate));
   printf("%llu %llu %llu: ", (unsigned long long)shared, (unsigned long long)pair[0], (unsigned long long)pair[1]);
   for (int i = 0; i < THREADS; i++)
      printf("%llu/%llu ", (unsigned long long)failed[i], (unsigned long long)called[i]);
   printf("%llx %llx %llx %llx\n", (unsigned long long)lines, (unsigned long long)zeroing, (unsigned long long)counted,
          (unsigned long long)rate);
   return (int)(counted & 63);
}
