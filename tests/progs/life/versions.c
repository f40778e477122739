/* Makes COUNT versions of a function, all at one address, and calls version K as often as K % 3 + 1 says.  It writes each
   version over the last one (inplace, written), into memory that is mapped in its place (remap), or that was unmapped before
   (unmap, short).  A version has three superblocks: a move and a jump; an addition, a comparison and a branch that is
   never taken; a return.  Those of "short" and "written" have a move and a return. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE 4096

typedef int (*function)(void);

static unsigned char *map(void *at)
{
   void *p = mmap(at, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1,
                  0);
   if (p == MAP_FAILED)
      exit(2);
   return p;
}

static void emit(unsigned char *p, int value, int is_short)
{
   static const unsigned char code[] = {
      0xb8, 0, 0, 0, 0,          /*       mov $value, %eax */
      0xeb, 9,                   /*       jmp 1f */
      0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
      0x05, 0, 0, 0, 0,          /* 1:    add $value, %eax */
      0x83, 0xf8, 0xff,          /*       cmp $-1, %eax */
      0x74, 1,                   /*       je 2f */
      0xc3,                      /*       ret */
      0xc3                       /* 2:    ret */
   };
   memcpy(p, code, sizeof(code));
   memcpy(p + 1, &value, 4);
   memcpy(p + 17, &value, 4);
   if (is_short)
      p[5] = 0xc3;
}

int main(int argc, char **argv)
{
   const char *way = argv[1];
   int count = argc > 2 ? atoi(argv[2]) : 0;
   int is_short = !strcmp(way, "short") || !strcmp(way, "written");
   unsigned char *code = map(NULL);

   for (int k = 0; k < count; k++) {
      if (!strcmp(way, "short") || !strcmp(way, "unmap"))
         munmap(code, SIZE);
      if (strcmp(way, "written") && strcmp(way, "inplace"))
         map(code);
      emit(code, k, is_short);
      for (int i = 0; i < k % 3 + 1; i++)
         if (((function)code)() != (is_short ? k : 2 * k))
            return 3;
   }
   puts("done");
   return 0;
}
