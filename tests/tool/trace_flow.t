#!/usr/bin/python3
"""Flow that is no tree of calls: the decoded trace is the path that Lackey saw, through exceptions, coroutines,
handlers, faults, and changing code.  (TAP)

Lackey may name an instruction that faults, and the DCFG counts completed instructions; there cannot be more such
attempts than life_flow.t allows.
"""
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib

CHANGING = ("life_rewrite",)


def check(tap, name, argv, failed=0, changes=False, opts=()):
    dcfg, trace, status, why = tracelib.run(tap, name, argv, opts)
    if not trace:
        tap.ok(False, name, why)
        return
    got = tracelib.decoded(tap, name, dcfg, trace)
    if got:
        tracelib.same_way(tap, name, argv, dcfg, got[0] + ".0", status, failed, changes=changes, opts=opts)


def check_changes(tap):
    objects = lifelib.build_plugins(tap)
    prog = lifelib.build(tap, "plugins.c", "-ldl")
    if prog and all(objects):
        check(tap, "plugins", [prog] + objects + ["5", "3", "2", "7", "11"], changes=True)
    prog = lifelib.build(tap, "jit.c")
    for way in ("inplace", "protect", "remap", "patch", "alias") if prog else ():
        check(tap, "jit_" + way, [prog, way, "4", "9", "1", "6"], 0, True, ["--smc-check=all"] * (way == "alias"))


def main():
    tap = harness.Tap("traceflow")
    for name, prog in lifelib.build_flows(tap):
        check(tap, name, [prog])
    prog = lifelib.build(tap, "jumps.c")
    if prog:
        check(tap, "jumps", [prog, "6", "4", "3"], 4)
    check_changes(tap)
    for source in sorted(glob.glob(os.path.join(harness.SRCDIR, "tests", "regress", "life_*.S"))):
        name = os.path.splitext(os.path.basename(source))[0]
        prog = harness.cc(tap, source, name, "-static", "-nostdlib")
        if prog:
            # With a superblock for each instruction, those end, too.
            failed = 1000 if name in lifelib.NOT_UNDER_LACKEY else lifelib.FAILED.get(name, 0)
            check(tap, name, [prog], failed, name in CHANGING)
    tap.done()


if __name__ == "__main__":
    main()
