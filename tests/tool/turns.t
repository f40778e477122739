#!/usr/bin/python3
"""--trace-turns=yes: each turn's instructions and edges against the trace, with threads, signals, fork and other outputs;
and the order against the real order of the run.  (TAP)
"""
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command

# Two threads hand a byte to one another; then signals come in the middle of loops; then a child continues alone.
PROGRAM = harness.text("tool/turns_program.c")


def read_turns(path):
    """Returns the rows; None if the file has no turns."""
    try:
        with open(path) as f:
            rows = json.load(f)
    except (OSError, ValueError):
        return None
    good = isinstance(rows, list) and all(
        isinstance(r, list) and len(r) == 3 and all(isinstance(n, int) and n >= 0 for n in r) for r in rows)
    return rows if good else None


def wrong_turns(graph, trace, rows):
    """Return the disagreements with the trace."""
    with open(graph) as f:
        data = json.load(f)["PROCESSES"][1][1]
    status, out, err = command("trace", "--csv", graph, trace)
    if status and not (data["INSTR_COUNT"] == 0 and "has nothing of process" in err):
        return [err]
    instrs = {b[0]: b[3] for im in data["IMAGES"][1:] for b in im[3].get("BASIC_BLOCKS", [[]])[1:]}
    after = {}                  # by thread: for each edge, the instructions executed up to the end of its source
    for thread, before, source in commandlib.numbers(out, "thread", "instruction", "from_node_id"):
        after.setdefault(thread, []).append(before + instrs.get(source, 0))
    wrong, sums = [], {t: [0, 0] for t in after}
    for k, (t, n, e) in enumerate(rows):
        if k and rows[k - 1][0] == t:
            wrong.append("turn %d: of the same thread as the one before" % k)
        if t not in sums:
            wrong.append("turn %d: there is no thread %d" % (k, t))
            continue
        s, last = sums[t], t not in {r[0] for r in rows[k + 1:]}
        s[0] += n
        s[1] += e
        # All edges whose sources have ended, and no other.
        if s[1] > len(after[t]) or s[1] and after[t][s[1] - 1] > s[0] or s[1] < len(after[t]) and (after[t][s[1]] <= s[0] or last):
            wrong.append("turn %d: %d instructions of thread %d so far, and %d edges" % (k, s[0], t, s[1]))
    for t, total in enumerate(data["INSTR_COUNT_PER_THREAD"]):
        if sums.get(t, [0, 0]) != [total, len(after.get(t, []))]:
            wrong.append("thread %d: %s, the trace has %s" % (t, sums.get(t), [total, len(after.get(t, []))]))
    return wrong


def run(tap, name, program, *options):
    """Records; returns (graph, trace, turns) of the process itself, and its messages."""
    trace = tap.path(name + ".trace.json")
    graph, _, why = harness.dcfg(tap, name, [program], ["--trace=yes", "--trace-out-file=" + trace, *options])
    return graph, trace, trace + ".turns", why


def check_program(tap, name, program, *options):
    graph, trace, turns, why = run(tap, name, program, "--trace-turns=yes", *options)
    rows = read_turns(turns)
    if not tap.ok(graph and rows, name + ": turns are written", why):
        return None
    wrong = wrong_turns(graph, trace, rows)
    tap.ok(not wrong, name + ": turns agree with the trace", "\n".join(wrong[:10]))
    return graph, trace, rows


def check_order(tap, graph, trace, rows):
    """Calls of ping() and pong() alternate, by the edges of each turn."""
    with open(graph) as f:
        data = json.load(f)["PROCESSES"][1][1]
    entry = {}
    for im in data["IMAGES"][1:]:
        names = {s[1]: s[0] for s in im[3].get("SYMBOLS", [[]])[1:]}
        entry.update({b[0]: names[b[1]] for b in im[3].get("BASIC_BLOCKS", [[]])[1:] if names.get(b[1]) in ("ping", "pong")})
    threads = {}
    for thread, node in commandlib.numbers(command("trace", "--csv", graph, trace)[1], "thread", "to_node_id"):
        threads.setdefault(thread, []).append(node)
    said, at = [], dict.fromkeys(threads, 0)
    for t, _, e in rows:
        said += [entry[n] for n in threads[t][at[t]:at[t] + e] if n in entry]
        at[t] += e
    tap.ok(said == ["ping", "pong"] * 25, "the order is that of the program", said)


