/* An interpreter whose functions go on by jumps: ROUNDS times three of them, at one stack pointer. */
#include <stdio.h>

typedef struct { const unsigned char* pc; long sum, left; } Machine;
typedef long Step(Machine*);

static Step add, decrement, again, stop;
static Step* const steps[] = { add, decrement, again, stop };

#define NEXT return steps[*m->pc++](m)

static __attribute__((noinline)) long mix(long a) { return a * 3 + 1; }

static __attribute__((noinline)) long add(Machine* m) { m->sum += mix(m->left) & 7; NEXT; }
static __attribute__((noinline)) long decrement(Machine* m) { m->left--; NEXT; }
static __attribute__((noinline)) long again(Machine* m) { if (m->left > 0) m->pc -= 3; NEXT; }
static __attribute__((noinline)) long stop(Machine* m) { return m->sum; }

static __attribute__((noinline)) long run(Machine* m)
{
   long sum = steps[*m->pc++](m);
   return sum + 1;
}

int main(void)
{
   static const unsigned char program[] = { 0, 1, 2, 3 };
   Machine m = { program, 0, ROUNDS };

   printf("%ld\n", run(&m));
   return 0;
}
