#!/usr/bin/python3
"""Programs with several stacks: coroutines, fibers, goroutines.  (TAP)

The programs count their calls themselves.  The log, --calls, the profile and the whole execution trace must have the same
numbers, and the same costs of a function.  The DCFG-trace cannot have them, and the command says so.  What a stack costs belongs to its functions alone: main() and the bodies of coroutines share no instruction.  And a
million functions that go on by jumps need no memory.
"""
import collections
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table
from lifelib import MEASURE, callgrind_compare
from regionlib import INCLUDE, part_of

FIRST = 1000001         # the number of the first stack in a log
GROWTH = 20000          # kB


def counts(text):
    """Returns what the program says: {function: calls}, and the functions that nobody calls."""
    calls, bodies = {}, set()
    for line in text.splitlines():
        words = line.split()
        if words[0] == "body":
            bodies.add(words[1])
        calls[words[-2]] = int(words[-1])
    return calls, bodies


def rows_of(status, out, err):
    """Returns {function: its rows} of a table in CSV."""
    rows = collections.defaultdict(list)
    for row in table(out) if status == 0 else []:
        rows[row["function"].partition("(")[0]].append(row)
    return rows


def sums(rows, *columns):
    return tuple(sum(int(row[c]) for row in rows) for c in columns)


def profile_of(path):
    """Returns {function: [calls, inclusive cost of those that are not in a recursion]}, and functions that recur."""
    calls, recur = collections.defaultdict(lambda: [0, 0]), set()
    for (_, callee, _, _), (n, cost) in callgrind_compare.Profile(path).sites.items():
        name, _, level = callee[2].partition("'")
        recur |= {name} if level else set()
        calls[name.partition("(")[0]][0] += n
        calls[name.partition("(")[0]][1] += cost
    return calls, {name.partition("(")[0] for name in recur}


def record(tap, name, argv, env):
    """Runs a program; returns (its output, the paths of the files)."""
    path = {k: tap.path(name + "." + k) for k in ("json", "cg", "xray", "text", "trace", "wet")}
    with open(path["text"], "w") as f:
        subprocess.run([harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=" + path["json"], "--calls=yes",
                        "--callgrind=yes", "--callgrind-out-file=" + path["cg"], "--xray=yes", "--xray-out-file=" + path["xray"],
                        "--trace=yes", "--trace-out-file=" + path["trace"], "--wet=yes", "--wet-out-file=" + path["wet"], *argv], stdout=f, stderr=subprocess.STDOUT, env=dict(harness.ENV, **env), timeout=harness.TIMEOUT)
    with open(path["text"]) as f:
        return f.read(), path


def check(tap, name, argv, env=None):
    text, path = record(tap, name, argv, env or {})
    try:
        said, bodies = counts(text)
    except (IndexError, ValueError):
        said, bodies = {}, set()
    if not tap.ok(len(said) >= 3, name + ": the program says its counts", text):
        return
    log = rows_of(*command("xray", "--csv", "--top=0", path["xray"]))
    graph = rows_of(*command("report", "--inclusive", "--csv", "--top=0", path["json"]))
    profile, recur = profile_of(path["cg"])
    have = {f: sums(log[f], "calls")[0] for f in said}
    tap.ok(have == said, name + ": calls in the log", have)
    have = {f: sums(graph[f], "calls")[0] for f in said if f not in bodies}
    want = {f: n for f, n in said.items() if f not in bodies and f != "main.main"}
    have.pop("main.main", None)
    tap.ok(have == want, name + ": calls in the graph", (have, want))
    have = {f: profile[f][0] for f in want}
    tap.ok(have == want, name + ": calls in the profile", (have, want))
    have = {f: (sums(log[f], "inclusive", "self"), sums(graph[f], "inclusive", "self")) for f in said if f not in recur}
    tap.ok(have and all(a == b for a, b in have.values()), name + ": costs in the log, and in the graph", have)
    have = {f: (sums(graph[f], "inclusive")[0], profile[f][1]) for f in want if f not in recur}
    tap.ok(have and all(a == b for a, b in have.values()), name + ": costs in the graph, and in the profile", have)
    check_stacks(tap, name, log, graph, path)
    check_traces(tap, name, said, log, path)


