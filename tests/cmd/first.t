#!/usr/bin/python3
"""dcfg first: where two runs part, and why.  (TAP)

The oracle is the program's source: planted.c has a marker at the line where two runs of a case part, and the cause is what the case
does.  Each case is recorded twice, with what differs between the runs and nothing else.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import pagelib
from slicelib import line_of

PLANTED = harness.text("first/planted.c")
BUILDS = harness.text("first/builds.c")
YES, NO = b"y000000", b"n0"
LONG = "x" * 300

# The case, its cause, and what differs: files with the name "data", environments, further arguments, inputs, options of the tool.
# .library: the branch is in a library, so the marker's line is the one that called it.
CASES = [
    ("getrandom", "system call getrandom", {}),
    ("urandom", "system call read /dev/urandom", {}),
    ("file", "system call read data", {"data": (YES, NO)}),
    ("stdin", "system call read the standard input", {"stdin": (b"abc\n", b"bcd\n")}),
    ("auxv", "AT_RANDOM", {}),
    ("variable", "variable MODE", {"env": ({"MODE": "fast"}, {"MODE": "slow"})}),
    ("no_variable", "variable EXTRA", {"env": ({}, {"EXTRA": "1"}), "library": True}),
    ("argument", "argument 2", {"args": (["3"], ["83"])}),
    ("count", "argument 3", {"args": (["1"], ["1", "2"])}),
    ("stack", "the stack's address", {"env": ({}, {"LENGTHY": LONG})}),
    ("mapping", "a mapping's address", {"env": ({}, {"LD_PRELOAD": "libm.so.6"})}),
    ("mapped_file", "system call mmap data", {"data": (YES, NO)}),
    ("time", "system call clock_gettime", {}),
    ("pid", "system call getpid", {}),
    ("stat", "system call newfstatat data", {"data": (YES, NO)}),
    ("thread", "thread 1, planted.c:%d", {"data": (YES, NO)}),
    ("hash", "system call getrandom", {}),
    ("pointer", "system call read data", {"data": (YES, NO)}),
    ("number", "system call read data", {"data": (YES, NO)}),
    ("tsc", "rdtsc", {}),
    ("cpuid", "cpuid", {"opts": ([], ["--cpu=x86-64-v2"])}),
]

DYNAMIC = "file", "no_variable", "mapping"       # the others need no library, and are recorded in half the time
TRACED = "file", "stdin", "hash", "number", "nothing"        # cases with traces of their graphs


def record(tap, prog, name, side, differs):
    """Records one run of a case, and returns its whole execution trace."""
    def of(key, none):
        return differs[key][side] if key in differs else none
    folder = tap.path("run")
    os.makedirs(folder, exist_ok=True)
    if "data" in differs:
        harness.write(os.path.join(folder, "data"), of("data", b""))
    wet = tap.path("%s.%d.wet" % (name, side))
    env = {"PATH": os.environ["PATH"], "VALGRIND_LIB": harness.ENV.get("VALGRIND_LIB", "")}
    env.update(of("env", {}))
    trace = ["--trace=yes", "--trace-out-file=" + tap.path("%s.%d.trace" % (name, side))] if name in TRACED else []
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--log-file=" + wet + ".log", "--dcfg-out-file=" + tap.path("%s.%d.json" % (name, side)),
                        *trace, "--wet=yes", "--wet-out-file=" + wet, *of("opts", []), prog, name, *of("args", [])],
                       cwd=folder, env=env, input=of("stdin", b""), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.TIMEOUT)
    if not os.path.exists(wet):
        tap.ok(False, name + " is recorded", r.stderr.decode(errors="replace"))
    return wet


def first(*args, **more):
    status, out, err = commandlib.command("first", "--json", *args, **more)
    return status, json.loads(out) if status < 2 else {}, err


def check_case(tap, prog, number, name, cause, differs):
    a, b = (record(tap, prog, name, k, differs) for k in (0, 1))
    status, found, err = first(a, b, program=commandlib.DCFG if number % 4 == 0 else commandlib.PLAIN)
    parts = found["threads"][0]["partings"] if status == 1 else []
    if not tap.ok(status == 1 and len(parts) == 1, name + ": the runs part", (status, err, found)):
        return
    p = parts[0]
    # A pointer's case parts where the pointer is chosen; the argument's, where it is converted.
    marker = line_of(PLANTED, "/* parts here: %s */" % name)
    at = p["called"] if differs.get("library") or p["called"] else p["branch"]
    tap.ok(os.path.basename(at["source"] or "") == "planted.c" and at["line"] == marker, name + ": the branch", p)
    if "%d" in cause:
        cause %= line_of(PLANTED, "/* wrote: %s */" % name)
    if name == "stat":                  # the name of the call is the C library's choice
        p["cause"] = re.sub("(newfst|fst|st)at[a-z0-9]*", "newfstatat", p["cause"])
    tap.ok(p["cause"] == cause, name + ": the cause", (cause, p))


def check_cases(tap, prog, dynamic):
    for number, (name, cause, differs) in enumerate(CASES):
        if name == "cpuid" and not has_avx2():
            tap.skip(name, "the processor has no AVX2")
            continue
        check_case(tap, dynamic if name in DYNAMIC else prog, number, name, cause, differs)
    status, found, err = first(tap.path("hash.0.wet"), tap.path("hash.1.wet"))
    p = found["threads"][0]["partings"][0]
    tap.ok([f for f in p["through"] if f in ("hash", "set_seed", "get_seed")] == ["hash", "set_seed", "get_seed"],
           "the functions on the way, from the branch to the cause", p)
    tap.ok(any(v["name"] == "h" and v["a"] != v["b"] for v in p["values"]), "values have the source's names", p)
    status, found, err = first(tap.path("thread.0.wet"), tap.path("thread.1.wet"))
    tap.ok([t["thread"] for t in found["threads"]] == [0, 1] and found["threads"][1]["partings"][0]["cause"] == "system call read data",
           "all threads are told", found)
    status, found, err = first("--thread=1", tap.path("thread.0.wet"), tap.path("thread.1.wet"))
    tap.ok([t["thread"] for t in found["threads"]] == [1], "--thread", found)


def has_avx2():
    return " avx2 " in harness.read("/proc/cpuinfo").replace("\n", " ")


def check_graphs(tap):
    """Graphs with their traces part at the same branch as the whole execution traces of the same runs, without a cause."""
    for name in TRACED[:4]:
        wet = first(*(tap.path("%s.%d.wet" % (name, k)) for k in (0, 1)), program=commandlib.PLAIN)[1]["threads"][0]["partings"][0]
        graph = first(*(tap.path("%s.%d.%s" % (name, k, end)) for k in (0, 1) for end in ("json", "trace")))[1]["threads"][0]["partings"][0]
        tap.ok([(x["after"], x["branch"]["offset"], [t["offset"] for t in x["goes_to"]]) for x in (wet,)]
               == [(x["after"], x["branch"]["offset"], [t["offset"] for t in x["goes_to"]]) for x in (graph,)] and graph["cause"] is None,
               name + ": graphs with traces part at the same branch", (wet, graph))


def check_same(tap, prog):
    a, b = (record(tap, prog, "nothing", k, {}) for k in (0, 1))
    status, out, err = commandlib.command("first", a, b)
    tap.ok(status == 0 and out.splitlines()[-1] == "the runs are the same", "equal runs say so", (status, out, err))
    tap.ok(not os.path.exists(a + ".idx"), "and need no index")
    status, out, err = commandlib.command("first", *(tap.path("nothing.%d.%s" % (k, end)) for k in (0, 1) for end in ("json", "trace")))
    tap.ok(status == 0 and "the runs are the same" in out, "as graphs, too", (status, out, err))
    b = record(tap, prog, "nothing", 1, {"env": ({}, {"LONGER": LONG})})
    status, out, err = commandlib.command("first", a, b)
    tap.ok(status == 0 and "skipped differences before main" in out, "differences before main are skipped, and that is said", (status, out, err))
    status, found, err = first("--after=", a, b)
    tap.ok(status == 1 and found["threads"][0]["partings"][0]["cause"] in ("variable LONGER", "the stack's address"),
           "--after= begins with them", found)


def check_generated(tap, prog):
    """A loop of code that the program made is not followed, but counted: 2 instructions for each of its 121 or 110 times, and 3 more."""
    wets = [record(tap, prog, "generated", k, {"data": (YES, NO)}) for k in (0, 1)]
    status, found, err = first(*wets)
    tap.ok(status == 0 and found["threads"][0]["not_followed"] == [2 * n + 3 for n in (ord("y"), ord("n"))], "generated code", (status, found, err))


def check_more(tap, prog):
    """Behind a parting both go the same way again; all partings of the bits of two numbers are found."""
    a, b = tap.path("auxv.0.wet"), tap.path("auxv.1.wet")
    status, found, err = first("--more=100", "--after=by_auxv", a, b)
    parts = found["threads"][0]["partings"]
    marker = line_of(PLANTED, "/* parts here: auxv */")
    bytes_ = [v for p in parts for v in p["values"]]
    tap.ok(parts and parts[0]["branch"]["line"] == marker and all(p["gap"] for p in parts[:-1]), "--more goes on", parts)
    firsts = first("--after=by_auxv", a, b)[1]["threads"][0]["partings"]
    tap.ok(len(firsts) == 1 and firsts[0]["after"] == parts[0]["after"], "the first one is the same", firsts)
    tap.ok([p["after"] for p in parts] == sorted(p["after"] for p in parts) and bytes_, "partings come in order", parts)


def check_builds(tap):
    wets = {}
    source = harness.written(tap, "builds.c", BUILDS)
    for n in range(4):
        prog = harness.cc(tap, source, "build%d" % n, "-O0", "-DNEW=%d" % n, "-static")
        wets[n] = harness.record_wet(tap, "build%d" % n, [prog], ["--trace=yes", "--trace-out-file=" + tap.path("build%d.trace" % n)])
    for n, function in ((1, "changed"), (2, "changed"), (3, "main")):
        status, found, err = first(wets[0], wets[n])
        p = found["threads"][0]["partings"][0] if status == 1 else {}
        tap.ok(p and p["branch"]["function"] == function and p["cause"] == "the code" and found["rebuilt"],
               "build %d: a changed function parts in it" % n, (status, p, err))
        status, found, err = first(*(tap.path("build%d%s" % (k, end)) for k in (0, n) for end in (".dcfg.json", ".trace")))
        p = found["threads"][0]["partings"][0] if status == 1 else {}
        tap.ok(p and p["branch"]["function"] == function, "build %d as graphs" % n, (status, p, err))
    p = first(wets[0], wets[1])[1]["threads"][0]["partings"][0]
    tap.ok(p["branch"]["line"] == line_of(BUILDS, "/* parts here: limit */"), "a changed constant: the branch that tests it", p)
    # A build whose code only moved: a function more in front.
    moved = harness.cc(tap, harness.written(tap, "moved.c", "int in_front(int n) { return n * 7 % 5; }\n" + BUILDS), "moved", "-O0",
                       "-static")
    status, found, err = first(wets[0], harness.record_wet(tap, "moved", [moved]))
    tap.ok(status == 0 and found["rebuilt"], "code that only moved is the same", (status, found, err))


def says(tap, name, word, *args):
    status, out, err = commandlib.command("first", *args)
    tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and err.startswith("dcfg first: ") and word in err, name, (status, out, err))


def check_hostile(tap, prog):
    a = tap.path("file.0.wet")
    build = tap.path("build0.wet")
    says(tap, "other programs", "other programs", a, build)
    says(tap, "graphs of other programs", "other programs", tap.path("file.0.json"), tap.path("file.0.trace"), tap.path("build0.dcfg.json"),
         tap.path("build0.trace"))
    with open(a, "rb") as f, open(tap.path("cut.wet"), "wb") as out:
        out.write(f.read()[:-1000])
    says(tap, "a truncated trace", "cut", a, tap.path("cut.wet"))
    says(tap, "a trace of another run", "same run", tap.path("file.0.json"), tap.path("file.1.trace"), tap.path("file.1.json"),
         tap.path("file.0.trace"))
    says(tap, "one trace", "missing", a)
    says(tap, "a trace and a graph", "two whole execution traces", a, tap.path("file.1.json"))
    says(tap, "no such function", "nosuch", "--after=nosuch", a, tap.path("file.1.wet"))
    says(tap, "no such thread", "--thread=7", "--thread=7", a, tap.path("file.1.wet"))
    says(tap, "--more=0", "--more=0", "--more=0", a, tap.path("file.1.wet"))
    # A ring keeps all of a run that is regular: this one is not.
    long = harness.cc(tap, harness.written(tap, "long.c", "static volatile unsigned a[4096];\nint main(void) { unsigned n = 1; "
                                           "for (int k = 0; k < 600000; k++) { n ^= n << 13; n ^= n >> 17; n ^= n << 5; "
                                           "a[n & 4095] += n; if (n & 1 << 9) a[n >> 20] ^= n * n / 3; if (n & 1 << 5) a[1] ^= n; "
                                           "if (n & 1 << 17) a[2] += n; } return 0; }\n"), "long", "-O0", "-static")
    ring = harness.record_wet(tap, "ring", [long], ["--wet-ring=1M"])
    whole = harness.record_wet(tap, "whole", [long])
    says(tap, "a ring", "--wet-ring", whole, ring)
    # One run ends early: the other goes on.
    source = harness.written(tap, "early.c", "#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char** v) { volatile int k = 0;\n"
                             "while (k < 100) { k++;\nif (k == 50 && v[1][0] == 'x') *(volatile int*)(long)(k - 50) = 1; }\nreturn 0; }\n")
    early = harness.cc(tap, source, "early", "-O0", "-static")
    status, found, err = first(harness.record_wet(tap, "late", [early, "y"]), harness.record_wet(tap, "early", [early, "x"]))
    p = found["threads"][0]["partings"][0] if status == 1 else {}
    tap.ok(p and p["cause"] == "argument 1" and p["branch"]["line"] == 5, "a run that crashed parts where it went to the crash", (status, p, err))
    shutil.copy(a, tap.path("copy.wet"))
    subprocess.run(["gzip", "-k", tap.path("copy.wet")], check=True)
    status, found, err = first(tap.path("copy.wet.gz"), tap.path("file.1.wet"))
    tap.ok(status == 1 and found["threads"][0]["partings"][0]["cause"] == "system call read data", "a compressed trace", (status, found, err))


def check_text(tap):
    status, out, err = commandlib.command("first", tap.path("file.0.wet"), tap.path("file.1.wet"))
    marker = line_of(PLANTED, "/* parts here: file */")
    tap.ok(status == 1 and re.search(r"^thread 0: after [0-9,]+ instructions\n  branch  by_file \(planted\.c:%d\)  if .*\n"
                                     r"  A goes to  planted\.c:%d        B goes to  planted\.c:%d\n  values  n = 121 in A, 110 in B\n"
                                     r"  cause   system call read data, through from_file$" % (marker, marker + 1, marker + 2), out, re.M),
           "as text", out)


def check_view(tap):
    """The page of two runs has the partings that the command tells; dcfg diff names the command if traces lie beside the graphs."""
    graphs, wets = ([tap.path("hash.%d.%s" % (k, end)) for k in (0, 1)] for end in ("json", "wet"))
    status, out, err = commandlib.command("view", "--old-wet=" + wets[0], "--wet=" + wets[1], "-o", tap.path("view.html"), *graphs)
    with open(tap.path("view.html"), encoding="utf-8") as f:
        data = pagelib.data_of(f.read())
    tap.ok(data["first"] == first("--more=5", *wets)[1]["threads"], "a page has the partings", (status, err))
    for args in (["--old-wet=" + wets[0]] + graphs, ["--old-wet=" + wets[0], "--wet=" + wets[1], graphs[1]]):
        commandlib.refused(tap, "--old-wet alone", "--old-wet", "view", "-o", tap.path("no.html"), *args)
    os.mkdir(tap.path("beside"))
    for k in (0, 1):
        shutil.copy(graphs[k], tap.path("beside/g%d.json" % k))
        pid = json.loads(harness.read(graphs[k]))["PROCESSES"][1][0]
        shutil.copy(wets[k], tap.path("beside/wet.out.%d" % pid))
    status, out, err = commandlib.command("diff", "--functions", *(tap.path("beside/g%d.json" % k) for k in (0, 1)))
    tap.ok(re.search(r"^where they part, and why: dcfg first /.*/wet\.out\.\d+ /.*/wet\.out\.\d+$", out.splitlines()[-1]), "dcfg diff names it", out)


def check_seeds(tap):
    """The order of a hash in perl depends on a seed, which is named.  In python, too, whose traces are long: DCFG_SLOW=1."""
    for name, argv, causes in (
            ("perl", ["-e", "my %h = map { $_ => 1 } qw(apple pear plum fig date lemon lime); print join(',', keys %h)"],
             ("system call read /dev/urandom", "system call getrandom")),
            ("python3", ["-S", "-c", "print(list({'apple', 'pear', 'plum', 'fig', 'date'}))"], ("system call getrandom",))):
        prog = shutil.which(name) if name != "python3" else "/usr/bin/python3"
        if not prog or not os.path.exists(prog):
            tap.skip(name + ": the order of a hash", "no " + name)
            continue
        if name == "python3" and shutil.which("perl") and os.environ.get("DCFG_SLOW") != "1":
            tap.skip(name + ": the order of a hash", "perl has one")
            continue
        # harness.ENV has constant seeds.
        env = {k: v for k, v in harness.ENV.items() if k not in ("PERL_HASH_SEED", "PYTHONHASHSEED")}
        wets = [tap.path("%s%d.wet" % (name, k)) for k in (0, 1)]
        for k in (0, 1):
            harness.dcfg(tap, "%s%d" % (name, k), [os.path.realpath(prog)] + argv, ["--wet=yes", "--wet-out-file=" + wets[k]], env)
        status, found, err = first(*wets, program=commandlib.PLAIN)         # large
        p = found["threads"][0]["partings"][0] if status == 1 else {}
        tap.ok(p and p["cause"] in causes, name + ": the order of a hash comes from its seed", (status, p, err))


def main():
    tap = harness.Tap("first")
    source = harness.written(tap, "planted.c", PLANTED)
    prog, dynamic = (harness.cc(tap, source, name, "-O0", "-pthread", flag) for name, flag in (("planted", "-static"), ("dynamic", "-Wl,-z,now")))
    check_cases(tap, prog, dynamic)
    check_text(tap)
    check_graphs(tap)
    check_same(tap, prog)
    check_generated(tap, prog)
    check_more(tap, prog)
    check_builds(tap)
    check_hostile(tap, prog)
    check_view(tap)
    check_seeds(tap)
    tap.done()


main()
