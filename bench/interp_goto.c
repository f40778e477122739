/* An interpreter with a computed goto at the end of every instruction. */

#include "interp.h"

int main(int argc, char **argv)
{
   static const void *const ops[N_OPS] = {
      [PUSH] = &&push, [LOAD] = &&load, [STORE] = &&store, [ADD] = &&add, [SUB] = &&sub, [MUL] = &&mul,
      [AND] = &&and, [SHR] = &&shr, [JUMP] = &&jump, [JZERO] = &&jzero, [LESS] = &&less, [NTH] = &&nth,
      [HALT] = &&halt
   };
   long stack[64], *sp = stack;
   const struct instr *pc = program, *i;

   prepare(argc, argv);
#  define NEXT i = pc++; goto *ops[i->op]
   NEXT;
push:  *sp++ = i->arg;                        NEXT;
load:  *sp++ = var[i->arg];                   NEXT;
store: var[i->arg] = *--sp;                   NEXT;
add:   sp--; sp[-1] += *sp;                   NEXT;
sub:   sp--; sp[-1] -= *sp;                   NEXT;
mul:   sp--; sp[-1] *= *sp;                   NEXT;
and:   sp--; sp[-1] &= *sp;                   NEXT;
shr:   sp--; sp[-1] >>= *sp;                  NEXT;
jump:  pc = program + i->arg;                 NEXT;
jzero: if (*--sp == 0) pc = program + i->arg; NEXT;
less:  sp--; sp[-1] = sp[-1] < *sp;           NEXT;
nth:   sp[-1] = nth(sp[-1]);                  NEXT;
halt:
   printf("%ld\n", var[4]);
   return 0;
}
