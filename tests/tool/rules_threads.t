#!/usr/bin/python3
"""Programs with threads: every rule, for every thread.  (TAP)

Threads interleave differently from run to run, so the file is compared with itself, with the code on disk, and with the
number of threads that the program makes.
"""
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
CASES = [("threads_join", 5), ("threads_detached", 4), ("threads_many", 61), ("threads_exit", 4)]


def check(tap, name, argv, threads):
    path, status, why = harness.dcfg(tap, name, argv)
    if not path:
        tap.ok(False, name, why)
        return
    tap.ok(status == 0, name + ": exit status", status)
    harness.check_rules(tap, name, path)
    harness.check_static(tap, name, path)
    with open(path) as f:
        counts = json.load(f)["PROCESSES"][1][1]["INSTR_COUNT_PER_THREAD"]
    tap.ok(len(counts) == threads and min(counts) > 0, "%s: %d threads, all ran" % (name, threads), counts)


def main():
    tap = harness.Tap("threads")
    for name, threads in CASES:
        prog = harness.cc(tap, os.path.join(PROGS, name + ".c"), name, "-pthread")
        if prog:
            check(tap, name, [prog], threads)
    xz = shutil.which("xz")
    if xz:
        with open(tap.path("data"), "wb") as f:
            x = 1
            for _ in range(30000):
                x = (x * 1103515245 + 12345) % 2 ** 31
                f.write(b"%d\n" % (x >> 20))
        # Blocks of 64 kB, so that the second worker gets some.
        check(tap, "xz", [xz, "-T2", "-0", "--block-size=65536", "-c", "data"], 3)
    else:
        tap.skip("xz", "not installed")
    tap.done()


if __name__ == "__main__":
    main()
