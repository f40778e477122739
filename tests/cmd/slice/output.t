#!/usr/bin/python3
"""Printed text as a criterion: dcfg slice --output=TEXT.  (TAP)

- What a file descriptor got is one text, over system calls of all kinds, duplicates of the descriptor and short writes.
- TEXT#N counts from the front, \# is #, and a text that ends so is found as it stands.
- Constant text says so, with what was computed beside it; --computed leaves it out.
- What is not there: which descriptors got how much, and what is nearest to it.
- A C++ program, one that runs another, and perl's print.  DCFG_SLOW=1: Python's, also unbuffered.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from slicelib import lines_of
from harness import record_wet

MIXED = """#include <stdio.h>
#include <stdlib.h>
static const char* const names[] = { "anna", "bob" };
int main(int argc, char **argv)
{
   int n = argc + 25;
   int total = n * 2;
   int who = argc - 0;
   printf("total %d\\n", total);
   printf("kept %d of %d\\n", n, total);
   printf("for %s: %d\\n", names[who], n);
   printf("mark x#1\\n");
   return 0;
}
"""

CALLS = harness.text("slices/output.c")

STREAM = """#include <iostream>
int main(int argc, char**)
{
   int total = argc * 52;
   std::cout << "total " << total << std::endl;
}
"""

FORKS = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
   char line[80];
   FILE *child = popen("echo 41", "r");
   int got = fscanf(child, "%79s", line), n = argc * 52;
   pclose(child);
   system("true");
   printf("total %d\\n", n + 0 * got);
   return 0;
}
"""

MANY = """#include <stdio.h>
int main(int argc, char **argv)
{
   for (int i = 0; i < LINES; i++)
      printf("line number %d of this long output\\n", i * 3);
   return 0;
}
"""


def built(tap, name, text, suffix=".c", *flags):
    source = harness.written(tap, name + suffix, text)
    return harness.cc(tap, source, name, "-static", "-g", "-O0", "-w", *flags)


def recorded(tap, name, text, args=(), suffix=".c", flags=()):
    prog = built(tap, name, text, suffix, *flags)
    return prog and record_wet(tap, name, [prog] + list(args))


def slice_output(wet, text, *opts, **more):
    return commandlib.command("slice", "--output=" + text, *opts, wet, **more)


def instances_of(text):
    return int(re.search(r"^([\d,]+) instances", text, re.M)[1].replace(",", ""))


def line(source, part):
    return next(n for n, text in enumerate(source.split("\n"), 1) if part in text)


def check_mixed(tap):
    wet = recorded(tap, "mixed", MIXED)
    if not wet:
        return
    at = {c: line(MIXED, "int %s =" % c) for c in ("n", "total", "who")}
    found = {t: slice_output(wet, t) for t in ("total 52", "52#0", "total ", "kept 26", "for bob: 26", "bob")}
    lines = {t: set(lines_of(out, "mixed.c")) for t, (_, out, _) in found.items()}
    tap.ok({at["n"], at["total"]} <= lines["total 52"] and not found["total 52"][2],
           "a constant word and a number: the slice of the number", found["total 52"])
    whole, number = (instances_of(found[t][1]) for t in ("total 52", "52#0"))
    word = instances_of(found["total "][1])
    tap.ok(whole < number + 40 and whole - number < word / 4, "the word leads nowhere", (whole, number, word))
    said = found["total "][2]
    tap.ok(said == "dcfg slice: --output: `total ' is constant text; `52' beside it was computed: use --output=52#0, or "
           "--output='total 52' --computed\n", "constant text says so, with what is beside it", said)
    tap.ok(at["total"] not in lines["kept 26"] and at["n"] in lines["kept 26"], "a number in the middle", found["kept 26"])
    tap.ok({at["who"], at["n"]} <= lines["for bob: 26"] and at["who"] in lines["bob"], "a text that was chosen: by what",
           (found["for bob: 26"], found["bob"]))
    computed = slice_output(wet, "total 52", "--computed")
    tap.ok(computed[0] == 0 and instances_of(computed[1]) <= number and {at["n"], at["total"]} <= set(lines_of(computed[1], "mixed.c")),
           "--computed", computed)
    status, out, err = slice_output(wet, "kept ", "--computed")
    tap.ok(status == 2 and not out and err.count("\n") == 1 and "`26' beside it" in err, "--computed of constant text: nothing is left", err)
    first, last = (slice_output(wet, t)[1].split("\n") for t in ("52#0", "52#1"))
    plain = slice_output(wet, "52")[1].split("\n")
    tap.ok(plain[1:] == last[1:] != first[1:], "numbers of places, from the front", (plain[1], last[1], first[1]))
    full = slice_output(wet, "total 52", "--full")
    tap.ok(full[0] == 0 and instances_of(full[1]) > 10 * whole, "--full follows the word, too", full[1][:300])
    for text, status, words in (("x#1", 0, "as it stands"), ("x\\#1", 0, "constant text"), ("52#9", 2, "2 times"),
                                ("total 53", 2, "descriptor 1 got 44 bytes in 1 write; the text nearest to it is `total 52'"),
                                ("zzz#0", 2, "no system call wrote `zzz': descriptor 1 got 44 bytes"), ("", 2, "needs a text")):
        got = slice_output(wet, text)
        tap.ok(got[0] == status and words in got[2] and "\n" not in got[2].rstrip("\n") or (text == "x#1" and words in got[2]),
               "`%s': %s" % (text, words), got)
    status, out, err = commandlib.command("slice", "--at=mixed.c:9", "--computed", wet)
    tap.ok(status == 2 and err == "dcfg slice: --computed needs --output\n", "--computed needs --output", err)


