#!/usr/bin/python3
"""--callgrind=yes: the profile is compared with Callgrind's of the same run and Valgrind, and both go through
callgrind_annotate, with libc's debug information and without.  (TAP)

The arguments name what to do: programs of the list below, "annotate", "selftest"; without arguments, everything.

Options change what is written, not what is counted, so with libc stripped each command runs with the first options only.
A real program has one libc, installed or stripped: the small ones have both.

DCFG_AGAIN=1: another Valgrind has been tested.  Then libc is stripped for a few small programs only, all commands have one
set of options, a way of linking and a real program are enough, and the oracle is not tested again.  DCFG_SLOW=1: this always, real programs with both,
python3 and cc1.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import callgrind_compare
import libc_objects
from profilelib import (FLAGS, INSTR, OURS, PERL, PYTHON, RULED, THEIRS, Case, both, check, graph_of, graph_total, oracle, profile)

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
AGAIN = os.environ.get("DCFG_AGAIN") == "1"
SLOW = os.environ.get("DCFG_SLOW") == "1"
LONGEST = ("python3", "sqlite3")
# Real programs, and whether libc is stripped.
REAL = {"bzip2": False, "perl": True, "python3": False, "sqlite3": True}
# A program for each way in which names of functions decide: tables with the resolver, exceptions, handlers.
STRIPPED_AGAIN = RULED
LINKAGE = {"bound at once": ["-Wl,-z,now"], "two tables": ["-fcf-protection", "-Wl,-z,lazy,-z,ibtplt"],
           "fixed address": ["-no-pie", "-Wl,-z,lazy"], "static": ["-static"]}
PLAIN = ["--compress-strings=no", "--compress-pos=no"]

SQL = """create table t(id integer primary key, name text, n real);
with recursive c(i) as (select 1 union all select i+1 from c where i<40)
insert into t select i, 'name'||(i*7919%1000), i*1.5 from c;
create index ti on t(name);
select name, sum(n) from t where id%3=1 group by substr(name,1,5) order by 2 desc limit 5;"""
C = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i % 3 ? s >> 1 : i; return s; }\n"


def build(tap):
    """Returns the programs; None for one that could not be compiled.  With threads nothing is bound lazily: the thread that
    happens to be first would do it.
    """
    progs = {}
    for source, flags in (("callgrind/calls.c", FLAGS), ("callgrind/signals.c", FLAGS), ("callgrind/fork.c", FLAGS),
                          ("callgrind/threads.c", FLAGS + ["-pthread", "-Wl,-z,now"]), ("longjmp.c", []),
                          ("callgrind/base.S", ["-nostdlib", "-static", "-no-pie"]),
                          ("life/throw.cpp", ["-lstdc++"]), ("life/plugins.c", []), ("life/loads.c", [])):
        name = os.path.splitext(os.path.basename(source))[0]
        progs[name] = harness.cc(tap, os.path.join(PROGS, source), name, *flags)
    # Linkage tables of several kinds: the resolver is known by their jumps.
    for name, flags in LINKAGE.items():
        progs[name] = harness.cc(tap, os.path.join(PROGS, "callgrind", "calls.c"), name, *(FLAGS + flags))
    for n in "12":
        progs["plugin" + n] = harness.cc(tap, os.path.join(PROGS, "life", "plugin.c"), "plugin%s.so" % n, "-shared",
                                         "-fPIC", "-DWHICH=" + n)
    return progs


def cases(tap, progs):
    def file(name, content):
        harness.written(tap, name, content)
        return name
    calls, signals, threads = ([progs[name]] for name in ("calls", "signals", "threads"))
    yield Case("calls, instructions and jumps", calls, INSTR)
    if not AGAIN:
        # Without libc's debug information, which takes most of such a run.
        static = [progs["static"]]
        yield Case("calls", static, dynamic=False)
        yield Case("calls, instructions only", static, ["--dump-line=no", "--dump-instr=yes"], dynamic=False)
        yield Case("calls, jumps", static, ["--collect-jumps=yes"], dynamic=False)
        yield Case("calls, names and positions in full", static, PLAIN + INSTR, dynamic=False)
        yield Case("calls, left in a recursion", calls + ["leave"], INSTR)
    for name in LINKAGE:
        if not AGAIN or name == "static":
            yield Case("calls, " + name, [progs[name]], INSTR, dynamic=name != "static")
    yield Case("base", [progs["base"]], INSTR, dynamic=False)
    yield Case("longjmp", [progs["longjmp"]], INSTR)
    yield Case("throw", [progs["throw"]])
    # Handlers that return: SIGUSR1's three times with another one inside, and one more.
    yield Case("signals", signals, ends=8)
    yield Case("signals, jumped out of", signals + ["away"], ends=12)
    yield Case("threads", threads, ends=3)
    yield Case("threads, separately", threads, ["--separate-threads=yes"])
    # Without jumps: Callgrind takes some that fell through for jumps, in an object that is loaded again.
    yield Case("plugins", [progs["plugins"], progs["plugin1"], progs["plugin2"], "3", "2", "5"], INSTR[:1],
               unloaded=("plugin1.so", "plugin2.so"))
    yield Case("loads", [progs["loads"], progs["plugin1"], "-", "3", "20"], INSTR[:1], unloaded=("plugin1.so",))
    yield Case("fork", [progs["fork"]], processes=3)
    if not AGAIN:
        yield Case("bzip2", ["bzip2", "-c", file("data", "".join("%d\n" % (i * i) for i in range(900)))], INSTR)
    yield Case("perl", ["perl", "-e", PERL])
    yield Case("sqlite3", ["sqlite3", "-batch", "-init", "/dev/null", ":memory:", SQL])
    if SLOW:
        yield Case("cc1", [compiler(), "-quiet", "-O1", file("small.i", C), "-o", "/dev/null"])
        python = [harness.PYTHON, "-S", "-P", "-c", PYTHON]
        if not harness.reads_mappings(tap, "python3", python):
            yield Case("python3", python)


def compiler():
    r = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE)
    return r.stdout.decode().strip() or "cc1"


def check_turns(tap, libc, progs):
    """Threads that replace one another.  Callgrind takes them for one thread: each begins within the function in which the
    one before ended, and start_thread calls itself.  For the tool, each is a thread of its own.  All else is the same.
    """
    argv = [progs["threads"], "turns"]
    (ours, _, err), (theirs, _, _) = both(tap, libc, "turns", argv)
    apart, _, _ = profile(tap, OURS, "turns apart" + libc.suffix, libc.command(argv), ["--separate-threads=yes"],
                         [])
    if not tap.ok(len(ours) == len(theirs) == len(apart) == 1, "threads in turns: files" + libc.suffix, err[-2000:]):
        return
    sums, totals = [], []
    for path in (ours[0][""], theirs[0][""]):
        p = callgrind_compare.Profile(path)
        sums.append(collections.Counter())
        totals.append(sum(p.sums))
        for (ob, file, name), (n, ) in p.self.items():
            sums[-1][ob, file, re.sub(r"'\d+$", "", name)] += n
    sums[0].subtract(sums[1])
    ends = libc.names_of("clone", "start_thread", "_Exit", "_exit")
    # Without debug information nothing tells which address is start_thread's.
    differing = {f: n for f, n in sums[0].items()
                 if n and f[2] not in ends and not (f[2].startswith("0x") and not libc_objects.are_named())}
    tap.ok(not differing and 0 <= totals[0] - totals[1] <= 400, "threads in turns: as Callgrind" + libc.suffix,
           "%s %s" % (totals, differing))
    each = [callgrind_compare.process_and_total(path)[1] for path in apart[0].values()]
    total = graph_total(graph_of(tap, apart[0]))
    tap.ok(len(each) == 4 and sum(each) == total, "threads in turns, separately: four, all of it" + libc.suffix,
           "%s, should be %d" % (each, total))


def annotate(path, *opts):
    """Returns the messages on stderr, and the lines."""
    program = os.path.join(os.path.dirname(shutil.which(harness.VALGRIND)), "callgrind_annotate")
    r = subprocess.run([program, "--show-percs=no", "--threshold=100"] + list(opts) + [path], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, env=harness.ENV, cwd=os.path.dirname(path))
    lines = r.stdout.decode(errors="replace").splitlines()
    of_the_run = re.compile("Profile data file|Timerange:|Profiled target:|(I1|D1|LL) cache:")
    return r.stderr.decode(errors="replace").replace(path, "FILE") + "exit status %d\n" % r.returncode, \
        [line for line in lines if not of_the_run.match(line)]


def numbers_and_names(lines):
    """Return each line's number and the rest of the line, without the object.  Functions of one name in files of one
    name have the number of the last one."""
    rows = []
    for line in lines:
        m = re.match(r" *([\d,]+|\.) +(.*?)(?: +\[[^][]*\])?$", line)
        number, rest = m.groups() if m else ("", re.sub(r" +\[[^][]*\]$", "", line))
        rows.append((int(number.replace(",", "") or 0) if number != "." else 0, re.sub("^-+$", "-", rest)))
    return rows


def annotations_differ(ours, theirs):
    """Return whether annotations differ by more than the last superblock.  It has the same number of instructions
    wherever it counts; it counts twice in rows without a file, which are for all functions of a name, because one of
    them may have called the other."""
    a, b = (numbers_and_names(lines) for lines in (ours, theirs))
    total = [[n for n, rest in rows if "PROGRAM TOTALS" in rest] for rows in (a, b)]
    if len(total[0]) != 1 or len(total[1]) != 1:
        return "totals: %s, callgrind %s" % tuple(total)
    last = total[0][0] - total[1][0]
    more, less = collections.Counter(a), collections.Counter(b)
    more, less = more - less, less - more
    for n, rest in sorted(more.elements()):
        counted = [k for k in range(1, 3 if "???:" in rest else 2) if less[(n - k * last, rest)]]
        if counted:
            less[(n - counted[0] * last, rest)] -= 1
        elif n != last:             # a line that Callgrind lacks is the last superblock's
            return "ours: %d %s" % (n, rest)
    left = sorted(less.elements())
    return "callgrind: %d %s" % left[0] if left else ""


def check_annotate(tap, libc, progs):
    ways = [["--auto=no"], ["--inclusive=yes", "--auto=no"], ["--tree=both", "--auto=no"]]
    for name, kinds in (("calls", ways + [["--auto=yes"], ["--inclusive=yes", "--tree=both", "--auto=yes"]]), ("throw", ways))[:1 if AGAIN or libc.linker else 2]:
        (ours, _, err), (theirs, _, _) = both(tap, libc, "annotate " + name, [progs[name]])
        if not tap.ok(len(ours) == len(theirs) == 1, "callgrind_annotate, %s: two files" % (name + libc.suffix),
                      err[-2000:]):
            continue
        # Names alone differ with a stripped libc.
        for opts in kinds[:1] if libc.linker else kinds:
            a, b = (annotate(run[0][""], *opts) for run in (ours, theirs))
            what = " ".join(["callgrind_annotate", name] + opts) + libc.suffix
            tap.ok(a[0] == b[0] == "exit status 0\n", what + ": no warning", a[0] + "callgrind: " + b[0])
            tap.ok(len(b[1]) > 100, what + ": as for Callgrind, %d lines" % len(b[1]), len(b[1])) and \
                tap.ok(not annotations_differ(a[1], b[1]), what + ": the same", annotations_differ(a[1], b[1]))


def falsehoods(text):
    """Yields (the change, the kind of difference expected or None for an unreadable file, the changed text).  The text has
    names and positions in full, with instructions.
    """
    def change(pattern, replacement, count=1, text=text):
        out, n = re.subn(pattern, replacement, text, count=count, flags=re.M)
        assert n, pattern
        return out

    def number(pattern, more, text=text, count=1):
        """The number that is the pattern's last group, changed."""
        def changed(m):
            at, end = (k - m.start() for k in m.span(m.lastindex))
            return m.group(0)[:at] + str(int(m.group(m.lastindex)) + more) + m.group(0)[end:]
        return change(pattern, changed, count, text)
    sums = r"^(?:summary|totals): (\d+)"
    cost = r"^fn=%s\n(?:0x[0-9a-f]+ \d+ )(\d+)$"
    fib, red, place = cost % "fib", cost % "red", r"^fn=fib\n(0x[0-9a-f]+) "
    call = r"^cfn=fib\ncalls=(\d+) .*\n.* (\d+)$"
    yield "the file as it is", "", text
    yield "self cost", "totals", number(fib, 1)
    yield "self cost moved", "self", number(red, -1, number(fib, 1))
    yield "self cost of one instruction moved to the next", "instruction", change(
        r"^(fn=fib\n0x\w+ \d+ )(\d+)(\n0x\w+ \d+ )(\d+)$",
        lambda m: m.group(1) + str(int(m.group(2)) - 1) + m.group(3) + str(int(m.group(4)) + 1))
    yield "another line", "line", number(r"^fn=fib\n0x[0-9a-f]+ (\d+)", 1)
    yield "another address", "instruction", change(place, lambda m: m.group(0).replace(m.group(1), "0x1"))
    yield "number of calls", "calls", number(r"^cfn=fib\ncalls=(\d+)", 1)
    yield "no call", "calls", change(r"^cfn=fib\ncalls=.*\n.*\n", "")
    yield "inclusive cost", "inclusive", number(call, 1)
    yield "inclusive cost, less", "inclusive", number(call, -1)
    yield "a call at another line", "site", number(r"^cfn=fib\ncalls=.*\n\w+ (\d+)", 1)
    yield "a call to another line", "site", number(r"^cfn=fib\ncalls=\d+ \w+ (\d+)", 1)
    yield "a function renamed", "self", change(r"^(c?fn)=fib$", r"\1=fob", 0)
    yield "a function called renamed", "calls", change(r"^cfn=fib$", "cfn=fob")
    yield "a file renamed", "self", change(r"^fl=(.*calls\.c)$", r"fl=\1c")
    yield "an object renamed", "self", change(r"^ob=(.*calls)$", r"ob=\1s")
    yield "jumps", "jump", number(r"^jcnd=(\d+)", 1)
    yield "jumps that may be taken", "jump", number(r"^jcnd=\d+/(\d+)", 1)
    yield "a jump to elsewhere", "jump", number(r"^jcnd=\d+/\d+ \w+ (\d+)", 1)
    yield "totals", "totals", number(r"^totals: (\d+)", 1)
    yield "summary", "summary", number(r"^summary: (\d+)", -1)
    yield "less in all", "total", number(sums, -1, number(fib, -1), 0)
    yield "more in all than a superblock has", "total", number(sums, 101, number(fib, 101), 0)
    yield "command", "header", change(r"^cmd: .*", "cmd: another")
    yield "a header line missing", "header", change(r"^desc: Trigger.*\n", "")
    yield "header lines in another order", "header", change(r"^(pid: .*\n)(cmd: .*\n)", r"\2\1")
    yield "a line of nothing", None, change(r"^fn=fib$", "fn=fib\nfib 3")
    yield "a header line of nothing", None, change(r"^pid: ", "pod: ")
    yield "an unknown specification", None, change(r"^fn=fib$", "gn=fib")
    yield "a cost that is no number", None, change(fib, r"fn=fib\n0x1 2 3x")
    yield "a cost missing", None, change(fib, r"fn=fib\n0x1 2")
    yield "a position that is no number", None, change(place, "fn=fib\n0x1g ")
    yield "calls= without a function", None, change(r"^cfn=fib\n", "")
    yield "calls= without a cost", None, change(r"^(calls=.*\n).*\n", r"\1\n")
    yield "calls= without a target", None, change(r"^(calls=\d+) .*$", r"\1")
    yield "a name that is not defined", None, change(r"^fn=fib$", "fn=(9)")
    yield "a name defined twice", None, change(r"^fn=fib$", "fn=(9) fib\nfn=(9) fib")
    yield "an end in a line", None, text[:-2]
    yield "an empty file", None, ""


