#!/usr/bin/python3
"""--xray=yes: each log is checked by the rules, and against profile and trace of the same run.  (TAP)

Other tests: random programs; every option; two equal runs; a dump while the program runs; the oracle itself, with logs that
are wrong in one place.

The arguments name what to do: a program of those below, "random", "options", "selftest".  All of it if there is none.
"random FROM TO" takes other random programs than usual.

DCFG_AGAIN=1: another Valgrind has been tested.  Then tests that do not depend on Valgrind are left out.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import tracelib
import xray_programs
import trace_rules
import xray_read
import xray_rules

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
AGAIN = os.environ.get("DCFG_AGAIN") == "1"
RANDOM = (10, 37, 63)             # handlers on a stack of their own, exceptions, longjmp; threads
LS = ["/bin/ls", "-l", "/usr"]


class Run:
    """A run.  .files: {process id: path of its log, the last part}; .dir, .status, .err."""


def run(tap, name, argv, opts=(), stdin=None, while_running=None):
    r = Run()
    r.dir = tap.path(re.sub(r"\W+", "_", name) + ".run")
    os.mkdir(r.dir)
    cmd = [harness.VALGRIND, "--tool=dcfg", "--log-file=vg.%p", "--dcfg-out-file=graph.%p", "--xray=yes",
           "--xray-out-file=log.%p"] + list(opts) + argv
    p = subprocess.Popen(cmd, cwd=r.dir, env=harness.ENV, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    if while_running:
        while_running(r, p)
    out, err = p.communicate(timeout=harness.TIMEOUT)
    r.status, r.err = p.returncode, err.decode(errors="replace")
    for f in glob.glob(os.path.join(glob.escape(r.dir), "vg.*")):
        with open(f, errors="replace") as log:
            r.err += log.read()
    r.files = {int(f[4:]): os.path.join(r.dir, f) for f in sorted(os.listdir(r.dir)) if re.match(r"log\.\d+$", f)}
    return r


def log_of(r):
    return next(iter(r.files.values()))


def wrong_in(r, **more):
    """Returns the oracle's report on all logs of a run, and unfinished files."""
    lines = []
    for pid, path in sorted(r.files.items()):
        try:
            lines += xray_rules.check(path, path + ".map", **more)[0]
        except Exception as e:                      # an exception of the reader means that the file is wrong
            lines.append("%s: %r" % (os.path.basename(path), e))
    lines += ["left over: " + f for f in os.listdir(r.dir) if ".tmp-" in f or ".spool-" in f]
    return lines + ["no log:\n" + r.err[-2000:]] * (not r.files)


def compare(tap, name, argv, processes=1, handlers=False, profiles=True, status=0):
    """Compares log, profile and trace of one run."""
    opts = ["--trace=yes", "--trace-out-file=trace.%p"]
    if profiles:
        opts += ["--callgrind=yes", "--callgrind-out-file=profile.%p"]
    r = run(tap, name, argv, opts)
    lines = ["exit status %d" % r.status] * (r.status != status)
    decoder = tracelib.compiled(tap, "trace_decode")
    for pid, path in sorted(r.files.items()):
        graph, trace, ids = (os.path.join(r.dir, "%s.%d" % (f, pid)) for f in ("graph", "trace", "ids"))
        bad, text = trace_rules.check(decoder, graph, trace, ["--out=" + ids])
        lines += [text] if bad else []
        lines += xray_rules.check(path, path + ".map", callgrind=os.path.join(r.dir, "profile.%d" % pid) if profiles
                                  else None, handlers=handlers, dcfg=graph, ids=ids)[0]
    if len(r.files) != processes and processes:
        lines.append("%d logs instead of %d\n%s" % (len(r.files), processes, r.err[-1000:]))
    tap.ok(not lines and r.files, name + ": log, " + "profile, " * profiles + "trace", "\n".join(lines) or r.err[-2000:])
    return r


