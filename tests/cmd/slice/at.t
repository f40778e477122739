#!/usr/bin/python3
"""--at=FILE:LINE and --at=FILE:LINE#N of dcfg slice and dcfg why: executions of a line.  (TAP)

- Each line of a program, without and with optimisation: its last execution, the first ones, and how many there are, against
  tests/oracle/slice_lines.py.  Loops in one line and in several, calls in the middle of a line, recursion, call-backs, threads,
  a repeat prefix, statements of several lines.
- Handlers of signals that come in the middle of a line, which the model does not have.
- A loop with many iterations: its last one takes no memory for the others.
- Executions that last for several chunks of the trace: the line waits for what it called.
- Lines that never ran, lines without code, and lines that the compiler merged with others: what is said of them.
"""
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

FUNCTIONS = ("main", "factorial", "twice", "ascending", "work", "length", "sum_of", "tree")
PROGRAM = harness.text("slices/at.c")

SIGNAL = r"""#include <signal.h>
static volatile int hits;
static int twice(int x) { return 2 * x; }
static void handler(int n) { hits = twice(hits) + n; }
int main(int argc, char** argv)
{
   struct sigaction a = { .sa_handler = handler };
   sigaction(SIGUSR1, &a, 0);
   for (int i = 0; i < 3; i++) {
      hits = twice(hits) + (raise(SIGUSR1) == 0) + argc;
   }
   return hits == 0;
}
"""

LOOP = """#include <stdlib.h>
static unsigned a[256];
int main(int c, char **v) { unsigned s = 1; for (int i = atoi(v[1]); i > 0; i--) s += a[s >> 24 & 255]++ ^ s * 5; return s == 7; }
"""

NEVER = """#include <stdlib.h>
static int unused(int x)
{
   return x + 1;
}
int main(int argc, char** argv)
{
   int price = 7;

   if (argc > 5)
      price = unused(price);
   return price == 8;
}
"""


MERGED = """int main(int argc, char** argv)
{
   volatile int sink = argc;
   int twice = 2 * argc;
   sink = twice + 1;
   return sink;
}
"""

# Each execution of line 10 lasts for more than a chunk of the trace, a million superblocks, in an activation that began in it or
# before.
LONG = r"""static long work(long n)
{
   static volatile long sink;
   for (long i = 0; i < n; i++)
      sink = i;
   return n;
}
static long twice(long n)
{
   return work(n) ^ work(n + 1);
}
int main(void)
{
   long total = 0;
   for (long i = 0; i < 2; i++)
      total += twice(600000 + i);
   return total == 1;
}
"""


def ranges_of(prog):
    """Returns addresses of the program's own functions; compilers give parts names such as factorial.part.0."""
    found = []
    for line in subprocess.run(["nm", "-S", prog], stdout=subprocess.PIPE).stdout.decode().splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT" and words[3].split(".")[0] in FUNCTIONS:
            low = int(words[0], 16)
            found.append("%x-%x" % (low, low + int(words[1], 16)))
    return ",".join(found)


def criteria(wet, at):
    """Returns the criteria of a slice in order of time, and the messages."""
    status, out, err = commandlib.command("slice", "--thin", "--json", "--at=" + at, wet)
    if status != 0:
        return None, err
    data = json.loads(out)
    nodes = [data["nodes"][i] for i in data["criteria"]]
    nodes.sort(key=lambda n: n["order"])
    return [[int(n["address"], 16), n["instance"]] for n in nodes], data["criterion"]


