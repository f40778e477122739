#!/usr/bin/python3
"""Ten programs with a planted error each (tests/progs/slice): from the wrong line of the output to the faulty line.  (TAP)

The slice of the wrong output has the faulty line, and at most 30 % of the source's lines that were executed.  The slice with
producers only has at most 20 %.  It has the faulty line, too, if the error is one of data.  docs/slice.md has the table.

The arguments are names of programs.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
import slicelib

MOST, MOST_THIN = 30, 20
# The line of the listing of the program's lines at which the faulty one stands, at most; of these the error is farther away.
NEAR, FAR = 10, {"dates": 14}
# In these programs the error decides which way is taken, or which element compares less.  No value comes from it.
CONTROL_ONLY = ("ranks", "taxes")


def comment(source, name):
    return re.search(r"^ *%s: *(.*?)(?: \*/)?$" % name, source, re.M).group(1)


def check(tap, path, prog=None):
    """prog: what was made of the source, if that is not for this machine to do."""
    name, source = os.path.basename(path)[:-2], os.path.basename(path)
    with open(path) as f:
        text = f.read()
    wrong, right = comment(text, "wrong"), comment(text, "right")
    faulty = next(n for n, line in enumerate(text.splitlines(), 1) if "/* BUG" in line)
    prog = prog or harness.cc(tap, path, name, "-O0", "-pthread")
    wet, out = slicelib.record(tap, name, [prog]) if prog else (None, "")
    if not wet or not tap.ok(wrong in out.splitlines() and right not in out, name + ": what it prints is wrong", out):
        return
    status, listed, said = commandlib.command("slice", *slicelib.OPTIONS, "--output=" + wrong, wet)
    near = slicelib.near_lines(listed, source)
    tap.ok(faulty in near[:FAR.get(name, NEAR)] and listed.count("\n") < 60, name + ": the faulty line is near", listed + said)
    for thin, most in ((False, MOST), (True, MOST_THIN)):
        s, said = slicelib.slice_of(tap, wet, "--output=" + wrong, *["--thin"] * thin)
        what = "%s%s: " % (name, ", producers only" * thin)
        if not tap.ok(s, what + "a slice", said):
            continue
        lines, executed = s.lines(source), s.executed(source)
        missing = thin and name in CONTROL_ONLY
        tap.ok((faulty in lines) != missing, what + ("does not have" if missing else "has") + " the faulty line", sorted(lines))
        tap.ok(len(lines) * 100 <= most * len(executed), what + "%d lines of %d, %d instances" % (
            len(lines), len(executed), len(s.nodes)), sorted(lines))


def main():
    tap = harness.Tap("slice_bugs")
    for path in sorted(glob.glob(os.path.join(slicelib.PROGS, "*.c"))):
        if not sys.argv[1:] or os.path.basename(path)[:-2] in sys.argv[1:]:
            check(tap, path)
    tap.done()


if __name__ == "__main__":
    main()
