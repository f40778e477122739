#!/usr/bin/python3
"""Threads by the hundred and by the thousand, in every state, and under a rain of signals.  (TAP)

DCFG_RUNS: how often the last one is run, 3 if it is not set.  DCFG_AGAIN=1: another Valgrind has been tested; then what threads
leave in memory is left out.
"""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import FAIR, MEASURE, Dcfg, check, equal, rules, run

HANDLERS = ("on_alarm", "on_user", "on_fault")    # handlers of storm.c
RUNS = int(os.environ.get("DCFG_RUNS") or 3)
SERIES = (2000, 4000)              # with fewer, reading debug information takes the most memory
# The memory of a thread that has ended: bytes for each of its edges, in some form, and a constant.  glibc decides how many
# edges begin and end a thread: 70 in Debian 12, 180 in Debian 13.  A living thread's cells have 30 kB and more.
BYTES_AN_EDGE, BYTES_A_THREAD = 100, 4000


def check_kinds(tap, prog):
    for way, count, calls in (("together", 300, 300), ("detached", 60, 60), ("cancelled", 12, 0), ("running", 12, 0)):
        r = run(tap, way, [prog, way, str(count)], FAIR)
        if not check(tap, way, r, 1):
            continue
        d = Dcfg(r.files[0])
        equal(tap, way + ": threads", (d.threads, min(d.p.per_thread) > 0), (count + 1, True))
        equal(tap, way + ": calls", (d.calls("work"), d.calls("cleanup")), (calls, count if way == "cancelled" else 0))
        if way == "together":
            # The index is the order of creation: only the first one has main's work.
            tap.ok(all(d.p.per_thread[0] > 10 * n for n in d.p.per_thread[1:]), way + ": the first thread is the first")


def check_memory(tap, prog):
    """On a slow machine, threads begin before earlier ones are gone, which takes more memory: then the longer run is made again."""
    memory = {}
    for k, count in enumerate(SERIES + 2 * SERIES[1:]):
        r = run(tap, "series%d" % k, [prog, "series", str(count)], before=MEASURE)
        if not check(tap, "%d one after the other" % count, r, 1):
            return
        d = Dcfg(r.files[0])
        equal(tap, "%d one after the other: threads and calls" % count, (d.threads, d.calls("work")), (count + 1, count))
        memory[count] = min(int(r.out.split()[-1]), memory.get(count, 1 << 40))
        edges = sum(e.counts[SERIES[0]] > 0 for e in d.p.edges)
        more = (memory.get(SERIES[1], 1 << 40) - memory[SERIES[0]]) * 1024 / (SERIES[1] - SERIES[0])
        if more < BYTES_AN_EDGE * edges + BYTES_A_THREAD:
            break
    tap.ok(more < BYTES_AN_EDGE * edges + BYTES_A_THREAD,
           "memory for one more thread: %.0f bytes, of %d edges" % (more, edges), "%s" % memory)


def check_storm(tap, prog):
    entered_in_all = [0, 0, 0]

    def once(k):
        r = run(tap, "storm%d" % k, [prog])
        if r.status != 0 or len(r.files) != 1:
            return "exit status %s, %d files\n%s" % (r.status, len(r.files), r.log[-1000:])
        wrong = rules(r.files[0]) + (lifelib.traces(tap, r) + lifelib.profiles(r) if lifelib.TRACE else "")
        if "internal error" in r.log:
            wrong += r.log[-1000:]
        d = Dcfg(r.files[0])
        got = [d.calls(f) for f in HANDLERS]
        for handler, n in enumerate(got):
            entered_in_all[handler] += n
        if got != list(map(int, r.out.split())) or d.threads != 5:
            wrong += "calls %s, the program says %s; %d threads\n" % (got, r.out.strip(), d.threads)
        # A handler that was interrupted by another one begins when that one returns.
        starts = {a for im in d.p.images for a in d.starts(im, HANDLERS)}
        entered = sum(e.total for e in d.edges("CONTEXT_CHANGE"))
        later = sum(e.total for e in d.edges("CONTEXT_CHANGE_RETURN")
                    if e.dst in d.p.blocks and d.p.blocks[e.dst].start in starts)
        if entered + later != sum(got):
            wrong += "%d context changes, %d by a return, %d handlers\n" % (entered, later, sum(got))
        for e in d.edges("CONTEXT_CHANGE"):
            if d.where(e.dst) not in HANDLERS:
                wrong += "a context change to %s\n" % d.where(e.dst)
        return wrong
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(once, range(RUNS)))
    bad = ["run %d: %s" % (k, w) for k, w in enumerate(results) if w]
    if not min(entered_in_all):
        bad.append("a handler never ran: %s" % entered_in_all)
    tap.ok(not bad, "threads and signals, %d runs: all rules, all handlers counted" % RUNS, "\n".join(bad))


def main():
    tap = harness.Tap("lifethreads")
    prog = lifelib.build(tap, "threads.c", "-static", "-pthread")
    if prog:
        check_kinds(tap, prog)
        if os.environ.get("DCFG_AGAIN") != "1":
            check_memory(tap, prog)
    prog = lifelib.build(tap, "openmp.c", "-fopenmp")
    if prog:
        r = run(tap, "openmp", [prog], env={"OMP_NUM_THREADS": "3"})
        if check(tap, "OpenMP", r, 1):
            d = Dcfg(r.files[0])
            equal(tap, "OpenMP: threads and calls", (d.threads, d.calls("work")), (3, 5000))
    prog = lifelib.build(tap, "storm.c", "-static", "-pthread")
    if prog:
        check_storm(tap, prog)
    tap.done()


if __name__ == "__main__":
    main()
