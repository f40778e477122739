#!/usr/bin/python3
"""--calls=yes: who called whom, how often and at what cost.  (TAP)

Numbers of a small program follow from its source.  Those of real programs are Callgrind's of the same run, to the
instruction, for functions that do not call themselves; for those that do, they are the trace's.
"""
import collections
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, rules, table, write
from lifelib import callgrind_compare

LAST = 100      # instructions of the last superblock, which Callgrind does not count
PROG = harness.text("tool/calls.c")
COUNTS = {("main", "thrice"): 10, ("thrice", "twice"): 21, ("thrice", "leaf"): 21, ("twice", "leaf"): 42,
          ("main", "fib"): 1, ("fib", "fib"): 464 + 8, ("main", "even"): 1, ("even", "odd"): 5, ("odd", "even"): 4,
          ("odd", "leaf"): 5, ("main", "deep"): 1, ("deep", "deep"): 6, ("handle", "fib"): 1, ("handle", "leaf"): 2,
          ("work", "thrice"): 11}
NOW = dict(harness.ENV, LD_BIND_NOW="1")        # Callgrind does not always know the resolver


class Calls:
    """CALLS of a file's only process."""

    def __init__(self, path):
        with open(path) as f:
            self.p = json.load(f)["PROCESSES"][1][1]
        self.files = {}
        with open(path) as f:
            self.files = dict(map(tuple, json.load(f)["FILE_NAMES"][1:]))
        c = self.p["CALLS"]
        self.names, self.self, self.all, self.pairs = {}, {}, {}, {}
        symbols = {}
        for image, _, _, data in self.p["IMAGES"][1:]:
            for name, offset, _ in data.get("SYMBOLS", [[]])[1:]:
                symbols.setdefault((image, offset), []).append(name)
        paths = {image: self.files[data["FILE_NAME_ID"]] for image, _, _, data in self.p["IMAGES"][1:]}
        for number, image, offset, own, inclusive in c["FUNCTIONS"][1:]:
            self.names[number] = (os.path.basename(paths.get(image, "?")),
                                  symbols.get((image, offset), ["+" + offset]))
            self.self[number], self.all[number] = own, inclusive
        for caller, callee, counts, costs in c["PAIRS"][1:]:
            self.pairs[caller, callee] = (counts, costs)

    def by_name(self):
        """Returns {(caller, callee): [calls by thread, costs by thread]}, by each function's first name."""
        return {tuple(self.names[f][1][0] for f in pair): row for pair, row in self.pairs.items()}

    def number(self, name):
        return next((n for n, (_, names) in self.names.items() if name in names), None)


def program(tap):
    source = harness.written(tap, "prog.c", PROG)
    return harness.cc(tap, source, "prog", "-pthread", "-fno-optimize-sibling-calls")


def valgrind(tap, name, argv, *opts, env=NOW):
    out = tap.path(name + ".json")
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--calls=yes", "--dcfg-out-file=" + out, *opts, *argv],
                              tap.dir, env)
    return out, status, err


def check_numbers(tap, graph):
    c = Calls(graph)
    have = c.by_name()
    calls = {pair: sum(have[pair][0]) if pair in have else None for pair in COUNTS}
    tap.ok(calls == COUNTS, "calls", calls)
    threads = [n for n in have["work", "thrice"][0] if n]
    tap.ok(threads == [3, 8], "by thread", have["work", "thrice"])
    fib = c.number("fib")
    every = sum(c.all[fib])
    tap.ok(every == sum(have["main", "fib"][1]) + sum(have["handle", "fib"][1])
           and 0 < every - sum(have["fib", "fib"][1]) < 100,
           "recursion counts once", (c.all[fib], have["main", "fib"], have["fib", "fib"]))
    tap.ok(all(sum(own) == total for own, total in zip(zip(*c.self.values()), c.p["INSTR_COUNT_PER_THREAD"])),
           "self costs are all instructions")
    status, out, _ = command("check", graph)
    tap.ok(status == 0, "dcfg check", out)


def inclusive(*args):
    return {(r["image"], r["function"]): tuple(int(r[k]) for k in ("inclusive", "self", "calls"))
            for r in table(command("report", "--csv", "--top=0", "--inclusive", "--image=main", *args)[1])}


