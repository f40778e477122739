#!/usr/bin/python3
"""Forward slices of which only sums are wanted.  (TAP)

- They have the sums of those of which the instances are kept: instances and distances by instruction, how often something was
  not followed, the first criterion and the last.  In random programs, and in one with threads, system calls, signals, jumps
  out of functions, x87 and recursion; of one instance, of all, of runs of a line.
- They take no more memory if the run is longer: where keeping instances is refused, they are found.

DCFG_SLOW=1: more programs and criteria.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import slice_programs
from harness import record_wet

ALL = harness.text("slices/forward.c")
LONG = """int main(void)
{
   volatile unsigned x = 1;                     /* 3 */
   for (int i = 0; i < 400000; i++)
      x = x * 5 + 1;
   return x == 0;
}
"""


def compare(tap, judge, wet, name, n):
    r = subprocess.run([judge, wet, str(n)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
    said = r.stdout.decode(errors="replace").splitlines()
    m = re.fullmatch(r"(\d+) slices, (\d+) instances, (\d+) not followed, (\d+) ended", said[-1] if said else "")
    counts = [int(x) for x in m.groups()] if m else [0]
    tap.ok(r.returncode == 0 and len(said) == 1 and min(counts) > 0, "%s: sums of %d slices are those of instances" % (name, counts[0]),
           "\n".join(said[:20]))


def check_random(tap, judge, number):
    source, prog = tap.path("random_%d.c" % number), "random_%d" % number
    harness.write(source, slice_programs.program(number, number % 2 == 0))
    built = harness.cc(tap, source, prog, "-w", "-g", "-ffreestanding", "-fno-stack-protector", "-static", "-nostdlib", "-fno-pie",
                       "-no-pie", "-O2" if number % 2 == 0 else "-O0")
    wet = built and record_wet(tap, prog, [built])
    if wet:
        compare(tap, judge, wet, "program %d" % number, 60 if os.environ.get("DCFG_SLOW") else 8)


def check_all(tap, judge):
    prog = harness.compiled(tap, "all.c", ALL, "-static", "-g", "-O0", "-pthread")
    wet = prog and record_wet(tap, "all", [prog])
    if not wet:
        return
    compare(tap, judge, wet, "threads, system calls, signals", 40 if os.environ.get("DCFG_SLOW") else 6)
    # The command has the same sums for lines as for instances.
    line = 1 + ALL.split("\n").index("      value += copy[i] + taken;")
    status, out, err = commandlib.command("slice", "--forward", "--at=all.c:%d" % line, "--as=lines", wet)
    kept = commandlib.command("slice", "--forward", "--at=all.c:%d" % line, "--as=instances", wet)
    n = len([x for x in kept[1].splitlines()[1:] if re.search(r"0x[0-9a-f]+#\d", x)])
    said = re.search(r"^([\d,]+) instances of", out, re.M)
    tap.ok(status == kept[0] == 0 and said and n > 0 and int(said.group(1).replace(",", "")) == n,
           "dcfg slice --forward --as=lines", (status, said and said.group(1), n, err or out[:500]))


def check_memory(tap):
    """4 million instances, which would take some 800 MB."""
    prog = harness.cc(tap, tap.path("long.c"), "long", "-static", "-g", "-O0")
    wet = prog and record_wet(tap, "long", [prog])
    if not wet:
        return
    ask = ("slice", "--forward", "--at=long.c:3", "--memory=64")
    commandlib.refused(tap, "all instances do not fit in 64 MiB", "memory", *ask, "--as=json", "-o", tap.path("long.json.out"), wet)
    status, out, err = commandlib.command(*ask, "--as=lines", wet)
    tap.ok(status == 0 and re.search(r"^ +\d+ +[\d,]{7,} +100\.0% +long\.c:5 ", out, re.M), "their sums do", (status, out, err))


def main():
    tap = harness.Tap("slice_forward")
    judge = harness.reader(tap, "slice_sums")
    harness.written(tap, "long.c", LONG)
    check_memory(tap)
    if judge:
        for number in range(1, 13) if os.environ.get("DCFG_SLOW") else (1, 2):
            check_random(tap, judge, number)
        check_all(tap, judge)
    tap.done()


main()
