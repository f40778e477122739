#!/usr/bin/python3
"""Names of generated code, from /tmp/perf-PID.map and jitdumps.  The code of each function has its name in each output, also
if it moves or another function takes its place.  Files that are wrong cost no more than their names.  (TAP)
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import callgrind_compare
from commandlib import command
from lifelib import Dcfg, check, equal

# (name, nops, calls); generated.c says which is where, and when.
FUNCTIONS = [("alpha", 1, 4), ("beta (of two)", 2, 6), ("beta (of two)", 2, 9), ("delta", 4, 3), ("gamma", 3, 1),
             (None, 5, 2)]
# The map tells only at the end: the last name of each address.
LATE = {("alpha", 1): "gamma", ("beta (of two)", 2): "delta"}


def run(tap, name, ways, opts=(), **more):
    """Run generated.c; no map is left."""
    r = lifelib.run(tap, name, [tap.path("generated")] + ways, opts, **more)
    try:
        os.unlink("/tmp/perf-%d.map" % r.pid)
    except FileNotFoundError:
        pass
    return r


def named(d):
    """Return (name, nops, calls) of each generated function of a graph, and how many instructions have a name, of how many.
    """
    rows, known, all_of_them = [], 0, 0
    for im in d.anonymous():
        for b in im.blocks or ():
            at = b.start - im.load
            names = [nm for nm, off, size in im.symbols or () if off <= at < off + size]
            rows.append((names[0] if names else None, b.ninstr - 2, b.count))
            all_of_them += b.ninstr * b.count
            known += b.ninstr * b.count * bool(names)
    return sorted(rows, key=str), known, all_of_them


def check_ways(tap):
    for way in (["map"], ["dump"], ["map", "dump"], ["map", "bad"], ["dump", "bad"], ["late"]):
        name = " ".join(way)
        r = run(tap, "_".join(way), way)
        if not check(tap, name, r, 1):
            continue
        want = FUNCTIONS
        if way == ["late"]:
            want = [("delta" if n == 9 else LATE.get(f[:2], f[0]),) + f[1:] if n in (4, 9) else f
                    for f in FUNCTIONS for n in [f[2]]]
        equal(tap, name + ": names", named(Dcfg(r.files[0]))[0], sorted(want, key=str))
        warnings = re.findall("dcfg: warning: (.*)", r.log)    # newer cores also warn of mapped files that are no ELF files
        if way == ["map", "bad"]:
            tap.ok(len(warnings) == 1 and "12 lines are not ADDRESS SIZE NAME, the first is line 1:" in warnings[0],
                   name + ": says which lines", r.log)
        elif way == ["dump", "bad"]:
            tap.ok(len(warnings) == 1 and "ends within a record" in warnings[0], name + ": says where it ends", r.log)
        else:
            equal(tap, name + ": no warning", warnings, [])


def check_lines(tap):
    """Source lines of a dump, whether its compiler adds 0x40 or not, are in the graph and in the profile."""
    want = {"100": 4, "101": 8, "200": 30, "201": 30, "300": 3, "301": 2, "400": 12, "401": 6}
    for ways in (["dump", "lines"], ["dump", "elf"], ["dump", "lines", "bad"]):
        name = " ".join(ways)
        r = run(tap, "_".join(ways), ways, ["--callgrind=yes", "--callgrind-out-file=profile"], trace=False)
        if not check(tap, name, r, 1):
            continue
        out = command("report", "--lines", "--csv", "--top=0", "--source=gen.lang", r.files[0])[1]
        rows = list(csv.DictReader(io.StringIO(out)))
        equal(tap, name + ": lines", {row["line"]: int(row["instructions"]) for row in rows}, want)
        got = {}
        p = callgrind_compare.Profile(os.path.join(r.dir, "profile"))
        for (_, file, line), cost in p.lines.items():
            if file.endswith("gen.lang"):
                got[str(line)] = got.get(str(line), 0) + cost[0]
        equal(tap, name + ": lines in the profile", got, want)
        tap.ok(("the source lines of 1 function cannot be read" in r.log) == ("bad" in ways), name + ": says what is wrong", r.log)


def check_clocks(tap):
    """The times of a dump are of the clock that the program sees."""
    r = run(tap, "steady", ["dump"], ["--deterministic=yes"])
    if check(tap, "deterministic", r, 1):
        equal(tap, "deterministic: names", named(Dcfg(r.files[0]))[0], sorted(FUNCTIONS, key=str))


def check_child(tap):
    """A child has its parent's names, and its own counts."""
    r = run(tap, "child", ["map", "fork"])
    if not check(tap, "child", r, 2):
        return
    for f in r.files:
        d = Dcfg(f)
        want = sorted(FUNCTIONS, key=str) if d.pid == r.pid else [("delta", 4, 20)]
        equal(tap, "names of the %s" % ("parent" if d.pid == r.pid else "child"), named(d)[0], want)