def check_trace(tap, graph, trace):
    """The trace has other rules for jumps between functions, of which the program has none."""
    ours, theirs = inclusive(graph), inclusive(graph, trace)
    names = ("leaf", "twice", "thrice", "fib", "even", "odd", "deep", "work", "main")
    rows = {n: (ours.get(("prog", n)), theirs.get(("prog", n))) for n in names}
    tap.ok(all(a and a[1] == b[1] for a, b in rows.values()), "self costs are the trace's", rows)
    # The trace's handler costs what it interrupted, too.
    tap.ok(all(a and a[0] == b[0] for n, (a, b) in rows.items() if n not in ("fib", "main")),
           "inclusive costs are the trace's, with recursion", rows)
    tap.ok(rows["fib"][0][0] == rows["fib"][1][0], "also behind a signal", rows["fib"])


def check_report(tap, graph):
    rows = table(command("report", "--csv", "--top=0", "--callers=leaf", graph)[1])
    have = Calls(graph).by_name()
    costs = [int(r["instructions"]) for r in rows]
    tap.ok({r["function"]: (int(r["calls"]), int(r["instructions"])) for r in rows}
           == {a: (sum(n), sum(c)) for (a, b), (n, c) in have.items() if b == "leaf"}
           and costs == sorted(costs, reverse=True), "--callers: the pairs, by cost", rows)
    tap.ok(abs(sum(float(r["share_of_function"]) for r in rows) - 1) < 1e-4, "shares of the function")
    rows = table(command("report", "--csv", "--top=0", "--callees=th*e", graph)[1])
    tap.ok({(r["of"], r["function"]) for r in rows} == {("thrice", "twice"), ("thrice", "leaf")}, "--callees=PATTERN", rows)
    rows = json.loads(command("report", "--json", "--callees=twice", graph)[1])["processes"][0]["callees"]
    tap.ok([(r["function"], r["calls"]) for r in rows] == [("leaf", 42)], "--json", rows)
    status, out, _ = command("report", "--callers=leaf", graph)
    tap.ok(status == 0 and "of callee" in out and "instructions" in out.split("Callers")[1] and "--calls=yes" not in out,
           "as text", out)
    rows = table(command("report", "--csv", "--callers=thrice", "--thread=1", graph)[1])
    tap.ok([(r["function"], r["calls"]) for r in rows] == [("work", "3")], "--thread", rows)
    # Both sections find a function by its own way.
    rows = table(command("report", "--csv", "--top=0", "--functions", "--image=main", graph)[1])
    want = {f: costs for (_, f), costs in inclusive(graph).items()}
    have = {r["function"]: tuple(int(r[k]) for k in ("inclusive", "self", "calls")) for r in rows}
    both = set(have) & set(want)
    tap.ok(len(both) > 6 and all(have[f][0] == want[f][0] and have[f][2] == want[f][2] for f in both),
           "--functions: what a function cost with what it called", [(f, have[f], want[f]) for f in sorted(both)])


def stacks_of(text):
    return {tuple(line.rsplit(" ", 1)[0].split(";")): int(line.rsplit(" ", 1)[1]) for line in text.splitlines()}


def check_flame(tap, graph, trace, without):
    """Without a trace, stacks are estimated: the sum is all instructions; what one function alone calls is exact."""
    status, out, err = command("flame", graph)
    have, want = stacks_of(out), stacks_of(command("flame", graph, trace)[1])
    tap.ok(status == 0 and sum(have.values()) == sum(want.values()) and "has calls, not stacks" in err, "flame: all instructions",
           err + str((sum(have.values()), sum(want.values()))))

    def below(stacks, name):
        return sum(n for stack, n in stacks.items() if name in stack)

    both = {name: (below(have, name), below(want, name)) for name in ("thrice", "twice", "fib", "even", "work")}
    tap.ok(all(0 < abs(a - b) * 100 <= b or a == b > 0 for a, b in both.values()), "flame: what calls cost, nearly", both)
    tap.ok(any(stack[-3:] == ("thrice", "twice", "leaf") for stack in have)
           and not any(("leaf", "twice") == pair for stack in have for pair in zip(stack, stack[1:])), "flame: who called whom")
    tap.ok("stacks estimated from recorded calls" in command("flame", "--svg", graph)[1], "flame: the picture says so")
    status, out, err = command("flame", "--diff", graph, graph)
    tap.ok(status == 0 and {line.split(" ")[-1] == line.split(" ")[-2] for line in out.splitlines()} == {True}, "flame --diff",
           out[:300] + err)
    for args, word in ((["--image=prog", graph], "need a trace"), (["--speedscope", graph], "not calls alone"),
                       ([without], "needs its DCFG-trace")):
        status, out, err = command("flame", *args)
        tap.ok(status == 2 and not out and word in err and len(err.splitlines()) == 1, "flame " + args[0], out[:300] + err)


