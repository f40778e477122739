/* A compiler that changes one of its functions at a time:

     rewrites FUNCTIONS CALLS FUNCTION...

   FUNCTIONS of them stand in a mapping, 16 bytes apart.  For each FUNCTION named, in turn, that one is written anew and
   called, and then there are CALLS calls of any, in an order that test programs can work out.  One instruction calls
   them all.

     rewrites itself CALLS

   Function 0 changes function 1 and goes there, each time.

     rewrites half CALLS...

   The mapping has two pages.  Function 0 stands on the first one, functions 256 and 257 on the second; 256 calls 257.
   When all have run, the first page is unmapped.  Then, for each CALLS, function 257 is written anew and called, and
   function 256 is called CALLS times.

     rewrites long CALLS

   Functions 0 to 9 are one row of 160 instructions that fall through to function 10.  It is longer than a superblock
   can be.  CALLS times, function 10 is written anew, and function 0 or 1 is called, in turn.

     rewrites begin CALLS

   The same row.  CALLS times, function 12 is written anew and called.  Then function 0 is called, it changes, and
   functions 0 and 1 are called twice in turn.  */
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

static int lose_half(int rounds, char **calls)
{
   static const unsigned char caller[] = {
      0xe8, 11, 0, 0, 0,            /* call function 257 */
      0xc3                          /* ret */
   };
   int i, k;

   write_function(0, 0);
   write_function(257, 1);
   values[256] = 1;
   memcpy(code + 4096, caller, sizeof caller);
   call(0);
   call(256);
   munmap(code, 4096);
   for (i = 0; i < rounds; i++) {
      values[256] = 1000 * i;
      write_function(257, values[256]);
      call(257);
      for (k = atoi(calls[i]); k > 0; k--)
         call(256);
   }
   return 0;
}

static int change_end(int calls)
{
   int k;

   memset(code, 0x90, 160);         /* nop */
   for (k = 0; k < calls; k++) {
      write_function(10, k);
      values[k % 2] = k;
      call(k % 2);
   }
   return 0;
}

static int change_begin(int calls)
{
   int k;

   memset(code, 0x90, 160);         /* nop */
   write_function(10, 0);
   values[0] = values[1] = 0;
   for (k = 0; k < calls; k++) {
      write_function(12, k);
      call(12);
   }
   call(0);
   code[10] = 0xf8;                 /* clc */
   for (k = 0; k < 4; k++)
      call(k % 2);
   return 0;
}

int main(int argc, char **argv)
{
   int itself = !strcmp(argv[1], "itself"), half = !strcmp(argv[1], "half"), longer = !strcmp(argv[1], "long");
   int begin = !strcmp(argv[1], "begin");
   int functions = itself ? 2 : half ? 512 : longer || begin ? 13 : atoi(argv[1]), calls = atoi(argv[2]), i, k;
   unsigned chance = 1;

   code = mmap(NULL, 16 * functions, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   values = calloc(functions, sizeof *values);
   if (code == MAP_FAILED || !values)
      return 2;
   if (itself)
      return change_itself(calls);
   if (longer)
      return change_end(calls);
   if (begin)
      return change_begin(calls);
   if (half)
      return lose_half(argc - 2, argv + 2);
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