def check_fork(tap, program):
    trace = tap.path("child.%p.trace")
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--trace-children=yes", "--trace=yes", "--trace-turns=yes",
                 "--dcfg-out-file=" + tap.path("child.%p.json"), "--trace-out-file=" + trace, program, "fork"], tap.dir)
    found = sorted(glob.glob(tap.path("child.*.trace.turns")))
    wrong = []
    for path in found:
        base = path[:-len(".turns")]
        wrong += wrong_turns(base[:-len(".trace")] + ".json", base, read_turns(path) or [])
    tap.ok(len(found) == 2 and not wrong, "a forked child has turns of its own", "%s %s" % (found, wrong[:5]))


# Threads that ask for parts, some of them empty, while others run.
PARTS = harness.text("tool/turns_parts.c")


def check_parts(tap):
    """Turns of each part, and together with other ways of collecting."""
    source = harness.written(tap, "parts.c", PARTS)
    program = harness.cc(tap, source, "parts", "-static", "-pthread", "-I" + os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "include"))
    for name, options in (("parts", []), ("regions", ["--start=some:2", "--stop=some:7", "--start=some:9", "--stop=some:12"]),
                          ("asked", ["--instr-atstart=no"]), ("toggled", ["--toggle-collect=some"]),
                          ("work", ["--toggle-collect=work"]),
                          ("numbers", ["--start=instructions:120000", "--stop=instructions:400000"])):
        trace = tap.path(name + ".trace.json")
        harness.dcfg(tap, name, [program], ["--trace=yes", "--trace-turns=yes", "--trace-out-file=" + trace, *options])
        found = sorted(glob.glob(tap.path(name + "*.turns*")))
        with open(tap.path(name + ".log")) as f:
            said = f.read()
        wrong = ["an error is told"] if "internal error" in said else []
        for path in found:
            part = path[len(tap.path(name + ".trace")):].replace(".turns", "").replace(".json", "")
            base = part.strip(".")
            graph = tap.path(name + ".dcfg" + ("." + base if base else "") + ".json")
            trace = tap.path(name + ".trace" + ("." + base if base else "") + ".json")
            wrong += ["%s: %s" % (os.path.basename(path), w) for w in wrong_turns(graph, trace, read_turns(path))]
        tap.ok(len(found) == 5 and not wrong, name + ": turns of each part agree with its trace",
               "%s\n%s\n%s" % (found, "\n".join(wrong[:9]), said[-1500:]))


def check_refused(tap):
    for what, options in (("without a trace", ["--trace-turns=yes"]),
                          ("of some threads", ["--trace=yes", "--trace-turns=yes", "--trace-threads=0"])):
        path, status, why = harness.dcfg(tap, "refused", ["/bin/true"], options)
        tap.ok(path is None and status == 1 and "--trace-turns=yes needs " in why, "refused: " + what, why)


def main():
    tap = harness.Tap("turns")
    if not os.path.exists(commandlib.DCFG):
        tap.skip("turns of threads", "the command dcfg was not built")
        tap.done()
    source = harness.written(tap, "program.c", PROGRAM)
    program = harness.cc(tap, source, "program", "-static", "-pthread")
    found = check_program(tap, "program", program)
    if found:
        check_order(tap, *found)
    check_program(tap, "all", program, "--callgrind=yes", "--callgrind-out-file=" + tap.path("profile"), "--xray=yes",
                  "--xray-out-file=" + tap.path("log"), "--fair-sched=yes")
    found = check_program(tap, "alone", "/bin/true")
    tap.ok(found and len(found[2]) == 1, "one thread has one turn")
    check_fork(tap, program)
    check_parts(tap)
    check_refused(tap)
    graph, trace, turns, why = run(tap, "off", "/bin/true")
    tap.ok(graph and not os.path.exists(turns), "without the option there is no such file", why)
    tap.done()


if __name__ == "__main__":
    main()
