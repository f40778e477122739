#!/usr/bin/python3
"""`dcfg check` finds what it claims to find.  (TAP)

A small right file, and a trace of it.  Each test breaks one of them in one way and expects the one rule that forbids
it.  If one error necessarily breaks others, these are named behind it.  At the end every rule in the command's source,
or in the list in dcfg.h, must have been seen.
"""
import bz2
import glob
import gzip
import json
import lzma
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command, rules, small as s

P, D = s.proc, s.data


def columns(tables, i, j):
    """Exchanges two columns of these tables, which may have the same header."""
    for row in {id(row): row for table in tables for row in table}.values():
        s.swap(row, i, j)


# Errors of the text itself, not of its contents.
TEXTS = [
    ("duplicate-key", lambda t: t.replace('"MAJOR_VERSION": 1', '"MAJOR_VERSION": 1, "MAJOR_VERSION": 1')),
    ("string", lambda t: t.replace("/src/prog.c", "/src/pr\udcffog.c")),
]

TESTS = [
    # found by loading
    ("type", lambda d: D(d).update(SYMBOLS=5)),
    ("type", lambda d: s.set_at(D(d)["SYMBOLS"][1], 0, 5)),
    ("number conservation", lambda d: s.edge(d, 4, 15).__setitem__(4, [-1, 1])),
    ("number", lambda d: s.set_at(P(d)["EDGES"][-1], 0, 0x80000000)),
    ("number", lambda d: s.set_at(D(d)["SYMBOLS"][1], 1, "0x1g")),
    ("missing", lambda d: D(d)["SYMBOLS"][1].pop()),
    ("missing", lambda d: D(d).pop("FILE_NAME_ID")),
    ("missing", lambda d: P(d).pop("INSTR_COUNT")),
    ("duplicate-column column", lambda d: D(d)["SYMBOLS"][0].append("SIZE")),
    ("duplicate-id order", lambda d: s.set_at(P(d)["EDGES"][2], 0, 1)),
    ("duplicate-id file-ids unknown-id", lambda d: s.set_at(d["FILE_NAMES"][3], 0, 2)),
    ("duplicate-id", lambda d: s.set_at(s.image(d, 2), 0, 1)),
    ("duplicate-node routine-exits", lambda d: s.routine(d, 12)[2].append([11, 12])),
    ("duplicate-node loop-back-edges loop-members", lambda d: s.routine(d, 4)[3].insert(2, [7, [7], [7], 6])),
    ("unknown-id", lambda d: s.set_at(s.edge(d, 5, 6), 3, 99)),
    ("unknown-id", lambda d: s.set_at(D(d)["SOURCE_DATA"][1], 0, 9)),
    ("unknown-id missing", lambda d: D(d).update(FILE_NAME_ID=9)),
    ("unknown-id edge-ends", lambda d: s.add_edge(d, 5, 40, "FALL_THROUGH", 1, 0)),
    ("loop-parent", lambda d: s.routine(d, 4)[3][1].append(7)),
    ("address symbols", lambda d: s.set_at(D(d)["SYMBOLS"][2], 1, "0xffffffffffffff00")),
    ("key", lambda d: d.update(EXTRA=1)),
    ("key", lambda d: P(d).update(NOTE="x")),
    ("key", lambda d: D(d).update(NOTE="x")),
    ("column", lambda d: D(d)["SYMBOLS"][0].append("KIND")),
    ("column-order", lambda d: columns([D(d, 1)["SYMBOLS"], D(d, 2)["SYMBOLS"]], 0, 2)),
    ("duplicate-edge edge-zero", lambda d: [s.set_at(s.edge(d, 17, 5), 4, [0, 0]),
                                            s.add_edge(d, 17, 5, "RETURN", 1, 0)]),
    ("row-length", lambda d: D(d)["SYMBOLS"][1].append(7)),
    ("number-style", lambda d: s.set_at(s.block(d, 5), 1, 0x108)),
    ("number-style", lambda d: s.set_at(s.block(d, 5), 2, "0x2")),
    ("number-style", lambda d: s.set_at(s.image(d), 1, 0x400000)),
    ("missing-table unknown-id missing", lambda d: d.pop("FILE_NAMES")),
    ("loop-columns", lambda d: s.routine(d, 4)[3][3].append(0)),
    ("loops-empty", lambda d: s.routine(d, 12).append([s.HEAD["LOOPS"]])),
    # names
    ("version", lambda d: d.update(MINOR_VERSION=1)),
    ("special-nodes", lambda d: d["SPECIAL_NODES"].pop()),
    ("special-nodes", lambda d: s.set_at(d["SPECIAL_NODES"][3], 1, "NOWHERE")),
    ("edge-type-name", lambda d: s.set_at(d["EDGE_TYPES"][s.TYPE_ID["SYSTEM_RETURN"]], 1, "SYSRET")),
    ("edge-type-name", lambda d: s.set_at(d["EDGE_TYPES"][s.TYPE_ID["SYSTEM_RETURN"]], 1, "RETURN")),
    ("file-ids", lambda d: s.set_at(d["FILE_NAMES"][3], 0, 4)
        or [s.set_at(r, 0, 4) for r in D(d)["SOURCE_DATA"][1:]]),
    ("file-repeated", lambda d: s.set_at(d["FILE_NAMES"][3], 1, "/bin/prog")),
    ("processes", lambda d: d["PROCESSES"].append([4712, commandlib.copy_of(P(d))]), "--writer=valgrind"),
    ("process-id", lambda d: s.set_at(d["PROCESSES"][1], 0, 0)),
    ("order", lambda d: s.swap(P(d)["EDGES"], 3, 4)),
    ("order", lambda d: s.swap(D(d)["ROUTINES"], 1, 2)),
    ("order", lambda d: s.routine(d, 4)[1].reverse()),
    ("order", lambda d: s.swap(s.routine(d, 4)[3], 1, 2)),
    ("run", lambda d: s.run(d, [1, 1, "a", "/", "yesterday", "1", ""])),
    # images, symbols, source lines, blocks
    ("image-range", lambda d: s.set_at(s.image(d), 2, 0) or D(d).update(
        SYMBOLS=D(d)["SYMBOLS"][:1], SOURCE_DATA=D(d)["SOURCE_DATA"][:1]), "block-image"),
    ("symbols", lambda d: s.set_at(D(d)["SYMBOLS"][2], 2, 0x10000)),
    ("symbols", lambda d: s.set_at(D(d)["SYMBOLS"][2], 0, "")),
    ("source-shape", lambda d: s.set_at(D(d)["SOURCE_DATA"][1], 4, 0)),
    ("source-overlap source-instrs", lambda d: s.set_at(D(d)["SOURCE_DATA"][1], 3, 10)
        or s.set_at(D(d)["SOURCE_DATA"][1], 4, 3)),
    ("source-executed", lambda d: D(d)["SOURCE_DATA"].append([3, 20, "0x12c", 4, 1])),
    ("source-instrs", lambda d: s.set_at(D(d)["SOURCE_DATA"][1], 4, 3)),
    ("block-ids", lambda d: s.renumber(d, 17, 18)),
    ("block-order", lambda d: s.set_at(s.block(d, 16), 1, "0x8")),
    ("block-image symbols", lambda d: s.set_at(s.image(d, 2), 2, 0x32)),
    ("block-shape", lambda d: s.set_at(s.block(d, 15), 4, 3)),
    ("block-shape", lambda d: s.set_at(s.block(d, 15), 4, 0)),
    ("block-shape", lambda d: s.set_at(s.block(d, 15), 2, 0x11)),
    *[("instr-sizes", lambda d, wrong=wrong: D(d).update(INSTR_SIZES=wrong)) for wrong in s.WRONG_SIZES],
    ("block-overlap", lambda d: s.set_at(s.block(d, 15), 2, 0x12) or s.set_at(s.block(d, 15), 4, 0x10)),
    ("block-overlap", lambda d: s.overlap_end(d)),
    ("block-executed block-count", lambda d: s.set_at(s.block(d, 5), 5, 0)),
    ("block-count", lambda d: s.set_at(s.block(d, 5), 5, 2)),
    ("block-count", lambda d: s.block(d, 5).pop()),
    ("routines-empty routine-one routine-division", lambda d: D(d, 2).update(ROUTINES=D(d, 2)["ROUTINES"][:1])),
    ("thread-count", lambda d: P(d).update(INSTR_COUNT_PER_THREAD=[])),
    ("missing", lambda d: P(d).pop("IMAGES") and P(d).pop("EDGES"), "instr-count instr-count-thread thread-count"),
    # edges
    ("thread-count", lambda d: s.edge(d, 5, 6)[4].append(0)),
    ("edge-zero", lambda d: s.add_edge(d, 17, 14, "RETURN", 0, 0)),
    ("edge-type-vague", lambda d: s.retype(d, 15, 17, "UNCONDITIONAL_BRANCH")),
    ("edge-ends", lambda d: s.add_edge(d, 5, 3, "FALL_THROUGH", 1, 0)),
    ("edge-ends", lambda d: s.retype(d, 14, 2, "FALL_THROUGH")),
    ("conservation", lambda d: s.shift(d, 4, 5)),
    ("entry-exit", lambda d: s.second_start(d), "--writer=valgrind"),
    ("instr-count-thread", lambda d: s.set_at(P(d)["INSTR_COUNT_PER_THREAD"], 0, 30)
        or P(d).update(INSTR_COUNT=30 + P(d)["INSTR_COUNT_PER_THREAD"][1])),
    ("instr-count", lambda d: P(d).update(INSTR_COUNT=P(d)["INSTR_COUNT"] + 1)),
    ("out-edges", lambda d: s.retype(d, 6, 9, "DIRECT_UNCONDITIONAL_BRANCH")),
    ("out-edges", lambda d: s.retype(d, 6, 7, "DIRECT_CONDITIONAL_BRANCH")),
    ("fall-through", lambda d: s.retype(d, 8, 6, "FALL_THROUGH")),
    ("rep", lambda d: s.retype(d, 7, 7, "REP")),
    ("system-call-bypass", lambda d: s.retype(d, 8, 6, "SYSTEM_CALL_BYPASS")),
    ("call-bypass", lambda d: s.add_edge(d, 5, 9, "CALL_BYPASS", 0, 0) or s.reroute(d)),
    ("call-bypass-count", lambda d: s.count_bypass(d)),
    ("call-bypass-missing", lambda d: s.drop_bypass(d)),
    ("context-bypass", lambda d: s.add_edge(d, 5, 9, "CONTEXT_CHANGE_BYPASS", 0, 0) or s.reroute(d)),
    # routines and loops
    ("routine-image routine-entry routine-exits routine-reach",
     lambda d: [s.routine(d, 17)[2].pop(), s.routine(d, 4)[2].append([17, 4])]),
    ("routine-one routine-division", lambda d: D(d, 2).pop("ROUTINES")),
    ("routine-entry", lambda d: s.set_at(s.routine(d, 12)[2][1], 1, 13)),
    ("routine-division routine-reach", lambda d: s.drop_edge(d, 13, 14)),
    ("routine-idom", lambda d: s.set_at(s.routine(d, 4)[2][6], 1, 5)),
    ("routine-exits", lambda d: s.routine(d, 4)[1].pop()),
    ("routine-exits", lambda d: s.set_at(s.routine(d, 4), 1, [4, 5, 11])),
    ("routine-division", lambda d: s.divide(d)),
    ("routine-division", lambda d: s.merge(d)),
    ("loop-missing", lambda d: s.routine(d, 4)[3].pop()),
    ("loop-false", lambda d: s.routine(d, 4)[3].append([10, [10], [10]])),
    ("loop-back-edges", lambda d: s.set_at(s.routine(d, 4)[3][1], 1, [7, 8])),
    ("loop-members", lambda d: s.set_at(s.routine(d, 4)[3][1], 2, [6, 7])),
    ("loop-parent", lambda d: s.routine(d, 4)[3][2].pop()),
]


