#!/usr/bin/python3
"""Registers and memory of dcfg gdb, step by step, beside Valgrind's own gdbserver.  (TAP)

Small programs (tests/progs/gdb/steps.c) are recorded and stepped through with tests/oracle/gdb_lockstep.py, some steps in each
function.  All that both servers have must agree, or be said to be unavailable; at most 1 % may be.  Programs that this machine
cannot run or compile are skipped by name.  DCFG_SLOW=1: fourteen programs from the first instruction to the last.  The
arguments are names of programs.
"""
import ctypes
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
NO_RANDOM_ADDRESSES = 0x0040000         # ADDR_NO_RANDOMIZE of personality(2)
STATIC = ["-static", "-no-pie"]
ALL = "plain,recursion,jumps,signals,handler,rep,flags,x87"
# (name, function, flags of the compiler, functions where steps begin, steps in each)
PROGRAMS = (
    ("static", "all", [*STATIC, "-O1"], ALL, 110),
    ("pie", "dynamic", ["-O2", "-pie", "-fPIE"], "plain,threads,thread", 110),
    ("avx2", "avx2", [*STATIC, "-O2"], "avx2", 90),
    ("bits32", "all", [*STATIC, "-O1", "-m32"], ALL, 110),
)
# (name, function, flags), from the first instruction to the last
WHOLE = (
    ("static", "plain", [*STATIC, "-O1"]),
    ("pie", "plain", ["-O2", "-pie", "-fPIE"]),
    ("threads", "threads", ["-O1"]),
    ("recursion", "recursion", [*STATIC, "-O0"]),
    ("longjmp", "jumps", ["-O1"]),
    ("signals", "signals", [*STATIC, "-O1"]),
    ("rep", "rep", [*STATIC, "-O1"]),
    ("flags", "flags", [*STATIC, "-O1"]),
    ("avx2", "avx2", [*STATIC, "-O2"]),
    ("x87", "x87", [*STATIC, "-O1"]),
    ("plain_bits32", "plain", ["-O2", "-m32"]),
    ("signals_bits32", "signals", [*STATIC, "-O1", "-m32"]),
    ("flags_bits32", "flags", [*STATIC, "-O1", "-m32"]),
    ("x87_bits32", "x87", [*STATIC, "-O1", "-m32"]),
)

# Valgrind places the stack of 32-bit programs below its own.
same_addresses = ctypes.CDLL(None).personality(NO_RANDOM_ADDRESSES) != -1


def missing(name):
    if name == "avx2" and not cpuinfo.has("avx2", "bmi1", "bmi2", "abm"):
        return "this processor has no AVX2 or BMI"
    if "bits32" in name and not same_addresses:
        return "addresses differ from run to run"
    return harness.lacks_x86() if "bits32" in name else None


def check(tap, name, function, flags, begins=None, steps=10000000):
    why = missing(name)
    if why:
        tap.skip(name, why)
        return
    prog = harness.cc(tap, SOURCE, name, "-DPROGRAM=" + function, "-pthread", *flags)
    wet = prog and gdblib.record(tap, name, prog)
    if not wet:
        return
    status, text = harness.oracle("gdb_lockstep.py", *(["--from=" + begins] if begins else []), wet, str(steps), prog)
    unknown = re.findall(r"^(all registers|memory): [1-9]\d* agree, .*unavailable \(([\d.]+) %\)", text, re.M)
    tap.ok(status == 0 and len(unknown) == 2, name + ": as Valgrind's own gdbserver has it", text)
    tap.ok(all(float(share) <= 1 for _, share in unknown), "%s: unavailable: %s" % (name, ", ".join("%s %s %%" % u for u in unknown)),
           text)


def main():
    tap = harness.Tap("gdb_steps")
    for program in WHOLE if os.environ.get("DCFG_SLOW") else PROGRAMS:
        if not sys.argv[1:] or program[0] in sys.argv[1:]:
            check(tap, *program)
    tap.done()


if __name__ == "__main__":
    main()