def check_dot(tap, graph):
    c = Calls(graph)
    status, out, err = command("dot", "--callgraph", "--min=0", "--top=0", graph)
    names = dict(re.findall(r'(?m)^  f(\d+) \[label="([^\\"]*)', out))
    edges = {(names[a], names[b]): (cost, calls) for a, b, cost, calls in
             re.findall(r'f(\d+) -> f(\d+) .*tooltip="([\d,]+) instructions in ([\d,]+) calls', out)}
    have = c.by_name()
    wrong = [p for p in COUNTS if edges.get(p) != tuple("{:,}".format(sum(have[p][k])) for k in (1, 0))]
    tap.ok(status == 0 and not wrong, "dot --callgraph: costs and numbers of calls", err + str([(p, edges.get(p)) for p in wrong]))


def check_diff(tap, prog, graph, without):
    other, _, _ = valgrind(tap, "other", [prog, "more"])
    rows = {r["name"]: (r["a"], r["b"]) for r in
            table(command("diff", "--inclusive", "--share=0", "--csv", "--top=0", graph, other)[1])}
    costs = [{r["function"]: r["inclusive"] for r in table(command("report", "--csv", "--top=0", "--functions", f)[1])}
             for f in (graph, other)]
    wrong = [n for n in ("main", "twice", "thrice") if rows.get(n) != tuple(c[n] for c in costs)
             and costs[0][n] != costs[1][n]]
    tap.ok("main" in rows and "twice" in rows and not wrong, "diff --inclusive", [(n, rows.get(n)) for n in wrong])
    tap.ok("Functions with what they called" in command("diff", graph, other)[1], "diff: with calls, a section more")
    tap.ok("what they called" not in command("diff", without, other)[1], "diff: not if one has none")
    status, out, err = command("diff", "--inclusive", without, other)
    tap.ok(status == 2 and "--calls=yes" in err and len(err.splitlines()) == 1, "diff --inclusive without calls", err)


def check_without(tap, prog):
    graph, _, _ = harness.dcfg(tap, "without", [prog])
    status, out, _ = command("report", "--callers=leaf", graph)
    tap.ok(status == 0 and out.rstrip().split("\n")[-1].startswith("valgrind --tool=dcfg --calls=yes records")
           and "instructions" not in out.split("Callers")[1], "without calls: no costs, and how to get them", out)
    rows = table(command("report", "--csv", "--top=0", "--callers=*ea*", graph)[1])
    tap.ok({(r["function"], r["of"]) for r in rows} >= {("twice", "leaf"), ("thrice", "leaf"), ("odd", "leaf")},
           "without calls: a pattern", rows)
    status, out, err = command("report", "--inclusive", graph)
    tap.ok(status == 2 and "--calls=yes" in err and len(err.splitlines()) == 1, "without calls: --inclusive", err)
    return graph