def check_calls(tap):
    wet = recorded(tap, "calls", CALLS, [tap.path("calls.txt")])
    if not wet:
        return
    n = line(CALLS, "n = argc * 26")
    for text in ("total 52", "52both 5253=end52dupon", "sent both 52"):
        status, out, err = slice_output(wet, text)
        tap.ok(status == 0 and n in lines_of(out, "calls.c"), "one text: " + text, (out, err))
    for text, there in (("threefour", True), ("onethree", False), ("onetwo", False), ("fourfive", False), ("two", True), ("five", True),
                        ("HII", True), ("IIIIJ", True), ("IJ", True), ("LA", False)):
        status, out, err = slice_output(wet, text)
        tap.ok(status == (0 if there else 2), "%s: %s" % (text, "is there" if there else "does not stand together"), (out[:200], err))
    status, _, err = slice_output(wet, "nowhere")
    tap.ok(re.search(r"descriptor 1 got 28 bytes in 7 writes, descriptor \d+ got 19 bytes in 5 writes, descriptor \d+ got 12 bytes in 2 writes, descriptor \d+ got 6,000 bytes in 2 writes\n", err),
           "how much each got, and no byte of a short write twice", err)


def check_programs(tap):
    wet = recorded(tap, "stream", STREAM, suffix=".cpp", flags=["-lstdc++"])
    if wet:
        got = {t: slice_output(wet, *t) for t in (("total 52",), ("total ",), ("total 52", "--computed"))}
        at = line(STREAM, "int total")
        tap.ok(at in lines_of(got["total 52",][1], "stream.cpp") and at in lines_of(got["total 52", "--computed"][1], "stream.cpp"),
               "cout: the number", got["total 52",])
        tap.ok("`52' beside it was computed" in got["total ",][2], "cout: the word is constant", got["total ",][2])
    wet = recorded(tap, "forks", FORKS)
    if wet:
        status, out, err = slice_output(wet, "total 52")
        tap.ok(status == 0 and line(FORKS, "n = argc") in lines_of(out, "forks.c"), "a program that ran others", (out, err))
        status, _, err = slice_output(wet, "41")
        tap.ok(status == 2 and err.count("\n") == 1 and "the program made 2 processes" in err and "--trace-children=yes" in err,
               "what others wrote is elsewhere", err)
    lines = 30000 if os.environ.get("DCFG_SLOW") == "1" else 6000
    wet = recorded(tap, "many", MANY, flags=["-DLINES=%d" % lines])
    if wet:
        status, out, err = slice_output(wet, "number 27 of", "--memory=512")
        tap.ok(status == 0 and 0 < instances_of(out) < 5000 and line(MANY, "i * 3") in lines_of(out, "many.c"), "%d lines" % lines, (out, err))
        status, out, err = slice_output(wet, "27 of#1")
        tap.ok(status == 0 and instances_of(out) < 5000, "the second of many places", (out, err))
    # Sanitizers need ten seconds for this, and see the same in C programs.
    code = "n = 26\ntotal = n * 2\nprint('total', total)"
    runs = [("perl", ["/usr/bin/perl", "-e", "$n = 26; $total = $n * 2; print 'total ', $total, qq(\\n)"])]
    if os.environ.get("DCFG_SLOW") == "1" or not os.path.exists("/usr/bin/perl"):
        runs += [("python3", [sys.executable, "-S", "-c", code]), ("python3 -u", [sys.executable, "-u", "-S", "-c", code])]
    for name, argv in runs:
        wet = record_wet(tap, name.replace(" ", ""), argv) if os.path.exists(argv[0]) else None
        if wet:
            status, out, err = slice_output(wet, "total 52", program=commandlib.PLAIN)
            tap.ok(status == 0 and instances_of(out) > 100 and not err, name + ": print", (out[:300], err))


def main():
    tap = harness.Tap("slice_output")
    check_mixed(tap)
    check_calls(tap)
    check_programs(tap)
    tap.done()


main()
