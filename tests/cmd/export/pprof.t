#!/usr/bin/python3
"""dcfg export --pprof, read by a decoder of its own: what each function cost, alone and with what it called, is what the
report says, also with inlined functions and for each thread.  go tool pprof reads it, if it is there.  (TAP)
"""
import collections
import gzip
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command


def varint(data, at):
    n = shift = 0
    while True:
        n |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return n, at


def fields(data):
    """Yields (number, value) of a message: numbers, and bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
            if len(value) != n:
                raise ValueError("a field is cut off")
        else:
            raise ValueError("kind %d" % (key & 7))
        yield key >> 3, value


def message(data):
    """Returns {field: [values]}."""
    m = collections.defaultdict(list)
    for number, value in fields(data):
        m[number].append(value)
    return m


def numbers(values):
    """Returns a repeated number, packed or not."""
    out = []
    for v in values:
        if isinstance(v, int):
            out.append(v)
            continue
        at = 0
        while at < len(v):
            n, at = varint(v, at)
            out.append(n)
    return out


class Profile:
    """.samples: (thread, instructions, frames from the innermost on), a frame a list of (function, line), the innermost
    inlined function first.  .mappings: {id: (start, limit, path, build id)}; .places: {id: (mapping, address)}."""

    def __init__(self, path):
        with gzip.open(path) as f:
            p = message(f.read())
        self.texts = [t.decode() for t in p[6]]
        text = self.texts.__getitem__

        def one(m, number):
            return m[number][0] if m[number] else 0
        self.type = [(text(one(m, 1)), text(one(m, 2))) for m in map(message, p[1])]
        functions = {one(m, 1): (text(one(m, 2)), text(one(m, 4))) for m in map(message, p[5])}
        self.mappings = {one(m, 1): (one(m, 2), one(m, 3), text(one(m, 5)), text(one(m, 6))) for m in map(message, p[3])}
        self.places, frames = {}, {}
        for m in map(message, p[4]):
            self.places[one(m, 1)] = one(m, 2), one(m, 3)
            frames[one(m, 1)] = [(functions[one(line, 1)][0], one(line, 2)) for line in map(message, m[4])]
        self.samples = []
        for m in map(message, p[2]):
            label = message(m[3][0])
            if text(one(label, 1)) != "thread":
                raise ValueError("a label %s" % text(one(label, 1)))
            values = numbers(m[2])
            if len(values) != 1:
                raise ValueError("values")
            self.samples.append((int(re.fullmatch(r"thread (\d+)", text(one(label, 2))).group(1)), values[0], [frames[i] for i in numbers(m[1])]))
        self.comment = [text(n) for n in numbers(p[13])]

    def costs(self, inlined, thread=None):
        """Returns {function: [self, inclusive]}, as pprof adds up, without inlined functions or with them; and the pairs of
        caller and callee."""
        sums, pairs = collections.defaultdict(lambda: [0, 0]), collections.Counter()
        for t, n, frames in self.samples:
            if thread not in (None, t):
                continue
            stack = [f for frame in frames for f, _ in (frame if inlined else frame[-1:])]
            if not stack:
                continue
            sums[stack[0]][0] += n
            for f in set(stack):
                sums[f][1] += n
            for pair in set(zip(stack[1:], stack)):
                pairs[pair] += n
        return dict(sums), pairs


def report(*args):
    status, out, err = command("report", "--csv", "--top=99999", *args)
    rows = [dict(zip(out.splitlines()[0].split(","), line.split(","))) for line in out.splitlines()[1:]]
    sums = collections.defaultdict(lambda: [0, 0])
    for r in rows:
        name = r.get("function") or r.get("routine")
        sums[name][0] += int(r.get("self") or r["instructions"])
        sums[name][1] += int(r["inclusive"])
    return {f: n for f, n in sums.items() if n != [0, 0]}


def check_program(tap, name, graph, trace):
    out = tap.path(name + ".pb.gz")
    status, said, err = command("export", "--pprof=" + trace, "-o", out, graph)
    if not tap.ok(status == 0 and not said and "go tool pprof -top" in err, name + ": a profile", err):
        return None
    try:
        p = Profile(out)
    except (ValueError, IndexError, KeyError, OSError) as e:
        tap.ok(False, name + ": of the right form", repr(e))
        return None
    total = int(re.search(r"([\d,]+) instructions in", command("report", "--top=1", graph)[1]).group(1).replace(",", ""))
    tap.ok(p.type == [("instructions", "count")] and sum(n for _, n, _ in p.samples) == total, name + ": all instructions",
           "%s %d %d" % (p.type, sum(n for _, n, _ in p.samples), total))
    want = report("--inclusive", graph, trace)
    got = p.costs(False)[0]
    tap.ok(got == want, name + ": functions, alone and with what they called", "\n".join(
        "%s: %s, report %s" % (f, got.get(f), want.get(f)) for f in sorted(set(got) | set(want)) if got.get(f) != want.get(f)))
    bad = [(hex(a), p.mappings.get(m)) for m, a in p.places.values() if m and not p.mappings[m][0] <= a < p.mappings[m][1]]
    tap.ok(not bad, name + ": places are in their mappings", bad)
    ids = {path: build for _, _, path, build in p.mappings.values() if build}
    notes = subprocess.run(["readelf", "-n", tap.path(name)], stdout=subprocess.PIPE).stdout.decode()
    tap.ok(ids.get(tap.path(name), "none") in notes, name + ": its build id", "%s %s" % (ids, notes))
    for t in sorted({t for t, _, _ in p.samples}):
        one, want = p.costs(False, t)[0], report("--inclusive", "--thread=%d" % t, graph, trace)
        tap.ok(one == want, name + ": functions of thread %d" % t, [f for f in set(one) | set(want) if one.get(f) != want.get(f)])
    # The stacks of dcfg flame, which walks itself: pairs of caller and callee.
    pairs = collections.Counter()
    for line in command("flame", "--inline", graph, trace)[1].splitlines():
        stack, n = line.rsplit(" ", 1)
        names = [f[:-4] if f.endswith("_[i]") else f for f in stack.split(";")]
        for pair in set(zip(names, names[1:])):
            pairs[pair] += int(n)
    ours = p.costs(True)[1]
    tap.ok(ours == pairs and len(pairs) > 20, name + ": callers and callees, inlined ones too",
           "\n".join("%s: %s, flame %s" % (k, ours[k], pairs[k]) for k in sorted(set(ours) | set(pairs)) if ours[k] != pairs[k]))
    go = shutil.which("go") or shutil.which("pprof")
    if go:
        argv = [go, "tool", "pprof"] if go.endswith("go") else [go]
        r = subprocess.run(argv + ["-top", "-noinlines", "-nodecount=99999", "-nodefraction=0", out], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env=dict(harness.ENV, HOME=tap.dir))
        top = dict((m.group(2), int(m.group(1))) for m in re.finditer(r"^ *(\d+) .*% +\d+ +[\d.]+% +(.*?)(?: \(inline\))?$",
                                                                       r.stdout.decode(), re.M))
        tap.ok(top and all(got[f][0] == n for f, n in top.items()), name + ": pprof reads it", r.stdout.decode()[:900])
    else:
        tap.skip(name + ": pprof reads it", "go is not installed")
    return p


def recorded(tap, name, argv):
    graph, trace = tap.path(name + ".json"), tap.path(name + ".trace")
    r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--trace=yes", "--dcfg-out-file=" + graph,
                        "--trace-out-file=" + trace] + argv, env=harness.ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    tap.ok(r.returncode == 0 and os.path.exists(trace), name + ": a trace", r.stderr.decode())
    return graph, trace


def main():
    tap = harness.Tap("pprof")
    program = harness.program(tap, "export/stacks.c", "-O2", "-pthread")
    if program:
        graph, trace = recorded(tap, "stacks", [program])
        p = check_program(tap, "stacks", graph, trace)
        if p:
            # Lines of calls: where area was inlined into work.
            calls = {(f, g): m for _, _, frames in p.samples for frame in frames for (f, _), (g, m) in zip(frame, frame[1:])}
            text = harness.text("export/stacks.c").splitlines()
            tap.ok(("area", "work") in calls and "area(" in text[calls["area", "work"] - 1], "the line that calls what was inlined",
                   calls)
            tap.ok(p.comment and "stacks" in p.comment[0], "the command line", p.comment)
        for args, why in ((["--pprof", graph], "needs"), (["--pprof=" + graph, graph], "needs the DCFG-trace"),
                          (["--pprof=" + trace, "--function=work", graph], "whole files")):
            status, out, err = command("export", *args)
            tap.ok(status == 2 and not out and why in err, "refused: " + " ".join(args).replace(tap.dir, ""), out + err)
        a, b = tap.path("a.gz"), tap.path("b")
        for out in a, b:
            command("export", "--pprof=" + trace, "-o", out, graph)
        tap.ok(open(a, "rb").read() == open(b, "rb").read(), "the same bytes, whatever the name")
    tap.done()


main()
