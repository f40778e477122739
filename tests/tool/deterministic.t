#!/usr/bin/python3
"""--deterministic and --cpu: runs do not differ, and programs end as they do without.  (TAP)

tests/progs/steady.c asks its surroundings for all that differs from run to run, and has threads that meet.  It runs several times
at once, on one processor and on all, beside a process that never rests.  Its output and its graph are the same each time.

"ends" and "turns" are the races of threads.  The kernel clears the number of a thread that has ended some time later, also that
of the last but one.  A turn is counted from its begin, not from when the thread came to wait for it.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command

SOURCE = os.path.join(harness.SRCDIR, "tests", "progs", "steady.c")
WORDS = "random,time,sched,cpus,mem"
# The output of a mode, whatever the machine is.
PRINTED = {
    "sleeps": "nanosleep 0 1\npoll 0 1\nselect 0 1 0\ndeadline 0\nspun\n",
    "deadlines": "poll 1\njoin 0\nthen 100\nwait Connection timed out\n",
    "exits": "ends\n",
}
TIMES = {"waits": 4, "ends": 6, "turns": 3}


def run(tap, name, argv, *options, env=None, prefix=()):
    """Returns what a run under the tool printed, its messages, its status, and its graph's path."""
    path = tap.path(name + ".json")
    p = subprocess.run([*prefix, harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + path, *options, *argv], cwd=tap.dir,
                       env=env or harness.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=harness.TIMEOUT)
    return p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace"), p.returncode, path


