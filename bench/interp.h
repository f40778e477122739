/* Shared by the two interpreters: a small stack machine's program.  It counts
   how many of the first N numbers reach 1 by the Collatz rule in an even number
   of steps, and does the same with a table of squares. */

#include <stdio.h>
#include <stdlib.h>

enum op { PUSH, LOAD, STORE, ADD, SUB, MUL, AND, SHR, JUMP, JZERO, LESS, NTH, HALT, N_OPS };

struct instr { enum op op; int arg; };

/* Variables: 0 limit, 1 i, 2 value, 3 steps, 4 result. */
static const struct instr program[] = {
   /*  0 */ { PUSH, 1 },   { STORE, 1 },
   /*  2 */ { LOAD, 1 },   { LOAD, 0 },  { LESS, 0 },  { JZERO, 43 },
   /*  6 */ { LOAD, 1 },   { STORE, 2 }, { PUSH, 0 },  { STORE, 3 },
   /* 10 */ { PUSH, 1 },   { LOAD, 2 },  { LESS, 0 },  { JZERO, 33 },
   /* 14 */ { LOAD, 2 },   { PUSH, 1 },  { AND, 0 },   { JZERO, 24 },
   /* 18 */ { LOAD, 2 },   { PUSH, 3 },  { MUL, 0 },   { PUSH, 1 },  { ADD, 0 }, { JUMP, 27 },
   /* 24 */ { LOAD, 2 },   { PUSH, 1 },  { SHR, 0 },
   /* 27 */ { STORE, 2 },  { LOAD, 3 },  { PUSH, 1 },  { ADD, 0 },   { STORE, 3 }, { JUMP, 10 },
   /* 33 */ { LOAD, 4 },   { LOAD, 3 },  { NTH, 0 },   { ADD, 0 },   { STORE, 4 },
   /* 38 */ { LOAD, 1 },   { PUSH, 1 },  { ADD, 0 },   { STORE, 1 }, { JUMP, 2 },
   /* 43 */ { HALT, 0 },
};

static long squares[256];

static long var[5];

static void prepare(int argc, char **argv)
{
   for (int i = 0; i < 256; i++)
      squares[i] = i * i % 97;
   var[0] = argc > 1 ? atoi(argv[1]) : 1000;
}

static long nth(long n)
{
   return squares[n & 255];
}