def check_lines(tap, dumper, opt):
    prog = harness.cc(tap, harness.written(tap, "lines.c", PROGRAM), "lines." + opt[1:], opt, "-static", "-no-pie", "-pthread")
    wet = prog and record_wet(tap, "lines" + opt, [prog])
    if not wet:
        return
    events = tap.path("events" + opt)
    with open(events, "w") as f:
        subprocess.run([dumper, wet], stdout=f)
    status, text = harness.oracle("slice_lines.py", events, ranges_of(prog))
    os.unlink(events)
    bad, n, most = [], 0, 0
    for line, runs in map(json.loads, text.splitlines() if status == 0 else ()):
        at, count = "lines.c:%d" % line, len(runs)
        most = max(most, count)
        # The last execution is the one that has the last instance of all; in recursion, this is not the last one that began.
        found, said = criteria(wet, at)
        if found not in runs or not said.startswith(at + ": "):
            bad.append("%s: %s, of %d" % (at, said, count))
        for k in sorted({count // 2} if opt == "-O0" and line % 2 else {0, count - 1}) if count > 1 else ():
            found, said = criteria(wet, "%s#%d" % (at, k))
            n += 1
            if found != runs[k] or not said.startswith("%s#%d, of %s executions: " % (at, k, format(count, ","))):
                bad.append("%s#%d: %s %s, not %s of %d" % (at, k, said, found, runs[k], count))
        if line % 4:
            continue
        status, out, err = commandlib.command("slice", "--at=%s#%d" % (at, count), wet)
        if (status, out) != (2, "") or err.count("\n") != 1 or "ran %s times: give #0 to #%d" % (format(count, ","),
                                                                                                      count - 1) not in err:
            bad.append("%s#%d: %s" % (at, count, err))
    tap.ok(n >= 20 and most >= 40 and not bad, "%s: %d executions of lines, as in the model" % (opt, n),
           "\n".join(bad[:8]) + text[-1000:] * (status != 0))
    if opt == "-O0":
        check_shape(tap, wet)


def check_shape(tap, wet):
    """Checks lines against the expectations of a person, in words of the source."""
    last, _ = criteria(wet, "lines.c:%d" % line_of(PROGRAM, "s += table[i] * i"))
    tap.ok(last and 8 <= len(last) <= 20 and len({a for a, _ in last}) == len(last),
           "the last execution of a loop in one line is one iteration", last)
    at = "lines.c:%d" % line_of(PROGRAM, "return n * factorial")
    outer, inner = criteria(wet, at)[0], criteria(wet, at + "#4")[0]
    tap.ok(outer == criteria(wet, at + "#0")[0] and outer != inner and len(inner) == len(outer),
           "recursion: the last line to end is the outermost activation's, and each has its own", (outer, inner))
    whole, _ = criteria(wet, "lines.c:%d" % line_of(PROGRAM, "twice(sum_of(3))"))
    tap.ok(whole and len(whole) > 20, "calls in the middle of a line do not end it", whole)
    why = [commandlib.command("why", wet, at + "#" + k) for k in "04"]
    tap.ok(why[0][0] == why[1][0] == 0 and why[0][1] != why[1][1], "why takes FILE:LINE#N", why)
    zero, _ = criteria(wet, "lines.c:%d" % line_of(PROGRAM, "struct { long x[60]; }"))
    tap.ok(zero is not None, "iterations of a repeat prefix are one execution", zero)


def check_signals(tap):
    """The handler runs in the middle of line 10, whose execution continues behind it."""
    prog = harness.compiled(tap, "signals.c", SIGNAL, "-static")
    wet = prog and record_wet(tap, "signals", [prog])
    if not wet:
        return
    runs = [criteria(wet, "signals.c:10#%d" % k)[0] for k in range(3)]
    handlers = [criteria(wet, "signals.c:4#%d" % k)[0] for k in range(3)]
    tap.ok(all(runs) and len({len(r) for r in runs}) == 1 and len(runs[0]) > 8 and runs[2] == criteria(wet, "signals.c:10")[0]
           and "3 times: give #0 to #2" in criteria(wet, "signals.c:10#3")[1], "a handler does not end the line's execution", runs)
    tap.ok(all(handlers) and "3 times" in criteria(wet, "signals.c:4#3")[1], "nor is its line in more than one for each signal", handlers)


def check_loop(tap):
    """A loop of one line: no instances are kept, or the message has their number and what to do."""
    prog = harness.compiled(tap, "loop.c", LOOP, "-static")
    few = prog and record_wet(tap, "few", [prog, "1000"])
    many = few and record_wet(tap, "many", [prog, "30000"])
    if not many:
        return
    said = {wet: commandlib.command("slice", "--at=loop.c:3", "--memory=20", wet) for wet in (few, many)}
    n = {wet: re.match(r"slice: .*, (\d+) instances\n([\d,]+) ", out) for wet, (_, out, _) in said.items()}
    tap.ok(n[few] and n[many] and n[few][1] == n[many][1] and int(n[few][1]) < 40, "a loop: as many instances for any number of "
           "iterations", said)
    tap.ok(n[many] and int(n[many][2].replace(",", "")) > 240000, "a loop: no instances are kept", said[many])
    for at in ("loop.c:3#29999", "loop.c:3#15000", "loop.c:3#0"):
        status, out, err = commandlib.command("why", many, at)
        tap.ok(status == 0 and out, "a loop: one step from " + at, err)
    status, out, err = commandlib.command("slice", "--at=loop.c:3", "--of=i", "--memory=20", many)
    tap.ok("bytes of memory" not in err and status == 0, "a loop: of a variable", err)
    status, out, err = commandlib.command("slice", "--forward", "--at=loop.c:3#29990", "--as=instances", "--memory=256", many)
    rows = [line for line in out.splitlines() if line.startswith("0 ") or re.match(r" *0 0x", line)]
    tap.ok(status == 0 and 5 < len(rows) < 40, "a loop: forward from one iteration", (err, len(rows), out[:300]))
    status, text, err = commandlib.command("slice", "--at=loop.c:3", "--as=json", "--memory=20", many)
    told = re.search(r"; \d+ instances met the criterion so far, and \d{6,} are kept; ", err)
    better = re.search(r"--at=0x[0-9a-f]+", err)
    tap.ok(status == 2 and not text and err.count("\n") == 1 and told and better and "--as=lines" in err,
           "a loop: how many there are, where they are kept", err)
    status, text, err = commandlib.command("slice", better.group() if better else "", "--as=json", "--memory=20", few)
    data = json.loads(text) if status == 0 else {"criteria": [], "nodes": []}
    tap.ok(len(data["criteria"]) == 1 and len(data["nodes"]) > 8000, "a loop: what is said to help is one instance", err)


def check_long(tap):
    prog = harness.compiled(tap, "long.c", LONG, "-static", "-O0")
    wet = prog and record_wet(tap, "long", [prog])
    for at, which in (("long.c:10", (0, 1)), ("long.c:16", (1,))) if wet else ():
        said = [commandlib.command("slice", "--thin", "--at=%s#%d" % (at, k), wet, program=commandlib.PLAIN)[1] for k in which]
        found = [re.search(r"of 2 executions: (0x\w+)#%d to (0x\w+)#%d, (\d) instances" % (k, k), out) for k, out in zip(which, said)]
        tap.ok(all(found) and len({f.groups() for f in found}) == 1 and int(found[0][3]) > 4,
               "%s lasts for several chunks" % at, said)


def check_never(tap):
    prog = harness.compiled(tap, "never.c", NEVER, "-O0")
    wet = prog and record_wet(tap, "never", [prog])
    if not wet:
        return
    bad = []
    for line, words in ((9, "line 9 of never.c has no code; the nearest that ran are lines 8 and 10: --at=never.c:8"),
                        (99, "line 99 of never.c has no code; the nearest that ran is line 13: ")):
        for command, *args in (["slice", "--at=never.c:%d" % line, wet], ["slice", "--at=never.c:%d#3" % line, wet],
                               ["slice", "--at=never.c:%d" % line, "--of=price", wet], ["why", "--index=no", wet, "never.c:%d" % line]):
            status, out, err = commandlib.command(command, *args)
            if status != 2 or out or err.count("\n") != 1 or words not in err:
                bad.append((line, command, status, err))
    for line in (4, 11):
        for command, *args in (["slice", "--at=never.c:%d" % line, wet], ["slice", "--at=never.c:%d#3" % line, wet],
                               ["slice", "--at=never.c:%d" % line, "--of=price", wet], ["why", "--index=no", wet, "never.c:%d" % line]):
            status, out, err = commandlib.command(command, *args)
            if status or err or "because line 10 was false at " not in out or "line %d of never.c has code, but it never ran" % line not in out:
                bad.append((line, command, status, out, err))
    tap.ok(not bad, "lines that never ran, and without code: the branch, and the nearest that did", bad[:4])
    os.unlink(prog)
    status, out, err = commandlib.command("slice", "--at=never.c:11", wet)
    tap.ok(status == 2 and not out and "nothing of line 11 of never.c was executed; the nearest that ran are lines 10 and 12" in err,
           "without the program's file, no more is said than is known", err)
    for at in ("never.c:10#x", "never.c:10#", "never.c:#1", "never.c:10#18446744073709551616", "0x10#1#2"):
        status, out, err = commandlib.command("slice", "--at=" + at, wet)
        bad += [] if status == 2 and not out and err.count("\n") == 1 and "`%s' is" % at in err else [(at, status, err)]
    tap.ok(not bad, "what is no line: a message", bad[:4])


def check_merged(tap):
    merged = harness.compiled(tap, "merged.c", MERGED, "-O2")
    wet = merged and record_wet(tap, "merged", [merged])
    said = [commandlib.command(name, "--at=merged.c:4", wet) for name in ("slice", "why") if wet]
    tap.ok(said and all(status == 2 and not out and "--at: line 4 of merged.c has no code of its own: the compiler merged it with line 5 "
                        "of merged.c: --at=merged.c:5\n" in err for status, out, err in said), "a merged line: where its code is", said)


def main():
    tap = harness.Tap("slice_at")
    dumper = harness.reader(tap, "slice_events")
    for opt in ("-O0", "-O2") if dumper else ():
        check_lines(tap, dumper, opt)
    check_signals(tap)
    check_loop(tap)
    check_long(tap)
    check_never(tap)
    check_merged(tap)
    tap.done()


main()