def programs(tap):
    """Yields (name, argv, compare()'s other arguments)."""
    def cc(source, *flags):
        return harness.cc(tap, os.path.join(PROGS, source), os.path.splitext(os.path.basename(source))[0], *flags)
    plain = ["-O2", "-fno-inline"]
    yield "calls", lambda: [cc("callgrind/calls.c", *plain)], {}
    yield "longjmp", lambda: [cc("longjmp.c")], {}
    yield "throw", lambda: [cc("life/throw.cpp", "-lstdc++")], {}
    yield "signals", lambda: [cc("callgrind/signals.c", *plain), "away"], {"handlers": True}
    yield "threads", lambda: [cc("threads_join.c", "-pthread")], {}
    yield "fork", lambda: [cc("callgrind/fork.c", *plain)], {"processes": 3, "handlers": True}
    yield "plugins", lambda: [cc("life/plugins.c")] + [
        harness.cc(tap, os.path.join(PROGS, "life", "plugin.c"), "plugin%s.so" % n, "-shared", "-fPIC", "-DWHICH=" + n)
        for n in "12"] + ["3", "2", "5"], {}
    yield "ls", lambda: LS, {}
    yield "exec", lambda: ["/bin/sh", "-c", "/bin/true; exec /bin/echo"], {"processes": 2, "handlers": True}


def random_programs(tap, seeds):
    for seed in seeds:
        source = harness.written(tap, "random%d.cpp" % seed, xray_programs.program(seed))
        program = harness.cc(tap, source, "random%d" % seed, "-static", "-O1", "-foptimize-sibling-calls", "-fno-inline", "-pthread",
                             "-w", "-lstdc++")
        if program:
            compare(tap, "random program %d" % seed, [program], processes=0, profiles=False)
            os.unlink(program)


# ---- options ----------------------------------------------------------------------------------------------------------


def read(r):
    """Returns (threads' events, names) of the only log; the caller has checked its rules."""
    log = xray_read.Log(log_of(r), lambda rule, text: None)
    names = xray_read.Map(log_of(r) + ".map", lambda rule, text: None).names
    return log, names


def calls_of(r):
    """Returns [(name, start, ticks)], in the order of their entries, of the first thread."""
    log, names = read(r)
    return [(names[c.id].name, c.start, c.last - c.start) for c in xray_read.calls(log.threads[1], lambda *a: None)]


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def check(tap, name, r, good, diag="", **more):
    lines = wrong_in(r, **more)
    tap.ok(not lines and good(), name, "\n".join(lines) or (diag() if callable(diag) else diag) or r.err[-2000:])


def thresholds(tap, whole):
    """Checks what is left out, against the whole log of the same run."""
    everything = calls_of(whole)
    r = run(tap, "threshold", LS, ["--xray-min-instrs=100"])
    roots = {c.start for c in xray_read.calls(read(whole)[0].threads[1], lambda *a: None) if c.depth == 0}
    want = [c for c in everything if c[2] >= 100 or c[1] in roots]
    got = calls_of(r)
    check(tap, "--xray-min-instrs: those that are longer, and first functions", r, lambda: got == want,
          lambda: "%d calls, should be %d" % (len(got), len(want)))


def filters(tap, whole):
    everything = calls_of(whole)
    log, names = read(whole)
    depths = [(names[c.id].name, c.start, c.last - c.start, c.depth)
              for c in xray_read.calls(log.threads[1], lambda *a: None)]
    r = run(tap, "depth", LS, ["--xray-depth=3"])
    check(tap, "--xray-depth=3", r, lambda: calls_of(r) == [c[:3] for c in depths if c[3] < 3])
    r = run(tap, "functions", LS, ["--xray-functions=str*,malloc"])
    chosen = re.compile("str|malloc$")
    check(tap, "--xray-functions", r,
          lambda: calls_of(r) == [c[:3] for c in depths if chosen.match(c[0]) or c[3] == 0])
    r = run(tap, "images", LS, ["--xray-images=libc.so*,/nowhere"])
    objects = {n.name: n.object for n in read(r)[1].values()}
    roots = {c[0] for c in depths if c[3] == 0}
    check(tap, "--xray-images", r,
          lambda: any("libc.so" in o for o in objects.values())
          and all("libc.so" in o for n, o in objects.items() if n not in roots), objects)
    tap.ok(len(everything) > 1000, "there was something to choose from", len(everything))


def arguments(tap, stops):
    r = run(tap, "arguments", [stops], ["--xray-args=yes"])
    log, names = read(r)
    got = [[a - (a >> 63 << 64) for a in e.args] for e in log.threads[1].events if e.args and names[e.id].name == "six"]
    check(tap, "--xray-args", r, lambda: got == [[1, -2, 3, 0x123456789abcdef, 5, 6], [6, 5, 4, 3, 2, 1]], got)
    log, names = read(run(tap, "no arguments", [stops]))
    pairs = [(names[a.id].name, a.action, names[b.id].name, b.action)
             for a, b in zip(log.threads[1].events, log.threads[1].events[1:]) if a.action == xray_read.TAIL]
    tap.ok(pairs.count(("jumps", xray_read.TAIL, "leaf", xray_read.ENTER)) == 50, "a jump to a function", pairs)


