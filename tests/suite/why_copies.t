#!/usr/bin/python3
"""dcfg why through copies of structures.  (TAP)

- Each program of tests/progs/copies makes a structure and moves it as a block: memcpy(), values of functions, qsort(), std::sort,
  vectors that grow.  Its head names a printed number; its line "true" made that.  The first inputs of dcfg why lead from the number
  to this line, past lines that only print, at -O0 and at -O2.
- The slice of the producers has this line, and no line that made only a neighbour.
"""
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
from slicelib import lines_of, record_wet

PROGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "progs")
PROGRAMS = sorted(glob.glob(os.path.join(PROGS, "copies", "*.c*")))
STEPS = 6


def first_inputs(wet, output):
    """Returns the lines that the first inputs lead to, the nearest first."""
    found, at = [], ["--output=" + output]
    for _ in range(STEPS):
        status, out, _ = commandlib.command("why", "--json", *at, wet)
        inputs = json.loads(out)["steps"][0]["inputs"] if status == 0 else []
        on = inputs[0].get("from") if inputs else None
        if on is None:
            break
        found.append((os.path.basename(on.get("source", "?")), on.get("line", 0), on.get("text", "")))
        at = ["--at=%s#%d" % (on["address"], on["instance"])]
    return found


def check(tap, path, level):
    name = os.path.basename(path)
    with open(path) as f:
        lines = f.read().splitlines()
    output = re.search(r"--output=(\S+)", lines[0]).group(1)
    true = [n for n, line in enumerate(lines, 1) if re.search(r"(/\*|//) true", line)]
    what = "%s %s" % (name, level)
    prog = harness.cc(tap, path, name + level, level, compiler="c++" if name.endswith(".cc") else "cc")
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


def main():
    tap = harness.Tap("why_copies")
    for path in PROGRAMS:
        for level in ("-O0", "-O2"):
            if not sys.argv[1:] or os.path.basename(path) in sys.argv[1:]:
                check(tap, path, level)
    tap.done()


if __name__ == "__main__":
    main()