def check_traces(tap, name, said, log, path):
    """The whole execution trace has the log's calls; so have its flames.  Edges are told apart."""
    wet = rows_of(*command("report", "--inclusive", "--csv", "--top=0", path["json"], path["wet"]))
    have = {f: (sums(wet[f], "calls", "inclusive", "self"), sums(log[f], "calls", "inclusive", "self")) for f in said}
    tap.ok(all(a == b for a, b in have.values()), name + ": calls and costs along the whole execution trace", have)
    flames = [stacks_of(*command("flame", path["json"], path["wet"]), said), stacks_of(*command("xray", "--as=folded", path["xray"]), said)]
    tap.ok(flames[0] and flames[0] == flames[1], name + ": stacks along the whole execution trace",
           sorted(set(flames[0].items()) ^ set(flames[1].items())))
    status, _, err = command("report", "--inclusive", "--csv", "--top=0", path["json"], path["trace"])
    tap.ok(status == 0 and "not active, as coroutines do" in err, name + ": the DCFG-trace's calls are told to be uncertain", err)


def stacks_of(status, out, err, said):
    """Returns {stack: instructions} of folded stacks, of functions in SAID alone; instructions of others count for these."""
    stacks = collections.Counter()
    for line in out.splitlines() if status == 0 else []:
        stack, n = line.rsplit(" ", 1)
        names = [f.partition("(")[0] for f in stack.split(";")]
        stacks[";".join(f for f in names if f in said)] += int(n)
    return {s: n for s, n in stacks.items() if s}


def check_stacks(tap, name, log, graph, path):
    """Check that no instruction counts for two stacks."""
    total = sum(int(row["self"]) for rows in graph.values() for row in rows)
    have = sum(int(row["self"]) for rows in log.values() for row in rows)
    tap.ok(have == total, name + ": the log has all instructions", (have, total))
    roots = ["main.main", "main.worker"] if log["main.main"] else ["main", "body", "run_fiber", "take_turns"]
    have = [sums(graph[f], "inclusive")[0] for f in roots]
    tap.ok(have[0] > 0 and have[1] + sum(have[2:]) > 0 and sum(have) <= total, name + ": main() and bodies share no instruction",
           (have, total))
    status, out, err = command("xray", "--csv", "--threads", "--top=0", path["xray"])
    threads = {int(row["thread"]) for row in table(out)} if status == 0 else set()
    tap.ok({1, FIRST} <= threads, name + ": a stack is a thread of the log", err or threads)