# ---- traces ------------------------------------------------------------------------------------------------------

def row(t):
    return t["PROCESSES"][1]


def chunk(t, thread, n):
    return row(t)[3][thread + 1][1][n + 1]


def grow(seq, n, by=1):
    seq[n] += by


def walk(d, change, n=8):
    """Makes a trace with other paths; CHANGE gets the edges of thread 0."""
    ways = {t: commandlib.edges_of(d, way) for t, way in commandlib.WAYS.items()}
    change(ways[0])
    return commandlib.encode(d, ways, n)


def edge_id(d, a, b):
    return s.edge(d, a, b)[0]


# Change the trace, or make another one from the file.
TRACES = [
    ("trace-process", lambda t: s.set_at(row(t), 0, 4712)),
    ("trace-thread", lambda t: s.set_at(row(t)[3][2], 0, 5)),
    ("trace-thread", lambda t: row(t)[3].append(commandlib.copy_of(row(t)[3][2]))),
    ("trace-thread", lambda t: s.set_at(row(t), 3, row(t)[3][:1])),
    ("trace-thread", lambda t: row(t)[3].pop()),
    ("trace-thread", lambda t: row(t)[3].pop(1)),
    ("trace-preceding", lambda t: grow(chunk(t, 0, 1), 0)),
    ("trace-preceding", lambda t: grow(chunk(t, 0, 1), 0, -1)),
    ("trace-instrs trace-preceding trace-thread-instrs", lambda t: grow(chunk(t, 0, 0), 1)),
    ("trace-instrs trace-thread-instrs", lambda t: grow(chunk(t, 1, 0), 1)),
    ("trace-chunk-empty", lambda t: row(t)[3][2][1].append([27, 0, 0, 1, ""])),
    ("trace-sequence", lambda t: grow(chunk(t, 1, 0), 4, "A")),
    ("trace-sequence", lambda t: s.set_at(chunk(t, 0, 1), 4, "")),
    ("trace-sequence", lambda t: grow(chunk(t, 0, 1), 4, "*")),
    ("transition", lambda t: row(t)[2].append(commandlib.copy_of(row(t)[2][1]))),
    ("dictionary", lambda t: row(t)[1].update(a="A<b>", b="A<a>")),
    ("column-order", lambda t: columns([r[1] for r in row(t)[3][1:]], 1, 2)),
]
WALKS = [
    ("trace-edge", lambda d, w: s.set_at(w, 5, 99), "trace-preceding trace-instrs trace-thread-instrs"),
    ("trace-path", lambda d, w: w.__delitem__(5), "trace-edge-count trace-thread-instrs"),
    ("trace-entry", lambda d, w: w.__delitem__(0), "trace-edge-count trace-thread-instrs"),
    ("trace-exit", lambda d, w: w.pop()),
    ("trace-edge-count", lambda d, w: w.insert(6, edge_id(d, 7, 7)), "trace-thread-instrs"),
    ("trace-thread-instrs", lambda d, w: w.insert(6, edge_id(d, 7, 7)), "trace-edge-count"),
]


