#!/usr/bin/python3
"""Scale: a trace of a billion edges, of which every fifth cannot be predicted.  Minutes, so only with DCFG_SLOW=1.
(TAP)"""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib

EDGES = int(os.environ.get("DCFG_EDGES") or 1000000000)
MEGABYTES = 256             # more than without a trace
# Each turn has a call and its return, the loop's edge, and one or two edges by a random number.
RANDOM = harness.text("tool/trace_slow.c")
EDGES_A_TURN = 4.5


def main():
    tap = harness.Tap("traceslow")
    if os.environ.get("DCFG_SLOW") != "1":
        tap.skip("a billion edges", "DCFG_SLOW=1 runs them")
        tap.done()
    harness.written(tap, "random.c", RANDOM)
    prog = harness.cc(tap, tap.path("random.c"), "random")
    memory = {}
    for name, edges in (("short", EDGES // 1000), ("long", EDGES)) if prog else ():
        argv = [prog, str(int(edges / EDGES_A_TURN))]
        for trace in ("no", "yes"):
            start = time.time()
            r = lifelib.run(tap, "%s_%s" % (name, trace), argv, ["--trace=" + trace, "--trace-out-file=t.trace"],
                            before=lifelib.MEASURE)
            memory[name, trace] = int(r.out.split()[-1]) // 1024
            print("# %s, --trace=%s: %.1f s, %d MB" % (name, trace, time.time() - start, memory[name, trace]))
            lifelib.check(tap, "%s, --trace=%s" % (name, trace), r, 1)
        more = memory[name, "yes"] - memory[name, "no"]
        tap.ok(more <= MEGABYTES, "%s: %d MB more with a trace" % (name, more), memory)
        if not r.files or not r.traces:
            tap.ok(False, name + ": a trace", r.log)
            continue
        wrong, numbers = tracelib.rules(tap, r.files[0], r.traces[0], "--chunk=1000000")
        size = os.path.getsize(r.traces[0])
        tap.ok(not wrong and numbers["edges"] >= 0.9 * edges, "%s: all rules, %d edges, %.3f bits each"
               % (name, numbers.get("edges", 0), 8 * size / max(1, numbers.get("edges", 0))), wrong or numbers)
    tap.done()


if __name__ == "__main__":
    main()