def check_uftrace(tap, argv):
    """uftrace reads a log with stacks, and counts the same calls."""
    if not shutil.which("uftrace"):
        tap.skip("uftrace", "uftrace is not installed")
        return
    out = tap.path("contexts.uftrace")
    p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=/dev/null", "--uftrace=yes", "--uftrace-out-dir=" + out,
                        *argv], stdout=subprocess.PIPE, env=harness.ENV, timeout=harness.TIMEOUT)
    said, _ = counts(p.stdout.decode())
    r = subprocess.run(["uftrace", "report", "--no-pager", "-d", out, "-f", "call"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env=harness.ENV, timeout=harness.TIMEOUT)
    have = {line.split()[-1]: int(line.split()[0]) for line in r.stdout.decode().splitlines()
            if len(line.split()) == 2 and line.split()[0].isdigit()}
    tap.ok(said and {f: have.get(f) for f in said} == said, "uftrace: calls", (said, r.stdout.decode()))


def check_toggle(tap, argv):
    """A function that is collected alone has its stack's costs, not those of who switched to it."""
    costs = {}
    for f in ("step", "turn"):
        out = tap.path(f + ".toggle.json")
        harness.run([harness.VALGRIND, "--tool=dcfg", "-q", "--calls=yes", "--toggle-collect=" + f, "--dcfg-out-file=" + out, *argv],
                    tap.dir)
        costs[f] = rows_of(*command("report", "--inclusive", "--csv", "--top=0", out))
    tap.ok(sums(costs["step"]["step"], "calls")[0] == 27 and not costs["step"]["turn"], "--toggle-collect of a coroutine's function",
           costs["step"].keys())


def check_parts(tap):
    """Parts end while a thread is on another one's own stack, before and behind that one's end."""
    prog = harness.cc(tap, os.path.join(harness.PROGS, "stacks", "lent.c"), "parts", "-static", "-pthread", "-DDUMP", "-I" + INCLUDE)
    text, path = record(tap, "parts", [prog], {})
    parts = [[part_of(path[k], n) for k in ("json", "xray")] for n in (1, 2)] + [[path["json"], path["xray"]]]
    for n, (json, xray) in enumerate(parts, 1):
        log = rows_of(*command("xray", "--csv", "--top=0", xray))
        graph = rows_of(*command("report", "--inclusive", "--csv", "--top=0", json))
        have = {f: (sums(log[f], "inclusive", "self"), sums(graph[f], "inclusive", "self"))
                for f in ("lends", "lend", "work", "spin", "body", "borrows")}
        tap.ok(log["lend"] and all(a == b for a, b in have.values()), "part %d: costs in the log, and in the graph" % n,
               (text, have))


def check_jumps(tap):
    """Functions that go on by jumps alone need no memory, and are counted."""
    source = harness.text("stacks/jumping.c")
    peak = {}
    for n in (1000, 300000):
        prog = harness.cc(tap, harness.written(tap, "jumping%d.c" % n, source.replace("ROUNDS", str(n))), "jumping%d" % n, "-static", "-O2")
        for name, opts in (("log", ["--xray=yes", "--xray-limit=1M", "--xray-out-file=" + tap.path("jumping.xray")]),
                           ("calls", ["--calls=yes"]), ("profile", ["--callgrind=yes", "--callgrind-out-file=" + tap.path("jumping.cg")]),
                           ("toggle", ["--toggle-collect=run"])):
            out = tap.path("jumping.json")
            r = subprocess.run([*MEASURE, harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=" + out, *opts, prog],
                               stdout=subprocess.PIPE, env=harness.ENV, timeout=harness.TIMEOUT)
            peak[name, n] = int(r.stdout.split()[-1])
            if name == "calls":
                graph = rows_of(*command("report", "--inclusive", "--csv", "--top=0", out))
                have = {f: sums(graph[f], "calls")[0] for f in ("add", "decrement", "again", "stop")}
                want = {"add": n, "decrement": n, "again": n, "stop": 1}
                tap.ok(have == want, "jumps: calls in the graph, %d times" % n, have)
            if name == "profile":
                calls, _ = profile_of(tap.path("jumping.cg"))
                have = {f: calls[f][0] for f in want}
                tap.ok(have == want, "jumps: calls in the profile, %d times" % n, have)
    for name in ("log", "calls", "profile", "toggle"):
        tap.ok(peak[name, 300000] - peak[name, 1000] < GROWTH, "jumps: memory of the " + name, peak)


def check_handlers(tap, name, argv, functions, env=None):
    """Check the calls and costs of a program with handlers, which tells how often that many functions were called.  Returns
    (costs in the log, costs in the graph, the log): in the log, what is interrupted pays for a handler.
    """
    text, path = record(tap, name, argv, env or {})
    try:
        said, bodies = counts(text)
    except (IndexError, ValueError):
        said, bodies = {}, set()
    if not tap.ok(len(said) == functions, name + ": the program says its counts", text):
        return {}, {}, {}
    log = rows_of(*command("xray", "--csv", "--top=0", path["xray"]))
    graph = rows_of(*command("report", "--inclusive", "--csv", "--top=0", path["json"]))
    wet = rows_of(*command("report", "--inclusive", "--csv", "--top=0", path["json"], path["wet"]))
    profile, _ = profile_of(path["cg"])
    called = {f: n for f, n in said.items() if f not in bodies}
    have = [{f: sums(rows[f], "calls")[0] for f in of} for rows, of in ((log, said), (wet, said), (graph, called))]
    have.append({f: profile[f][0] for f in called})
    tap.ok(have == [said, said, called, called], name + ": calls in the log, trace, graph and profile", (said, have))
    have = [{f: sums(rows[f], "inclusive", "self") for f in said} for rows in (log, wet)]
    tap.ok(have[0] == have[1], name + ": costs in the log, and along the whole execution trace", have)
    # As for Callgrind, a handler that ends by a tail call goes on in what follows its return.
    costs = {f: sums(graph[f], "inclusive", "self") for f in called}
    have = [{f: rows[f][1] for f in called} for rows in (have[0], costs)]
    tap.ok(have[0] == have[1], name + ": self costs in the log, and in the graph", have)
    return [{f: sums(log[f], "inclusive", "self") for f in said}, costs, log]


def check_alternate(tap):
    """Handlers on an alternate stack cost and end the same, whether that is above the one that they interrupt or below.  So do
    handlers on the same stack.
    """
    costs = []
    for name, above, flag in (("alternate0", "0", "0"), ("alternate1", "1", "0"), ("no_alternate", "0", "SS_DISABLE")):
        prog = harness.cc(tap, os.path.join(harness.PROGS, "stacks", "alternate.c"), name, "-O2", "-static", "-pthread",
                          "-DABOVE=" + above, "-DFLAG=" + flag)
        costs.append(check_handlers(tap, name, [prog], 8)[:2])
    tap.ok(costs[0][0] and all(c == costs[0] for c in costs), "alternate: costs are the same above, below, and without", costs)


def check_diverted(tap):
    """Handlers return to another place than they interrupted: there a function is called, or jumped to, or goes on."""
    costs = []
    for name, flag in (("diverted", "0"), ("diverted_alone", "SS_DISABLE")):
        prog = harness.cc(tap, os.path.join(harness.PROGS, "stacks", "diverted.c"), name, "-O2", "-static", "-DFLAG=" + flag)
        costs.append(check_handlers(tap, name, [prog], 11)[:2])
    tap.ok(costs[0][0] and costs[0] == costs[1], "diverted: costs are the same on an alternate stack, and without", costs)
    prog = go_program(tap, "preempted")
    if prog:
        log = check_handlers(tap, "preempted", [prog], 2, {"GOGC": "off"})[2]
        tap.ok(any(f.startswith("runtime.asyncPreempt") for f in log), "preempted: Go has preempted goroutines", sorted(log))


def go_program(tap, name):
    """Returns the path of a program in Go, or None if it cannot be built."""
    if not shutil.which("go"):
        tap.skip(name, "go is not installed")
        return None
    prog = tap.path(name)
    r = subprocess.run(["go", "build", "-o", prog, os.path.join(harness.PROGS, "stacks", name + ".go")], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, env=dict(harness.ENV, HOME=tap.dir, GOCACHE=tap.path("cache"), GO111MODULE="off"))
    if r.returncode:
        tap.skip(name, "go builds no program here")
        return None
    return prog


def main():
    tap = harness.Tap("stacks")
    check_alternate(tap)
    check_diverted(tap)
    check_handlers(tap, "tails", [harness.cc(tap, os.path.join(harness.PROGS, "stacks", "tails.c"), "tails", "-O2", "-static")], 5)
    for name in ("contexts", "jumps", "fibers", "moving", "copied", "lent"):
        prog = harness.program(tap, "stacks/%s.c" % name, "-static", "-pthread", "-fomit-frame-pointer")
        if prog:
            check(tap, name, [prog])
        if prog and name == "contexts":
            check_uftrace(tap, [prog])
            check_toggle(tap, [prog])
    source = os.path.join(harness.PROGS, "stacks", "boost.cc")
    try_out = subprocess.run(["c++", "-x", "c++", "-o", "/dev/null", "-", "-lboost_context"], stderr=subprocess.DEVNULL,
                             input=b"#include <boost/context/fiber.hpp>\nint main() { return 0; }\n")
    if try_out.returncode:
        tap.skip("boost", "Boost.Context is not installed")
    else:
        check(tap, "boost", [harness.cc(tap, source, "boost", "-lboost_context", "-Wl,-z,now", compiler="c++")])
    prog = go_program(tap, "workers")
    if prog:
        # Without signals: in a log, what is interrupted pays for a handler.
        check(tap, "goroutines", [prog], {"GOMAXPROCS": "1", "GOGC": "off", "GODEBUG": "asyncpreemptoff=1"})
    check_parts(tap)
    check_jumps(tap)
    tap.done()


main()
