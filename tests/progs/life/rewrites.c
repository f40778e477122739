/* A compiler that changes one of its functions at a time:

     rewrites FUNCTIONS CALLS FUNCTION...

   FUNCTIONS of them stand in a mapping, 16 bytes apart.  For each FUNCTION named, in turn, that one is written anew and
   called, and then there are CALLS calls of any, in an order that test programs can work out.  One instruction calls
   them all.

     rewrites itself CALLS

   Function 0 changes function 1 and goes there, each time.  */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef int (*function)(void);

static unsigned char *code;
static int *values;

static void write_function(int f, int value)
{
   unsigned char *p = code + 16 * f;

   values[f] = value;
   p[0] = 0xb8;                     /* mov $value, %eax */
   memcpy(p + 1, &value, 4);
   p[5] = 0xc3;                     /* ret */
}

static __attribute__((noinline)) void call(int f)
{
   if (((function)(code + 16 * f))() != values[f])
      exit(3);
}

static int change_itself(int calls)
{
   static const unsigned char change[] = {
      0xff, 0x05, 11, 0, 0, 0,      /* incl the operand of function 1 */
      0xeb, 8                       /* jmp to function 1 */
   };
   int k;

   write_function(1, 0);
   memcpy(code, change, sizeof change);
   for (k = 1; k <= calls; k++) {
      values[0] = k;
      call(0);
   }
   return 0;
}

int main(int argc, char **argv)
{
   int itself = !strcmp(argv[1], "itself");
   int functions = itself ? 2 : atoi(argv[1]), calls = atoi(argv[2]), i, k;
   unsigned chance = 1;

   code = mmap(NULL, 16 * functions, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   values = calloc(functions, sizeof *values);
   if (code == MAP_FAILED || !values)
      return 2;
   if (itself)
      return change_itself(calls);
   for (i = 0; i < functions; i++)
      write_function(i, i);
   for (i = 3; i < argc; i++) {
      write_function(atoi(argv[i]), 1000 * i);
      call(atoi(argv[i]));
      for (k = 0; k < calls; k++) {
         chance = chance * 1103515245 + 12345;
         call((chance >> 16) % functions);
      }
   }
   return 0;
}