def limits(tap, whole):
    everything = calls_of(whole)
    for keep in ("first", "last"):
        for size in (65536, 110000):
            r = run(tap, "limit %s %d" % (keep, size), LS, ["--xray-limit=%d" % size, "--xray-keep=" + keep])
            got = calls_of(r)
            starts = {c[:2] for c in everything}
            last = read(r)[0].threads[1].events[-1].tick
            check(tap, "--xray-limit=%d --xray-keep=%s" % (size, keep), r,
                  lambda: os.path.getsize(log_of(r)) <= size and "it has only the " + keep in r.err
                  and ([c[:2] for c in got] == [c[:2] for c in everything[:len(got)]] and len(got) > 100
                       or keep == "last")
                  and (got[-300:] == everything[-300:] and last == read(whole)[0].threads[1].events[-1].tick
                       or keep == "first")
                  and all(c[:2] in starts for c in got[2:]),
                  "%d bytes, %d calls of %d" % (os.path.getsize(log_of(r)), len(got), len(everything)))


def identities(tap, whole, stops):
    """Numbers from an earlier map; two runs; with a profile and without."""
    def without_process(r):
        pid = read(r)[0].threads[1].pid
        return bytes_of(log_of(r)).replace(struct.pack("<Bi11x", xray_read.PID << 1 | 1, pid), b"")

    again = run(tap, "again", LS, ["--callgrind=yes"])
    tap.ok(without_process(again) == without_process(whole) and
           bytes_of(log_of(again) + ".map") == bytes_of(log_of(whole) + ".map"),
           "two runs, with a profile and without: the same bytes, but for the process")
    other = run(tap, "other", [stops], ["--xray-read-map=" + log_of(whole) + ".map"])
    before, after = read(whole)[1], read(other)[1]
    check(tap, "--xray-read-map: numbers stay, others follow", other,
          lambda: len(after) > len(before) and all(after[n][0] == before[n][0] and after[n][3] == before[n][3]
                                                    for n in before)
          and {n for n in after.values() if n.name == "six"} and not {n for n in before.values() if n.name == "six"})
    r = run(tap, "version 5", LS, ["--xray-version=5"])
    log, _ = read(r)
    check(tap, "--xray-version=5: the same", r,
          lambda: calls_of(r) == calls_of(whole) and list(r.files) == [log.threads[1].pid])
    check(tap, "the process", whole, lambda: list(whole.files) == [read(whole)[0].threads[1].pid])


def dumps(tap, stops):
    """A log is dumped while the program waits; it and the log of the rest have everything."""
    kept = {}

    def dump(r, p):
        p.stdout.readline()
        harness.ask(p, "dump")
        path = os.path.join(r.dir, "log.%d.1" % p.pid)
        kept["wrong"], log, names = xray_rules.check(path, path + ".map")
        kept["open"] = [names[e.id].name for e in log.threads[1].events if e.tick == log.threads[1].events[-1].tick]
        kept["calls"] = [names[e.id].name for e in log.threads[1].events].count("six")
        p.stdin.close()
        p.stdin = None
    r = run(tap, "dump", [stops, "wait"], stdin=subprocess.PIPE, while_running=dump)
    tap.ok(not kept["wrong"] and "waits" in kept["open"] and "main" in kept["open"], "a dump: what is active has its exits",
           "%s" % kept)
    names = [c[0] for c in calls_of(r)]
    check(tap, "behind a dump the log goes on", r,
          lambda: 2 * names.count("six") + kept["calls"] == 4 and names.count("waits") == 1)
    check(tap, "... and begins with what was active", r,
          lambda: [c for c in names[:len(kept["open"])]] == list(reversed(kept["open"])))