# main calls leave, which calls itself and then _exit.  The last superblock has 3 instructions.
TINY = """# callgrind format
version: 1
creator: by hand
pid: 1
cmd: tiny
part: 1

desc: Timerange: Basic block 0 - 9
desc: Trigger: Program termination

positions: line
events: Ir
summary: %(sum)d

fl=tiny.c
fn=main
1 %(main)d
cfn=leave
calls=%(calls)d 4
1 %(leave)d

fn=leave
5 10
cfn=leave'2
calls=1 4
5 %(again)d

fn=leave'2
5 20
cfn=leave'2
calls=2 4
5 %(rest)d
%(call)s
fn=_exit
9 %(exit)d

totals: %(sum)d
"""


def tiny(main=30, calls=1, leave=60, again=50, rest=70, exit=20, callee="_exit", called=3):
    call = "cfn=%s\ncalls=1 9\n6 %d\n" % (callee, called) if called else ""
    return TINY % {"main": main, "calls": calls, "leave": leave, "again": again, "rest": rest, "exit": exit,
                   "call": call, "sum": main + 30 + exit}


def last_superblocks():
    """Yields (the change, the kind of difference or nothing, options, the text)."""
    with_it = {"leave": 63, "again": 53, "rest": 76, "exit": 23}
    yield "the last superblock", "", [], tiny(**with_it)
    yield "no last superblock", "", [], tiny(called=0)
    yield "the last superblock in its function only", "", [], tiny(exit=23, called=0)
    yield "a last superblock, but none is allowed", "self", ["--ends=0"], tiny(**with_it)
    yield "a superblock too large", "self", [], tiny(exit=121, leave=161, again=151, rest=272, called=101)
    yield "two last superblocks", "self", [], tiny(main=31, **with_it)
    yield "two last superblocks that are allowed", "", ["--ends=2"], tiny(main=31, **with_it)
    yield "not as much inclusive cost", "inclusive", [], tiny(**dict(with_it, again=52))
    yield "twice as much without a recursion", "inclusive", [], tiny(**dict(with_it, leave=66))
    yield "more often than in a recursion", "inclusive", [], tiny(**dict(with_it, rest=79))
    yield "inclusive cost of what did not lead there", "inclusive", [], tiny(**dict(with_it, exit=20, main=33))
    yield "another number of calls that lead there", "calls", [], tiny(calls=2, **with_it)
    yield "a call with too much cost", "calls", [], tiny(called=4, **with_it)


