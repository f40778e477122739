#!/usr/bin/python3
"""Real programs of the distribution: the tool's file against Lackey's trace, exactly.  (TAP)

The arguments name programs of test_programs.py.  Without arguments, programs that trace_real.t tests together with their traces are left out.

DCFG_AGAIN=1: another Valgrind has been tested.  Then trace_real.t does not run, and its programs run here, but for the two
that take longest; the others are short, and most of their code is the same libc.  DCFG_SLOW=1: all programs, and all of cc1.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import test_programs

LONGEST = ("cc1", "python3")
AGAIN = os.environ.get("DCFG_AGAIN") == "1"
SLOW = os.environ.get("DCFG_SLOW") == "1"


def left_out(name):
    if AGAIN:
        return not SLOW and (name in LONGEST or name not in test_programs.WITH_TRACES)
    return name in test_programs.WITH_TRACES


def main():
    tap = harness.Tap("real")
    only = sys.argv[1:]
    for name, argv in test_programs.real(tap):
        if name not in only if only else left_out(name):
            continue
        prog = shutil.which(argv[0], path=harness.ENV["PATH"])
        if not prog:
            tap.skip(name, argv[0] + " is not installed")
            continue
        harness.crosscheck(tap, name, [prog] + argv[1:])
    tap.done()


if __name__ == "__main__":
    main()