# ---- all of it ---------------------------------------------------------------------------------------------------

def defined_rules():
    found = set()
    # cmd/xray.t tests the rules of logs.
    for path in glob.glob(os.path.join(harness.SRCDIR, "cmd", "*", "[!x]*.c")):
        found |= set(re.findall(r'broken\([^"]*?,\s*"([a-z-]+)"', open(path).read()))
    text = open(os.path.join(harness.SRCDIR, "lib", "dcfg.h")).read()
    text = text[text.index("The rules, by name"):]
    text = text[:text.index("*/")]
    found |= set(re.findall(r"^ {6}(?:RULE|SURFACE|) *([a-z][a-z-]+)  ", text, re.M))
    return found


def main():
    tap = harness.Tap("command_rules")
    path, trace = tap.path("x.json"), tap.path("x.trace.json")
    good = s.good()
    text = json.dumps(good)

    commandlib.write(path, good)
    status, out, err = command("check", path)
    tap.ok(status == 0 and out.endswith(": 0 violations\n") and not err, "the good file", out + err)
    for n in (1, 3, 8, 100):
        commandlib.write(trace, commandlib.good_trace(good, n))
        status, out, err = command("check", path, trace)
        tap.ok(status == 0 and not err, "a good trace with %d edges in a chunk" % n, out + err)
    for suffix, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        harness.write(path, pack(text.encode()))
        status, out, err = command("check", path)
        tap.ok(status == 0, "the good file as ." + suffix, out + err)
    for what, content in (("cut off", text[:-5]), ("empty", ""), ("no JSON", "hello"),
                          ("no JSON for a form feed", text.replace(", ", ",\f", 1)),
                          ("no JSON for a vertical tab", text + "\v"),
                          ("older than the format", text.replace('"MAJOR_VERSION": 1', '"MAJOR_VERSION": 0')), ("no DCFG", "[1, 2]"),
                          ("of another version", text.replace('"MAJOR_VERSION": 1', '"MAJOR_VERSION": 2'))):
        harness.write(path, content)
        commandlib.refused(tap, "a file that is %s is unreadable" % what, path, "check", path)
    commandlib.refused(tap, "a file that is not there is unreadable", "", "check", tap.path("nothing"))

    commandlib.write(path, good)
    harness.write(trace, json.dumps(commandlib.good_trace(good))[:-20])
    commandlib.refused(tap, "a trace that is cut off is unreadable", trace, "check", path, trace)

    without, none = commandlib.copy_of(good), commandlib.good_trace(good)
    P(without).pop("INSTR_COUNT_PER_THREAD")
    s.set_at(row(none), 3, row(none)[3][:1])
    status, out, err = command("check", commandlib.write(tap.path("without.json"), without), commandlib.write(trace, none))
    tap.ok(status == 1 and "no thread has a chunk" in out, "no counts by thread, and no chunks", "%s\n%s" % (status, out + err))

    for what, drop in (("routines", lambda d: [D(d, i).pop("ROUTINES") for i in (1, 2)]),
                       ("symbols", lambda d: [D(d, i).pop("SYMBOLS") for i in (1, 2)]),
                       ("source lines", lambda d: D(d).pop("SOURCE_DATA")),
                       ("blocks and edges", lambda d: [D(d, i).pop(k) for i in (1, 2)
                                                       for k in ("ROUTINES", "BASIC_BLOCKS")] + [P(d).pop("EDGES")])):
        d = s.good()
        drop(d)
        status, out, err = command("check", commandlib.write(path, d))
        tap.ok(status == 0, "without %s, as an option allows" % what, out + err)

    seen = set()

    def broken(want, more, n, args):
        status, out, err = command("check", *args)
        allowed = set(want.split()) | set(more.split())
        first = want.split()[0]
        found = rules(out)
        count = re.search(r": (\d+) violations?\n\Z", out)
        tap.ok(status == 1 and first in found and found <= allowed and count and
               int(count.group(1)) == len(out.splitlines()) - 1,
               "%s (%d)" % (first, n), out + err)
        seen.update(found)

    for n, (want, change) in enumerate(TEXTS, 1):
        harness.write(path, change(text).encode("utf-8", "surrogateescape"))
        broken(want, "", n, [path])
    for n, (want, change, *more) in enumerate(TESTS, 1):
        d = s.good()
        change(d)
        options = [m for m in more if m.startswith("--")]
        broken(want, " ".join(m for m in more if m not in options), n, options + [commandlib.write(path, d)])
        if options:
            status, out, err = command("check", path)
            tap.ok(status == 0 and not err, "no mistake in what dcfg merge writes: " + want, out + err)
    commandlib.write(path, good)
    for n, (want, change, *more) in enumerate(TRACES, 1):
        t = commandlib.good_trace(good)
        change(t)
        broken(want, " ".join(more), n, [path, commandlib.write(trace, t)])
    for n, (want, change, *more) in enumerate(WALKS, 1):
        t = walk(good, lambda edges: change(good, edges))
        broken(want, " ".join(more), n, [path, commandlib.write(trace, t)])
    d = s.good()
    s.set_at(s.image(d), 2, 0x7f0000)
    status, out, err = command("check", commandlib.write(path, d))
    tap.ok(status == 0, "images may overlap: code may have been unloaded", out)
    broken("image-overlap", "", 1, ["--disjoint", path])

    for nodes, how in (([6], "should have 3; 7 is missing"), ([], "should have 3; 6 is missing"), ([6, 7, 8, 9], "should have 3; 9 does not belong"),
                       ([6, 7, 7, 8], "should have 3; 7 stands there twice")):
        d = s.good()
        s.set_at(s.routine(d, 4)[3][1], 2, nodes)
        status, out, err = command("check", commandlib.write(path, d))
        tap.ok(status == 1 and how in out, "blocks of a loop: " + how, out)

    # Limits of the number of lines.
    d = s.good()
    for r in D(d, 1)["BASIC_BLOCKS"][1:]:
        r[5] += 1
    commandlib.write(path, d)
    status, out, err = command("check", "--limit=3", path)
    tap.ok(out.splitlines()[3:] == ["block-count: and 8 more", path + ": 11 violations"], "--limit", out)
    status, out, err = command("check", "--limit=0", path)
    tap.ok(len(out.splitlines()) == 12, "no limit", out)

    # Other writers may order and divide in other ways.
    d = s.good()
    P(d)["EDGES"][1:] = sorted(P(d)["EDGES"][1:], key=lambda e: e[0] * 7 % 23)
    s.divide(d)
    commandlib.write(path, d)
    status, out, err = command("check", path)
    tap.ok(status == 0 and "another program's" in out, "another writer's file is known by its order", out)
    status, out, err = command("check", "--writer=valgrind", path)
    tap.ok(rules(out) == {"order", "routine-division"}, "unless --writer says something else", out)
    commandlib.write(path, good)
    status, out, err = command("check", "--writer=other", path)
    tap.ok(status == 0 and "another program's" in out, "--writer=other", out)

    # Intel's writer has code that was not executed: this is reported once, and is no violation.
    d = s.good()
    D(d)["BASIC_BLOCKS"].insert(9, [18, "0x12c", 2, 1, 0, 0])
    s.routine(d, 4)[2].append([18, 11])
    s.add_edge(d, 11, 18, "FALL_THROUGH", 0, 0)
    s.add_edge(d, 18, 2, "EXIT", 0, 0)
    status, out, err = command("check", commandlib.write(path, d))
    tap.ok(status == 1 and {"edge-zero", "block-executed"} < rules(out) and not err,
           "count 0 breaks rules in a file by valgrind", out + err)
    P(d)["EDGES"][1:] = sorted(P(d)["EDGES"][1:], key=lambda e: e[0] * 7 % 23)
    status, out, err = command("check", commandlib.write(path, d))
    tap.ok(status == 0 and out.startswith(path + ": 0 violations (another") and len(err.splitlines()) == 1
           and "%s: 2 edges and 1 block have count 0, as Intel's writer" % path in err, "but not in one by Intel",
           out + err)
    status, out, err = command("check", "--writer=valgrind", path)
    tap.ok(status == 1 and {"edge-zero", "block-executed"} < rules(out) and not err,
           "unless --writer says something else", out + err)
    s.set_at(s.block(d, 18), 5, 1)
    s.set_at(s.block(d, 5), 5, 0)
    status, out, err = command("check", commandlib.write(path, d))
    tap.ok(status == 1 and rules(out) == {"block-executed", "block-count"} and "2 edges and 0 blocks" in err,
           "a count that contradicts the edges is a violation there too", out + err)

    # calls.t has the rules of calls.
    missing = {r for r in defined_rules() if not r.startswith("calls-")} - seen
    tap.ok(not missing and len(seen) > 50, "every rule was seen to fire", " ".join(sorted(missing)))

    for name, idle in (("whole", "262 edges and 3 blocks"), ("region", "2,311 edges and 1,730 blocks")):
        f = os.path.join(commandlib.PINPLAY, name + ".dcfg.json.bz2")
        if not os.path.exists(f):
            tap.skip("PinPlay's %s" % name, "it is not there")
            continue
        status, out, err = command("check", f)
        tap.ok(status == 1 and rules(out) == {"instr-count-thread"},
               "PinPlay's %s breaks only what it really breaks" % name, out)
        tap.ok(len(err.splitlines()) == 1 and idle + " have count 0" in err, "what has count 0 in it is told once", err)
        status, out, err = command("check", "--writer=valgrind", f)
        tap.ok({"instr-count-thread", "edge-zero", "block-executed"} < rules(out), "and is a violation for valgrind",
               out)
    tap.done()


main()
