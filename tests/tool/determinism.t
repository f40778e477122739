#!/usr/bin/python3
"""Two runs of one program give the same file, byte for byte, but for the process id.  (TAP)"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness


def main():
    tap = harness.Tap("determinism")
    for name, argv in harness.SAME_EACH_TIME:
        if not os.path.exists(argv[0]):
            tap.skip(name, "not installed")
            continue
        files = [harness.dcfg(tap, "%s%d" % (name, i), argv) for i in (1, 2)]
        if not all(f[0] for f in files):
            tap.ok(False, name, files[0][2] + files[1][2])
            continue
        a, b = (harness.without_pid(f[0]) for f in files)
        diag = "no process id found where it is expected"
        if a and b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            diag = "sizes %d and %d, first difference at %d:\n%r\n%r" % (
                len(a), len(b), at, a[max(0, at - 60):at + 60], b[max(0, at - 60):at + 60])
        tap.ok(a and a == b, "%s: two runs, %d bytes" % (name, len(a or b"")), diag)
    tap.done()


if __name__ == "__main__":
    main()
