#!/usr/bin/python3
"""Uses and definitions of instructions in a whole execution trace.  (TAP)

- Against Capstone, register by register: every instruction of real programs, and one of each class
  (tests/progs/wet/classes.S).  Each difference has its reason in tests/oracle/wet_capstone.py.
- Against the processor, byte by byte, for these classes: tests/oracle/wet_probe.c.  Each location that is seen to be
  used or defined must be in the trace.  tests/oracle/undefined.py lists what the architecture leaves undefined: the
  verdict must be the same if a processor keeps such flags, and if it sets them at random.
- The values that these classes compute, as the program itself sees them under none (tests/oracle/wet_results.py).

The arguments name programs of test_programs.py.  DCFG_SLOW=1: more of them, and many trials.  DCFG_PROCESSOR is a
command that executes a program on another processor, as "qemu-x86_64 -cpu max": there the cases are executed, too.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import test_programs
from usagelib import SLOW, TIMES, check_capstone, check_processor, check_tops, check_values
import cpuinfo

PROGRAMS = ("bzip2", "gzip", "xz", "perl", "sqlite3", "python3", "ls", "dash", "cc1") if SLOW else ("gzip", "ls")
NEEDED = ("abm", "avx2", "bmi1", "bmi2", "aes", "fma", "f16c", "movbe", "xsave")
CASES = os.path.join(harness.SRCDIR, "tests", "progs", "wet", "classes.S")


def main():
    tap = harness.Tap("wet_usage")
    names = sys.argv[1:] or PROGRAMS
    for name, argv in test_programs.real(tap):
        if name not in names:
            continue
        if not shutil.which(argv[0], path=harness.ENV["PATH"]):
            tap.skip(name, argv[0] + " is not installed")
            continue
        wet = harness.record_wet(tap, name, [shutil.which(argv[0], path=harness.ENV["PATH"])] + argv[1:])
        if wet:
            check_capstone(tap, name, wet)
            check_tops(tap, name, wet)
            os.unlink(wet)
    if not sys.argv[1:] and not cpuinfo.has(*NEEDED):
        tap.skip("one instruction of each class", "this processor does not have them")
    elif not sys.argv[1:]:
        prog = harness.cc(tap, os.path.join(harness.ORACLE, "wet_probe.c"), "probe", "-O2", "-no-pie", CASES)
        wet = prog and harness.record_wet(tap, "classes", [prog, TIMES, "states"])
        if wet:
            check_capstone(tap, "classes", wet)
            check_processor(tap, prog, wet)
            check_values(tap, prog, wet, harness.reader(tap, "wet_values"))
    tap.done()


if __name__ == "__main__":
    main()
