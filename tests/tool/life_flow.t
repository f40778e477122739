#!/usr/bin/python3
"""Flow that is no tree of calls: exceptions, coroutines, jumps out of handlers, faults.  It is compared with Lackey, as far
as its trace is complete: with one thread and no signals, block by block; with signals, the total.  (TAP)

Lackey counts an instruction at its begin, and the DCFG at its completion.  So the totals of a run with faults may differ by
the failed attempts only.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import Dcfg, check, equal, run

TESTS = os.path.join(harness.SRCDIR, "tests")


def lackey_total(tap, name, argv):
    log = tap.path(name + ".lackey")
    harness.run([harness.VALGRIND, "--tool=lackey", "--basic-counts=yes", "--vex-guest-chase=no", "--log-file=" + log]
                + argv, tap.dir)
    with open(log, errors="replace") as f:
        m = re.search(r"guest instrs: +([\d,]+)", f.read())
    return int(m.group(1).replace(",", "")) if m else None


def check_calls(tap, name, prog, args, want):
    r = run(tap, name, [prog] + args)
    if check(tap, name, r, 1):
        d = Dcfg(r.files[0])
        equal(tap, name + ": calls", {f: d.calls(f) for f in want}, want)
        return d
    return None


def main():
    tap = harness.Tap("flow")
    for name, prog in lifelib.build_flows(tap):
        harness.crosscheck(tap, name, [prog])
        if name == "throw":
            # 30 descents of 41 frames.  Of each three, one throws an object, one a number, which is caught halfway if it is
            # even, and one returns.
            check_calls(tap, "throw", prog, [], {"caught": 15})
        elif name == "contexts":
            # The first one runs to its end, 5 turns; the others are abandoned in their third and second.
            check_calls(tap, "contexts", prog, [], {"turn": 10})
        else:
            check_calls(tap, name, prog, [], {"chosen": 9, "not_chosen": 0, "tail": 9, "last": 9, "choose": 1})

    prog = lifelib.build(tap, "jumps.c")
    if prog:
        d = check_calls(tap, "jumps", prog, ["6", "4", "3"],
                        {"on_user": 9, "on_fault": 4, "on_outer": 3, "landed": 13, "deep": 143})
        if d:
            equal(tap, "jumps: context changes", sum(e.total for e in d.edges("CONTEXT_CHANGE")), 16)
            equal(tap, "jumps: nothing returns", d.edges("CONTEXT_CHANGE_RETURN") + d.edges("CONTEXT_CHANGE_BYPASS"), [])
            path, _, _ = harness.dcfg(tap, "jumps_total", [prog, "6", "4", "3"])
            equal(tap, "jumps: total as Lackey's without 4 faults", Dcfg(path).total,
                  lackey_total(tap, "jumps", [prog, "6", "4", "3"]) - 4)

    for source in sorted(glob.glob(os.path.join(TESTS, "regress", "life_*.S"))):
        name = os.path.splitext(os.path.basename(source))[0]
        prog = name not in lifelib.NOT_UNDER_LACKEY and harness.cc(tap, source, name, "-static", "-nostdlib")
        if not prog:
            continue
        path, status, why = harness.dcfg(tap, name, [prog])
        if not tap.ok(path, name + ": a file", why):
            continue
        failed = lifelib.FAILED.get(name, 0)
        total = lackey_total(tap, name, [prog])
        tap.ok(total is not None and Dcfg(path).total == total - failed,
               "%s: total as Lackey's%s" % (name, " without %d that failed" % failed if failed else ""),
               "%d, Lackey %s" % (Dcfg(path).total, total))
    tap.done()


if __name__ == "__main__":
    main()