def refused(tap):
    """Checks refusals: one line each, and status 1."""
    harness.written(tap, "nomap", "nothing")
    for opt, say in (("--xray-version=3", "the versions are 1 and 5"), ("--xray-keep=some", "the values are first and last"),
                     ("--xray-limit=5x", "no size"), ("--xray-limit=5", "the least is 64K"),
                     ("--xray-read-map=/nowhere/map", "No such file"),
                     ("--xray-read-map=" + tap.path("nomap"), "no map"), ("--xray-out-file=/nowhere/log", "cannot create"),
                     ("--xray-map-file=log.%p", "names the file of --xray-out-file"),
                     ("--uftrace=yes --uftrace-out-dir=/nowhere/dir", "cannot make the directory")):
        p = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=/dev/null", "--xray=yes",
                            "--xray-out-file=log.%p"] + opt.split() + ["/bin/true"], cwd=tap.dir, env=harness.ENV,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        err = p.stderr.decode(errors="replace")
        tap.ok(p.returncode == 1 and say in err and len(err.strip().splitlines()) == 1, opt + " is refused",
               "status %d: %s" % (p.returncode, err))


def empty(tap):
    """A region that never begins: a log with one buffer and no records, which llvm-xray takes."""
    dcfg = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
    for version in ("1", "5"):
        r = run(tap, "empty" + version, ["/bin/true"], ["--start=no_such_function", "--xray-version=" + version])
        status, out = harness.run([dcfg, "xray", "--check", log_of(r)], tap.dir)
        tap.ok(r.status == 0 and status == 0 and not wrong_in(r), "nothing is collected, version %s: a right log" % version,
               "%s\n%s" % (wrong_in(r), out))
        if shutil.which("llvm-xray"):
            status, err = harness.run(["llvm-xray", "account", log_of(r)], tap.dir)
            tap.ok(status == 0 and not err, "nothing is collected, version %s: llvm-xray reads it" % version, err)
        else:
            tap.skip("nothing is collected: llvm-xray reads it", "it is not installed")


def directories(tap):
    """uftrace's directory has all its files or does not exist, and nobody else may write to it."""
    before = os.umask(0)
    try:
        r = run(tap, "umask", ["/bin/true"], ["--uftrace=yes", "--uftrace-out-dir=made"])
    finally:
        os.umask(before)
    modes = {oct(os.stat(os.path.join(r.dir, f)).st_mode & 0o777) for f in os.listdir(r.dir) if f.startswith(("log", "graph"))}
    modes |= {oct(os.stat(os.path.join(r.dir, "made", f)).st_mode & 0o777) for f in os.listdir(os.path.join(r.dir, "made"))}
    tap.ok(modes == {"0o644"} and os.stat(os.path.join(r.dir, "made")).st_mode & 0o777 == 0o755, "umask 000: modes", modes)

    # The file of its symbols would have a name that is too long.
    program = os.path.join(r.dir, 252 * "x")
    shutil.copy("/bin/true", program)
    for name, there in (("new", None), ("old", "task.txt")):
        path = os.path.join(r.dir, name)
        if there:
            os.mkdir(path)
            with open(os.path.join(path, there), "w") as f:
                f.write(there)
        p = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=/dev/null", "--uftrace=yes",
                            "--uftrace-out-dir=" + path, program], env=harness.ENV, stderr=subprocess.PIPE)
        left = os.listdir(path) if os.path.exists(path) else None
        kept = there and open(os.path.join(path, there)).read()
        tap.ok(left == (there and [there]) and kept == there and p.stderr.count(b"\n") == 1 and b"cannot write" in p.stderr,
               "uftrace's directory, %s, cannot be written: it is as it was" % name, "%s %s %s" % (left, kept, p.stderr.decode()))


def turns(tap):
    """Times of all threads and stacks are those of one clock: who waits goes on behind what was waited for."""
    program = harness.cc(tap, os.path.join(PROGS, "xray", "waits.c"), "waits", "-static", "-O1", "-pthread")

    def spans(r):
        """Returns {name: [(begin, end) of its calls]}, in times of all threads."""
        log, names = read(r)
        found, stacks = {}, {}
        for number, t in log.threads.items():
            for e in t.events:
                stack = stacks.setdefault(number, [])
                if e.action in (xray_read.ENTER, xray_read.ENTER_ARGS):
                    stack.append(e.time)
                else:
                    found.setdefault(names[e.id].name, []).append((stack.pop(), e.time))
        return found

    for name, opts in (("turns", []), ("turns, version 5", ["--xray-version=5"]), ("turns, long calls", ["--xray-min-instrs=900"]),
                       ("turns, the last calls", ["--xray-limit=128K", "--xray-keep=last"])):
        r = run(tap, name, [program], opts)
        check(tap, name + ": the consumer goes on behind the producer", r,
              lambda: spans(r)["produce"][0][1] < spans(r)["consume"][0][0]
              and spans(r)["consumer"][0][0] < spans(r)["produce"][0][0] < spans(r)["consumer"][0][1])
    r = run(tap, "turns of stacks", [program, "fibers"])
    works = sorted(spans(r).get("work", []))
    long = [b - a for a, b in works]
    check(tap, "a thread's stacks have turns", r, lambda: len(works) == 4 and long == sorted(long)
          and all(b[1] < a[0] for b, a in zip(works, works[1:])), works)


