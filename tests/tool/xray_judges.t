#!/usr/bin/python3
"""Other readers of XRay logs read those of --xray=yes: llvm-xray, of this Debian release and the newest one, with every
subcommand; and uftrace reads the directory.  (TAP)

Their output is compared with that of dcfg xray.  NEWEST_LLVM is a directory with another LLVM's usr/, if there is one.
"""
import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command

PROGRAM = harness.text("tool/xray_judges_program.cc")
# Functions that uftrace knows by name.  Jumps over several frames, to an outer place, and out of a handler.  setjmp that
# returns twice, in two threads at once.  exec that fails, and that does not.  Children.  And functions with one name.
JUMPS = harness.text("tool/xray_judges_jumps.c")
SECOND = r"""
#define FAR __attribute__((noinline, noclone))
static volatile int cell;
FAR static void step(int n) { for (int i = 0; i < n; i++) cell = cell + i; }
void second(int n) { step(n); step(2 * n); }
"""
# A function without a name; main::{lambda()#1} has one.
# What uftrace's directory calls the time in which a thread waits for its turn.
OTHERS = "(other threads)"
BAD = re.compile(r"(?:^|(?<=[\s;\"]))#\d+(?=[\s;\"]|$)|@\(|<invalid>", re.M)


def llvm_xrays():
    """Returns (name, command or None, environment or why it is missing)."""
    here = sorted(glob.glob("/usr/lib/llvm-*/bin/llvm-xray"), key=lambda p: int(re.search(r"llvm-(\d+)", p).group(1)))
    for p in here:
        yield "llvm-xray " + re.search(r"llvm-(\d+)", p).group(1), p, harness.ENV
    if not here:
        yield "llvm-xray", None, "it is not installed"
    root = os.environ.get("NEWEST_LLVM")
    if not root:
        yield "newest llvm-xray", None, "no newer LLVM in the archives, or no network"
        return
    path = glob.glob(root + "/usr/lib/llvm-*/bin/llvm-xray")[0]
    env = dict(harness.ENV, LD_LIBRARY_PATH=":".join(glob.glob(root + "/usr/lib/*-linux-gnu")))
    name = "llvm-xray " + re.search(r"llvm-(\d+)", path).group(1)
    try:
        subprocess.run([path, "--help"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
        yield name, path, env
    except (OSError, subprocess.CalledProcessError) as e:
        yield name, None, str(getattr(e, "stderr", None) or e)


class Log:
    def __init__(self, tap, name, program, *options):
        self.name, self.path = name, tap.path(name + ".xray")
        self.map, self.uftrace = self.path + ".map", tap.path(name + ".uftrace")
        graph, status, self.why = harness.dcfg(tap, name, program, [
            "--cfg=no", "--xray=yes", "--xray-out-file=" + self.path, "--uftrace=yes", "--uftrace-out-dir=" + self.uftrace,
            *options])
        self.version = 5 if "--xray-version=5" in options else 1
        if graph is None or not os.path.exists(self.path):
            self.good = tap.ok(False, name + ": a log is written", self.why)
            return
        with open(graph) as f:
            self.instrs = json.load(f)["PROCESSES"][1][1]["INSTR_COUNT_PER_THREAD"]
        status, out, err = command("xray", "--check", self.path)
        self.good = tap.ok(status == 0 and not err, "%s: dcfg xray finds nothing wrong" % name, out + err)
        self.rows = list(csv.DictReader(io.StringIO(command("xray", "--csv", "--top=0", self.path)[1])))


def check_llvm(tap, xray, env, log, other):
    """Each subcommand: status 0, nothing on stderr, a name for each function."""
    wrong = []

    def run(*args, named=True):
        r = subprocess.run([xray, *args], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.TIMEOUT)
        out = r.stdout.decode(errors="replace")
        bad = BAD.search(out) if named else None
        if r.returncode or r.stderr or bad or not out and "-o" not in args:
            wrong.append("%s: status %d %s %s" % (" ".join(args), r.returncode, r.stderr[:200], bad))
        return out

    mapped = ["-m", log.map, log.path]
    rows = {r["funcid"]: r for r in csv.DictReader(io.StringIO(run("account", "-f", "csv", *mapped)))}
    run("account", *mapped)
    # A second is a million instructions; six digits are printed.
    for r in log.rows:
        a = rows.get(r["function_id"], collections.defaultdict(int))
        if int(a["count"]) != int(r["calls"]) or any(
                "%.6e" % (int(r[ours]) / 1e6) != a[theirs] for ours, theirs in
                (("min", "min"), ("median", "median"), ("p90", "90%ile"), ("p99", "99%ile"), ("max", "max"), ("sum", "sum"))):
            wrong.append("account: %s, dcfg xray: %s" % (dict(a), r))
    if len(rows) != len(log.rows):
        wrong.append("account: %d functions, dcfg xray: %d" % (len(rows), len(log.rows)))

    stacks = run("stack", "--all-stacks", "--stack-format=flame", "--aggregation-type=time", *mapped)
    if not stacks.count("\n") > 10:
        wrong.append("stack: " + stacks)
    # This output has #0 for the outermost level.
    run("stack", *mapped, named=False)
    run("graph", "-e", "count", "-v", "sum", *mapped)
    run("graph-diff", "--instr-map-1=" + log.map, "--instr-map-2=" + other.map, log.path, other.path, named=False)
    run("extract", "-s", log.map)
    run("fdr-dump", "--verify", log.path, named=False)
    yaml, events = log.path + ".yaml", log.path + ".json"
    run("convert", "-y", "-f", "yaml", "-m", log.map, "-o", yaml, log.path)
    # llvm-xray writes version 5 as YAML and does not read it.
    if log.version == 1 and run("account", "-m", log.map, yaml) != run("account", *mapped):
        wrong.append("the YAML is another log")
    run("convert", "-y", "-f", "trace_event", "-m", log.map, "-o", events, log.path)
    with open(events) as f:
        wrong += check_events(json.load(f)["traceEvents"], log)
    tap.ok(not wrong, "%s reads %s" % (os.path.basename(os.path.dirname(os.path.dirname(xray))), log.name),
           "\n".join(map(str, wrong[:8])))


def check_events(events, log):
    """Checks llvm-xray's events for Chrome: each thread's B and E belong together, and the last is at 1 + its
    instructions."""
    stacks, last, wrong = {}, {}, []
    for e in events:
        if e["ph"] not in "BE":
            continue
        thread = e["tid"]
        stack = stacks.setdefault(thread, [])
        if BAD.search(e["name"]):
            wrong.append(e)
        if e["ph"] == "B":
            stack.append(e["name"])
        elif not stack or stack.pop() != e["name"]:
            wrong.append("an end of nothing: %s" % e)
        last[thread] = round(float(e["ts"]))
    if any(stacks.values()) or not stacks:
        wrong.append("no end: %s" % stacks)
    # Threads are numbered in any order.
    if sorted(last.values()) != sorted(n + 1 for n in log.instrs):
        wrong.append("ends %s, instructions %s" % (last, log.instrs))
    return wrong


def by_name(log):
    """Returns {name: [calls, self, total]}; for functions without a symbol, uftrace has the address in the file."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for r in log.rows:
        name = re.sub(r"^(%s\+)?0x([0-9a-f]+)" % re.escape(r["image"]), lambda m: "0x%016x" % int(m[2], 16), r["function"])
        sums[name][0] += int(r["calls"])
        sums[name][1] += int(r["self"])
        sums[name][2] += int(r["inclusive"])
    return sums


def moments(events, first):
    """Returns (thread, time, B or E) of events for Chrome, in their order.  FIRST is the number of the first thread, which
    is left out."""
    out = [(e.get("tid", first) - first, round(float(e["ts"])), e["ph"]) for e in events
           if e["ph"] in "BE" and e["name"] != OTHERS]
    return sorted(out, key=lambda e: e[0])


def check_uftrace(tap, log):
    wrong = []
    threads = len(log.instrs)

    def run(*args):
        r = subprocess.run(["uftrace", *args, "-d", log.uftrace, "--no-pager"], env=harness.ENV, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=harness.TIMEOUT)
        out = r.stdout.decode(errors="replace")
        if r.returncode or r.stderr or not out:
            wrong.append("%s: status %d %s" % (" ".join(args), r.returncode, r.stderr[:300]))
        return out

    ours = by_name(log)
    if threads > 1:
        ours = collections.defaultdict(lambda: [0, 0, 0], {name: [*sums[:2], 0] for name, sums in ours.items()})
    # A microsecond is an instruction; three digits behind the point are printed.
    theirs, places = collections.defaultdict(lambda: [0, 0, 0]), {}
    for total, total_unit, self, unit, calls, name in re.findall(
            r"^ *([\d.]+) +(\ws|s|m) +([\d.]+) +(\ws|s|m) +(\d+) +(.*)$", run("report", "-f", "total,self,call"), re.M):
        sums = [int(calls), *(float(x) * {"us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}[u] for x, u in ((self, unit), (total, total_unit)))]
        # Functions of one name in one object have their places behind it.  Maps have no quotation marks.
        if name == OTHERS:
            continue
        if threads > 1:                         # its total time is that of a clock
            sums[2] = 0
        places[name] = sums
        name = re.sub(r" \([^()]*:\d+\)$", "", name).replace('"', "'")
        theirs[name] = [a + b for a, b in zip(theirs[name], sums)]
    # The log has one name, as a profile, for what leads to main.
    below = ours.pop("(below main)")
    own = [theirs.pop(name) for name in list(theirs) if name not in ours and re.match(r"_start$|__libc_start", name)]
    if below[:2] != [round(sum(x)) for x in list(zip(*own))[:2]] or "_start" not in places:
        wrong.append("report: %s lead to main, dcfg xray: %s" % (own, below))
    for name in {**ours, **theirs}:
        if ours[name][0] != theirs[name][0] or any(abs(a - b) > 1e-3 * a for a, b in zip(ours[name], theirs[name])):
            wrong.append("report: %s %s, dcfg xray: %s" % (name, theirs[name], ours[name]))
    steps = [r for r in log.rows if r["function"] == "step"]
    for r in steps:
        if places.get("step (%s)" % r["source"], [0])[0] != int(r["calls"]):
            wrong.append("report: %s, %s" % (r, sorted(places)))
    if len(steps) not in (0, 2) or any(total > 1.001 * sum(log.instrs) for _, _, total in places.values()):
        wrong.append("report: a line has more than the whole run, or two functions are one")
    total = sum(int(r["calls"]) for r in log.rows)
    replayed = re.findall(r"^(?!.*%s).*(?:\);|\{)$" % re.escape(OTHERS[1:-1]), run("replay", "-f", "none"), re.M)
    if len(replayed) != total:
        wrong.append("replay: %d calls, dcfg xray: %d" % (len(replayed), total))
    if "main" not in run("graph"):
        wrong.append("graph")
    theirs = json.loads(run("dump", "--chrome"))["traceEvents"]
    timeline = json.loads(command("xray", "--as=chrome", log.path)[1])["traceEvents"]
    if moments(theirs, theirs[0]["pid"]) != [(t, time + 1, ph) for t, time, ph in moments(timeline, 1)]:
        wrong.append("dump --chrome: other events than those of dcfg xray")
    folded = [line.rsplit(" ", 1) for line in run("dump", "--flame-graph").splitlines() if OTHERS not in line]
    if sum(int(n) for _, n in folded) != total:
        wrong.append("flame-graph: %d calls" % sum(int(n) for _, n in folded))
    # With a sample for each instruction, its flame graph has the instructions of each stack.
    folded = [line.rsplit(" ", 1) for line in run("dump", "--flame-graph", "--sample-time=1us").splitlines()
              if OTHERS not in line]
    if sum(int(n) for _, n in folded) != sum(mine for _, mine, _ in by_name(log).values()):
        wrong.append("flame-graph: %d instructions, dcfg xray: %s" % (sum(int(n) for _, n in folded), by_name(log)))
    tap.ok(not wrong, "uftrace reads " + log.name, "\n".join(map(str, wrong[:8])))


def main():
    tap = harness.Tap("xray_judges")
    if not os.path.exists(commandlib.DCFG):
        tap.skip("XRay logs", "the command dcfg was not built")
        tap.done()
    source = harness.written(tap, "program.cpp", PROGRAM)
    program = harness.cc(tap, source, "program", "-lstdc++", "-pthread", "-x", "c++")
    primes = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "primes.c"), "primes", "-pthread")
    logs = [Log(tap, "primes", [primes]), Log(tap, "program", [program], "--xray-args=yes"),
            Log(tap, "program-5", [program], "--xray-version=5")]
    for name, text in (("jumps", JUMPS), ("second", SECOND)):
        harness.written(tap, name + ".c", text)
    program = harness.cc(tap, tap.path("jumps.c"), "jumps", "-pthread", tap.path("second.c"))
    jumps = [Log(tap, "jumps", [program]), Log(tap, "jumps-exec", [program, "exec"])]
    if all(log.good for log in logs + jumps):
        for name, xray, env in llvm_xrays():
            if xray is None:
                tap.skip(name, env)
                continue
            for log, other in zip(logs, [logs[0], logs[2], logs[1]]):
                check_llvm(tap, xray, env, log, other)
        if shutil.which("uftrace"):
            for log in logs[:2] + jumps:
                check_uftrace(tap, log)
        else:
            tap.skip("uftrace", "it is not installed")
    tap.done()


if __name__ == "__main__":
    main()