def check_others(tap):
    """A map that was there before the process is another's."""
    before = ["sh", "-c", 'echo "1000 ffffffffffff other" >/tmp/perf-$$.map; exec "$@"', "sh"]
    r = run(tap, "old", ["old"], before=before)
    if check(tap, "an old map", r, 1):
        equal(tap, "an old map: no names", {f[0] for f in named(Dcfg(r.files[0]))[0]}, {None})
        tap.ok("is older than this process: its names are not used" in r.log, "an old map: says so", r.log)


def check_outputs(tap):
    """All outputs have the names."""
    r = run(tap, "outputs", ["map"], ["--callgrind=yes", "--callgrind-out-file=profile", "--xray=yes", "--xray-out-file=log",
                                      "--uftrace=yes", "--uftrace-out-dir=uftrace", "--wet=yes", "--wet-out-file=wet",
                                      "--trace=yes", "--trace-out-file=trace"], trace=False)
    if not check(tap, "outputs", r, 1):
        return
    want = {"alpha": (4, 12), "beta (of two)": (15, 60), "gamma": (1, 5), "delta": (3, 18)}
    calls = {}
    p = callgrind_compare.Profile(os.path.join(r.dir, "profile"))
    for key, (n, cost) in p.sites.items():
        callee = key[1][2]
        if callee in want:
            calls[callee] = tuple(a + b for a, b in zip(calls.get(callee, (0, 0)), (n, cost)))
    equal(tap, "calls and costs in the profile", calls, want)
    for what, args in (("the log", ["xray", "--csv", "--top=9999", os.path.join(r.dir, "log")]),
                       ("the trace", ["report", "--inclusive", "--csv", "--top=9999", r.files[0], os.path.join(r.dir, "trace")])):
        status, out, err = command(*args)
        rows = [dict(zip(out.splitlines()[0].split(","), line.split(","))) for line in out.splitlines()[1:]]
        got = {}
        for row in rows:
            f = row.get("function")
            if f in want:
                n, cost = int(row["calls"]), int(row.get("sum") or row.get("inclusive") or row["self"])
                got[f] = got.get(f, (0, 0))[0] + n, got.get(f, (0, 0))[1] + cost
        equal(tap, "calls and costs in " + what, (status, got), (0, want))
    text = "".join(open(os.path.join(r.dir, "uftrace", f)).read() for f in os.listdir(os.path.join(r.dir, "uftrace"))
                   if f.endswith(".sym"))
    equal(tap, "symbols for uftrace", sorted(f for f in want if re.search(r" T %s$" % re.escape(f), text, re.M)), sorted(want))
    status, out, err = command("wet", "--image=[[]anon*", os.path.join(r.dir, "wet"))
    equal(tap, "functions of the whole execution trace", 
          sorted(f for f in want if " %s 0\n" % f.replace(" ", "_") in out), sorted(want))


def check_real(tap):
    """Compilers of Debian tell the names of nearly all that they generate: node by a dump, java by a map."""
    node, java = shutil.which("node"), shutil.which("java")
    script = harness.written(tap, "fib.js", harness.text("life/generated.js"))
    kinds = {"node": node and [node, "--perf-prof", script],
             "java": java and [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m",
                               "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-version"]}
    if not java or os.environ.get("DCFG_SLOW") == "1":
        kinds["node, a map"] = node and [node, "--perf-basic-prof", script]
    for name, argv in kinds.items():
        if not argv:
            tap.skip(name, "not installed")
            continue
        r = lifelib.run(tap, re.sub(r"\W", "_", name), argv, trace=False)
        if os.path.exists("/tmp/perf-%d.map" % r.pid):
            os.unlink("/tmp/perf-%d.map" % r.pid)
        if r.status != 0 or not r.files:
            tap.ok(False, name, r.log[-2000:])
            continue
        rows, known, n = named(Dcfg(r.files[0]))
        tap.ok(n > 100000 and known >= 0.95 * n, "%s: 95%% of generated instructions have a name" % name,
               "%d of %d" % (known, n))


def main():
    tap = harness.Tap("generated")
    if lifelib.build(tap, "generated.c", "-static"):
        check_ways(tap)
        check_lines(tap)
        check_clocks(tap)
        check_child(tap)
        check_others(tap)
        check_outputs(tap)
    check_real(tap)
    tap.done()


main()
