#!/usr/bin/python3
"""Programs with a planted error each (tests/progs/slice): from the wrong line of the output to the faulty line.  (TAP)

- Twenty programs of ten classes of errors: the faulty line is among the first ten of the listing, but for those that
  docs/slice.md names.  With DCFG_SLOW=1 also of -O1, -O2 and clang.
- Ten programs of these and others: the slice of the wrong text has the faulty line, and at most 30 % of the executed lines.
  With producers only it has the line too, where the error is one of data, and at most 20 %.
- dcfg why: at most six steps lead from the wrong output to the faulty line.  Each step goes to the first input or the second one.
  The faulty line is a step, or one of the lines that an input came through.
- dcfg gdb: the commands of each row in docs/gdb.md lead from the wrong value to the line that the row says, which is the faulty
  one where the row has it in bold type.
- One program that was compiled by a path from another directory: each row has the source's text.

The arguments are names of programs.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import slicelib
from buglib import BUILDS, check, check_gdb, check_near, comment, faulty_lines, sessions
from slicelib import is_line, key


STEPS, INPUTS = 6, 2
# Steps that are read, the nearest first: each one searches for code that did not run.
CARDS, MORE_CARDS = 12, {"dates": 40, "flags": 25, "window": 40}
# These have numbers in the output before the wrong one.
MORE_INPUTS = {"dates": 9, "ranks": 5}
# Errors that are no step: a store that did not run; behind two loops; behind a call of a library that starts a thread.
NO_STEP = ("cache", "matrix", "publish")


def way_to(steps, source, lines, inputs):
    """Returns the number of steps to one of the lines, over so many inputs of each; None if it is not reached."""
    known, level = {key(s): s for s in steps}, [key(steps[0])]
    seen = set(level)
    for n in range(STEPS + 1):
        following = []
        for s in (known[k] for k in level if k in known):
            if is_line(s, source, *lines) or any(p.startswith("%s:%d " % (source, line)) for line in lines
                                                 for i in s["inputs"][:inputs] for p in i["through"]):
                return n
            for i in s["inputs"][:inputs]:
                if "from" in i and key(i["from"]) not in seen:
                    seen.add(key(i["from"]))
                    following.append(key(i["from"]))
        level = following
    return None


def check_why(tap, path, wet):
    name, source = os.path.basename(path).split(".")[0], os.path.basename(path)
    text = harness.read(path)
    status, out, err = commandlib.command("why", "--json", "--steps=%d" % MORE_CARDS.get(name, CARDS), "--output=" + comment(text, "wrong"), wet)
    steps = json.loads(out)["steps"] if status == 0 else []
    n = way_to(steps, source, faulty_lines(text), MORE_INPUTS.get(name, INPUTS)) if steps else None
    tap.ok(n is not None, "%s: %s steps to the faulty line" % (name, n), err + out[:3000])


def check_relative(tap):
    """A program that was compiled by a path from another directory: each row of a line has the source's text."""
    prog = tap.path("relative")
    subprocess.run(["cc", "-g", "-O1", "-o", prog, "slice/cache.c"], cwd=os.path.dirname(slicelib.PROGS), check=True)
    wet, _ = slicelib.record(tap, "relative", [prog])
    if wet:
        _, listed, said = commandlib.command("slice", "--output=worth 1070", wet)
        rows = re.findall(r"%   cache\.c:\d+.*", listed)
        tap.ok(len(rows) > 10 and all("  " in row[4:] for row in rows), "relative: each line has its text", listed + said)


def check_builds(tap, path):
    for build in BUILDS[1:]:
        if shutil.which(build.split()[0]):
            check_near(tap, path, build)
        else:
            tap.skip(build, "not installed")


def main():
    tap = harness.Tap("slice_bugs")
    gdb = sessions() if shutil.which("gdb") else {}
    tap.ok(len(gdb) in (0, 24), "sessions of %d programs in docs/gdb.md" % len(gdb))
    if not gdb:
        tap.skip("sessions of gdb", "gdb is not installed")
    for path in sorted(glob.glob(os.path.join(slicelib.PROGS, "*.c")) + glob.glob(os.path.join(slicelib.PROGS, "*.cpp"))):
        if not sys.argv[1:] or os.path.basename(path).split(".")[0] in sys.argv[1:]:
            wet = check(tap, path)
            if wet and gdb:
                check_gdb(tap, path, wet, gdb[os.path.basename(path)])
            if wet and os.path.basename(path).split(".")[0] not in NO_STEP:
                check_why(tap, path, wet)
            if os.environ.get("DCFG_SLOW"):
                check_builds(tap, path)
    if not sys.argv[1:]:
        check_relative(tap)
    tap.done()


main()