def check_callgrind(tap, name, argv):
    """Pairs of functions that Callgrind does not separate by recursion, and that both name."""
    graph, status, err = valgrind(tap, name, argv)
    out = tap.path(name + ".callgrind")
    other, _ = harness.run([harness.VALGRIND, "--tool=callgrind", "--callgrind-out-file=" + out, *argv], tap.dir, NOW)
    tap.ok(status == other and os.path.exists(graph), name + ": both end alike", err)
    theirs, recursive = collections.Counter(), set()
    costs, own = collections.Counter(), collections.Counter()

    def key(f):
        return os.path.basename(f[0]), f[2].split("@@")[0].partition("'")[0]
    p = callgrind_compare.Profile(out)
    for (caller, callee, *_), (calls, cost) in p.sites.items():
        theirs[key(caller), key(callee)] += calls
        costs[key(caller), key(callee)] += cost
        recursive.update(key(f) for f in (caller, callee) if "'" in f[2])
    for f, (cost,) in p.self.items():
        own[key(f)] += cost
    c = Calls(graph)
    known = set(own) | {f for pair in theirs for f in pair}
    of = {}
    for number, (image, names) in c.names.items():
        for f in names:
            if (image, f) in known:
                of[number] = (image, f)
                break
    mine, my_costs, my_own = collections.Counter(), collections.Counter(), collections.Counter()
    for (caller, callee), (counts, cost) in c.pairs.items():
        if caller in of and callee in of:
            mine[of[caller], of[callee]] += sum(counts)
            my_costs[of[caller], of[callee]] += sum(cost)
    for number, f in of.items():
        my_own[f] += sum(c.self[number])
    wrong, compared, late = [], 0, 0
    for pair, calls in mine.items():
        if pair not in theirs or recursive & set(pair):
            continue
        compared += 1
        more = my_costs[pair] - costs[pair]
        if calls != theirs[pair] or (more and not (calls == 1 and 0 < more <= LAST)):
            wrong.append((pair, calls, theirs[pair], my_costs[pair], costs[pair]))
        late += more != 0
    tap.ok(not wrong and compared > 30 and late < 30, name + ": %d pairs are Callgrind's to the instruction" % compared,
           "\n".join(map(str, [compared, late] + wrong)))
    differ = {f: (n, own[f]) for f, n in my_own.items() if n != own[f] and not 0 < n - own[f] <= LAST}
    tap.ok(not differ and len(my_own) > 100, name + ": self costs, too", differ)
    status, out, _ = command("check", graph)
    tap.ok(status == 0, name + ": dcfg check", out)


def check_others(tap, prog, graph):
    """Other outputs do not change calls."""
    want = Calls(graph).by_name()
    want = {pair: [sum(n) for n in want[pair]] for pair in COUNTS}
    for opts in (["--callgrind=yes", "--callgrind-out-file=/dev/null"],
                 ["--xray=yes", "--xray-out-file=/dev/null", "--xray-map-file=/dev/null"],
                 ["--toggle-collect=nonesuch"]):
        out, _, err = valgrind(tap, "other", [prog], *opts)
        if opts[0].startswith("--toggle"):
            c = Calls(out)
            tap.ok(not c.pairs and not c.self, "nothing is collected: no calls", c.pairs)
            continue
        have = Calls(out).by_name()
        have = {pair: [sum(n) for n in have.get(pair, [])] for pair in COUNTS}
        tap.ok(have == want, "with " + opts[0], [(k, v, want[k]) for k, v in have.items() if v != want[k]] or err)
    out, _, _ = valgrind(tap, "toggled", [prog], "--toggle-collect=twice")
    c = Calls(out)
    tap.ok(sum(c.by_name()["twice", "leaf"][0]) == 42 and ("thrice", "leaf") not in c.by_name()
           and sum(c.self[c.number("main")]) == 0
           and command("check", out)[0] == 0, "--toggle-collect", c.by_name().keys())


def check_processes(tap, prog):
    """A child has its own calls, those after the fork."""
    out, _, err = valgrind(tap, "fork.%p", [prog, "x"])
    files = glob.glob(tap.path("fork.*.json"))
    counts = sorted(sum(Calls(f).by_name().get(("main", "twice"), ([0], 0))[0]) for f in files)
    tap.ok(counts == [1, 1] and all(command("check", f)[0] == 0 for f in files), "a fork", (counts, err))
    sums = tap.path("sum.json")
    status, text, err = command("merge", "-o", sums, *files)
    have, parts = Calls(sums).by_name(), [Calls(f).by_name() for f in files]
    want = {}
    for p in parts:
        for pair, (n, c) in p.items():
            old = want.setdefault(pair, [0, 0])
            want[pair] = [old[0] + sum(n), old[1] + sum(c)]
    tap.ok(status == 0 and {pair: [sum(n), sum(c)] for pair, (n, c) in have.items()} == want
           and command("check", sums)[0] == 0, "dcfg merge adds calls", text + err)
    twice = tap.path("twice.json")
    command("merge", "--partial", "-o", twice, files[0])
    command("merge", "-o", twice + "2", twice, files[1])
    with open(sums) as a, open(twice + "2") as b:
        tap.ok(a.read() == b.read(), "in any groups")
    return sums, files


def check_mixed(tap, with_calls, without):
    out = tap.path("mixed.json")
    status, _, err = command("merge", "-o", out, with_calls, without)
    with open(out) as f:
        p = json.load(f)["PROCESSES"][1][1]
    tap.ok(status == 0 and "CALLS" not in p and "--calls=yes" in err, "a sum with a run that has no calls has none", err)


