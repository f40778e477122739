#!/usr/bin/python3
"""Regions: graph and trace of a region are Lackey's trace cut at the same places, instruction for instruction; the
parts that a program asks for add up to the whole; profiles are Callgrind's.  (TAP)

DCFG_AGAIN=1: another Valgrind has been tested.  Then most ways to name a place, and errors, are left out: they do not
depend on Valgrind.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib
from lifelib import Dcfg, equal
from regionlib import INCLUDE, PROGS, Lackey, check_instructions, check_requests, compare_profiles, part_of, same_as_cut

AGAIN = os.environ.get("DCFG_AGAIN") == "1"
NAMING = ("a function and another", "counts", "in a recursion", "a glob", "an address", "an offset in an image",
          "a file and an offset", "the end of the run")


def check_options(tap, prog):
    lackey = Lackey.of(tap, [prog])
    whole, _, _ = harness.dcfg(tap, "whole", [prog])
    image = [im for im in Dcfg(whole).p.images if im.name == prog][0]
    at = {f: min(Dcfg.starts(image, [f])) for f in ("work", "inner", "other", "done")}
    # An instruction inside a stretch that VEX would translate at once.
    inside = sorted(a for a in set(lackey.addrs) if at["inner"] < a)[0]
    base = os.path.basename(prog)
    for name, options in (
            ("a function and another", ["work", "done"]),
            ("counts", ["work:3", "done:3"]),
            ("in a recursion", ["work:17", "work:23"]),
            ("one region after another", ["work", "done", "other:3", "work:9", "inner:60", "inner:61"]),
            ("left by longjmp", ["inner:50", "other:8", "done:8", "done:9"]),
            ("a glob", ["w?r*:2", "*one:4"]),
            ("an address", ["%#x:4" % at["inner"], "%#x:20" % at["inner"]]),
            ("inside a superblock", ["%#x:4" % inside, "%#x:20" % inside]),
            ("an offset in an image", ["%s+%#x" % (base, at["other"] - image.load), "done:2"]),
            ("a file and an offset", ["%s+%#x:7" % (prog, inside - image.load), "%s+%#x:9" % (prog, inside - image.load)]),
            ("the end of the run", ["work:30"])):
        if AGAIN and name in NAMING:
            continue
        label = name.replace(" ", "_")
        names = {"w?r*": "work", "*one": "done"}
        places = []
        for o in options:
            m = re.match(r"(.*?)(?::(\d+))?$", o)
            where = names.get(m.group(1), m.group(1))
            a = at.get(where) or int(where.split("+")[-1], 16) + image.load * ("+" in where)
            places.append(lackey.nth(a, int(m.group(2) or 1)))
        if len(places) % 2:
            places.append(len(lackey.lines))
        if not tap.ok(None not in places and places == sorted(places), name + ": the places are reached", places):
            continue
        opts = ["--%s=%s" % (("start", "stop")[i % 2], o) for i, o in enumerate(options)]
        dcfg, trace, status, why = tracelib.run(tap, label, [prog], opts)
        same_as_cut(tap, name, lackey, list(zip(places[::2], places[1::2])), dcfg, trace, status)


def check_monitor(tap, prog):
    argv = [prog, "monitor"]
    lackey = Lackey.of(tap, argv)
    at = lackey.requests()
    dcfg, trace, status, why = tracelib.run(tap, "monitor", argv, ["--instr-atstart=no"])
    same_as_cut(tap, "monitor commands", lackey, list(zip(at[::2], at[1::2])), dcfg, trace, status)

    pause = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "callgrind", "pause.c"), "pause", "-static", "-O1")
    if not pause:
        return
    told = []

    def ask(p):
        p.stdout.readline()
        for command in ("status", "start", "start", "status", "stop", "zero"):
            told.append(harness.ask(p, command))
        p.stdin.close()
        p.stdin = None
    r = lifelib.run(tap, "pause", [pause], ["--instr-atstart=no"], stdin=subprocess.PIPE, while_running=ask)
    if lifelib.check(tap, "vgdb", r, 1):
        told = [text.split("\n")[1:] for text in told]         # the first line is vgdb's own
        equal(tap, "vgdb: answers", [told[i][-2] for i in (0, 2, 3)] + [told[i] for i in (1, 4, 5)],
              ["not collecting", "start: this is so already, nothing changes", "collecting"] + [[""]] * 3)
        equal(tap, "vgdb: a thread that did not run meanwhile was not collected", Dcfg(r.files[0]).total, 0)


def check_parts(tap, prog):
    argv = [prog, "parts"]
    lackey = Lackey.of(tap, argv)
    at = [0] + lackey.requests() + [len(lackey.lines)]
    dcfg, trace, status, why = tracelib.run(tap, "parts", argv)
    for i in range(len(at) - 1):
        last = i == len(at) - 2
        d, t = (p if last else part_of(p, i + 1) for p in (dcfg, trace))
        ok = os.path.exists(d) and os.path.exists(t)
        if tap.ok(ok, "part %d: there are a graph and a trace" % (i + 1)):
            same_as_cut(tap, "part %d" % (i + 1), lackey, [(at[i], at[i + 1])], d, t, status)
    argv = [prog, "zero"]
    lackey = Lackey.of(tap, argv)
    dcfg, trace, status, why = tracelib.run(tap, "zero", argv)
    same_as_cut(tap, "zero", lackey, [(lackey.requests()[0], len(lackey.lines))], dcfg, trace, status)


def check_wrong(tap, prog):
    for opts, want in ((["--stop=f"], "--stop=f: a --stop needs a --start before it"),
                       (["--start=f", "--start=g"], "--start=g: the --start before it needs a --stop"),
                       (["--start=f:0"], "--start=f:0: the count must be 1 or more"),
                       (["--start=f:-3"], "--start=f:-3: the count must be 1 or more"),
                       (["--start="], "--start="),
                       (["--start=instructions:x"], "--start=instructions:x: instructions: needs a number"),
                       (["--start=instructions:9", "--stop=instructions:9"], "must be greater than that of the --start"),
                       (["--start=0x12g"], "--start=0x12g: an address is 0x"),
                       (["--start=prog+0x"], "--start=prog+0x: an offset is IMAGE+0x")):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=" + tap.path("wrong.json")]
                                  + opts + [prog], tap.dir)
        tap.ok(status == 1 and want in err and not os.path.exists(tap.path("wrong.json")), "refused: " + " ".join(opts),
               "exit status %d\n%s" % (status, err))
    for opts, want in ((["--start=nowhere"], "--start=nowhere was never reached"),
                       (["--start=work", "--stop=nowhere"], "--stop=nowhere was never reached"),
                       (["--start=done:99"], "--start=done:99 was reached 9 times only"),
                       (["--start=done:2", "--stop=work"], "--stop=work is reached before --start=done:2")):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path("missed.json")]
                                  + opts + [prog], tap.dir)
        tap.ok(status == 0 and err.count(want) == 1, "told: " + want, err)
        tap.ok(not lifelib.rules(tap.path("missed.json")), "told: %s: all rules" % want)


def check_threads(tap, prog):
    for name, opts in (("threads, asked", []), ("threads, asked, none at the start", ["--instr-atstart=no"]),
                       ("threads, between functions", ["--start=turn:7", "--stop=on_signal:5", "--start=turn:20",
                                                       "--stop=turn:31"])):
        r = lifelib.run(tap, re.sub(r"\W+", "_", name), [prog],
                        opts + ["--trace=yes", "--trace-out-file=%p.trace", "--callgrind=yes", "--fair-sched=try",
                                "--callgrind-out-file=%p.profile"])
        if lifelib.check(tap, name, r, 2):
            tap.ok(any(Dcfg(f).edges("EXCLUDED_CODE_BYPASS") for f in r.files), name + ": there are gaps")
            equal(tap, name + ": traces", lifelib.traces(tap, r), "")


def main():
    tap = harness.Tap("regions")
    prog = harness.cc(tap, os.path.join(PROGS, "region.c"), "region", "-static", "-I" + INCLUDE)
    together = harness.cc(tap, os.path.join(PROGS, "together.c"), "together", "-static", "-pthread", "-I" + INCLUDE)
    if prog:
        check_options(tap, prog)
        check_instructions(tap, prog)
        check_requests(tap, prog)
        check_parts(tap, prog)
        check_monitor(tap, prog)
        if not AGAIN:
            check_wrong(tap, prog)
        compare_profiles(tap, "requests", [prog, "callgrind"], ["--instr-atstart=no"], 10)
        compare_profiles(tap, "requests_on", [prog, "callgrind"], [], 10)
        compare_profiles(tap, "parts", [prog, "parts"], [], 2, ["", ".1", ".2", ".3"], [""])
    if together:
        check_threads(tap, together)
    tap.done()


if __name__ == "__main__":
    main()
