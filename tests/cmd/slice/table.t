#!/usr/bin/python3
"""dcfg why --table: the executions of a line, with their values.  (TAP)

- Each execution's values are those that the program prints: integers, characters, enumerators, doubles, elements of arrays, members;
  in a loop, in a recursion, in two threads, at -O0 and at -O2.  FILE:LINE#N is the row with number N.
- Conditions; text that folds, CSV and JSON; what is refused.
- A load or store of a part of a number says which bytes it has.
- Floating-point numbers are decimal: in tables, steps and instances, with names and without, vectors, long double.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from harness import record_wet
from slicelib import line_of

SALE = r"""#include <stdio.h>
enum kind { SMALL, LARGE };
struct item { int number; double rate; char letter; long cents; enum kind kind; };
static struct item items[60];
static int n_called;
__attribute__((noinline)) static int discount(int n) { n_called++; return n % 7 * 20; }
__attribute__((noinline)) static long fact(long n) {
   long less = n - 1;           /* LESS */
   return n < 2 ? 1 : n * fact(less);
}
int main(int argc, char **argv)
{
   long total = 0;
   for (int i = 0; i < 60; i++) {
      struct item *t = &items[i];
      t->number = i - 30;       /* NUMBER */
      t->letter = 'a' + i % 26; /* LETTER */
      t->rate = 0.25 * i * argc;        /* RATE */
      t->kind = i % 3 == 0 ? LARGE : SMALL;     /* KIND */
      t->cents = 100 + i * argc - discount(i);  /* CENTS */
      total += t->cents;        /* TOTAL */
      printf("%d %c %.17g %d %ld %ld\n", t->number, t->letter, t->rate, t->kind, t->cents, total);
   }
   return fact(9) != 362880;
}
"""

DESKS = r"""#include <pthread.h>
#include <unistd.h>
static int sold[2];
static void *desk(void *arg)
{
   int *mine = arg;
   for (int i = 0; i < 4; i++)
      *mine = *mine + i * 2;    /* SELLS */
   return arg;
}
int main(void)
{
   pthread_t t[2];
   for (int i = 0; i < 2; i++) {
      pthread_create(&t[i], NULL, desk, &sold[i]);
      pthread_join(t[i], NULL);
   }
   return sold[0] != 12;
}
"""

REALS = r"""#include <stdio.h>
typedef double v2 __attribute__((vector_size(16)));
volatile double scale = 1.5;
float parts[4] = { 1, 2, 3, 4 };
int main(int argc, char **argv)
{
   double sum = 0;
   long double big = 0.125L * argc;
   v2 pair = { argc * 0.5, argc * 0.75 };
   for (int i = 0; i < 5; i++) {
      sum += scale * parts[i % 4];      /* SUM */
      big = big * 3 + sum;      /* BIG */
      pair = pair * 2 + sum;    /* PAIR */
      parts[i % 4] -= 0.25f;    /* PARTS */
   }
   printf("%g %Lg %g\n", sum, big, pair[0]);
   return 0;
}
"""

HALVES = r"""#include <complex.h>
volatile unsigned long wide = 0x700000034;
volatile int low;
int main(int argc, char **argv)
{
   volatile __int128 huge = (__int128)argc * 52 << 64 | 7;      /* HUGE */
   volatile double _Complex z = argc + 2.5 * I; /* COMPLEX */
   low = *(volatile int*)&wide; /* LOW */
   return huge >> 64 != 52 || creal(z) != 1 || low != 52;
}
"""


def recorded(tap, name, text, *flags):
    source = tap.path(name + ".c")
    harness.write(source, text)
    prog = harness.cc(tap, source, name, "-static", *flags)
    wet = prog and record_wet(tap, name, [prog])
    return prog, wet


def table(wet, line, *opts):
    status, out, err = commandlib.command("why", wet, line, "--table", "--json", *opts)
    return json.loads(out) if status == 0 else err


def check_values(tap, level):
    name = "sale" + level[1:]
    prog, wet = recorded(tap, name, SALE, level)
    if not wet:
        return
    rows = [line.split() for line in subprocess.run([prog], stdout=subprocess.PIPE).stdout.decode().splitlines()]
    at = {m: "%s.c:%d" % (name, line_of(SALE, "/* %s */" % m)) for m in ("NUMBER", "LETTER", "RATE", "KIND", "CENTS", "TOTAL", "LESS")}
    kinds = ("SMALL", "LARGE")
    want = {"NUMBER": ("t->number =", [r[0] for r in rows]), "LETTER": ("t->letter =", ["'%s'" % r[1] for r in rows]),
            "RATE": ("t->rate =", [float(r[2]) for r in rows]), "KIND": ("t->kind =", [kinds[int(r[3])] for r in rows]),
            "CENTS": ("t->cents =", [r[4] for r in rows]), "TOTAL": ("total =", [r[5] for r in rows])}
    for mark, (column, values) in want.items():
        if level != "-O0" and mark != "TOTAL":
            continue
        found = table(wet, at[mark])
        got = [row.get(column) for row in found] if isinstance(found, list) else found
        if mark == "RATE" and isinstance(found, list):
            got = [float(g) if g is not None else None for g in got]
        tap.ok(got == values, "%s %s: each execution's value" % (level, mark), (got, values))
    found = table(wet, at["TOTAL"])
    before = ["0"] + [r[5] for r in rows[:-1]]
    tap.ok(isinstance(found, list) and [r.get("total") for r in found] == before
           and [r["execution"] for r in found] == list(range(60)) and {r["thread"] for r in found} == {0},
           level + ": what was read, numbers and thread", found if not isinstance(found, list) else found[:3])
    if level != "-O0":
        return
    found = table(wet, at["CENTS"])
    tap.ok([r["discount()"] for r in found] == [str(n % 7 * 20) for n in range(60)], "what a function returned", found[:3])
    found = table(wet, at["LESS"])
    tap.ok([r["less ="] for r in found] == [str(n) for n in range(8, -1, -1)], "in a recursion, each activation", found)
    one = commandlib.command("why", wet, at["CENTS"] + "#17")[1]
    tap.ok("t->cents = %s\n" % rows[17][4] in one, "FILE:LINE#N is row N", one)
    check_conditions(tap, wet, at, rows)
    check_forms(tap, wet, at, rows)


def check_conditions(tap, wet, at, rows):
    for where, holds in (("t->cents < 20", lambda i, c: c < 20), ("t->cents <= 20 && i > 5", lambda i, c: c <= 20 and i > 5),
                         ("i == 7", lambda i, c: i == 7), ("i!=7&&i<9", lambda i, c: i != 7 and i < 9),
                         ("discount() >= 100 && t->cents > 0 && i >= 6", lambda i, c: i % 7 * 20 >= 100 and c > 0 and i >= 6)):
        found = table(wet, at["CENTS"], "--where", where)
        got = [r["execution"] for r in found] if isinstance(found, list) else found
        tap.ok(got == [i for i, r in enumerate(rows) if holds(i, int(r[4]))], "--where '%s'" % where, got)
    found = table(wet, at["TOTAL"], "--where", "total < 300")
    tap.ok([r["execution"] for r in found] == [i for i, r in enumerate(rows) if int(r[5]) < 300],
           "a name means what the line wrote", found[:3])
    found = table(wet, at["KIND"], "--where=t->kind == LARGE")
    tap.ok([r["execution"] for r in found] == [i for i in range(60) if i % 3 == 0], "an enumerator", found[:3])
    for args, said in ((["--where", "cent < 3"], "no value `cent'.*it has: .*t->cents"),
                       (["--where", "t->cents"], "no condition"), (["--where", "t->cents < x"], "`x' is no number"),
                       (["--where", "t->cent < 3"], "did you mean `t->cents'"), (["--steps=2"], "without --steps"),
                       (["--csv", "--json"], "not both"), (["--of=i"], "leave --of out")):
        status, out, err = commandlib.command("why", wet, at["CENTS"], "--table", *args)
        tap.ok(status != 0 and re.search(said, err), "refused: " + " ".join(args), out + err)
    for args, said in (([at["CENTS"] + "#3", "--table"], "without #N"), (["--output=3", "--table"], "of a line"),
                       ([at["CENTS"], "--where", "i < 3"], "goes with --table"), ([at["CENTS"], "--csv"], "goes with --table")):
        status, out, err = commandlib.command("why", wet, *args)
        tap.ok(status != 0 and said in err, "refused: " + " ".join(args[1:]), out + err)


def check_forms(tap, wet, at, rows):
    out = commandlib.command("why", wet, at["CENTS"], "--table")[1]
    lines = out.splitlines()
    numbers = [int(m.group(1)) for m in (re.match(r" +(\d+) +0 ", line) for line in lines) if m]
    tap.ok(lines[0] == "%s: 60 executions" % at["CENTS"] and numbers == list(range(20)) + list(range(40, 60))
           and lines[-1].startswith("20 executions between are left out: --all") and all(len(line) <= 80 for line in lines),
           "text: the first 20 and the last 20, at 80 columns", out)
    out = commandlib.command("why", wet, at["CENTS"], "--table", "--all")[1]
    tap.ok(len(out.splitlines()) == 62, "--all: all", out)
    out = commandlib.command("why", wet, at["CENTS"], "--table", "--csv")[1]
    found = list(csv.DictReader(io.StringIO(out)))
    tap.ok([r["t->cents ="].lstrip("'") for r in found] == [r[4] for r in rows], "--csv", out[:300])
    never = commandlib.command("why", wet, "%s:%d" % (at["CENTS"].split(":")[0], line_of(SALE, "/* CENTS */") - 9), "--table")
    tap.ok(never[0] != 0 or "never ran" in never[1] + never[2], "a line without executions", never)


def check_threads(tap):
    _, wet = recorded(tap, "desks", DESKS, "-O0", "-pthread")
    if wet:
        found = table(wet, "desks.c:%d" % line_of(DESKS, "/* SELLS */"))
        got = [(r["thread"], r["i"], r["*mine ="]) for r in found] if isinstance(found, list) else found
        tap.ok(got == [(t, str(i), str(i * (i + 1))) for t in (1, 2) for i in range(4)], "two threads", got)


def check_reals(tap):
    """Decimal numbers, against those that Python computes."""
    parts, total, big, pair, want = [1.0, 2.0, 3.0, 4.0], 0.0, 0.125, [0.5, 0.75], []
    for i in range(5):
        total += 1.5 * parts[i % 4]
        big = big * 3 + total
        pair = [x * 2 + total for x in pair]
        parts[i % 4] -= 0.25
        want.append((total, big, list(pair), parts[i % 4]))
    for level in ("-O0", "-O2"):
        name = "reals" + level[1:]
        _, wet = recorded(tap, name, REALS, level)
        if not wet:
            continue
        for k, mark in enumerate(("SUM", "BIG", "PAIR", "PARTS")):
            line = "%s.c:%d" % (name, line_of(REALS, "/* %s */" % mark))
            found = table(wet, line)
            texts = [[v for c, v in row.items() if c.endswith(" =") and v is not None] for row in found] if isinstance(found, list) else found
            values = [want[i][k] if mark == "PAIR" else [want[i][k]] for i in range(5)]
            got = [[float(x) for v in row for x in v.strip("{}").split(", ")] for row in texts]
            # At -O2 the line stores another line's value, too.
            if level == "-O0" or mark in ("SUM", "PAIR", "PARTS"):
                tap.ok(got == values, "%s %s: decimal in the table" % (level, mark), (texts, values))
            step = commandlib.command("why", wet, line)[1]
            tap.ok("0x" not in step.splitlines()[1], "%s %s: decimal in the step" % (level, mark), step)
        out = commandlib.command("slice", "--thin", "--as=instances", "--at=%s.c:%d" % (name, line_of(REALS, "/* SUM */")), wet)[1]
        tap.ok(re.search(r"mulsd .* = [0-9.]+ <-", out) and not re.search(r"(mul|add)sd .* = 0x", out), level + ": decimal in instances", out)


def check_halves(tap):
    _, wet = recorded(tap, "halves", HALVES, "-O0")
    for mark, want in (("HUGE", {"huge (bytes 0-7) =": "0x7", "huge (bytes 8-15) =": "0x34"}),
                       ("COMPLEX", {"z (bytes 0-7) =": "1", "z (bytes 8-15) =": "2.5"}),
                       ("LOW", {"wide (bytes 0-3)": "0x34", "low =": "52"})) if wet else ():
        rows = table(wet, "halves.c:%d" % line_of(HALVES, "/* %s */" % mark))
        tap.ok(isinstance(rows, list) and want.items() <= rows[0].items(), mark + ": a part of a number says so", rows)


def main():
    tap = harness.Tap("table")
    for level in ("-O0", "-O2"):
        check_values(tap, level)
    check_threads(tap)
    check_reals(tap)
    check_halves(tap)
    tap.done()


main()
