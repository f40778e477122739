#!/usr/bin/python3
"""Functions that change what is collected: graph and trace are Lackey's trace cut where they are entered and left,
instruction for instruction; parts and profiles are Callgrind's; XRay logs keep their rules.  (TAP)"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib
from lifelib import Dcfg, equal
import xray_rules
from regionlib import DCFG, INCLUDE, PROGS, Lackey, compare_profiles, part_of, same_as_cut


class Run:
    """Lackey's trace of the program, with the functions that it has."""

    def __init__(self, tap, argv):
        self.lackey = Lackey.of(tap, argv)
        self.addrs = self.lackey.addrs
        out = subprocess.run(["nm", "-S", argv[0]], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.range = {name: (int(a, 16), int(a, 16) + int(n, 16))
                      for a, n, name in re.findall(r"^(\w+) (\w+) [Tt] (\w+)$", out, re.M)}

    def is_in(self, i, function):
        a, b = self.range[function]
        return a <= self.addrs[i] < b

    def within(self, function, caller=None):
        """Return where a function is active: from its first instruction to the first one of its caller, or of CALLER."""
        start, found, i, n = self.range[function][0], [], 0, len(self.addrs)
        while i < n:
            if self.addrs[i] == start:
                by = caller or [f for f in self.range if self.is_in(i - 1, f) and f != function][0]
                end = next((j for j in range(i, n) if self.is_in(j, by)), n)
                found.append((i, end))
                i = end
            else:
                i += 1
        return found

    def handled(self, handler):
        """Return where a handler runs, with its way back."""
        found = []
        for i, a in enumerate(self.addrs):
            if a == self.range[handler][0]:
                lens = self.lackey.lens
                found.append((i, next(j + 3 for j in range(i, len(lens)) if lens[j:j + 3] == [1, 7, 2])))
        return found


def parity(n, *pieces):
    """Returns the indices that an odd number of the pieces has."""
    at, on, out = sorted(p for piece in pieces for p in piece), False, []
    for p in at:
        on = not on
        if on:
            out.append(p)
        elif out[-1] == p:
            out.pop()
        else:
            out.append(p)
    out += [n] * (len(out) % 2)
    pairs = list(zip(out[::2], out[1::2]))
    joined = []
    for a, b in pairs:
        if joined and joined[-1][1] == a:
            joined[-1] = (joined[-1][0], b)
        elif a < b:
            joined.append((a, b))
    return joined


def check_toggles(tap, prog):
    run = Run(tap, [prog])
    n = len(run.addrs)
    deep, often, leaf = run.within("deep"), run.within("often"), run.within("leaf")
    equal(tap, "functions were entered", [len(deep), len(often) > 1000], [2, True])
    for name, opts, pieces in (
            ("a thousand times", ["often"], often),
            ("a recursion, and what it calls not", ["deep", "lea?"], deep + leaf),
            ("left by longjmp, collected else", ["jumper", "-yes"], [(0, n)] + run.within("jumper", "all_kinds")),
            ("entered by a jump", ["tail", "odd"], run.within("tail", "all_kinds") + run.within("odd", "all_kinds")),
            ("a signal inside", ["raiser"], run.within("raiser") + [h for h in run.handled("handler")[:1]])):
        opts = ["--collect-atstart=yes" if o == "-yes" else "--toggle-collect=" + o for o in opts]
        label = re.sub(r"\W+", "_", name)
        dcfg, trace, status, why = tracelib.run(tap, label, [prog], opts)
        same_as_cut(tap, name, run.lackey, parity(n, *pieces), dcfg, trace, status)


def check_requests(tap, prog):
    """A handler is collected or not, as the code is in which its signal came."""
    argv = [prog, "requests"]
    run = Run(tap, argv)
    n = len(run.addrs)
    at = run.lackey.requests()
    # asks(4) makes two requests, and a dump.
    toggles = at[:11] + at[12:]
    equal(tap, "requests: all seen", len(at), 14)
    handler = run.handled("handler")
    for name, opts, pieces in (("toggled by requests", [], [(0, n)]),
                               ("toggled by requests, off at start", ["--collect-atstart=no"], [])):
        dcfg, trace, status, why = tracelib.run(tap, re.sub(r"\W+", "_", name), argv, opts)
        if not dcfg:
            tap.ok(False, name, why)
            continue
        pieces = parity(n, *(pieces + [(a, n) for a in toggles]))
        # A handler is collected if its begin is, whatever was collected when the signal came.
        pieces = parity(n, *(pieces + [h for h in handler if any(a <= h[0] < b for a, b in pieces) == bool(opts)]))
        cut = at[11]
        parts = [[(a, min(b, cut)) for a, b in pieces if a < cut], [(max(a, cut), b) for a, b in pieces if b > cut]]
        same_as_cut(tap, name + ", part 1", run.lackey, parts[0], part_of(dcfg, 1), part_of(trace, 1), status)
        same_as_cut(tap, name + ", the rest", run.lackey, parts[1], dcfg, trace, status)


def check_parts(tap, prog):
    """Each part is Lackey's trace between two places, so the parts add up to the whole, without zeroed times."""
    run = Run(tap, [prog])
    n = len(run.addrs)
    deep, raiser, tail = run.within("deep"), run.within("raiser"), run.within("tail", "all_kinds")
    places = [(0, deep[0][0]), (tail[0][0], raiser[0][1]), (raiser[0][1], deep[1][0]), (deep[1][0], n)]
    log, uftrace = tap.path("parts.xray"), tap.path("parts.uftrace")
    os.mkdir(uftrace)
    dcfg, trace, status, why = tracelib.run(
        tap, "parts", [prog], ["--dump-before=de*p", "--zero-before=tail", "--dump-after=raiser", "--xray=yes",
                               "--xray-out-file=" + log, "--uftrace=yes", "--uftrace-out-dir=" + uftrace])
    if not tap.ok(dcfg and len(glob.glob(tap.path("parts.dcfg*.json"))) == 4, "parts: their number", why):
        return
    for i, (a, b) in enumerate(places):
        last = i + 1 == len(places)
        d, t, x, u = (p if last else part_of(p, i + 1) for p in (dcfg, trace, log, uftrace))
        same_as_cut(tap, "part %d" % (i + 1), run.lackey, [(a, b)], d, t, status)
        said = harness.run([DCFG, "xray", "--check", x], tap.dir)
        tap.ok(said[0] == 0, "part %d: the XRay log" % (i + 1), said[1])
        tap.ok({"info", "task.txt"} <= set(os.listdir(u)), "part %d: uftrace's directory" % (i + 1))


def check_logs(tap, prog):
    """Logs that begin and end in the middle keep llvm-xray's rules, and their ticks are collected instructions."""
    for name, argv, opts in (("toggled", [], ["--toggle-collect=often", "--toggle-collect=jumper"]),
                             ("threads", ["threads"], ["--toggle-collect=often", "--dump-after=deep",
                                                       "--toggle-collect=deep"]),
                             ("region", [], ["--start=often:3", "--stop=deep", "--start=raiser", "--stop=deep:13"])):
        log = tap.path(name + ".xray")
        r = lifelib.run(tap, name, [prog] + argv,
                        opts + ["--callgrind=yes", "--callgrind-out-file=%p.profile", "--uftrace=yes",
                                "--uftrace-out-dir=%p.uftrace", "--xray=yes", "--xray-out-file=" + log, "--trace=yes",
                                "--fair-sched=try",
                                "--trace-out-file=%p.trace", "--xray-version=5"])
        lifelib.check(tap, name, r)
        logs = [f for f in glob.glob(log + "*") if not f.endswith(".map")]
        for f in logs:
            said = harness.run([DCFG, "xray", "--check", f], tap.dir)
            tap.ok(said[0] == 0, "%s: the XRay log %s" % (name, f[len(log):]), said[1])
        equal(tap, name + ": logs", len(logs), 6 if name == "threads" else 1)
        if name != "threads":
            code, text = harness.oracle("xray_rules.py", "--instrs=%d" % Dcfg(r.files[0]).total, log, log + ".map")
            tap.ok(code == 0, name + ": its ticks are the instructions that were collected", text)


def check_marks(tap, prog):
    for version in "15":
        log = tap.path("says%s.xray" % version)
        dcfg, status, why = harness.dcfg(tap, "says" + version, [prog, "says"],
                                         ["--toggle-collect=says", "--xray=yes", "--xray-out-file=" + log,
                                          "--xray-version=" + version, "--xray-min-instrs=1000000"])
        wrong, seen, names = xray_rules.check(log, log + ".map")
        marks = seen.threads[1].marks if not wrong else []
        equal(tap, "marks, version %s: texts" % version, [t for _, t in marks],
              ["odd", " ", "in \u00e4 call of two", "odd"])
        events = [(names[e.id].name, e.tick) for e in seen.threads[1].events] if not wrong else []
        events = [e for e in events if e[0] == "says"]
        within = [[a for n, a in events[2 * i:2 * i + 2]] for i in range(4)]
        tap.ok(len(events) == 8 and all(a < m < b for (a, b), (m, _) in zip(within, marks)),
               "marks, version %s: each in its call, however short" % version, "%s %s %s" % (wrong, events, marks))
        said = harness.run([DCFG, "xray", "--check", log], tap.dir)
        tap.ok(said[0] == 0, "marks, version %s: dcfg xray --check" % version, said[1])
        with open(tap.path("says%s.log" % version)) as f:
            equal(tap, "marks, version %s: nonsense is told once" % version, f.read().count("that cannot be read"), 1)
        judge = shutil.which("llvm-xray")
        if judge and not wrong:
            p = subprocess.run([judge, "convert", "-f", "yaml", log], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            tap.ok(p.returncode == 0 and p.stdout.count(b"custom-event") == 4,
                   "marks, version %s: llvm-xray has them" % version, ascii(p.stdout[-2000:]))


def check_family(tap, prog):
    r = lifelib.run(tap, "forks", [prog, "forks"],
                    ["--toggle-collect=forks", "--trace=yes", "--trace-out-file=%p.trace"])
    if lifelib.check(tap, "fork inside", r, 2):
        equal(tap, "fork inside: traces", lifelib.traces(tap, r), "")
        equal(tap, "fork inside: each has its own calls",
              sorted([Dcfg(f).calls(g) for g in ("forks", "leaf", "often", "deep")] for f in r.files),
              [[0, 2, 1, 0], [1, 2, 0, 0]])


def check_wrong(tap, prog):
    for opts, want in ((["--toggle-collect="], "--toggle-collect= names no function"),
                       (["--dump-after="], "--dump-after= names no function"),
                       (["--collect-atstart=maybe"], "--collect-atstart")):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=" + tap.path("wrong.json")]
                                  + opts + [prog], tap.dir)
        tap.ok(status == 1 and want in err and not os.path.exists(tap.path("wrong.json")), "refused: " + " ".join(opts),
               "exit status %d\n%s" % (status, err))
    dcfg, trace, status, why = tracelib.run(tap, "missed", [prog], ["--toggle-collect=nowhere", "--zero-before=no*e"])
    with open(tap.path("missed.log")) as f:
        said = f.read()
    for o in ("--toggle-collect=nowhere", "--zero-before=no*e"):
        equal(tap, "told: " + o, said.count("warning: %s: the program entered no function of that name\n" % o), 1)
    tap.ok(not lifelib.rules(dcfg) and Dcfg(dcfg).total == 0, "never entered: an empty graph", lifelib.rules(dcfg))
    said = harness.run([DCFG, "check", dcfg, trace], tap.dir)
    tap.ok(said[0] == 0, "... and an empty trace: dcfg check", said[1])


def check_profiles(tap, prog, throw):
    def numbers(n):
        return [""] + [".%d" % (i + 1) for i in range(n)]
    for name, argv, opts, ends, parts in (
            ("entered often", [prog], ["--toggle-collect=often"], 1, 0),
            ("in a recursion", [prog], ["--toggle-collect=deep", "--dump-before=jumper", "--dump-after=raiser"], 3, 4),
            ("jumps", [prog], ["--toggle-collect=jumper", "--toggle-collect=tail", "--dump-after=goes_on"], 2, 1),
            ("signals", [prog], ["--toggle-collect=faults", "--collect-atstart=yes", "--zero-before=goes_on",
                                 "--dump-before=raiser"], 9, 1),
            ("the end", [prog], ["--dump-after=main", "--zero-before=deep"], 9, 1),
            ("stopped inside", [prog, "stops"],
             ["--toggle-collect=often", "--toggle-collect=halts", "--dump-after=halts", "--dump-before=deep",
              "--instr-atstart=no"], 10, 3),
            ("exceptions", [throw], ["--toggle-collect=thrower(*)", "--dump-after=catcher*"], 3, 3)):
        compare_profiles(tap, name.replace(" ", "_"), argv, opts, ends, numbers(parts))


def main():
    tap = harness.Tap("regions_calls")
    prog = harness.cc(tap, os.path.join(PROGS, "toggled.c"), "toggled", "-O1", "-static", "-pthread", "-I" + INCLUDE)
    thrown = harness.cc(tap, os.path.join(PROGS, "thrown.cpp"), "thrown", "-O1", "-static", "-lstdc++")
    if prog and thrown:
        check_toggles(tap, prog)
        check_requests(tap, prog)
        check_parts(tap, prog)
        check_logs(tap, prog)
        check_marks(tap, prog)
        check_family(tap, prog)
        check_wrong(tap, prog)
        check_profiles(tap, prog, thrown)
    tap.done()


if __name__ == "__main__":
    main()
