#!/usr/bin/python3
"""Small programs against Lackey's trace of the same run: the graph, block by block and edge by edge; and the decoded
trace is the path that Lackey saw, with chunks of any size.  (TAP)

The programs are all of tests/PROGRAMS and of tests/progs, with several sizes of chunks in turn.  If a program's first
line has "threads" or "signals", Lackey's trace does not tell where these came.  Then the rules check graph and trace; for threads,
so do the code on disk and the number of threads that the program makes.  Last, the comparison of graphs itself is tested: it must
see small errors that are put into a file that agreed; and lackey_insns.c must print Lackey's lines.

wet_floats is left out, whose 28 million instructions are a few loops again and again; DCFG_SLOW=1: it is not.

DCFG_AGAIN=1: another Valgrind has been tested.  Then all chunks have one size, which does not depend on Valgrind, and
the comparison is not tested again.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import test_programs
import tracelib

# Long traces have chunks of the last size only.
CHUNKS = (1, 7, 1000)
EDGES = os.path.join(harness.SRCDIR, "tests", "regress")
AGAIN = os.environ.get("DCFG_AGAIN") == "1"
THREADS = {"threads_join": 5, "threads_detached": 4, "threads_many": 61, "threads_exit": 4}


def rules_alone(tap, name, argv, chunk):
    """Do as tracelib.crosscheck(), without Lackey."""
    dcfg, trace, status, why = tracelib.run(tap, name, argv, ["--trace-chunk=%d" % chunk])
    if not trace:
        tap.ok(False, name, why)
        return
    if name in THREADS:
        tap.ok(status == 0, name + ": exit status", status)
        harness.check_rules(tap, name, dcfg)
        harness.check_static(tap, name, dcfg)
        with open(dcfg) as f:
            counts = json.load(f)["PROCESSES"][1][1]["INSTR_COUNT_PER_THREAD"]
        tap.ok(len(counts) == THREADS[name] and min(counts) > 0, "%s: %d threads, all ran" % (name, THREADS[name]), counts)
    tracelib.decoded(tap, name, dcfg, trace, "--chunk=%d" % chunk)


def falsehoods():
    """Yields (name of the difference, change to a process's data), for the file of edge_call."""
    def block(p, i=1):
        return p["IMAGES"][1][3]["BASIC_BLOCKS"][i]

    def total(p):
        p["INSTR_COUNT"] += 1

    def count(p):
        block(p)[5] += 1

    def size(p):
        block(p)[2] += 1

    def instrs(p):
        block(p)[3] += 1

    def last(p):
        block(p)[4] += 1

    def moved(p):
        block(p)[1] = hex(int(block(p)[1], 16) + 1)

    def fewer(p):
        p["EDGES"].pop()

    def more(p):
        p["EDGES"].append([999999, 4, 4, p["EDGES"][1][3], [1]])

    def traversed(p):
        p["EDGES"][3][4][0] += 1

    def typed(p):
        p["EDGES"][3][3] = p["EDGES"][1][3]

    return [("total", total), ("block-count", count), ("block-size", size), ("block-instrs", instrs),
            ("block-last", last), ("block-missing", moved), ("edge-missing", fewer), ("edge-extra", more),
            ("edge-count", traversed), ("edge-type", typed)]


def check_comparison(tap, prog):
    path, _, why = harness.dcfg(tap, "false", [prog])
    if not path:
        tap.ok(False, "comparison", why)
        return
    table, _ = harness.lackey(tap, "false", [prog])
    for name, change in falsehoods():
        with open(path) as f:
            d = json.load(f)
        change(d["PROCESSES"][1][1])
        with open(tap.path("changed.json"), "w") as f:
            f.write(json.dumps(d))
        code, text = harness.oracle("crosscheck.py", tap.path("changed.json"), table)
        tap.ok(code == 1 and name + ":" in text, "a wrong file is seen: " + name, text)


def check_lackeys(tap, *programs):
    """lackey_insns, which prints instructions only, prints Lackey's lines of them."""
    for argv in programs:
        texts = []
        for tool in ("lackey", "lackey_insns"):
            path = tap.path(tool + ".txt")
            harness.lackey_into(tap, path, argv, tool=tool)
            with open(path, "rb") as f:
                texts.append([line for line in f if line.startswith(b"I ")])
        tap.ok(texts[0] and texts[0] == texts[1], "%s: both Lackeys print %d instructions"
               % (os.path.basename(argv[0]), len(texts[0])), len(texts[1]))


def main():
    tap = harness.Tap("small")
    for k, (name, source, flags) in enumerate(test_programs.small()):
        if name == "wet_floats" and not test_programs.SLOW:
            continue
        with open(source, errors="replace") as f:
            first = f.readline()
        threads = "threads" in first
        single = not threads and "signals" not in first
        prog = harness.cc(tap, source, name, *(flags + ["-pthread"] * threads))
        if prog:
            chunk = CHUNKS[-1] if AGAIN or os.path.dirname(source) != EDGES else CHUNKS[k % len(CHUNKS)]
            (tracelib.crosscheck if single else rules_alone)(tap, name, [prog], chunk)
        if name == "edge_call" and prog:
            falsified = prog
    if not AGAIN:
        check_comparison(tap, falsified)
    if harness.LACKEY != "lackey":
        check_lackeys(tap, [falsified], ["/bin/true"])
    tap.done()


if __name__ == "__main__":
    main()