def options(tap):
    whole = run(tap, "whole", LS)
    stops = harness.cc(tap, os.path.join(PROGS, "xray", "stops.c"), "stops", "-static", "-O2")
    check(tap, "ls", whole, lambda: True)
    if not AGAIN:
        thresholds(tap, whole)
        filters(tap, whole)
        limits(tap, whole)
        refused(tap)
        empty(tap)
        directories(tap)
    arguments(tap, stops)
    identities(tap, whole, stops)
    dumps(tap, stops)


# ---- the oracle itself ------------------------------------------------------------------------------------------------


def selftest(tap):
    r = run(tap, "selftest", ["/bin/true"])
    good = bytes_of(log_of(r))
    first = 32 + 4 * 16                 # the first function

    def change(at, form, value):
        data = bytearray(good)
        struct.pack_into("<" + form, data, at, value)
        return bytes(data)
    second, = struct.unpack_from("<I", good, first + 8)
    end = good.index(b"\x03" + bytes(15), first)
    for what, data, rule in (("a number that nobody has", change(first + 8, "I", second & 15 | 0xffffff0), "map"),
                             ("an exit of another function", change(end - 8, "I", 0x7ff2), "balance"),
                             ("a tick less", change(first + 4, "I", 1), "first tick"),
                             ("a first tick of 0", change(32 + 48 + 3, "Q", 0), "tick"),
                             ("something behind the end", change(len(good) - 8, "Q", 1), "padding"),
                             ("the clock of the buffer", change(32 + 16 + 1, "Q", 0), "clock"),
                             ("a header of version 2", change(0, "H", 2), "header"),
                             ("half of it", good[:len(good) - 8192], "buffer"),
                             ("no last exit", change(end - 8, "QQ"[0], 0), "function")):
        bad = tap.path("bad.log")
        with open(bad, "wb") as f:
            f.write(data)
        lines = xray_rules.check(bad, log_of(r) + ".map")[0]
        tap.ok(any(line.startswith(rule + ":") for line in lines), "the oracle sees: " + what, "\n".join(lines))


def check_x86(tap):
    """A 32-bit program has its arguments on the stack."""
    if harness.lacks_x86():
        tap.skip("32-bit programs", harness.lacks_x86())
        return
    calls = harness.program(tap, "callgrind/calls.c", "-static", "-m32", "-O2", "-fno-inline", name="calls32")
    stops = harness.program(tap, "xray/stops.c", "-static", "-m32", "-O0", name="stops32")
    if calls and stops:
        compare(tap, "calls32", [calls])
        log, names = read(run(tap, "arguments32", [stops], ["--xray-args=yes"]))
        got = [e.args for e in log.threads[1].events if e.args and names[e.id].name == "six"]
        tap.ok(got == [[1, 0xfffffffe, 3, 0x89abcdef, 5, 6], [6, 5, 4, 3, 2, 1]], "32 bits: arguments are on the stack", got)


def main(argv):
    tap = harness.Tap("xray")
    if argv[:1] == ["random"] and len(argv) == 3:
        random_programs(tap, range(int(argv[1]), int(argv[2]) + 1))
        tap.done()
    for name, command, more in programs(tap):
        if not argv or name in argv:
            compare(tap, name, command(), **more)
    if not argv or "random" in argv:
        random_programs(tap, RANDOM[:1] if AGAIN else RANDOM)
    if not argv or "options" in argv:
        options(tap)
    if not argv or "turns" in argv:
        turns(tap)
    if (not argv and not AGAIN) or "selftest" in argv:
        selftest(tap)
    if (not argv and not AGAIN) or "x86" in argv:
        check_x86(tap)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
