/* An interpreter that calls a function through a table for every instruction. */

#include "interp.h"

static long stack[64], *sp = stack;
static const struct instr *pc = program;
static int running = 1;

static void op_push(int arg)  { *sp++ = arg; }
static void op_load(int arg)  { *sp++ = var[arg]; }
static void op_store(int arg) { var[arg] = *--sp; }
static void op_add(int arg)   { (void)arg; sp--; sp[-1] += *sp; }
static void op_sub(int arg)   { (void)arg; sp--; sp[-1] -= *sp; }
static void op_mul(int arg)   { (void)arg; sp--; sp[-1] *= *sp; }
static void op_and(int arg)   { (void)arg; sp--; sp[-1] &= *sp; }
static void op_shr(int arg)   { (void)arg; sp--; sp[-1] >>= *sp; }
static void op_jump(int arg)  { pc = program + arg; }
static void op_jzero(int arg) { if (*--sp == 0) pc = program + arg; }
static void op_less(int arg)  { (void)arg; sp--; sp[-1] = sp[-1] < *sp; }
static void op_nth(int arg)   { (void)arg; sp[-1] = nth(sp[-1]); }
static void op_halt(int arg)  { (void)arg; running = 0; }

static void (*const ops[N_OPS])(int) = {
   [PUSH] = op_push, [LOAD] = op_load, [STORE] = op_store, [ADD] = op_add, [SUB] = op_sub, [MUL] = op_mul,
   [AND] = op_and, [SHR] = op_shr, [JUMP] = op_jump, [JZERO] = op_jzero, [LESS] = op_less, [NTH] = op_nth,
   [HALT] = op_halt
};

int main(int argc, char **argv)
{
   prepare(argc, argv);
   while (running) {
      const struct instr *i = pc++;
      ops[i->op](i->arg);
   }
   printf("%ld\n", var[4]);
   return 0;
}