def together(tap, *jobs):
    """Returns the results of jobs, each the arguments of run() behind TAP and its options by name, in their order."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: run(tap, *[a for a in job if not isinstance(a, dict)], **dict(*[a for a in job if isinstance(a, dict)])),
                             jobs))


def one_processor():
    return ("taskset", "-c", str(min(os.sched_getaffinity(0))))


def check_mode(tap, prog, mode, name):
    """All runs of a mode print the same and have the same graph."""
    times = TIMES.get(mode, 2)
    runs = together(tap, *[("%s.%s.%d" % (name, mode, i), [prog, mode], "--deterministic=yes",
                            {"prefix": one_processor() if i % 2 else ()}) for i in range(times)])
    graphs = {harness.without_pid(r[3]) if os.path.exists(r[3]) else None for r in runs}
    tap.ok(len({r[0] for r in runs}) == 1 and len(graphs) == 1 and None not in graphs,
           "%s %s: %d runs are the same" % (name, mode, times), [r[:2] for r in runs])
    out, err, status, _ = runs[0]
    tap.ok(out == PRINTED.get(mode, out) and status == (3 if mode == "exits" else 0), "%s %s: it ends as it should" % (name, mode),
           out + err)
    return runs[0]


def check_answers(tap, prog, out):
    """The answers are false where the option says so, and nowhere else."""
    years = re.findall(r"^clock 0 (\d+)|^time (\d+)", out, re.M)
    tap.ok(years and all(int(a or b) == 1577836800 for a, b in years), "time begins with 2020", out)
    tap.ok("cpus 1, 1, 1, on 0" in out and "memory 8589934592 " in out, "one processor, 8 GiB", out)
    ticks = [float(x) for x in re.findall(r"^clock 1 (\S+)", out, re.M)]
    tap.ok(len(ticks) == 3 and ticks == sorted(set(ticks)), "each look is later", out)
    lists = ("time", "random,mem", "no")
    done = [r[0] for r in together(tap, *[("free%d" % i, [prog, "asks"]) for i in range(2)],
                                   *[("words%d" % i, [prog, "asks"], "--deterministic=" + w) for i, w in enumerate(lists)])]
    free = done[:2]
    lines = [re.findall(r"^(?:AT_RANDOM|getrandom|/dev/urandom) .*", x, re.M) for x in (out, *free)]
    tap.ok(all(len(x) == 3 for x in lines) and not set(lines[0]) & set(lines[1]) and not set(lines[1]) & set(lines[2]),
           "without the option random numbers differ", lines)
    for words, out in zip(lists, done[2:]):
        have = {w for w, part in (("time", "\ntime 1577836800"), ("random", lines[0][0]), ("cpus", "cpus 1, 1, 1, on 0"),
                                  ("mem", "memory 8589934592 4294967296")) if part in out}
        tap.ok(have - {"cpus"} == set(words.split(",")) - {"no"}, "only " + words, out)


def hears(tap, option, *words):
    out, err, status, _ = run(tap, "refused", ["/bin/true"], option)
    return tap.ok(status == 1 and all(w in err for w in words), option + " is refused", err)


def check_processor(tap, prog):
    with open("/proc/cpuinfo") as f:
        flags = f.read()
    for level in ("x86-64-v2", "x86-64-v3"):
        if level == "x86-64-v3" and not (" avx2 " in flags and " f16c " in flags):
            hears(tap, "--cpu=" + level, level, "--cpu=x86-64-v2")
            continue
        runs = together(tap, *[("%s.%d" % (level, i), [prog, "asks"], "--cpu=" + level, "--deterministic=random") for i in range(2)])
        leaves = [re.findall(r"^cpuid (\d+) \w+ (\w+) (\w+)", r[0], re.M) for r in runs]
        avx = [int(c, 16) >> 28 & 1 for n, b, c in leaves[0] if n == "1"] + [int(b, 16) >> 5 & 1 for n, b, c in leaves[0] if n == "7"]
        tap.ok(avx == ([0, 0] if level == "x86-64-v2" else [1, 1]) and "rdrand" not in runs[0][0] and leaves[0] == leaves[1],
               level + ": AVX and AVX2 are there as the level says", runs[0][0])
        tap.ok("processor " + level + ";" in runs[0][1], level + ": the last lines tell", runs[0][1])
    hears(tap, "--cpu=i386", "--cpu", "x86-64-v2")
    hears(tap, "--deterministic=tme", "tme", "random,time,sched,cpus,mem")
    hears(tap, "--deterministic=", "random,time,sched,cpus,mem")


def check_words(tap, prog):
    asks, yes, envs = [prog, "asks"], "--deterministic=yes", (dict(harness.ENV, HOME="/tmp", NEW="x", LC_ALL="C.UTF-8"), dict(harness.ENV, HOME="."))
    done = together(tap, ("yes", asks, yes), ("quiet", asks, yes, "-q"), ("no", asks), ("other", asks, "--cpu=x86-64-v2", {"env": envs[0]}),
                    ("home", asks, yes, {"env": envs[1]}))
    out, err, _, path = done[0]
    tap.ok(re.search(r"dcfg: deterministic: AT_RANDOM 1, getrandom \d+, random files 4, .*clocks \d+, rdtsc \d+, .*processor host; "
                     r"counts are not those of a free run", err), "the last lines tell what was answered", err)
    tap.ok("deterministic:" not in done[1][1], "with -q they do not")
    tap.ok("deterministic:" not in done[2][1], "nor without the option")
    row = json.loads(command("report", "--json", path)[1])["processes"][0]["run"]
    keys = [x.split("=")[0] for x in row["conditions"].split("; ")]
    tap.ok(row["deterministic"] == WORDS and keys == "processor kernel valgrind user terminal locale environment variables".split(),
           "RUN has the words and the conditions", row)
    tap.ok("user=%d:%d;" % (os.geteuid(), os.getegid()) in row["conditions"] and "kernel=%s;" % os.uname().release in row["conditions"]
           and " HOME:1 " in row["conditions"] and "locale=C;" in row["conditions"], "they are those of this run", row)
    other = done[3][3]
    told = re.findall(r"^conditions: (.*)", command("diff", path, other)[1], re.M)
    tap.ok([t for t in told if t.startswith("--deterministic is " + WORDS + " in A, no in B")]
           and "variable NEW is in B only" in told and "variable HOME has 1 bytes in A, 4 in B" in told
           and "locale is C in A, C.UTF-8 in B" in told and any(t.startswith("processor is ") for t in told),
           "diff tells which conditions differ", told)
    tap.ok(json.loads(command("diff", "--json", path, other)[1])["conditions"] == told, "diff --json, too")
    status, out, err = command("diff", "--csv", path, other)
    tap.ok("conditions" not in out and "variable NEW is in B only" in err, "with --csv on standard error", err)
    home = done[4][3]
    told = re.findall(r"^conditions: (.*)", command("diff", path, home)[1], re.M)
    tap.ok(["the value of a variable differs, or the order of variables"] == [t for t in told if "digits" not in t],
           "a value of the same length is told without its name", told)
    with open(path, "rb") as f:
        tap.ok(b"NEW" not in f.read() and b"PYTHONHASHSEED:1" in open(path, "rb").read(), "names and sizes, no values")


def check_traces(tap, prog, reader):
    """Every output is the same; loads of the whole execution trace find what the false answers have written."""
    outputs = ("trace", "callgrind", "wet")
    keys = [(mode, i) for mode in ("asks", "deadlines") for i in range(2)]
    names = {k: {o: tap.path("%s.%s.%d" % (o, *k)) for o in outputs} for k in keys}
    done = together(tap, *[("all.%s.%d" % k, [prog, k[0]], "--deterministic=yes",
                            *["--%s=yes" % o for o in outputs], *["--%s-out-file=%s" % (o, names[k][o]) for o in outputs]) for k in keys])
    graphs = {k: r[3] for k, r in zip(keys, done)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        loads = list(pool.map(lambda mode: check_loads(tap, reader, names[mode, 0]["wet"]), ("asks", "deadlines")))
    for mode, (known, text) in zip(("asks", "deadlines"), loads):
        files = [(harness.without_pid(graphs[k]), harness.without_pid(names[k]["trace"]), without_names(names[k]["callgrind"]))
                 for k in keys if k[0] == mode]
        tap.ok(files[0] == files[1] and None not in files[0], mode + ": graph, trace and profile are the same")
        tap.ok(known > 10000, mode + ": loads of the whole execution trace find what is there", text)


def without_names(path):
    with open(path) as f:
        return re.sub(r"(?m)^(pid|creator|cmd|desc):.*", "", f.read())


def check_loads(tap, reader, wet):
    """Returns how many loads of the trace WET find what was written, 0 if one does not, and what the oracle says."""
    with subprocess.Popen([reader, wet, "all"], stdout=subprocess.PIPE) as listed:
        with open(wet + ".listed", "wb") as f:
            f.write(listed.stdout.read())
    known, _, wrong, text = harness.loads_of(wet + ".listed")
    return 0 if wrong else known, text


def check_disk(tap):
    """Python stores the time of a source in what it compiles: that stays true."""
    code = []
    source = tap.path("module.py")
    with open(source, "w") as f:
        f.write("x = 1\n")
    for option in ("native", "--deterministic=yes"):
        out = tap.path("compiled" + option)
        argv = [harness.PYTHON, "-I", "-S", "-c", "import py_compile; py_compile.compile(%r, %r)" % (source, out)]
        if option == "native":
            subprocess.run(argv, check=True)
        else:
            run(tap, "compile", argv, option)
        with open(out, "rb") as f:
            code.append(f.read())
    tap.ok(code[0] == code[1] and int(os.stat(source).st_mtime) == int.from_bytes(code[1][8:12], "little"), "a file's time stays true")
    before = time.time()
    run(tap, "touch", ["/bin/touch", tap.path("touched")], "--deterministic=yes")
    tap.ok(os.stat(tap.path("touched")).st_mtime >= int(before), "the kernel's time of a new file, too")


def check_proc(tap):
    """Without /proc/N/task, turns are refused."""
    p = subprocess.run(["unshare", "-m", "sh", "-c", "mkdir empty && mount --bind empty /proc/$$/task && exec \"$@\"", "sh",
                        harness.VALGRIND, "--tool=dcfg", "--deterministic=yes", "/bin/true"], cwd=tap.dir, env=harness.ENV,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = p.stderr.decode(errors="replace")
    if "mount:" in err or "unshare:" in err:
        tap.skip("sched without /proc", "nothing can be mounted here")
        return
    tap.ok(p.returncode == 1 and "mount /proc" in err and "--deterministic=random,time,cpus,mem" in err, "sched without /proc is refused", err)


def main():
    tap = harness.Tap("deterministic")
    busy = subprocess.Popen(["nice", "-n", "19", sys.executable, "-c", "while True: pass"])
    try:
        prog = harness.cc(tap, SOURCE, "steady", "-static", "-pthread")
        reader = harness.reader(tap, "wet_state")
        first = check_mode(tap, prog, "asks", "amd64") if prog else None
        for mode in ("waits", "ends", "turns", *PRINTED) if prog else ():
            check_mode(tap, prog, mode, "amd64")
        if harness.lacks_x86():
            tap.skip("32-bit programs", harness.lacks_x86())
        else:
            prog32 = harness.cc(tap, SOURCE, "steady32", "-static", "-pthread", "-m32")
            for mode in ("asks", "waits", "deadlines") if prog32 else ():
                check_mode(tap, prog32, mode, "x86")
        busy.kill()                     # the rest does not depend on load
        if prog and reader:
            check_answers(tap, prog, first[0])
            check_processor(tap, prog)
            check_words(tap, prog)
            check_traces(tap, prog, reader)
        check_disk(tap)
        check_proc(tap)
    finally:
        busy.kill()
        busy.wait()
    tap.done()


if __name__ == "__main__":
    main()
