#!/usr/bin/env python3
"""Random programs in C for the tests of slices.  Each function computes a value of input bytes; the whole program is a
number of these functions.  A seed makes the same program each time.

slice_programs.py SEED [straight] > PROGRAM.c

A dynamic slice tells what happened, and an assignment that was not executed has no instance.  Still, inputs outside a slice
must not change the value.  So both sides of a branch assign the same variables, loops have constant numbers of iterations,
and addresses of stores do not depend on inputs.  An optimizing compiler may undo that.  A straight program has no branches
at all, and may be optimized.

FREE: the program has no C library, as tests/oracle/wet_model.py needs it.  An instruction of its own stores each input byte;
its line is marked as INPUT.  The line of each value is marked as VALUE.  NATIVE: the program reads lines

    FUNCTION TRIALS FREE INSIDE          FREE, INSIDE: a digit for each input, whether it may be changed

and prints for each line how often random changes of the free inputs changed the value, and how often changes of those inside
did.
"""
import random
import sys

N_INPUTS = 12
N_FUNCTIONS = 20
SIZES = ("unsigned char", "unsigned short", "unsigned", "unsigned long", "signed char", "short", "int")
FRAME = """#ifdef NATIVE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#else
void *memcpy(void *to, const void *from, unsigned long n)
{
   for (unsigned long i = 0; i < n; i++)
      ((volatile char *)to)[i] = ((const char *)from)[i];
   return to;
}
void *memset(void *to, int c, unsigned long n)
{
   for (unsigned long i = 0; i < n; i++)
      ((volatile char *)to)[i] = (char)c;
   return to;
}
#endif
typedef const volatile unsigned char *Input;
"""
NATIVE = """#ifdef NATIVE
static unsigned next(unsigned *state)
{
   *state = *state * 1664525 + 1013904223;
   return *state >> 16;
}

int main(void)
{
   unsigned k, state = 1;
   int trials;
   char free_[%(n)d + 1], inside[%(n)d + 1];
   while (scanf("%%u %%d %%%(n)ds %%%(n)ds", &k, &trials, free_, inside) == 4) {
      unsigned long right = functions[k](inputs[k]);
      int changed = 0, moved = 0;
      for (int t = 0; t < trials; t++) {
         unsigned char in[%(n)d];
         int all = t %% 2, which = t / 2 %% %(n)d;
         memcpy(in, inputs[k], %(n)d);
         for (int i = 0; i < %(n)d; i++)
            if (free_[i] == '1' && (all || i == which))
               in[i] ^= 1 + next(&state) %% 255;
         changed += functions[k](in) != right;
         memcpy(in, inputs[k], %(n)d);
         if (inside[which] == '1')
            in[which] ^= 1 + next(&state) %% 255;
         moved += functions[k](in) != right;
      }
      printf("%%d %%d\\n", changed, moved);
   }
   return 0;
}
#else
/* Valgrind looks for debug information where something writable is mapped from the file. */
volatile int data = 1;
static volatile unsigned char taken[%(functions)d][%(n)d];
unsigned long output[%(functions)d];

static long system_call(long number, long a, long b, long c)
{
   long result;
   __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
   return result;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
%(body)s   system_call(1, 1, (long)output, sizeof(output));
   system_call(60, 0, 0, 0);
}
#endif
"""


