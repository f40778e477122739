#!/usr/bin/python3
"""Flow that is no tree of calls: exceptions, coroutines, jumps out of handlers, faults, and changing code.  (TAP)

The decoded trace is the path that Lackey saw, and the graph has the trace's counts.  Without signals the graph is also compared
with Lackey block by block.  Lackey counts an instruction at its begin, and the DCFG at its completion: what Lackey has more are the
attempts that fail, whose number is known.  Calls are those that the programs make.
"""
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib
from lifelib import Dcfg, equal

CHANGING = ("life_rewrite",)


def check(tap, name, argv, failed=0, changes=False, opts=()):
    """Returns the graph, None if it is not as Lackey's run."""
    dcfg, trace, status, why = tracelib.run(tap, name, argv, opts)
    if not trace:
        tap.ok(False, name, why)
        return None
    got = tracelib.decoded(tap, name, dcfg, trace)
    good = got and tracelib.same_way(tap, name, argv, dcfg, got[0] + ".0", status, failed, changes=changes, opts=opts)
    return dcfg if good else None


def check_calls(tap, name, path, want):
    """Returns the graph at PATH, which has the calls of functions that the program makes."""
    d = Dcfg(path)
    equal(tap, name + ": all rules", lifelib.rules(path), "")
    equal(tap, name + ": calls", {f: d.calls(f) for f in want}, want)
    return d


def check_flows(tap):
    for name, prog in lifelib.build_flows(tap):
        # throw: 12 descents of 41 frames.  Of each three, one throws an object, one a number, which is caught halfway if it is even,
        # and one returns.  contexts: the first one runs to its end, 5 turns; the others are abandoned in their third and second.
        want = {"throw": {"caught": 6}, "contexts": {"turn": 10}}
        if tracelib.crosscheck(tap, name, [prog]):
            check_calls(tap, name, tap.path(name + ".dcfg.json"),
                        want.get(name, {"chosen": 9, "not_chosen": 0, "tail": 9, "last": 9, "choose": 1}))


def check_jumps(tap):
    prog = lifelib.build(tap, "jumps.c", "-static")
    path = prog and check(tap, "jumps", [prog, "6", "4", "3"], 4)
    if path:
        d = check_calls(tap, "jumps", path, {"on_user": 9, "on_fault": 4, "on_outer": 3, "landed": 13, "deep": 143})
        equal(tap, "jumps: context changes", sum(e.total for e in d.edges("CONTEXT_CHANGE")), 16)
        equal(tap, "jumps: nothing returns", d.edges("CONTEXT_CHANGE_RETURN") + d.edges("CONTEXT_CHANGE_BYPASS"), [])


def check_changes(tap):
    objects = lifelib.build_plugins(tap)
    prog = lifelib.build(tap, "plugins.c", "-ldl")
    if prog and all(objects):
        check(tap, "plugins", [prog] + objects + ["5", "3", "2", "7", "11"], changes=True)
    prog = lifelib.build(tap, "jit.c", "-static")
    for way in ("inplace", "protect", "remap", "patch", "alias") if prog else ():
        check(tap, "jit_" + way, [prog, way, "4", "9", "1", "6"], 0, True, ["--smc-check=all"] * (way == "alias"))


def main():
    tap = harness.Tap("flow")
    check_flows(tap)
    check_jumps(tap)
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
