#!/usr/bin/python3
"""Registers and memory of dcfg gdb, step by step, beside Valgrind's own gdbserver.  (TAP)

Small programs (tests/progs/gdb/steps.c) are recorded and stepped through with tests/oracle/gdb_lockstep.py, from main() on.  All
that both servers have must agree, or be said to be unavailable; at most 1 % may be.  Programs that this machine cannot run or
compile are skipped by name.  DCFG_SLOW=1: from the first instruction, each state.  The arguments are names of programs.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gdblib
import harness

sys.path.insert(0, harness.ORACLE)
import cpuinfo

SOURCE = os.path.join(harness.SRCDIR, "tests", "progs", "gdb", "steps.c")
STATIC = ["-static", "-no-pie"]
# (name, function, flags of the compiler, steps from main() on, each so many-th compared)
PROGRAMS = (
    ("static", "plain", [*STATIC, "-O1"], 1200, 4),
    ("pie", "plain", ["-O2", "-pie", "-fPIE"], 3000, 8),
    ("threads", "threads", ["-O1", "-pthread"], 3000, 8),
    ("recursion", "recursion", [*STATIC, "-O0"], 1200, 4),
    ("longjmp", "jumps", ["-O1"], 2000, 4),
    ("signals", "signals", [*STATIC, "-O1"], 1000, 2),
    ("rep", "rep", [*STATIC, "-O1"], 1600, 2),
    ("flags", "flags", [*STATIC, "-O1"], 700, 1),
    ("avx2", "avx2", [*STATIC, "-O2"], 500, 1),
    ("x87", "x87", [*STATIC, "-O1"], 600, 1),
    ("flags_bits32", "flags", [*STATIC, "-O1", "-m32"], 700, 1),
    ("bits32", "plain", [*STATIC, "-O1", "-m32"], 1500, 4),
    ("x87_bits32", "x87", [*STATIC, "-O1", "-m32"], 600, 1),
)


def missing(name):
    if name == "avx2" and not cpuinfo.has("avx2", "bmi1", "bmi2", "abm"):
        return "this processor has no AVX2 or BMI"
    return harness.lacks_x86() if "bits32" in name else None


def check(tap, name, function, flags, steps, every):
    why = missing(name)
    if why:
        tap.skip(name, why)
        return
    prog = harness.cc(tap, SOURCE, name, "-DPROGRAM=" + function, "-pthread", *flags)
    wet = prog and gdblib.record(tap, name, prog)
    if not wet:
        return
    if os.environ.get("DCFG_SLOW"):
        status, text = harness.oracle("gdb_lockstep.py", wet, "10000000", prog)
    else:
        status, text = harness.oracle("gdb_lockstep.py", "--from=main", "--every=%d" % every, wet, str(steps), prog)
    unknown = re.findall(r"^(all registers|memory): [1-9]\d* agree, .*unavailable \(([\d.]+) %\)", text, re.M)
    tap.ok(status == 0 and len(unknown) == 2, name + ": as Valgrind's own gdbserver has it", text)
    tap.ok(all(float(share) <= 1 for _, share in unknown), "%s: unavailable: %s" % (name, ", ".join("%s %s %%" % u for u in unknown)),
           text)


def main():
    tap = harness.Tap("gdb_steps")
    for program in PROGRAMS:
        if not sys.argv[1:] or program[0] in sys.argv[1:]:
            check(tap, *program)
    tap.done()


if __name__ == "__main__":
    main()
