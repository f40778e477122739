#!/usr/bin/python3
"""Real programs: the decoded trace is the path in Lackey's trace, from the first instruction to the last.  The graph has all
that crosscheck_real.t checks.  And the trace is small.  (TAP)

Programs and inputs of the first part are of test_programs.py; crosscheck_real.t leaves them to this test, so that Lackey runs
once.  A trace includes a table, so its size is compared with that of the compressed ids after longer runs, of programs of
the benchmark.

Arguments name programs.  Without arguments and DCFG_SLOW=1, those that take longest are left out.
"""
import hashlib
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import test_programs
import tracelib

LONGEST = ("cc1", "python3", "bzip2_long")
SLOW = os.environ.get("DCFG_SLOW") == "1"


def left_out(name):
    return name not in sys.argv[1:] if sys.argv[1:] else name in LONGEST and not SLOW


def check(tap, name, argv):
    got = tracelib.crosscheck(tap, name, argv)
    if got:
        os.unlink(got[0] + ".0")


def check_sizes(tap):
    sys.path.insert(0, os.path.join(harness.SRCDIR, "bench"))
    import measure
    from programs import Programs
    programs = Programs(harness.SRCDIR, tap.dir)
    for name, make in (("interp_goto", lambda: [programs.compile("interp_goto"), "5000"]),
                       ("branchy", lambda: [programs.compile("branchy"), "1"]),
                       ("bzip2_long", lambda: [measure.need("bzip2"), "-c", programs.text(600000)])):
        if left_out(name):
            continue
        try:
            argv = make()
        except measure.Missing as e:
            tap.skip(name + ": size", e)
            continue
        dcfg, trace, _, why = tracelib.run(tap, name, argv)
        if not trace:
            tap.ok(False, name, why)
            continue
        got = tracelib.decoded(tap, name, dcfg, trace, "--chunk=1000000")
        if not got:
            continue
        ids = got[0] + ".0"
        edges, size = got[1]["edges"], os.path.getsize(trace)
        r = subprocess.run(["xz", "-6", "-c", "-T1", ids], stdout=subprocess.PIPE)
        tap.ok(r.returncode == 0 and size <= len(r.stdout), "%s: %.3f bits an edge; as xz makes the ids, %.3f"
               % (name, 8 * size / edges, 8 * len(r.stdout) / edges), "%d bytes, xz %d" % (size, len(r.stdout)))
        os.unlink(ids)


def check_chunks(tap):
    """Checks that chunks end with their number of edges if single bits lead to more than a thousand edges, on many of
    which the parser does not look at the number.
    """
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "tails.c"), "tails")
    seen = set()
    for chunk in (1000000, 10000, 3001) if prog else ():
        name = "tails_%d" % chunk
        dcfg, trace, _, why = tracelib.run(tap, name, [prog], ["--trace-chunk=%d" % chunk])
        got = trace and tracelib.decoded(tap, name, dcfg, trace, "--chunk=%d" % chunk)
        if not tap.ok(got, "%s: a trace" % name, why or "rules are broken"):
            return
        with open(got[0] + ".0", "rb") as f:
            seen.add(hashlib.sha256(f.read()).digest())
        os.unlink(got[0] + ".0")
    tap.ok(len(seen) == 1, "long tails: the same edges in chunks of any size")


def main():
    tap = harness.Tap("tracereal")
    for name, argv in test_programs.real(tap):
        if left_out(name) or name not in test_programs.WITH_TRACES and not sys.argv[1:]:
            continue
        prog = shutil.which(argv[0], path=harness.ENV["PATH"])
        if prog:
            check(tap, name, [prog] + argv[1:])
        else:
            tap.skip(name, argv[0] + " is not installed")
    if not left_out("tails"):
        check_chunks(tap)
    if shutil.which("xz"):
        check_sizes(tap)
    else:
        tap.skip("sizes", "no xz to compare with")
    tap.done()


if __name__ == "__main__":
    main()
