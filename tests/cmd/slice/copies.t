#!/usr/bin/python3
"""dcfg why through copies of structures.  (TAP)

- Each program of tests/progs/copies makes a structure and moves it as a block: memcpy(), values of functions, qsort(), std::sort,
  vectors that grow.  Its head names a printed number; its line "true" made that.  The first inputs of dcfg why lead from the number
  to this line, past lines that only print, at -O0 and at -O2.
- Instructions that move bytes, one by one: bytes of results and the stores of the bytes that they are made of.
- The slice of the producers has this line, and no line that made only a neighbour.
"""
import glob
import json
import os
import platform
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from harness import record_wet
from slicelib import lines_of

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
PROGRAMS = sorted(glob.glob(os.path.join(PROGS, "copies", "*.c*")))
STEPS = 6
SIGNED = ("movsx", "movsxd", "cltq", "sar")


def at_of(step):
    return "--at=%s#%d" % (step["address"], step["instance"])


def first_inputs(wet, output):
    """Returns the lines that the first inputs lead to, the nearest first."""
    found, at, known = [], "--output=" + output, {}
    for _ in range(STEPS):
        if at not in known:
            status, out, _ = commandlib.command("why", "--json", "--steps=%d" % (2 * STEPS), at, wet)
            steps = json.loads(out)["steps"] if status == 0 else [{"inputs": []}]
            known.update({at_of(step): step for step in steps if "address" in step})
            known[at] = steps[0]
        on = known[at]["inputs"][0].get("from") if known[at]["inputs"] else None
        if on is None:
            break
        found.append((os.path.basename(on.get("source", "?")), on.get("line", 0), on.get("text", "")))
        at = at_of(on)
    return found


def check(tap, path, level):
    name = os.path.basename(path)
    lines = harness.read(path).splitlines()
    output = re.search(r"--output=(\S+)", lines[0]).group(1)
    true = [n for n, line in enumerate(lines, 1) if re.search(r"(/\*|//) true", line)]
    what = "%s %s" % (name, level)
    prog = harness.cc(tap, path, name + level, level, "-static", compiler="c++" if name.endswith(".cc") else "cc")
    wet = prog and record_wet(tap, name + level, [prog])
    if not wet:
        return
    way = [step for step in first_inputs(wet, output) if "printf" not in step[2]]
    tap.ok(way and way[0][:2] == (name, true[0]), what + ": the first input that does not print is the true line", way)
    status, out, err = commandlib.command("slice", "--thin", "--output=" + output, wet)
    thin = lines_of(out, name) if status == 0 else []
    beside = [n for n in thin if n not in true and re.search(r"^\s+\w+(\[\w+\])?(\.\w+)+ = ", lines[n - 1])]
    # An optimizer lets neighbours share code.
    tap.ok(true[0] in thin and (level != "-O0" or not beside), what + ": the thin slice has it, and no line of a neighbour", (beside, err))


def check_bytes(tap):
    """Each byte of a result is in the slice with the byte that it is made of, and no other byte."""
    path = os.path.join(PROGS, "moves", "bytes_moved.c")
    lines = harness.read(path).splitlines()
    names = [m.group(1) for m in (re.match(r'   (?:VECTOR|GENERAL)\("(\S+)"', line) for line in lines) if m]
    stores = {n: base for base, mark in ((1, "/* A */"), (17, "/* B */")) for n, line in enumerate(lines, 1) if mark in line}
    prog = harness.cc(tap, path, "bytes_moved", "-static", "-O0", "-no-pie")
    wet = prog and record_wet(tap, "bytes_moved", [prog])
    if not wet:
        return
    at = int(re.search(r"^(\w+) . r$", subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode(), re.M).group(1), 16)
    results = subprocess.run([prog], stdout=subprocess.PIPE, check=True).stdout
    bad = []
    for n, name in enumerate(names):
        result = results[16 * n:16 * n + 16]
        for k in (n % 8, 8 + n % 8):
            out = commandlib.command("slice", "--thin", "--as=instances", "--syscall=write#%d" % n, "--of=0x%x,1" % (at + k), wet)[1]
            made = [stores[int(line)] + int(instance) - 16 * n for instance, line in
                    re.findall(r"^\d+ 0x\w+#(\d+) bytes_moved\.c:(\d+): mov byte", out, re.M) if int(line) in stores]
            # Either operand of XCHG and CMOVcc may be the result, and a sign fills bytes that are 0 here.
            exact = name not in ("xchg", "cmov") and not (result[k] == 0 and name in SIGNED)
            if made != ([result[k]] if result[k] else []) if exact else result[k] and result[k] not in made:
                bad.append("%s, byte %d: made of %d, the slice has %s" % (name, k, result[k], made))
    tap.ok(len(names) > 40 and len(results) == 16 * len(names) and not bad, "%d ways to move bytes" % len(names), "\n".join(bad))


def main():
    tap = harness.Tap("copies")
    if platform.machine() != "x86_64":
        tap.skip("which bytes an instruction moves", "it is known of x86 alone")
        tap.done()
        return
    check_bytes(tap)
    for path in PROGRAMS:
        for level in ("-O0", "-O2"):
            if not sys.argv[1:] or os.path.basename(path) in sys.argv[1:]:
                check(tap, path, level)
    tap.done()


main()
