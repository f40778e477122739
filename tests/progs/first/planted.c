/* Runs that part at a known line, for a known reason: the first argument names it.  The marker of each stands at its
   branch. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static uint64_t from_file(const char* name)
{
   uint64_t n = 0;
   int      fd = open(name, O_RDONLY);

   if (fd < 0 || read(fd, &n, sizeof(n)) < 0)
      exit(2);
   close(fd);
   return n;
}

static int by_getrandom(char** argv)
{
   uint64_t n;
   int      count = 0;

   (void)argv;
   if (getrandom(&n, sizeof(n), 0) != sizeof(n))
      return 2;
   for (int i = 0; i < 64; i++)
      if (n >> i & 1) /* parts here: getrandom */
         count++;
   return count;
}

static int by_urandom(char** argv)
{
   uint64_t n = from_file("/dev/urandom");
   int      count = 0;

   (void)argv;
   for (int i = 0; i < 64; i++)
      if (n >> i & 1) /* parts here: urandom */
         count++;
   return count;
}

static int by_file(char** argv)
{
   uint64_t n = from_file("data");

   (void)argv;
   if ((n & 255) == 'y') /* parts here: file */
      return 3;
   return 4;
}

static int by_stdin(char** argv)
{
   char line[80];

   (void)argv;
   if (fgets(line, sizeof(line), stdin) == NULL)
      return 2;
   switch (line[0]) { /* parts here: stdin */
      case 'a': return 3;
      case 'b': return 4;
      default:  return 5;
   }
}

static int by_auxv(char** argv)
{
   const unsigned char* r = (const unsigned char*)getauxval(AT_RANDOM);
   int                  count = 0;

   (void)argv;
   for (int i = 0; i < 16; i++)
      if (r[i] > 127) /* parts here: auxv */
         count++;
   return count;
}

static int by_variable(char** argv)
{
   const char* mode = getenv("MODE");

   (void)argv;
   return mode[0] == 'f' ? 3 : 4; /* parts here: variable */
}

static int by_no_variable(char** argv)
{
   (void)argv;
   for (char** e = environ; *e != NULL; e++)
      if (strncmp(*e, "EXTRA=", 6) == 0) /* parts here: no_variable */
         return 3;
   return 4;
}

static int by_argument(char** argv)
{
   int n = atoi(argv[2]) * 3 + 1; /* parts here: argument */

   if (n > 20)
      return 3;
   return 4;
}

static int by_count(char** argv)
{
   int n = 0;

   while (argv[n] != NULL) /* parts here: count */
      n++;
   return n;
}

static int by_stack(char** argv)
{
   int       count = 0;
   uintptr_t at = (uintptr_t)&argv[0];

   for (int i = 4; i < 32; i++)
      if (at >> i & 1) /* parts here: stack */
         count++;
   return count;
}

static int by_mapping(char** argv)
{
   uintptr_t at = (uintptr_t)mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int       count = 0;

   (void)argv;
   for (int i = 12; i < 40; i++)
      if (at >> i & 1) /* parts here: mapping */
         count++;
   return count;
}

static int by_mapped_file(char** argv)
{
   int         fd = open("data", O_RDONLY);
   const char* text = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

   (void)argv;
   return text[0] == 'y' ? 3 : 4; /* parts here: mapped_file */
}

static int by_time(char** argv)
{
   struct timespec t;
   int             count = 0;

   (void)argv;
   clock_gettime(CLOCK_REALTIME, &t);
   for (int i = 0; i < 29; i++)
      if (t.tv_nsec >> i & 1) /* parts here: time */
         count++;
   return count;
}

static int by_pid(char** argv)
{
   long pid = getpid();
   int  count = 0;

   (void)argv;
   for (int i = 0; i < 22; i++)
      if (pid >> i & 1) /* parts here: pid */
         count++;
   return count;
}

static int by_stat(char** argv)
{
   struct stat st;

   (void)argv;
   if (stat("data", &st) != 0)
      return 2;
   if (st.st_size > 4) /* parts here: stat */
      return 3;
   return 4;
}

#if defined(__x86_64__) || defined(__i386__)
static int by_tsc(char** argv)
{
   uint64_t n = __rdtsc();
   int      count = 0;

   (void)argv;
   for (int i = 0; i < 64; i++)
      if (n >> i & 1) /* parts here: tsc */
         count++;
   return count;
}

/* Code that the program makes: a loop that runs as often as the file says, and returns 3. */
static int by_generated(char** argv)
{
   unsigned char  code[] = { 0xb9, 0, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xb8, 3, 0, 0, 0, 0xc3 };
   unsigned char* to = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   (void)argv;
   code[1] = (unsigned char)from_file("data");
   memcpy(to, code, sizeof(code));
   return ((int (*)(void))to)();
}

