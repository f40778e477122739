/* Writes code and runs it, in the ways of compilers.  In place, in memory that is writable and executable; in memory that
   is writable and executable by turns; through a second mapping of the same memory; unmapped and mapped again; with a
   patched immediate operand.  Each generation returns another number and runs another number of times. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

typedef int (*function)(void);

static void emit(unsigned char *p, int value, int nops)
{
   memset(p, 0x90, nops);
   p += nops;
   *p++ = 0xb8;                     /* mov $value, %eax */
   memcpy(p, &value, 4);
   p[4] = 0xc3;                     /* ret */
}

static void *map(void *at, int prot)
{
   void *p = mmap(at, SIZE, prot, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
   if (p == MAP_FAILED)
      exit(2);
   return p;
}

int main(int argc, char **argv)
{
   const char *way = argc > 1 ? argv[1] : "inplace";
   const int rwx = PROT_READ | PROT_WRITE | PROT_EXEC;
   unsigned char *code = NULL, *alias = NULL;
   int g, k, fd, sum = 0;

   if (!strcmp(way, "alias")) {
      fd = memfd_create("jit", 0);
      if (ftruncate(fd, SIZE) != 0)
         return 2;
      alias = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      code = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
   } else
      code = alias = map(NULL, rwx);
   for (g = 2; g < argc; g++) {
      int value = 1000 * g;
      if (!strcmp(way, "protect"))
         mprotect(code, SIZE, PROT_READ | PROT_WRITE);
      if (!strcmp(way, "remap") && g > 2) {
         munmap(code, SIZE);
         alias = map(code, rwx);
      }
      emit(alias, value, !strcmp(way, "patch") ? 1 : g);
      if (!strcmp(way, "protect"))
         mprotect(code, SIZE, PROT_READ | PROT_EXEC);
      for (k = atoi(argv[g]); k > 0; k--) {
         int got = ((function)code)();
         if (got != value)
            return 3;
         sum += got;
      }
   }
   printf("%d\n", sum);
   return 0;
}