def check_selftest(tap, progs):
    theirs = harness.written(tap, "tiny", tiny(called=0))
    for what, kind, opts, text in last_superblocks():
        path = harness.written(tap, "tiny.false", text)
        status, said = oracle(*opts, path, theirs)
        good = status == 1 and re.search("^%s: " % kind, said, re.M) if kind else status == 0 and not said
        tap.ok(good, "selftest: " + what, "exit status %d\n%s" % (status, said))

    def callgrind(name, opts):
        files, status, err = profile(tap, THEIRS, name, [progs["calls"]], opts, [])
        if tap.ok(status == 0 and len(files) == 1, "selftest: Callgrind's file, " + " ".join(opts), err[-2000:]):
            return files[0][""]
        return None
    full, short = callgrind("full", INSTR + PLAIN), callgrind("short", INSTR)
    if not full or not short:
        return
    status, said = oracle("--jumps", short, full)
    tap.ok(status == 0, "selftest: compressed as in full", said)
    with open(full) as f:
        text = f.read()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        def tell(what):
            path = harness.written(tap, re.sub(r"\W+", "_", what[0]) + ".false", what[2])
            return what, oracle("--jumps", path, full)
        for (what, kind, _), (status, said) in pool.map(tell, falsehoods(text)):
            if kind is None:
                good = status == 2 and said.startswith("unreadable: ")
            elif kind:
                good = status == 1 and re.search("^%s: " % kind, said, re.M)
            else:
                good = status == 0 and not said
            tap.ok(good, "selftest: " + what, "exit status %d\n%s" % (status, said))