static int by_cpuid(char** argv)
{
   unsigned a, b, c, d;

   (void)argv;
   if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 5)) /* parts here: cpuid */
      return 3;
   return 4;
}
#endif

/* The flag of a thread, which sets it before the question if the file says so. */
static volatile int ready;
static int          asked[2], answered[2];

/* A read of a pipe executes the same instructions, whether it has to wait or not: locks do not. */
static void wait_for(const int* pipe)
{
   char c;

   if (read(pipe[0], &c, 1) != 1)
      exit(2);
}

static void tell(const int* pipe)
{
   if (write(pipe[1], "", 1) != 1)
      exit(2);
}

static void* writer(void* arg)
{
   int early = (from_file("data") & 255) == 'y';

   (void)arg;
   if (early)
      ready = 1; /* wrote: thread */
   tell(answered);
   wait_for(asked);
   return NULL;
}

static int by_thread(char** argv)
{
   pthread_t t;
   int       result = 4;

   (void)argv;
   if (pipe(asked) != 0 || pipe(answered) != 0)
      return 2;
   pthread_create(&t, NULL, writer, NULL);
   wait_for(answered);
   if (ready) /* parts here: thread */
      result = 3;
   tell(asked);
   pthread_join(t, NULL);
   return result;
}

/* A hash table whose order depends on a seed, which several functions hand on. */
static uint32_t seed;

__attribute__((noinline)) static uint32_t get_seed(void)
{
   uint32_t n = 0;

   if (getrandom(&n, sizeof(n), 0) != sizeof(n))
      exit(2);
   return n | 1;
}

__attribute__((noinline)) static void set_seed(void)
{
   seed = get_seed() * 2654435761u;
}

__attribute__((noinline)) static uint32_t hash(const char* s)
{
   uint32_t h = seed;

   while (*s != 0)
      h = (h ^ (unsigned char)*s++) * 16777619u;
   return h ^ h >> 15;
}

static int by_hash(char** argv)
{
   static const char* const words[] = { "one", "two", "three", "four", "five", "six", "seven", "eight" };
   uint32_t slots[64] = { 0 };
   int      moves = 0;

   (void)argv;
   set_seed();
   for (int k = 0; k < 8; k++)
      for (int i = 0; i < 8; i++) {
         uint32_t h = hash(words[i]) + (uint32_t)k * 0x9e3779b9u;
         if (h > slots[h >> 26]) { /* parts here: hash */
            slots[h >> 26] = h;
            moves++;
         }
      }
   return moves;
}

/* The way goes through a structure, a function's pointer and a floating-point number. */
typedef struct { double rate; int (*step)(double); } Plan;

static int slow(double rate) { return rate > 1 ? 5 : 6; }
static int fast(double rate) { return rate > 1 ? 7 : 8; }

static int by_pointer(char** argv)
{
   Plan     plan = { .rate = 0.5 };
   uint64_t n = from_file("data") & 255;
   Plan     copy;

   (void)argv;
   plan.step = n == 'y' ? fast : slow; /* parts here: pointer */
   copy = plan;
   return copy.step(copy.rate);
}

static int by_number(char** argv)
{
   double rate = (double)(from_file("data") & 255) / 7.0;

   (void)argv;
   if (rate * 2 > 33.5) /* parts here: number */
      return 3;
   return 4;
}

/* No difference at all. */
static int by_nothing(char** argv)
{
   (void)argv;
   return 3;
}

static const struct { const char* name; int (*run)(char**); } cases[] = {
   { "getrandom", by_getrandom }, { "urandom", by_urandom }, { "file", by_file }, { "stdin", by_stdin },
   { "auxv", by_auxv }, { "variable", by_variable }, { "no_variable", by_no_variable }, { "argument", by_argument },
   { "count", by_count }, { "stack", by_stack }, { "mapping", by_mapping }, { "mapped_file", by_mapped_file },
   { "time", by_time }, { "pid", by_pid }, { "stat", by_stat }, { "thread", by_thread }, { "hash", by_hash },
   { "pointer", by_pointer }, { "number", by_number }, { "nothing", by_nothing },
#if defined(__x86_64__) || defined(__i386__)
   { "tsc", by_tsc }, { "cpuid", by_cpuid }, { "generated", by_generated },
#endif
};

/* Not strcmp(): its code depends on the processor. */
static int same(const char* a, const char* b)
{
   while (*a != 0 && *a == *b) {
      a++;
      b++;
   }
   return *a == *b;
}

int main(int argc, char** argv)
{
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
      if (argc > 1 && same(argv[1], cases[i].name)) {
         printf("%d\n", cases[i].run(argv));
         return 0;
      }
   return 2;
}
