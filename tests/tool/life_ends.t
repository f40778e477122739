#!/usr/bin/python3
"""Every end of a process but SIGKILL leaves a complete file.  A debugger can ask for files in the middle of a run.  (TAP)
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import FAIR, Dcfg, check, equal, rules, run


def check_ends(tap, prog):
    # way: exit status and calls of at_exit(), alone and with other threads.
    ways = {"exit": ((3, 1), (3, 1)), "_exit": ((4, 0), (4, 0)), "exit_thread": ((0, 1), (0, 1)),
            "sys_exit": ((5, 0), (0, 1)), "abort": ((-signal.SIGABRT, 0), (-signal.SIGABRT, 0)),
            "segv": ((-signal.SIGSEGV, 0), (-signal.SIGSEGV, 0)),
            "handled_abort": ((-signal.SIGABRT, 0), (-signal.SIGABRT, 0))}
    for way, both in ways.items():
        for threads in (1, 4):
            status, at_exit = both[threads > 1]
            name = way + (" with threads" if threads > 1 else "")
            r = run(tap, "%s%d" % (way, threads), [prog, way] + ["threads"] * (threads > 1), FAIR)
            if not check(tap, name, r, 1, status):
                continue
            d = Dcfg(r.files[0])
            got = (d.calls("work"), d.calls("at_exit"), d.calls("on_signal"), d.threads, min(d.p.per_thread) > 0)
            equal(tap, name + ": calls and threads", got, (7, at_exit, int(way == "handled_abort"), threads, True))


def check_signals(tap, prog):
    for way in ("wait", "spin"):
        for threads in (1, 4):
            for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
                def send(p):
                    p.stdout.readline()
                    time.sleep(0.05)
                    p.send_signal(sig)
                name = "%s in %s%s" % (sig.name, way, " with threads" if threads > 1 else "")
                if sig == signal.SIGHUP and (way, threads) != ("wait", 1):
                    continue
                r = run(tap, name.replace(" ", "_"), [prog, way] + ["threads"] * (threads > 1), FAIR,
                        while_running=send)
                if sig == signal.SIGKILL:
                    others = [f for f in r.left if not re.search(r"\.spool-[0-9a-f]+$", f)]
                    equal(tap, name + ": no file but a spool file, known by its name", (r.status, r.files, r.traces, others),
                          (-sig, [], [], []))
                elif check(tap, name, r, 1, -sig):
                    d = Dcfg(r.files[0])
                    equal(tap, name + ": calls and threads", (d.calls("work"), d.threads), (7, threads))


def check_kill_in_writing(tap):
    """Killed while it writes: the file can be recognised as unfinished, and has not the final name."""
    for attempt in range(20):
        def kill(p):
            pattern = os.path.join(glob.escape(tap.path("killed%d.run" % attempt)), "big.json?*")
            while p.poll() is None:
                if glob.glob(pattern):
                    p.send_signal(signal.SIGKILL)
                    return p.wait()
                time.sleep(0.001)
        r = run(tap, "killed%d" % attempt, [harness.PYTHON, "-S", "-c", "pass"], out="big.json",
                while_running=kill)
        # Nothing is left if the tool was still checking, before the program ran, whether it may create the file.
        left = [f for f in r.left if "big.json" in f]
        if r.status == -signal.SIGKILL and not r.files and left:
            tap.ok(len(left) == 1 and re.search(r"big\.json\.tmp-[0-9a-f]+$", left[0]),
                   "killed while it writes: a temporary file is left, no other", r.left)
            return
    tap.skip("killed while it writes", "it was faster each time")


# ---- in the middle of a run -------------------------------------------------------------------------------

def check_kill_at_start(tap):
    """A signal while the tool tests whether the files can be written, before the program runs, leaves no files.  strace
    tells the moment, and sends the signal then.
    """
    strace = shutil.which("strace")
    opts = ["-q", "--tool=dcfg", "--dcfg-out-file=graph.json", "--trace=yes", "--trace-out-file=trace.json", "/bin/true"]
    directory = tap.path("start")
    os.mkdir(directory)

    def traced(*options):
        """Returns the opened files, in order."""
        log = tap.path("start.strace")
        if os.path.exists(log):
            os.unlink(log)
        r = harness.run([strace, "-f", "-o", log, "-e", "trace=open"] + list(options) + [harness.VALGRIND] + opts, directory)
        with open(log, errors="replace") as f:
            return r[0], re.findall(r' open\("([^"]*)"', f.read())
    status, opened = traced() if strace else (None, [])
    if status != 0:
        tap.skip("killed at the start", "strace is not installed or may not trace here")
        return
    for name in ("graph.json", "trace.json"):
        tried = next((n for n, path in enumerate(opened, 1) if os.path.basename(path).startswith(name + ".tmp")), None)
        if not tap.ok(tried, "killed at the start: %s is tried" % name, opened):
            continue
        for left in os.listdir(directory):
            os.unlink(os.path.join(directory, left))
        status, opened_then = traced("-e", "inject=open:signal=TERM:when=%d" % tried)
        tap.ok(status != 0 and len(opened_then) == tried and not os.listdir(directory),
               "killed at the start, while %s is tried: nothing stays" % name,
               "exit status %s, left: %s, opened: %s" % (status, os.listdir(directory), opened_then[-3:]))


def numbers(text):
    m = re.search(r"([\d,]+) blocks, ([\d,]+) edges, ([\d,]+) instructions", text)
    return tuple(int(g.replace(",", "")) for g in m.groups()) if m else None


def size(path):
    d = Dcfg(path)
    return len(d.p.blocks), len(d.p.edges), d.total


BAD_NAMES = ("50%.json", "%q{NO_SUCH_VARIABLE}.json", "%q{", "~/graph.json", "100%")


def check_monitor(tap, prog, busy):
    name = "busy" if busy else "still"
    dumps = [tap.path("%s-%d.json" % (name, i)) for i in range(3)]
    answers = []

    def look(p):
        p.stdout.readline()
        seen = [harness.ask(p, "status")]
        for bad in BAD_NAMES:
            answers.append(harness.ask(p, "dump", bad))
        for d in dumps:
            seen.append(harness.ask(p, "dump", d))
        default = harness.ask(p, "dump")
        there = sorted(glob.glob(os.path.join(glob.escape(tap.path(name + ".run")), "*.4.json")))
        wrong = rules(there[0]) if len(there) == 1 else "%s\n%s" % (there, default)
        calls = Dcfg(there[0]).calls("work") if len(there) == 1 else None
        seen.append(harness.ask(p, "status"))
        p.stdin.close()
        p.stdin = None
        return seen, wrong, calls

    r = run(tap, name, [prog] + ["busy"] * busy, FAIR, stdin=subprocess.PIPE, while_running=look)
    seen, wrong, calls = r.seen
    for bad, answer in zip(BAD_NAMES, answers):
        tap.ok("dump %s: " % bad in answer, "%s: a dump to %s is refused, and the run goes on" % (name, bad), answer)
    if not any(os.path.exists(d) for d in dumps):
        tap.ok(False, name + ": monitor dump", "\n".join(seen) + r.log)
        return
    tap.ok(not wrong and calls == 0, name + ": monitor dump without a name, all rules", wrong or calls)
    for i, d in enumerate(dumps):
        wrong = rules(d) if os.path.exists(d) else "no file"
        tap.ok(not wrong, "%s: dump %d, all rules" % (name, i), wrong)
    # A part has nothing of the parts before, nor has the last file.  Each part has its own trace and profile.
    parts = dumps + sorted(r.files, key=lambda f: not f.endswith(".4.json"))
    r.files = [p for p in parts if os.path.exists(p)]
    if not check(tap, name + ", final", r, 5) or wrong:
        return
    end = Dcfg(parts[-1])
    equal(tap, name + ": calls", [Dcfg(d).calls("work") for d in parts], [7, 0, 0, 0, 5])
    threads = 5 if busy else 1
    equal(tap, name + ": threads", [Dcfg(d).threads for d in parts], 5 * [threads])
    first, last = numbers(seen[0]), numbers(seen[-1])
    sizes = [size(d) for d in dumps]
    if not tap.ok(first and last, name + ": monitor status", seen):
        return
    if not busy:
        # Each question wakes the thread up, which makes its system call again: one instruction.
        tap.ok(first[:2] == sizes[0][:2] and first[2] <= sizes[0][2] <= first[2] + 2,
               name + ": status says what the file says", "%s, %s" % (first, sizes))
    totals = [s[2] for s in sizes] + [end.total]
    tap.ok(first[2] <= totals[0] and last[2] <= end.total and (busy or max(totals[1:3]) <= 2),
           name + ": each dump has what ran since the last one", "%s, %s, %s" % (first, totals, last))
    if busy:
        more = [sum(n > 0 for n in Dcfg(d).p.per_thread) for d in dumps[1:]]
        tap.ok(max(more) >= 1 and min(totals) > 0, name + ": the run goes on between dumps", "%s %s" % (more, totals))


def main():
    tap = harness.Tap("ends")
    prog = lifelib.build(tap, "ends.c", "-static", "-pthread")
    if prog:
        check_ends(tap, prog)
        check_signals(tap, prog)
    check_kill_in_writing(tap)
    check_kill_at_start(tap)
    prog = lifelib.build(tap, "ask.c", "-static", "-pthread")
    if prog and os.path.exists(harness.VGDB):
        check_monitor(tap, prog, False)
        check_monitor(tap, prog, True)
    else:
        tap.skip("monitor commands", "no " + harness.VGDB)
    tap.done()


if __name__ == "__main__":
    main()
