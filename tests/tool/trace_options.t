#!/usr/bin/python3
"""The options of the trace: names, compressors, chunks, threads; wrong options are refused; errors of writing are
reported and leave nothing behind; two runs give one file.  (TAP)

DCFG_AGAIN=1: another Valgrind has been tested.  Then tests that do not depend on Valgrind are left out: names,
compressors, chunks, how options are read, full devices, and most choices of threads; crosscheck_small.t compares two runs there.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib

COMPRESSORS = ((".gz", "gzip", b"\x1f\x8b"), (".bz2", "bzip2", b"BZh"), (".xz", "xz", b"\xfd7zXZ"),
               (".zst", "zstd", b"\x28\xb5\x2f\xfd"))
AGAIN = os.environ.get("DCFG_AGAIN") == "1"
BUSY = "$| = 1; print qq(ready\\n); my $x = 1; while (1) { $x = $x * 69069 + 1 & 0xffffffff; $y++ if $x >> 20 & 3 }"


class Run:
    pass


def run(tap, name, argv, opts, env=None, before=(), dcfg="d.json", there=None):
    """Runs in a directory of its own, the current one; .files: its files at the end."""
    r = Run()
    r.dir = there or tap.path(name + ".run")
    if not there:
        os.mkdir(r.dir)
    cmd = list(before) + [harness.VALGRIND, "--tool=dcfg"] + list(opts) + argv
    if dcfg:
        cmd.insert(cmd.index("--tool=dcfg") + 1, "--dcfg-out-file=" + dcfg)
    p = subprocess.Popen(cmd, cwd=r.dir, env=dict(harness.ENV, **(env or {})), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(timeout=harness.TIMEOUT)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        err += b"no end"
    r.status, r.out, r.err = p.returncode, out.decode(errors="replace"), err.decode(errors="replace")
    r.files = sorted(os.listdir(r.dir))
    return r


def path(r, name):
    return os.path.join(r.dir, name)


def traced(tap, name, r, trace, *opts, dcfg="d.json"):
    """Checks that there is a DCFG and its trace, and nothing else."""
    if r.status or sorted(r.files) != sorted([dcfg, trace]):
        return tap.ok(False, name, "exit status %s, files %s\n%s" % (r.status, r.files, r.err[-2000:]))
    wrong, _ = tracelib.rules(tap, path(r, dcfg), path(r, trace), *opts)
    return tap.ok(not wrong, name, wrong)


# ---- names -------------------------------------------------------------------------------------------------

def check_names(tap, prog):
    r = run(tap, "off", [prog], [])
    tap.ok(r.files == ["d.json"], "no trace without --trace=yes", r.files)
    r = run(tap, "off_named", [prog], ["--trace-out-file=t.json", "--trace-chunk=5"])
    tap.ok(r.files == ["d.json"], "a name alone makes no trace", r.files)
    r = run(tap, "no", [prog], ["--trace=no", "--trace-out-file=t.json"])
    tap.ok(r.files == ["d.json"], "--trace=no makes none", r.files)

    r = run(tap, "default", [prog], ["--trace=yes"], dcfg=None)
    pids = [re.match(p, f) for p, f in zip((r"dcfg-trace\.out\.(\d+)\.json$", r"dcfg\.out\.(\d+)\.json$"), r.files)]
    good = len(r.files) == 2 and all(pids) and pids[0].group(1) == pids[1].group(1)
    if tap.ok(good, "the names by default", r.files):
        traced(tap, "the files by default", r, r.files[0], "--chunk=1000000", dcfg=r.files[1])
        tap.ok(str(tracelib.process_id(path(r, r.files[0]))) == pids[0].group(1), "the process id in the name")
    r = run(tap, "pq", [prog], ["--trace=yes", "--trace-out-file=t.%q{LIFE}.%p.trace"], env={"LIFE": "nine"})
    tap.ok(any(re.match(r"t\.nine\.\d+\.trace$", f) for f in r.files), "%p and %q in a name", r.files)

    elsewhere = tap.path("elsewhere")
    os.mkdir(elsewhere)
    r = run(tap, "other", [prog], ["--trace=yes", "--trace-out-file=" + os.path.join(elsewhere, "t.json")])
    wrong = "%s %s" % (r.files, os.listdir(elsewhere))
    if r.files == ["d.json"] and os.listdir(elsewhere) == ["t.json"]:
        wrong, _ = tracelib.rules(tap, path(r, "d.json"), os.path.join(elsewhere, "t.json"))
    tap.ok(not wrong, "a trace in another directory", wrong)
    r = run(tap, "null", [prog], ["--trace=yes", "--trace-out-file=/dev/null"])
    tap.ok(r.status == 0 and r.files == ["d.json"], "a trace to the null device", r.err[-2000:])


def check_compressors(tap, prog):
    for suffix, program, magic in COMPRESSORS:
        if not shutil.which(program, path=harness.ENV["PATH"]):
            tap.skip("suffix " + suffix, "no " + program)
            continue
        r = run(tap, "pack" + suffix, [prog], ["--trace=yes", "--trace-out-file=t.json" + suffix])
        if traced(tap, "suffix " + suffix, r, "t.json" + suffix):
            with open(path(r, "t.json" + suffix), "rb") as f:
                tap.ok(f.read(len(magic)) == magic, "suffix %s: is %s's" % (suffix, program))
    r = run(tap, "both", [prog], ["--trace=yes", "--trace-out-file=t.json.gz"], dcfg="d.json.gz")
    traced(tap, "both files compressed", r, "t.json.gz", dcfg="d.json.gz")
    r = run(tap, "missing", [prog], ["--trace=yes", "--trace-out-file=t.json.xz"], env={"PATH": "/nonexistent"})
    if traced(tap, "a compressor that is missing: the plain file", r, "t.json"):
        tap.ok("not compressed" in r.err and "xz" in r.err, "a compressor that is missing: is told", r.err[-2000:])


# ---- chunks and threads ------------------------------------------------------------------------------------

def check_chunks(tap, prog):
    seen = {}
    for n in (1, 5000, 1000000000):
        r = run(tap, "chunk%d" % n, [prog], ["--trace=yes", "--trace-out-file=t.json", "--trace-chunk=%d" % n])
        if traced(tap, "--trace-chunk=%d" % n, r, "t.json", "--chunk=%d" % n, "--out=" + path(r, "ids")):
            with open(path(r, "ids.0"), "rb") as f:
                seen[n] = f.read()
    tap.ok(len(seen) == 3 and len(set(seen.values())) == 1, "the same edges in chunks of any size",
           {n: len(s) for n, s in seen.items()})


def check_threads(tap, prog):
    """A program with five threads."""
    for value, want in (("0,2", "0,2"), ("all", "0,1,2,3,4"), ("0", "0"), ("4", "4"), ("3,1", "1,3"), ("1,1,1", "1"),
                        ("2,99", "2"), ("77", "77"), ("0,1,2,3,4", "0,1,2,3,4"))[:1 if AGAIN else None]:
        r = run(tap, "threads" + value, [prog], ["--trace=yes", "--trace-out-file=t.json", "--trace-threads=" + value])
        traced(tap, "--trace-threads=" + value, r, "t.json", "--threads=" + want)


BAD = ["--trace=maybe", "--trace=", "--trace-chunk=0", "--trace-chunk=-5", "--trace-chunk=many", "--trace-chunk=",
       "--trace-chunk=5x", "--trace-chunk=1000000001", "--trace-chunk=99999999999999999999", "--trace-threads=",
       "--trace-threads=none", "--trace-threads=0,", "--trace-threads=,0", "--trace-threads=0,,2",
       "--trace-threads=0-2", "--trace-threads=-1", "--trace-threads=0 2", "--trace-threads=all,0",
       "--trace-threads=99999999999", "--trace-threads=4294967296",
       "--trace-out-file=", "--trace-out-file=t.%x.json", "--trace-out-file=t.%q{}.json", "--trace-out-file=t.%q{LIFE",
       "--trace-out-file=/nonexistent/t.json", "--trace-out-file=.", "--trace-out-file=d.json",
       "--trace-files=t.json", "--trace-effort-less"]


def check_bad(tap):
    for i, option in enumerate(BAD):
        r = run(tap, "bad%d" % i, ["/bin/echo", "ran"], ["--trace=yes", option])
        name = option.split("=")[0]
        said = [line for line in r.err.splitlines() if name in line]
        # Valgrind's own message names the option, and for some options has a second line.
        tap.ok(r.status > 0 and 1 <= len(said) <= 2 and not r.out and not r.files,
               "%s is refused" % option,
               "exit status %s, output %r, files %s\n%s" % (r.status, r.out, r.files, r.err[-2000:]))
    # Without a trace, its file name may be impossible.
    r = run(tap, "unused", ["/bin/echo", "ran"], ["--trace-out-file=/nonexistent/t.json"])
    tap.ok(r.status == 0 and r.out == "ran\n" and r.files == ["d.json"], "a name that is not used is not tried",
           r.err[-2000:])


# ---- nothing left behind -----------------------------------------------------------------------------------

def check_full(tap):
    """A full device, and a file system with hardly any room.  Signals that end a run are in life_ends.t."""
    r = run(tap, "full", ["/bin/echo", "ran"], ["--trace=yes", "--trace-out-file=/dev/full"])
    tap.ok(r.status == 0 and r.out == "ran\n" and r.files == ["d.json"] and "/dev/full" in r.err,
           "a full device: told, nothing else", "exit status %s, %s\n%s" % (r.status, r.files, r.err[-2000:]))

    perl = shutil.which("perl", path=harness.ENV["PATH"])
    small = tap.path("small")
    os.mkdir(small)
    possible = shutil.which("unshare") and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=64k", "none", small], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0
    if not perl or not possible:
        tap.skip("a full file system", "none can be mounted")
        return
    # The list of files in the small file system goes to the other directory, because it vanishes with its processes.
    script = ('mount -t tmpfs -o size="$1" none "$2" && shift 2 || exit 99\n'
              '"$@"; status=$?; ls -A "%s" > listing; exit $status' % small)
    short = [perl, "-e", BUSY.replace("while (1)", "for (1 .. 40000)")]
    long = [harness.cc(tap, os.path.join(lifelib.PROGS, "long.c"), "long", "-static", "-O1")]
    for size, argv, what in (("16k", long, "while it runs"), ("64k", short, "when it is written")):
        r = run(tap, "small" + size, argv,
                ["--trace=yes", "--trace-out-file=" + os.path.join(small, "t.json")],
                before=["unshare", "-m", "sh", "-c", script, "sh", size, small])
        listing = None
        if "listing" in r.files:
            with open(path(r, "listing")) as f:
                listing = f.read().split()
        said = [line for line in r.err.splitlines() if re.search(r"dcfg: .*(cannot|could not)", line)]
        name = "a full file system, %s: " % what
        tap.ok(r.status == 0 and r.out == "ready\n" and listing == [] and len(said) == 1
               and ("spool" in said[0]) == (argv is long), name + "told once, nothing left",
               "exit status %s, output %r, there: %s\n%s" % (r.status, r.out, listing, r.err[-2000:]))
        wrong = lifelib.rules(path(r, "d.json")) if "d.json" in r.files else "none"
        tap.ok(not wrong, name + "the DCFG is right", wrong)
    # The spool file's space is freed, so that there is room for the DCFG.
    script = script.replace("; exit $status", '; cp "%s"/* .; exit $status' % small)
    r = run(tap, "smallgraph", long, ["--trace=yes"] + ["--%s-out-file=%s" % (what, os.path.join(small, what + ".json"))
                                                        for what in ("dcfg", "trace")],
            before=["unshare", "-m", "sh", "-c", script, "sh", "3m", small])
    wrong = lifelib.rules(path(r, "dcfg.json")) if "dcfg.json" in r.files else "none\n%s" % r.err[-2000:]
    tap.ok(not wrong and "spool" in r.err, "a file system that the spool file fills: room for the DCFG", wrong)


# ---- the same again ----------------------------------------------------------------------------------------

def check_same(tap):
    for name, argv in harness.SAME_EACH_TIME:
        if not os.path.exists(argv[0]):
            tap.skip(name, "not installed")
            continue
        got = []
        for i, opts in enumerate((["--trace=yes"], ["--trace=yes"], [])):
            r = run(tap, "%s%d" % (name, i), argv, opts + ["--trace-chunk=10000", "--trace-out-file=t.json"])
            got.append([harness.without_pid(path(r, f)) if f in r.files else b"" for f in ("d.json", "t.json")])
        tap.ok(got[0][1] and got[0][1] == got[1][1], "%s: two traces, %d bytes" % (name, len(got[0][1] or b"")))
        tap.ok(got[0][0] and got[0][0] == got[1][0] == got[2][0],
               name + ": the DCFG is the same with a trace and without")


def main():
    tap = harness.Tap("traceoptions")
    one = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "loops.c"), "one", "-static")
    five = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "threads_join.c"), "five", "-static", "-pthread")
    if one and five and tracelib.compiled(tap, "trace_decode"):
        if not AGAIN:
            check_names(tap, one)
            check_compressors(tap, one)
            check_chunks(tap, one)
            check_bad(tap)
            check_full(tap)
            check_same(tap)
        check_threads(tap, five)
    tap.done()


if __name__ == "__main__":
    main()