class Writer:
    def __init__(self, seed, straight):
        self.r, self.straight = random.Random(seed), straight
        self.lines, self.depth = [], 0

    def put(self, line):
        self.lines.append("   " * self.depth + line)

    # --- expressions ---

    def variable(self):
        return "v%d" % self.r.randrange(self.n_variables)

    def leaf(self):
        kind = self.r.random()
        if kind < 0.15:
            return str(self.r.choice((0, 1, 2, 3, 7, 10, 255, 1000, 65537)))
        if kind < 0.35:
            return "in[%d]" % self.r.choice(self.inputs)
        if kind < 0.55:
            return "%s[%d]" % (self.r.choice(("m", "h", "w")), self.r.randrange(8))
        return self.r.choice(self.loops) if self.loops and kind < 0.65 else self.variable()

    def expression(self, depth=2):
        if depth == 0 or self.r.random() < 0.2:
            return self.leaf()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        kind = self.r.randrange(9 if self.straight else 12)
        if kind < 4:
            return "(%s %s %s)" % (a, self.r.choice(("+", "-", "*", "^", "&", "|")), b)
        if kind == 4:
            return "(%s %s (%s & 7))" % (a, self.r.choice(("<<", ">>")), b)
        if kind == 5:
            return "(%s)(%s)" % (self.r.choice(SIZES), a)
        if kind == 6:
            return "%s[(%s) & 7]" % (self.r.choice(("m", "h", "w", "table")), a)
        if kind == 7:
            return "(%s %s %s)" % (a, self.r.choice(("/", "%")), "((unsigned char)%s | 1)" % b)
        if kind == 8:
            return "(%s %s %s)" % (a, self.r.choice(("<", "==", ">=", "!=")), b)
        if kind == 9:
            return "(%s ? %s : %s)" % (self.leaf(), a, b)
        if kind == 10:
            return "(%s %s %s)" % (a, self.r.choice(("&&", "||")), b)
        return "g%d(%s, %s)" % (self.r.randrange(3), a, b)

    # --- statements; TARGETS are assigned on every way ---

    def assign(self, target):
        if target.startswith("v") and not self.straight and self.r.random() < 0.1:
            self.put("{ unsigned long *p = %s ? &%s : &%s; %s = *p; }"
                     % (self.leaf(), self.variable(), self.variable(), target))
        elif self.r.random() < 0.5:
            self.put("%s = %s %s %s;" % (target, target, self.r.choice(("+", "^", "*", "-")), self.expression()))
        else:
            self.put("%s = %s;" % (target, self.expression()))

    def arm(self, targets, depth):
        self.depth += 1
        targets = list(targets)
        self.r.shuffle(targets)
        if depth > 0 and self.r.random() < 0.3:
            self.branch(targets, depth - 1)
        else:
            for t in targets:
                self.assign(t)
        self.depth -= 1

    def branch(self, targets, depth):
        if self.r.random() < 0.7:
            self.put("if (%s) {" % self.expression())
            self.arm(targets, depth)
            self.put("} else {")
            self.arm(targets, depth)
            self.put("}")
            return
        self.put("switch ((%s) & 3) {" % self.expression())
        for label in ("case 0:", "case 1:", "default:"):
            self.put(label)
            self.arm(targets, depth)
            self.put("   break;")
        self.put("}")

    def target(self):
        kind = self.r.random()
        if kind < 0.6:
            return self.variable()
        place = self.r.choice(self.loops) if self.loops and kind < 0.8 else str(self.r.randrange(8))
        return "%s[%s & 7]" % (self.r.choice(("m", "h", "w")), place)

    def loop(self, depth):
        i = "i%d" % len(self.loops)
        self.put("for (unsigned %s = 0; %s < %d; %s++) {" % (i, i, self.r.randrange(1, 5), i))
        self.loops.append(i)
        self.depth += 1
        self.statements(self.r.randrange(1, 3), depth - 1)
        self.depth -= 1
        self.loops.pop()
        self.put("}")

    def statements(self, n, depth):
        for _ in range(n):
            kind = self.r.random()
            if depth > 0 and kind < 0.25:
                self.loop(depth)
            elif kind < 0.5 and not self.straight:
                self.branch([self.target() for _ in range(self.r.randrange(1, 3))], 1)
            else:
                self.assign(self.target())

    # --- functions ---

    def helpers(self):
        self.put("static const unsigned char table[8] = { %s };" % ", ".join(str(self.r.randrange(256)) for _ in range(8)))
        for k in range(3):
            self.put("%sunsigned long g%d(unsigned long x, unsigned long y)"
                     % (self.r.choice(("static ", "static inline ", "__attribute__((noinline)) static ")), k))
            if self.straight:
                self.put("{ return (x * %d ^ y) + (x >> %d); }" % (self.r.randrange(99), self.r.randrange(1, 30)))
                continue
            self.put("{")
            self.put("   if ((x ^ y) & %d)" % self.r.randrange(1, 8))
            self.put("      return x * %d + y;" % self.r.randrange(2, 9))
            self.put("   return y - (x >> %d);" % self.r.randrange(1, 8))
            self.put("}")

    def function(self, k):
        self.n_variables, self.loops = self.r.randrange(3, 6), []
        self.inputs = self.r.sample(range(N_INPUTS), self.r.randrange(3, N_INPUTS))
        self.put("static unsigned long f%d(Input in)" % k)
        self.put("{")
        self.depth += 1
        for v in range(self.n_variables):
            self.put("unsigned long v%d = %s;" % (v, "in[%d]" % self.r.choice(self.inputs) if self.r.random() < 0.7
                                                  else self.r.randrange(1000)))
        self.put("unsigned char m[8];")
        self.put("unsigned short h[8];")
        self.put("unsigned long w[8];")
        self.put("for (int i = 0; i < 8; i++) {")
        self.put("   m[i] = %s;" % self.r.choice(("in[i]", "table[i]", "i", "(unsigned char)v0")))
        self.put("   h[i] = %s;" % self.r.choice(("in[i + 3] * 5", "i * i", "m[i] + v1")))
        self.put("   w[i] = %s;" % self.r.choice(("in[i + 4] << i", "i", "i * 7")))
        self.put("}")
        self.statements(self.r.randrange(3, 8), 2)
        self.put("return %s ^ %s * 3 ^ %s[%d];" % (self.expression(), self.variable(), self.r.choice("mhw"),
                                                   self.r.randrange(8)))
        self.depth -= 1
        self.put("}")

    def program(self):
        inputs = [[self.r.randrange(256) for _ in range(N_INPUTS)] for _ in range(N_FUNCTIONS)]
        self.helpers()
        for k in range(N_FUNCTIONS):
            self.function(k)
        self.put("#ifdef NATIVE")
        self.put("static unsigned long (*const functions[])(Input) = { %s };"
                 % ", ".join("f%d" % k for k in range(N_FUNCTIONS)))
        self.put("static const unsigned char inputs[][%d] = {" % N_INPUTS)
        for row in inputs:
            self.put("   { %s }," % ", ".join(map(str, row)))
        self.put("};")
        self.put("#endif")
        body = ""
        for k, row in enumerate(inputs):
            for i, x in enumerate(row):
                body += "   taken[%d][%d] = %d;    /* INPUT %d %d */\n" % (k, i, x, k, i)
            body += "   output[%d] = f%d(taken[%d]);\n" % (k, k, k)
        return FRAME + "\n".join(self.lines) + "\n" + NATIVE % {"n": N_INPUTS, "functions": N_FUNCTIONS, "body": body}


def program(seed, straight=False):
    return Writer(seed, straight).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1]), sys.argv[2:] == ["straight"]))
