#!/usr/bin/env python3
"""Random programs in C with stores that do not run, for the tests of what did not run.  A seed makes the same program each time.

    omitted_programs.py SEED > PROGRAM.c

Conditions depend on a table of numbers that the program's argument chooses.  Stores are to globals, locals, members, elements,
over pointers and in called functions; they are behind branches, early returns, in loops that end early and in switches.  The
last line of each function uses all variables: it is marked as USE.
"""
import random
import sys

N_FUNCTIONS = 6
HEAD = """#include <stdio.h>
#include <stdlib.h>
struct part { int a, b; short c; struct part *next; };
void *frame_of_main;
int in[32];
int g0 = 1, g1 = 2, g2 = 3, g3 = 4;
static int table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
struct part whole = { 1, 2, 3, &whole };
volatile long sink;
__attribute__((noinline)) void use(long a, long b, long c, long d, long e, long f)
{
   sink += a * 3 + b * 5 + c * 7 + d * 11 + e * 13 + f;
}
__attribute__((noinline)) static void put(int *to, int x)
{
   *to = x;
}
__attribute__((noinline)) static void set_g1(int x)
{
   g1 = x + 1;
}
__attribute__((noinline)) static int maybe_g2(int x)
{
   if (x > 50)
      g2 = x;
   return x + 1;
}
"""


class Writer:
    def __init__(self, seed):
        self.r, self.lines, self.depth, self.n_loops = random.Random(seed), [], 0, 0

    def put(self, line):
        self.lines.append("   " * self.depth + line)

    def value(self):
        return self.r.choice(("v0", "v1", "v2", "g0", "g3", "p.a", "table[%d]" % self.r.randrange(8), "in[%d]" % self.r.randrange(32),
                              str(self.r.randrange(100)), "n"))

    def condition(self):
        a = "in[%d]" % self.r.randrange(32) if self.r.random() < 0.7 else self.r.choice(("v0", "v1", "g0", "p.b", "n"))
        one = "%s %s %d" % (a, self.r.choice(("<", ">", "==", "!=", ">=")), self.r.randrange(60))
        if self.r.random() < 0.2:
            return "%s %s in[%d] > %d" % (one, self.r.choice(("&&", "||")), self.r.randrange(32), self.r.randrange(60))
        return one

    def store(self):
        target = self.r.choice(("v0", "v1", "v2", "g0", "g1", "g2", "g3", "p.a", "p.b", "p.c", "whole.a", "whole.c", "q->a", "q->b",
                                "q->next->a", "a[%d]" % self.r.randrange(4), "a[n & 3]", "table[%d]" % self.r.randrange(8),
                                "table[in[%d] & 7]" % self.r.randrange(32), "*to", "to[1]", "*one"))
        kind = self.r.random()
        if kind < 0.1:
            self.put("put(&%s, %s);" % (self.r.choice(("v2", "g3", "p.b")), self.value()))
        elif kind < 0.15:
            self.put("set_g1(%s);" % self.value())
        elif kind < 0.2:
            self.put("v1 = maybe_g2(%s);" % self.value())
        else:
            self.put("%s %s %s;" % (target, self.r.choice(("=", "=", "=", "+=", "^=")), self.value()))

    def block(self, depth, n, loop):
        self.put("{")
        self.depth += 1
        for _ in range(n):
            self.statement(depth, loop)
        self.depth -= 1
        self.put("}")

    def statement(self, depth, loop):
        kind = self.r.random()
        if depth == 0 or kind < 0.3:
            self.store()
        elif kind < 0.65:
            self.put("if (%s)" % self.condition())
            self.block(depth - 1, self.r.randrange(1, 3), loop)
            if self.r.random() < 0.3:
                self.put("else")
                self.block(depth - 1, 1, loop)
        elif kind < 0.8:
            i = "i%d" % self.n_loops
            self.n_loops += 1
            self.put("for (int %s = 0; %s < %s; %s++)" % (i, i, self.r.choice(("3", "(in[%d] & 3)" % self.r.randrange(32))), i))
            self.block(depth - 1, self.r.randrange(1, 3), True)
        elif kind < 0.9:
            self.put("switch (in[%d] & 7)" % self.r.randrange(32))
            self.put("{")
            self.depth += 1
            for k in self.r.sample(range(8), 6):
                self.put("case %d:" % k)
                self.store()
                if self.r.random() < 0.8:
                    self.put("break;")
            self.depth -= 1
            self.put("}")
        elif loop:
            self.put("if (%s)" % self.condition())
            self.put("   %s;" % self.r.choice(("break", "continue")))
        else:
            self.put("if (%s)" % self.condition())
            self.put("   goto out;")

    def function(self, k):
        self.put("__attribute__((noinline)) static int f%d(int n)" % k)
        self.put("{")
        self.depth += 1
        self.put("int v0 = %d, v1 = n, v2 = in[%d];" % (self.r.randrange(60), self.r.randrange(32)))
        self.put("int a[4] = { 1, n, 3, 4 };")
        self.put("struct part p = { 1, n, 3, &whole }, *q = %s;" % self.r.choice(("&p", "&whole")))
        self.put("int *to = %s;" % self.r.choice(("a", "table", "&p.a")))
        self.put("int *one = %s;" % self.r.choice(("&v2", "&g2", "&p.b")))
        if k > 0 and self.r.random() < 0.5:
            self.put("v1 = f%d(v1 + 1);" % self.r.randrange(k))
        elif self.r.random() < 0.5:
            self.put("if (n > 7)")
            self.put("   v2 = f%d(n - 5);" % k)
        for _ in range(self.r.randrange(3, 7)):
            self.statement(2, False)
        self.depth -= 1
        self.put("out:")
        self.depth += 1
        self.put("use(v0 + v1 * 2, v2, p.a + p.b * 3 + p.c, a[0] + a[1] * 2 + a[2] * 3 + a[3], g0 + g1 * 2 + g2 * 3, "
                 "g3 + table[2] * 2 + whole.a); /* USE */")
        self.put("return v0 + v1;")
        self.depth -= 1
        self.put("}")


def program(seed):
    w = Writer(seed)
    for k in range(N_FUNCTIONS):
        w.function(k)
    w.put("int main(int argc, char **argv)")
    w.put("{")
    w.put("   unsigned state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;")
    w.put("   frame_of_main = __builtin_frame_address(0);")
    w.put("   for (int i = 0; i < 32; i++) {")
    w.put("      state = state * 1664525 + 1013904223;")
    w.put("      in[i] = (int)(state >> 16) % 64;")
    w.put("   }")
    for k in range(N_FUNCTIONS):
        w.put("   f%d(%d);" % (k, w.r.randrange(12)))
    w.put('   printf("%p\\n", frame_of_main);')
    w.put("   return sink == 1;")
    w.put("}")
    return HEAD + "\n".join(w.lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
