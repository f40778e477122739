#!/usr/bin/python3
"""dcfg why through registers that called functions save and restore.  (TAP)

A value stays in RBX over several chunks of the trace.  The index tells that most of them only saved and restored it: dcfg why skips
those.  Where a function writes over what it saved, over a part of that, or restores another word, its line is the value's origin.  A
function that saves on another stack changes nothing.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness

SOURCE = harness.text("slices/saved.c").split("\n")
CALLS = 6000            # calls of work() on each side of the call of the other function


def line_of(mark):
    return 1 + next(i for i, line in enumerate(SOURCE) if line.endswith("// " + mark))


def inputs(wet, case):
    """Returns the lines of the inputs of the line of CASE, each with the number of instances that copied it."""
    text = commandlib.command("why", "--json", wet, "saved.c:%d" % line_of("use " + case))[1]
    return {i["from"].get("line", 0): len(i["through"]) for i in json.loads(text)["steps"][0]["inputs"] if i.get("from")}


def main():
    tap = harness.Tap("saved")
    if os.uname().machine != "x86_64":
        tap.skip("saved registers", "the program is for amd64")
        tap.done()
        return
    path = os.path.join(harness.SRCDIR, "tests", "progs", "slices", "saved.c")
    prog = harness.cc(tap, path, "saved", "-O1", "-mno-red-zone")
    wet = prog and harness.record_wet(tap, "saved", [prog, str(CALLS)])
    if not wet:
        tap.done()
        return
    # The index, which the first question makes: with sanitizers, that alone would take as long as all else here.
    commandlib.command("why", "--json", wet, "saved.c:%d" % line_of("use other"), program=commandlib.PLAIN)
    for case in ("spoil", "other"):
        lines = inputs(wet, case)
        tap.ok(line_of(case) in lines, case + ": its line is the origin", lines)
    lines = inputs(wet, "change")
    tap.ok(line_of("change") in lines or line_of("change") + 2 in lines, "change: it made a part of the value", lines)
    lines = inputs(wet, "swap")
    tap.ok(0 < lines.get(line_of("value"), 0) < CALLS, "swap: chunks that only save and restore are skipped", lines)
    tap.done()


main()