def mutate(graph, out, change):
    with open(graph) as f:
        d = json.load(f)
    change(d["PROCESSES"][1][1]["CALLS"])
    write(out, d)


def check_rules(tap, graph):
    """Each law is broken once."""
    number = Calls(graph).number("thrice")

    def row(table, key):
        return next(r for r in table[1:] if r[0] == key)
    for rule, change in (("calls-self", lambda c: row(c["FUNCTIONS"], number)[3].__setitem__(0, 10 ** 9)),
                         ("calls-inclusive", lambda c: row(c["FUNCTIONS"], number)[4].__setitem__(0, 10 ** 9)),
                         ("calls-pair", lambda c: c["PAIRS"][1][3].__setitem__(0, 10 ** 15)),
                         ("thread-count", lambda c: c["PAIRS"][1][2].append(1)),
                         ("order", lambda c: c["PAIRS"].reverse() or c["PAIRS"].insert(0, c["PAIRS"].pop())),
                         ("unknown-id", lambda c: c["PAIRS"][1].__setitem__(1, 10 ** 6)),
                         ("duplicate-id", lambda c: c["FUNCTIONS"].append(list(c["FUNCTIONS"][1])))):
        out = tap.path("mutant.json")
        mutate(graph, out, change)
        status, text, _ = command("check", out)
        tap.ok(status == 1 and rule in rules(text), "check: " + rule, text[:2000])


def check_hostile(tap, graph):
    """One clear line, and no crash."""
    for what, change in (("an unknown function", lambda c: c["PAIRS"][1].__setitem__(0, 4000000000)),
                         ("an unknown image", lambda c: c["FUNCTIONS"][1].__setitem__(1, 77777)),
                         ("a far address", lambda c: c["FUNCTIONS"][-1].__setitem__(2, "0xffffffffffffffff")),
                         ("a negative cost", lambda c: c["FUNCTIONS"][1][3].__setitem__(0, -1)),
                         ("text for a list", lambda c: c["PAIRS"][1].__setitem__(2, "x")),
                         ("no table", lambda c: c.pop("PAIRS")),
                         ("a row too short", lambda c: c["PAIRS"].append([1]))):
        out = tap.path("hostile.json")
        mutate(graph, out, change)
        status, text, err = command("report", "--callers=leaf", out)
        tap.ok(status == 2 and len(err.splitlines()) == 1 and "hostile.json" in err, "hostile: " + what, text[:300] + err)
    out = tap.path("hostile.json")
    mutate(graph, out, lambda c: c["PAIRS"][1][2].extend([2 ** 64 - 1] * 1000))
    for args in (["report", "--callers=*", out], ["report", "--inclusive", out], ["check", out], ["flame", out],
                 ["dot", "--callgraph", out], ["diff", "--inclusive", out, out],
                 ["merge", "-o", tap.path("m.json"), out]):
        status, text, err = command(*args)
        tap.ok(0 <= status <= 2 and "Sanitizer" not in err, "hostile: more counts than threads, " + args[0], err)


def main():
    tap = harness.Tap("calls")
    prog = program(tap)
    trace = tap.path("trace.json")
    graph, status, err = valgrind(tap, "prog", [prog], "--trace=yes", "--trace-out-file=" + trace)
    if not tap.ok(status == 0 and os.path.exists(graph), "--calls=yes", err):
        tap.done()
    check_numbers(tap, graph)
    check_trace(tap, graph, trace)
    check_report(tap, graph)
    without = check_without(tap, prog)
    check_flame(tap, graph, trace, without)
    check_dot(tap, graph)
    check_diff(tap, prog, graph, without)
    check_others(tap, prog, graph)
    check_processes(tap, prog)
    check_mixed(tap, graph, without)
    check_rules(tap, graph)
    check_hostile(tap, graph)
    data = harness.written(tap, "data", "".join("%d\n" % (i * i) for i in range(900)))
    check_callgrind(tap, "bzip2", ["bzip2", "-c", data])
    check_callgrind(tap, "sqlite3", ["sqlite3", "-batch", "-init", "/dev/null", ":memory:",
                                     "create table t(a, b); insert into t values(1, 'x'), (2, 'y'), (3, 'z');"
                                     "create index i on t(b); select sum(a) from t where b > 'x' order by a;"])
    tap.done()


main()
