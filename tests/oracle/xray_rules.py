#!/usr/bin/python3
"""Every rule of an XRay log and its map, and what else is known of the run.

    xray_rules.py [OPTIONS] LOG [MAP]

    --instrs=N,N...        instructions of each thread: its last tick is one more
    --callgrind=PROFILE    the profile of the same run: calls and inclusive costs of functions
        --handlers             signals were handled.  In the log, interrupted functions pay for handlers; in the profile they
                           do not.  No function has called the first function of a handler.  So it is only checked
                           that there are enough calls
    --dcfg=DCFG --ids=PREFIX
                           the graph of the same run, and its trace as trace_decode.c writes it: PREFIX.THREAD has the
                           edges of that thread.  All calls are ENTERs, of the right function.

What is broken is printed as "RULE: TEXT", at most ten lines of each rule.  Exit status 0: no rule, 1: some.
"""
import array
import getopt
import os
import subprocess
import sys
from collections import Counter, defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import callgrind_compare
import dcfg_model
import xray_read

SHOWN = 10


class Report:
    def __init__(self):
        self.counts = Counter()
        self.lines = []

    def __call__(self, rule, text):
        self.counts[rule] += 1
        if self.counts[rule] <= SHOWN:
            self.lines.append("%s: %s" % (rule, text))


def plain(name):
    """Return a name as the map has it: llvm-xray does not escape names in JSON."""
    return name.replace('"', "'").replace("\\", "/")


def check_log(log, report, open_calls=False):
    """Return the calls of each thread by its number."""
    first = None
    out = {}
    for number, t in log.threads.items():
        if not t.events:
            if len(log.threads) > 1:    # a run without code has a thread without events
                report("thread", "%d has no events" % number)
            continue
        if t.events[0].action not in (xray_read.ENTER, xray_read.ENTER_ARGS):
            report("thread", "%d begins with %s" % (number, xray_read.ACTIONS[t.events[0].action]))
        if first is None:
            first = t.events[0].tick
        if t.events[0].tick != first or first != 1:
            report("first tick", "thread %d: %d" % (number, t.events[0].tick))
        last = first
        for e in t.events:
            if e.tick < last:
                report("tick", "thread %d: %d behind %d" % (number, e.tick, last))
            last = e.tick
            if e.args is not None and len(e.args) != 6:
                report("argument", "thread %d at %d: %d of them" % (number, e.tick, len(e.args)))
        out[number] = xray_read.calls(t, report, open_calls)
    return out


def check_times(log, report):
    """Check that threads have turns: no two run at one time.  A thread has run from one record to the next if nobody else
    has run between."""
    spans = []
    for number, t in log.threads.items():
        for a, b in zip(t.events, t.events[1:]):
            if b.time - a.time == b.tick - a.tick and b.tick > a.tick:
                spans.append((a.time, b.time, number))
    spans.sort()
    for (_, end, one), (begin, _, other) in zip(spans, spans[1:]):
        if begin < end:
            report("time", "thread %d runs to %d, and thread %d from %d on" % (one, end, other, begin))


def check_map(log, names, report):
    used = {e.id for t in log.threads.values() for e in t.events}
    for number in sorted(used):
        if number not in names:
            report("map", "function %d is not in there" % number)
    for n, name in names.items():
        if '"' in name.name or "\\" in name.name or not name.name:
            report("map", "function %d is %r" % (n, name.name))


def check_instrs(log, counts, report):
    for i, n in enumerate(counts):
        t = log.threads.get(i + 1)
        if t is None:
            if n:
                report("instrs", "thread %d is not there" % (i + 1))
        elif t.events[-1].tick != n + 1:
            report("instrs", "thread %d: the last tick is %d, not %d + 1" % (i + 1, t.events[-1].tick, n))
    last = max((t.events[-1].time for t in log.threads.values() if t.events), default=0)
    if last > 1 + sum(counts):
        report("time", "%d, and all have executed %d" % (last, sum(counts)))


