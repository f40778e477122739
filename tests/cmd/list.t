#!/usr/bin/python3
"""Recordings tell which run they are of, and `dcfg list' shows it.  (TAP)

RUN of a graph, the same in a whole execution trace, what sums keep of it, and rows of a directory: against the command lines,
directories and processes that the test itself has started.
"""
import calendar
import json
import os
import re
import shlex
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table

ODD = ["a b", "it's", "", "\u00fc", "\n\"\\", "$HOME;*"]


def process_of(path):
    return json.loads(harness.read(path))["PROCESSES"][1]


def run_of(path):
    """Returns the rows of RUN as dictionaries."""
    rows = process_of(path)[1].get("RUN", [[]])
    return [dict(zip(rows[0], r)) for r in rows[1:]]


def start(folder, argv, *options):
    """Starts a program under the tool in FOLDER; returns it, with its errors."""
    os.makedirs(folder, exist_ok=True)
    p = subprocess.Popen([harness.VALGRIND, "--tool=dcfg", *options, *argv], cwd=folder, env=harness.ENV,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return p.pid, p.communicate(timeout=harness.TIMEOUT)[1]


def check_run(tap):
    folder, before = tap.path("run"), time.time()
    pid, err = start(folder, [b"/bin/echo", *(o.encode() for o in ODD), b"\xff"], "--wet=yes")
    path = os.path.join(folder, "dcfg.out.%d.json" % pid)
    rows = run_of(path)
    if not tap.ok(len(rows) == 1, "a graph has one run", err):
        return
    r = rows[0]
    tap.ok(shlex.split(r["COMMAND_LINE"]) == ["/bin/echo", *ODD, "\xff"], "the command line, as a shell reads it", r)
    tap.ok((r["PROCESS_ID"], r["PARENT_ID"], r["WORKING_DIR"]) == (pid, os.getpid(), os.path.realpath(folder)),
           "process, parent and working directory", r)
    at = time.strptime(r["START"], "%Y-%m-%dT%H:%M:%SZ")
    tap.ok(int(before) <= calendar.timegm(at) <= time.time(), "the start, in UTC", r["START"])
    model = re.search(r"^model name\s*: (.*)$", harness.read("/proc/cpuinfo"), re.M)
    tap.ok(r["PROCESSOR"] == (model.group(1) if model else r["PROCESSOR"]) and r["PROCESSOR"] != "", "the processor", r)
    tap.ok('"%s"' % r["TOOL_VERSION"] in harness.read(os.path.join(harness.SRCDIR, "format", "release.h")), "the tool's version", r)
    with open(path, "rb") as f:
        tap.ok(len([x for x in f if b'"RUN"' in x or b"COMMAND_LINE" in x]) == 1, "all of it is on one line")
    status, out, err = command("wet", "--info", os.path.join(folder, "wet.out.%d" % pid))
    tap.ok(status == 0 and "/bin/echo 'a b' 'it'" in out and r["START"][:10] in out, "a whole execution trace tells the same", out + err)
    status, out, err = command("report", "--wide", path)
    tap.ok("/bin/echo 'a b'" in out and r["START"][:10] in out and r["WORKING_DIR"] in out, "report shows it", out[:500])
    status, out, err = command("report", "--json", path)
    tap.ok(json.loads(out)["processes"][0]["run"]["command_line"] == r["COMMAND_LINE"], "report --json, too", err)
    long_one = "x" * 100000
    pid, err = start(folder, ["/bin/true", long_one])
    long_path = os.path.join(folder, "dcfg.out.%d.json" % pid)
    tap.ok(shlex.split(run_of(long_path)[0]["COMMAND_LINE"]) == ["/bin/true", long_one], "a long command line stays whole", err)
    status, out, err = command("report", long_path)
    tap.ok(max(map(len, out.splitlines()[:4])) <= 100, "a person sees its begin and end", out[:300])


def check_children(tap):
    """A forked child starts at its fork; what it executes has a command line of its own."""
    folder = tap.path("children")
    pid, err = start(folder, ["/bin/bash", "--norc", "-c", "(:; :) & wait; /bin/echo x; :"], "--trace-children=yes")
    rows = [r for f in os.listdir(folder) if f.endswith(".json") for r in run_of(os.path.join(folder, f))]
    echo = [r for r in rows if r["COMMAND_LINE"] == "/bin/echo x"]
    shells = [r for r in rows if r["COMMAND_LINE"].startswith("/bin/bash ")]
    tap.ok(len(echo) == 1 and echo[0]["PARENT_ID"] == pid, "an executed program", rows)
    tap.ok({r["PARENT_ID"] for r in shells if r["PROCESS_ID"] != pid} == {pid}, "forked children have the parent", rows)


def variant(tap, name, text, change):
    """Makes a copy with a row of RUN changed, and another process id."""
    data = json.loads(text)
    process = data["PROCESSES"][1]
    change(process)
    path = tap.path(name)
    harness.write(path, json.dumps(data))
    return path


def check_sums(tap):
    """Any grouping gives the same rows: the first hundred by their starts."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "regress", "edge_call.S"), "small", "-static", "-nostdlib")
    path, _, why = harness.dcfg(tap, "sum", [prog])
    if not tap.ok(path, "a graph to add up", why):
        return
    text = harness.read(path)

    def renamed(i):
        def change(process):
            process[0] = 1000 + i
            row = process[1]["RUN"][1]
            row[0], row[2], row[4] = 1000 + i, "small %d" % i, "2026-01-01T00:%02d:%02dZ" % divmod((i * 37) % 130, 60)
        return change
    files = [variant(tap, "v%d.json" % i, text, renamed(i)) for i in range(130)]
    sums = [tap.path("s%d.json" % i) for i in range(4)]
    parts = [tap.path("p%d.json" % i) for i in range(3)]
    good = command("merge", "--threads=add", "-o", sums[0], *files)[0] == 0
    good = good and command("merge", "--threads=add", "-j", "3", "-o", sums[1], *reversed(files))[0] == 0
    for i, p in enumerate(parts):
        good = good and command("merge", "--threads=add", "--partial", "-o", p, *files[i::3])[0] == 0
    good = good and command("merge", "--threads=add", "-o", sums[2], *parts)[0] == 0
    good = good and command("merge", "--threads=add", "--partial", "-o", sums[3], *parts[1:])[0] == 0
    again = command("merge", "--threads=add", sums[3], parts[0])[1]
    want = harness.read(sums[0])
    tap.ok(good and all(open(s).read() == want for s in sums[1:3]) and again == want, "any grouping and -j: the same bytes")
    rows, data = run_of(sums[0]), process_of(sums[0])[1]
    tap.ok(data["NUM_RUNS"] == 130 and len(rows) == 100, "all runs are counted, and a hundred are kept", len(rows))
    tap.ok([r["START"] for r in rows] == sorted(r["START"] for f in files for r in run_of(f))[:100], "the first by their starts")
    status, out, err = command("check", sums[0])
    tap.ok(status == 0, "check finds nothing", out + err)
    status, out, err = command("report", sums[0])
    tap.ok("(and 129 more runs)" in out, "report tells what the sum is of", out[:300])
    one = command("merge", path)[1]
    tap.ok(json.loads(one)["PROCESSES"][1][1]["RUN"] == json.loads(text)["PROCESSES"][1][1]["RUN"]
           and "NUM_RUNS" not in one, "a sum of one run is that run")


def check_hostile(tap):
    """Wrong values give one clear line, and what is shown has no control characters."""
    path, _, why = harness.dcfg(tap, "hostile", ["/bin/true"])
    if not tap.ok(path, "a graph to spoil", why):
        return
    text = harness.read(path)

    def changed(column, value):
        def change(process):
            process[1]["RUN"][1][column] = value
        return change
    for name, change, word in (("number", changed(2, 7), "COMMAND_LINE"), ("list", changed(4, ["x"]), "START"),
                               ("id", changed(0, "x"), "PROCESS_ID"), ("id-sign", changed(0, -1), "PROCESS_ID")):
        bad = variant(tap, "bad-%s.json" % name, text, change)
        status, out, err = command("check", bad)
        tap.ok(status == 1 and any(word in x for x in out.splitlines()), "check: " + name, out + err)
    for name, change in (("time", changed(4, "yesterday")), ("rows", lambda p: p[1]["RUN"].append(p[1]["RUN"][1]))):
        bad = variant(tap, "bad-%s.json" % name, text, change)
        status, out, err = command("check", bad)
        tap.ok(status == 1 and len([x for x in out.splitlines() if x.startswith("run: ")]) == 1, "check: " + name, out + err)
    bad = variant(tap, "bad-clean.json", text, changed(2, "\x1b[31m\u202e\r\n x"))
    for args in (["report"], ["diff", path], ["list", os.path.dirname(bad)]):
        status, out, err = command(*args, *([] if args[0] == "list" else [bad]))
        tap.ok(not set(out + err) & set("\x1b\u202e\r"), args[0] + " is clean", out[:300])
    none = variant(tap, "none.json", text, lambda p: p[1].pop("RUN"))
    a, b = command("report", none), command("check", none)
    tap.ok(a[0] == b[0] == 0 and "valgrind-dcfg" not in a[1], "a graph without RUN", a[1][:300] + b[1])


def check_list(tap):
    folder = tap.path("many")
    pids = [start(folder, ["/bin/echo", "first"], "--trace=yes", "--callgrind=yes", "--xray=yes")[0],
            start(folder, ["/bin/echo", "second"], "--wet=yes")[0],
            start(folder, ["/bin/echo", "third"], "--dcfg-out-file=named.json")[0]]
    graphs = [os.path.join(folder, "dcfg.out.%d.json" % p) for p in pids[:2]] + [os.path.join(folder, "named.json")]
    for i, pid in enumerate(pids):           # times tell the order, and some file systems have only seconds
        for name in os.listdir(folder):
            if str(pid) in name.split(".") or name == os.path.basename(graphs[i]):
                os.utime(os.path.join(folder, name), (1000000000 + i, 1000000000 + i))
    data = harness.read(graphs[0], "rb")
    for name, part in (("dcfg.out.1.json", data[:100]), ("dcfg.out.2.json", data[:-20]), ("wet.out.3", b""), ("other.txt", b"x")):
        harness.write(os.path.join(folder, name), part)
        os.utime(os.path.join(folder, name), (900000000, 900000000))
    status, out, err = command("list", "--csv", folder)
    rows = table(out)
    by_name = {os.path.basename(r["file"]): r for r in rows}
    tap.ok(status == 0 and set(by_name) == set(os.listdir(folder)) - {"other.txt"}, "list: each recording is a row", out + err)
    for i, (graph, word) in enumerate(zip(graphs, ("first", "second", "third"))):
        r = by_name[os.path.basename(graph)]
        want = process_of(graph)
        tap.ok((r["command"], int(r["process_id"]), int(r["parent_id"]), int(r["instructions"]), r["start"], r["problem"])
               == ("/bin/echo " + word, want[0], os.getpid(), want[1]["INSTR_COUNT"], run_of(graph)[0]["START"], ""),
               "list: the run, " + word, r)
        tap.ok(r["beside"] == ("trace, log, map, profile", "wet", "")[i], "list: what lies beside it, " + word, r)
    tap.ok(by_name["dcfg-trace.out.%d.json" % pids[0]]["command"] == "/bin/echo first", "list: a trace is of the graph's run", out)
    tap.ok([r["file"] for r in rows if r["kind"] == "graph" and not r["problem"]] == graphs[::-1], "list: the newest first", out)
    broken = {n: r["problem"] for n, r in by_name.items() if r["problem"]}
    tap.ok(set(broken) == {"dcfg.out.1.json", "dcfg.out.2.json", "wet.out.3"}, "list: broken files are listed as such", broken)
    status, text, err = command("list", folder)
    tap.ok(status == 0 and text.splitlines()[0].startswith(graphs[2]) and max(map(len, text.splitlines())) <= 80 + len(folder),
           "list: text", text)
    status, out, err = command("list", "--json", folder)
    tap.ok([r["file"] for r in json.loads(out)] == [r["file"] for r in rows], "list --json has the same rows", err)
    # Without a name, commands read the file that list shows first.
    newest = {kind: next(os.path.basename(r["file"]) for r in rows if r["kind"] == kind and not r["problem"])
              for kind in ("graph", "wet", "log")}
    for args, kind in ((["report"], "graph"), (["wet", "--info"], "wet"), (["xray"], "log")):
        status, out, err = command(*args, cwd=folder)
        tap.ok(status == 0 and "reading %s," % newest[kind] in err, "%s reads the newest" % args[0], err)
    os.utime(graphs[0], (1000000009, 1000000009))
    status, out, err = command("trace", cwd=folder)
    tap.ok(status == 0 and "reading %s and dcfg-trace.out.%d.json" % (os.path.basename(graphs[0]), pids[0]) in err,
           "trace reads the newest graph's trace", err)
    status, out, err = command("list", tap.path("nothing"))
    tap.ok(status == 2 and len(err.splitlines()) == 1, "list: no such directory", err)
    status, out, err = command("list", graphs[0])
    tap.ok(status == 2 and len(err.splitlines()) == 1 and "no directory" in err, "list: a file", err)
    os.makedirs(tap.path("empty"))
    tap.ok(command("list", tap.path("empty")) == (0, "no recordings\n", ""), "list: an empty directory")


def main():
    tap = harness.Tap("list")
    check_run(tap)
    check_children(tap)
    check_sums(tap)
    check_hostile(tap)
    check_list(tap)
    tap.done()


main()
