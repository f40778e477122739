"""Random C++ programs for the tests of an XRay log: calls, tail calls, recursion, calls through pointers, longjmp,
exceptions, signals, threads, alternate stacks, fork.  A seed makes the same program each time, and a program does the
same each time but for the order in which its threads run.

    xray_programs.py SEED > PROGRAM.cpp             g++ -O1 -g -foptimize-sibling-calls -pthread PROGRAM.cpp
"""
import random
import sys

HEAD = r"""
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static thread_local int fuel, depth;
static thread_local sigjmp_buf places[8];
static thread_local int n_places;
static volatile int sink;
struct Thrown { int n; };
typedef int (*F)(int);
"""

MAIN = r"""
static void *work(void *p)
{
   stack_t st = {};
   if ((long)p %% 2) {
      st.ss_size = 65536;
      st.ss_sp = malloc(st.ss_size);
      sigaltstack(&st, nullptr);
   }
   fuel = %(fuel)d;
   int n = (int)(long)p;
   while (fuel > 0) {
      n_places = depth = 0;
      int left = fuel;
      try {
         if (sigsetjmp(places[n_places++], 1) == 0)
            n += table[(unsigned)n %% %(n)d](n & 7);
      } catch (Thrown &t) {
         n += t.n;
      }
      if (fuel == left)
         fuel--;
      n = n & 0xffff;
   }
   sink += n;
   return nullptr;
}

int main()
{
   struct sigaction sa = {};
   sa.sa_handler = handler;
   sa.sa_flags = SA_NODEFER | %(flags)s;
   sigaction(SIGUSR1, &sa, nullptr);
   sa.sa_handler = leaver;
   sigaction(SIGUSR2, &sa, nullptr);
   pthread_t t[4];
   for (long i = 0; i < %(threads)d; i++)
      pthread_create(&t[i], nullptr, work, (void *)(i + 2));
   work((void *)1L);
   for (int i = 0; i < %(threads)d; i++)
      pthread_join(t[i], nullptr);
   return 0;
}
"""


def expression(r, depth=0):
    if depth > 2 or r.random() < 0.4:
        return r.choice(["x", "x + 1", "x ^ 5", "(x & 15)", str(r.randrange(9))])
    return "(%s %s %s)" % (expression(r, depth + 1), r.choice("+-^&|"), expression(r, depth + 1))


def statement(r, n, kinds):
    kind = r.choice(kinds)
    g = r.randrange(n)
    e = expression(r)
    if kind == "call":
        return "s += f%d(%s);" % (g, e)
    if kind == "loop":
        return "for (int i = 0; i < %d; i++) s += f%d(i ^ x);" % (r.randrange(1, 4), g)
    if kind == "pointer":
        return "s += table[(unsigned)(%s) %% %d](x);" % (e, n)
    if kind == "branch":
        return "if ((%s) & 1) s += f%d(x); else s -= %s;" % (e, g, expression(r))
    if kind == "throw":
        return "if (fuel %% %d == 0) throw Thrown{s};" % r.randrange(3, 9)
    if kind == "catch":
        return "try { s += f%d(%s); } catch (Thrown &t) { s += t.n; n_places = mine; }" % (g, e)
    if kind == "setjmp":
        return ("if (n_places < 8) { volatile int at = n_places; if (sigsetjmp(places[n_places++], 1) == 0) s += f%d(x); "
                "n_places = at; }" % g)
    if kind == "longjmp":
        return "if (fuel %% %d == 1 && n_places > 0) siglongjmp(places[n_places - 1], 1);" % r.randrange(3, 9)
    if kind == "signal":
        return "if (fuel %% %d == 0) pthread_kill(pthread_self(), SIGUSR1);" % r.randrange(2, 6)
    if kind == "leave":
        return "if (fuel %% %d == 2 && n_places > 0) pthread_kill(pthread_self(), SIGUSR2);" % r.randrange(3, 9)
    if kind == "libc":
        return "{ char b[40]; snprintf(b, sizeof b, \"%%d %%s\", %s, \"x\"); s += atoi(b); }" % e
    if kind == "fork":
        return "if (fuel % 40 == 7) { pid_t p = fork(); if (p == 0) { s += f0(x); _exit(s & 1); } waitpid(p, nullptr, 0); }"
    return "sink += s;"


def program(seed):
    r = random.Random(seed)
    n = r.randrange(4, 14)
    kinds = ["call", "call", "loop", "pointer", "branch", "libc", "plain"]
    for kind in ("throw", "setjmp", "signal"):
        if r.random() < 0.5:
            kinds += {"throw": ["throw", "catch"], "setjmp": ["setjmp", "longjmp"], "signal": ["signal", "leave"]}[kind]
    threads = r.choice([0, 0, 0, 2, 3])
    if threads == 0 and r.random() < 0.15:
        kinds.append("fork")
    out = [HEAD]
    out.append("\n".join("static int f%d(int x);" % i for i in range(n)))
    out.append("static F const table[] = { %s };" % ", ".join("f%d" % i for i in range(n)))
    for i in range(n):
        body = ["if (fuel <= 0 || depth > %d) return x;" % r.randrange(3, 30), "fuel--;"]
        if r.random() < 0.35:
            # A call at the very end, which becomes a jump.
            body.append("return f%d(%s);" % (r.randrange(n), expression(r)) if r.random() < 0.7
                        else "return table[(unsigned)x %% %d](%s);" % (n, expression(r)))
        else:
            body += ["int s = x, mine = n_places;", "depth++;"]
            body += [statement(r, n, kinds) for _ in range(r.randrange(1, 5))]
            body += ["depth--;", "sink += mine;", "return s & 0xfff;"]
        out.append("NOINLINE static int f%d(int x)\n{\n   %s\n}" % (i, "\n   ".join(body)))
    out.append("static void handler(int s)\n{\n   int x = s;\n   sink += f%d(x & 3);\n}" % r.randrange(n))
    out.append("static void leaver(int s)\n{\n   sink += f%d(s & 3);\n   if (n_places > 0)\n"
               "      siglongjmp(places[n_places - 1], 1);\n}" % r.randrange(n))
    out.append(MAIN % {"fuel": r.randrange(20, 120), "n": n, "threads": threads,
                       "flags": r.choice(["0", "0", "SA_ONSTACK", "SA_RESTART"])})
    return "\n".join(out)


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