def programs_to_run(tap, progs, only):
    seen = []
    for case in cases(tap, progs):
        case.first = case.argv not in seen
        seen.append(list(case.argv))
        prog = shutil.which(case.argv[0], path=harness.ENV["PATH"])
        if only and case.name.split(",")[0] not in only:
            continue
        if prog:
            case.argv[0] = prog
            yield case
        else:
            tap.skip(case.name, case.argv[0] + " is not installed")


def wanted(libc, case, both):
    if libc.linker and not (case.dynamic and case.first):
        return False
    if case.name in LONGEST and AGAIN and not SLOW:
        return False
    if case.name in REAL and both and not AGAIN and not SLOW:
        return bool(libc.linker) == REAL[case.name]
    return not (AGAIN and libc.linker) or case.name in STRIPPED_AGAIN


def main():
    tap = harness.Tap("callgrind")
    only = sys.argv[1:]
    progs = build(tap)
    if all(progs.values()):
        libcs = [libc for libc in (libc_objects.installed(tap), libc_objects.stripped(tap)) if libc]
        # The same code runs with a stripped libc: its names are other ones.
        for libc in libcs[1:]:
            libc.rules = False
        run_them = [(libc, case) for case in programs_to_run(tap, progs, only) for libc in libcs
                    if wanted(libc, case, len(libcs) == 2)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for (libc, case), (good, text) in zip(run_them, pool.map(lambda what: check(tap, *what), run_them)):
                tap.ok(good, case.name + ": as Callgrind" + libc.suffix, text)
        for libc in libcs:
            if not only or "threads" in only:
                check_turns(tap, libc, progs)
            if "annotate" in only or not only and not (AGAIN and libc.linker):
                check_annotate(tap, libc, progs)
        if "selftest" in only or not only and not AGAIN:
            check_selftest(tap, progs)
    tap.done()


if __name__ == "__main__":
    main()