def check_profile(all_calls, names, path, handlers, report):
    """Compare functions by (object, file, name).  A thread's first function has no call in the profile.  A function
    that returned without a known caller was called, in the profile."""
    profile = callgrind_compare.Profile(path)
    want = defaultdict(lambda: [0, 0])
    for (_, callee, _, _), (n, cost) in profile.sites.items():
        # Callgrind's mark of a function that is active already.
        key = (callee[0], callee[1], plain(callee[2][:-2] if callee[2].endswith("'2") else callee[2]))
        want[key][0] += n
        want[key][1] += cost
    got = defaultdict(lambda: [0, 0])
    roots = Counter()
    cost_of_roots = Counter()
    for calls in all_calls.values():
        for c in calls:
            n = names.get(c.id)
            if n is None:
                continue
            key = (n.object, n.file, n.name)
            got[key][0] += 1
            got[key][1] += c.over - c.start
            if c.depth == 0:
                roots[key] += 1
                cost_of_roots[key] += c.over - c.start
    for key in sorted(set(want) | set(got), key=str):
        calls, cost = got[key]
        less, without = (calls - roots[key], cost - cost_of_roots[key]) if roots[key] else (calls, cost)
        good = want[key] in ([calls, cost], [less, without])
        if handlers:
            good = want[key][0] <= calls
        # If there are several first functions, each may have been called or not.
        if not good and roots[key]:
            good = less <= want[key][0] <= calls and without <= want[key][1] <= cost
        if not good:
            report("profile", "%s %s %s: %d calls, %d instructions; in the profile %d and %d"
                   % (key + (calls, cost) + tuple(want[key])))


def stub_ranges(path, load):
    """Return the linkage tables of an object that is loaded at LOAD, as (start, end)."""
    path = dcfg_model.file_of_image(path)
    if not os.path.isfile(path):
        return []
    with open(path, "rb") as f:
        if f.read(18)[16:17] == b"\x02":         # ET_EXEC: loaded where it was linked
            load = 0
    r = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = []
    for line in r.stdout.decode(errors="replace").splitlines():
        _, _, row = line.partition("] ")
        words = row.split()
        if len(words) > 4 and words[0].startswith(".plt"):
            start = load + int(words[2], 16)
            out.append((start, start + int(words[4], 16)))
    return out


class Graph:
    def __init__(self, path, report):
        p = dcfg_model.load(path, lambda rule, text: None)[0]
        self.per_thread = p.per_thread
        self.edges = {e.id: e for e in p.edges}
        self.blocks = p.blocks
        self.stubs, self.symbols = [], []
        for image in p.images:
            self.stubs += stub_ranges(image.name, image.load)
        self.is_stub = {b.id: any(s <= b.start < e for s, e in self.stubs) for b in p.blocks.values()}


def check_calls(log, graph, prefix, report):
    """Check that each call edge is an ENTER at its tick; if it leads into a linkage table, the ENTER is at the tick
    when that is left."""
    for t in range(len(graph.per_thread)):
        path = "%s.%d" % (prefix, t)
        if not os.path.exists(path):
            continue
        ids = array.array("I")
        with open(path, "rb") as f:
            ids.frombytes(f.read())
        thread = log.threads.get(t + 1)
        if thread is None:
            report("trace", "thread %d is not in the log" % (t + 1))
            continue
        entered = {e.tick for e in thread.events if e.action in (xray_read.ENTER, xray_read.ENTER_ARGS)}
        tick, called, missing = 1, False, 0
        for i in ids:
            e = graph.edges[i]
            block = graph.blocks.get(e.src)
            if block is not None:
                tick += block.ninstr
            if e.type in dcfg_model.CALLS:
                called = True
            if called and not graph.is_stub.get(e.dst, False):
                called = False
                if e.dst in graph.blocks and tick not in entered:
                    missing += 1
                    report("trace", "thread %d: the call to %#x at tick %d is no ENTER"
                           % (t + 1, graph.blocks[e.dst].start, tick))
        if thread.events[-1].tick > tick:
            report("trace", "thread %d: %d ticks, the trace has %d" % (t + 1, thread.events[-1].tick, tick))


def check(log_path, map_path=None, instrs=None, callgrind=None, handlers=False, dcfg=None, ids=None):
    """Return the violations, one on a line."""
    report = Report()
    log = xray_read.Log(log_path, report)
    all_calls = check_log(log, report)
    check_times(log, report)
    names = None
    if map_path:
        names = xray_read.Map(map_path, report).names
        check_map(log, names, report)
    if instrs is not None:
        check_instrs(log, instrs, report)
    if callgrind and not report.lines:
        check_profile(all_calls, names, callgrind, handlers, report)
    if dcfg:
        graph = Graph(dcfg, report)
        check_instrs(log, graph.per_thread, report)
        if ids:
            check_calls(log, graph, ids, report)
    return report.lines, log, names


def main(argv):
    opts, args = getopt.getopt(argv, "", ["instrs=", "callgrind=", "handlers", "dcfg=", "ids="])
    if not 1 <= len(args) <= 2:
        sys.exit(__doc__)
    o = {k[2:]: v or True for k, v in opts}
    if "instrs" in o:
        o["instrs"] = [int(n) for n in o["instrs"].split(",")]
    lines, _, _ = check(*args, **o)
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
