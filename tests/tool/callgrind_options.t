#!/usr/bin/python3
"""The options of the profile: names, compressors, a file for each thread, dumps while the program runs.  Wrong options
are refused before the program starts; two runs give one file.  callgrind.t checks the contents.  (TAP)"""
import glob
import gzip
import os
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import callgrind_compare
import libc_objects
import lifelib

BUSY = "$| = 1; print qq(ready\\n); while (1) { $x++ }"
ON = ["--callgrind=yes", "--dcfg-out-file=d.json"]


def run(tap, name, argv, opts, while_running=None, tool="dcfg", env=None):
    """Runs in a directory of its own, the current one.  Standard input ends when WHILE_RUNNING has returned.  Returns (exit
    status, stderr, directory, its files).
    """
    there = tap.path(name)
    os.mkdir(there)
    p = subprocess.Popen([harness.VALGRIND, "--tool=" + tool] + opts + argv, cwd=there, env=env or harness.ENV,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if while_running:
            while_running(p, there)
        _, err = p.communicate(timeout=harness.TIMEOUT)
    except subprocess.TimeoutExpired:
        p.kill()
        err = p.communicate()[1] + b"no end"
    return p.returncode, err.decode(errors="replace"), there, sorted(os.listdir(there))


def read(path):
    return callgrind_compare.Profile(path)


def check_names(tap, prog):
    _, _, _, files = run(tap, "off", [prog], ["--dcfg-out-file=d.json", "--callgrind-out-file=p"])
    tap.ok(files == ["d.json"], "no profile without --callgrind=yes", files)
    _, _, _, files = run(tap, "default", [prog], ON)
    tap.ok(len(files) == 2 and re.match(r"callgrind\.out\.\d+$", files[0]), "the default name", files)
    _, _, there, files = run(tap, "packed", [prog], ON + ["--callgrind-out-file=p.gz"])
    good = files == ["d.json", "p.gz"]
    tap.ok(good and gzip.open(os.path.join(there, "p.gz")).read().startswith(b"# callgrind format\n"),
           "through a compressor", files)
    _, _, there, files = run(tap, "alone", [prog], ON + ["--cfg=no", "--symbols=no", "--source=no",
                                                         "--callgrind-out-file=p"])
    tap.ok(files == ["d.json", "p"] and "is_prime" in {f[2] for f in read(os.path.join(there, "p")).self},
           "functions and lines, whatever the graph leaves out", files)


def check_positions(tap, prog):
    _, err, there, files = run(tap, "nowhere", [prog], ON + ["--dump-line=no", "--callgrind-out-file=p"])
    tap.ok(files == ["d.json", "p"] and "--dump-line=no is ignored" in err
           and read(os.path.join(there, "p")).parts[0].get("positions") == "line", "some position there has to be", err)


def check_refused(tap):
    for opts in (["--callgrind-out-file=d.json"], ["--callgrind-out-file=/nonexistent/p"], ["--callgrind-out-file=."],
                 ["--trace=yes", "--trace-out-file=p", "--callgrind-out-file=p"], ["--dump-instr=maybe"],
                 ["--separate-threads=2"]):
        status, err, _, files = run(tap, "refused" + re.sub(r"\W", "_", "".join(opts)), ["/bin/echo", "ran"], ON + opts)
        said = [line for line in err.splitlines() if opts[-1].partition("=")[0] in line]
        tap.ok(status == 1 and not files and said, "refused: " + " ".join(opts), "%s %s\n%s" % (status, files, err))


def check_threads(tap, prog):
    _, _, there, files = run(tap, "threads", [prog], ON + ["--separate-threads=yes", "--callgrind-out-file=p"])
    if not tap.ok(files == ["d.json", "p-01", "p-02"], "a file for each thread", files):
        return
    parts = [read(os.path.join(there, f)) for f in files[1:]]
    tap.ok([p.parts[0].get("thread") for p in parts] == ["1", "2"], "each says which thread's it is")
    _, _, _, files = run(tap, "packed_threads", [prog], ON + ["--separate-threads=yes", "--callgrind-out-file=p.gz"])
    tap.ok(files == ["d.json", "p-01.gz", "p-02.gz"], "a file for each thread through a compressor", files)
    tap.ok(all(sum(n for f, (n, ) in p.self.items() if f[2] == "is_prime") > 50000 for p in parts),
           "each thread's own instructions")


def check_dumps(tap):
    """Two dumps and the end: each has what ran since the one before."""
    seen = []

    def ask(p, there):
        p.stdout.readline()
        for i in "12":
            harness.ask(p, "dump")
            seen.extend(read(f) for f in glob.glob(os.path.join(glob.escape(there), "p." + i)))
        p.send_signal(signal.SIGTERM)
    _, err, there, files = run(tap, "dumps", ["/usr/bin/perl", "-e", BUSY],
                               ON + ["--callgrind-out-file=p", "--vgdb-poll=5000"], ask)
    if not tap.ok(len(seen) == 2 and files == ["d.1.json", "d.2.json", "d.json", "p", "p.1", "p.2"], "dumps while it runs",
                  "%s\n%s" % (files, err[-2000:])):
        return
    seen.append(read(os.path.join(there, "p")))
    sums = [sum(p.sums) for p in seen]
    graphs = [lifelib.Dcfg(os.path.join(there, f)).total for f in ("d.1.json", "d.2.json", "d.json")]
    tap.ok(min(sums[:2]) > 0 and sums == graphs, "each has something, as much as its graph", "%s %s" % (sums, graphs))
    triggers = [p.parts[0].get("desc: Trigger") for p in seen]
    with open(os.path.join(there, "p")) as f:
        tap.ok("desc: Trigger: Program termination\n" in f.readlines(), "the last one is that of the end", triggers)


def check_resumed(tap):
    """A dump in the middle of a recursion: both parts are as Callgrind's."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "callgrind", "pause.c"), "pause", "-O1")
    if not prog:
        return
    opts = ["--dump-instr=yes", "--compress-pos=no", "--callgrind-out-file=p"]
    dumped = []

    def ask(p, there):
        p.stdout.readline()
        harness.ask(p, "dump")
        dumped.append(os.path.exists(os.path.join(there, "p.1")))
    _, err, there, _ = run(tap, "resumed", [prog], ON + opts, ask, env=libc_objects.env())
    _, _, beside, files = run(tap, "beside", [prog], opts, ask, tool="callgrind", env=libc_objects.env())
    if tap.ok(dumped == [True, True] and files == ["p", "p.1"], "a dump within a recursion", err[-2000:]):
        status, text = harness.oracle("callgrind_compare.py", "--ends=2", os.path.join(there, "p.1"),
                                      os.path.join(beside, "p.1"))
        tap.ok(status == 0, "... which has what Callgrind's has", text)
        # Callgrind has the superblock of the dump in the second part.
        sums = {}
        for sign, place in ((1, there), (-1, beside)):
            for part in ("p", "p.1"):
                for f, (n, ) in callgrind_compare.Profile(os.path.join(place, part)).self.items():
                    sums[f] = sums.get(f, 0) + sign * n
        more = {f[2]: n for f, n in sums.items() if n}
        tap.ok(set(more) <= {"_Exit"} and all(0 < n < 4 for n in more.values()), "... and both together are as Callgrind's", more)


def check_requests(tap):
    """Callgrind's requests of a program are executed, without a message; regions.t tests the others."""
    include = os.path.join(os.path.dirname(os.path.dirname(harness.VALGRIND)), "include")
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "callgrind", "requests.c"), "requests",
                      "-I" + include)
    if not prog:
        return
    for name, opts in (("asked", ON), ("asked_off", ON[1:])):
        status, err, _, files = run(tap, name, [prog], opts)
        tap.ok(status == 0 and "CALLGRIND" not in err and {"d.1.json", "d.2.json", "d.json"} <= set(files),
               "all requests are done: " + " ".join(opts), "%s\n%s" % (files, err))


def check_same(tap):
    texts = []
    for i in "12":
        _, _, there, _ = run(tap, "same" + i, ["/bin/ls", "-l", "/usr/lib"],
                             ON + ["--dump-instr=yes", "--collect-jumps=yes", "--callgrind-out-file=p"])
        with open(os.path.join(there, "p"), "rb") as f:
            texts.append(re.sub(rb"pid: \d+", b"", f.read()))
    tap.ok(texts[0] == texts[1], "two runs, one file: %d bytes" % len(texts[0]))


def main():
    tap = harness.Tap("cgopts")
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "primes.c"), "primes", "-O1", "-pthread")
    check_names(tap, prog)
    check_positions(tap, prog)
    check_refused(tap)
    check_threads(tap, prog)
    check_dumps(tap)
    check_resumed(tap)
    check_requests(tap)
    check_same(tap)
    tap.done()


if __name__ == "__main__":
    main()
