#!/usr/bin/python3
"""Small programs: the decoded trace is the way that Lackey saw, edge by edge; with chunks of any size.  (TAP)

The programs are those of crosscheck_small.t.  For those with threads or signals, of which Lackey's trace does not say
where they came, the rules have to do.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import tracelib

CHUNKS = (1, 7, 1000)


def same_files(a, b):
    with open(a, "rb") as f, open(b, "rb") as g:
        return f.read() == g.read()


def check(tap, name, prog, single, flags=()):
    dcfg, trace, status, why = tracelib.run(tap, name, [prog])
    if not trace:
        tap.ok(False, name, why)
        return
    whole = tracelib.decoded(tap, name, dcfg, trace, "--chunk=1000000")
    if whole and single:
        tracelib.same_way(tap, name, [prog], dcfg, whole[0] + ".0", status)
    bad = ""
    for n in CHUNKS:
        inner = "%s_%d" % (name, n)
        d, t, _, why = tracelib.run(tap, inner, [prog], ["--trace-chunk=%d" % n])
        if not t:
            bad += why
            continue
        wrong, numbers = tracelib.rules(tap, d, t, "--chunk=%d" % n, "--out=" + tap.path(inner))
        if wrong:
            bad += "chunks of %d:\n%s" % (n, wrong)
        elif whole and single and not same_files(whole[0] + ".0", tap.path(inner + ".0")):
            bad += "chunks of %d: other edges\n" % n
        elif single and numbers["chunks"] != -(-numbers["edges"] // n):
            bad += "chunks of %d: %s\n" % (n, numbers)
    tap.ok(not bad, name + ": the same in chunks of %s" % ", ".join(map(str, CHUNKS)), bad)


def main():
    tap = harness.Tap("tracesmall")
    for name, source, flags in tracelib.of_test("crosscheck_small").programs():
        with open(source, errors="replace") as f:
            first = f.readline()
        threads = "threads" in first
        prog = harness.cc(tap, source, name, *(flags + ["-pthread"] * threads))
        if prog:
            check(tap, name, prog, not threads and "signals" not in first)
    tap.done()


if __name__ == "__main__":
    main()
