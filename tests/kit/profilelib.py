"""Shared by the tests of profiles: a program's profile by the tool beside Callgrind's of the same run."""
import glob
import json
import os
import re
import select
import subprocess
import sys

import callgrind_compare
import harness

FLAGS = ["-O2", "-fno-inline"]
OURS = ["dcfg", "--tool=dcfg", "--callgrind=yes", "--dcfg-out-file=graph.%p.json"]
THEIRS = ["callgrind", "--tool=callgrind"]
INSTR = ["--dump-instr=yes", "--collect-jumps=yes"]
# RULED: cases whose graphs are always held against the rules.
RULED = ("calls, instructions and jumps", "throw", "signals")
PERL = r"""my %h; my $s = "abc def ghi jkl " x 9; $h{$1}++ while $s =~ /(\w+)/g;
my @a = sort { $h{$b} <=> $h{$a} || $a cmp $b } keys %h; print "$_ $h{$_}\n" for @a;
sub f { my $n = shift; return $n < 2 ? $n : f($n - 1) + f($n - 2) } printf "%d\n", f(8);"""
PYTHON = """def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
try: [][1]
except IndexError as e: print(e, fib(7))"""


class Case:
    """A program, its arguments and options.

    ends: how often a last superblock is missing in Callgrind's file.  unloaded: objects of which Callgrind knows no lines
    (callgrind_compare.py explains both).  processes: how many processes leave a file.  dynamic: it is linked with libc's
    objects.  first: it is the first case with its command.  The graph is the same with each option."""

    def __init__(self, name, argv, opts=(), ends=1, unloaded=(), processes=1, dynamic=True):
        self.name, self.argv, self.opts, self.ends = name, argv, list(opts), ends
        self.unloaded, self.processes, self.dynamic, self.first = unloaded, processes, dynamic, True


def run_threads(argv, cwd, ids):
    """Run threads.c as harness.run does: a thread is joined when it has ended.  Threads' ids are added to IDS."""
    inner, to_inner = os.pipe()
    p = subprocess.Popen(argv, cwd=cwd, env=harness.ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=inner,
                         bufsize=0)
    os.close(inner)
    threads, ended = [], False          # threads to be joined, outermost first
    with p:
        while not ended:
            if select.select([p.stdout], [], [], 0.01)[0]:
                told = p.stdout.read(4)
                ended = len(told) < 4
                threads.append(int.from_bytes(told, sys.byteorder))
                ids += threads[-1:] * (not ended)
            elif threads and not os.path.exists("/proc/%d/task/%d" % (p.pid, threads[-1])):
                threads.pop()
                try:
                    os.write(to_inner if threads else p.stdin.fileno(), b".")
                except BrokenPipeError:
                    break               # the process has ended
    os.close(to_inner)
    return p.returncode, ""


def profile(tap, tool, name, argv, opts, ids):
    """Runs; returns the written files by thread, those of the first process first, the exit status and a diagnosis.  The ids
    of threads of threads.c are added to IDS.
    """
    base = tap.path(re.sub(r"\W+", "_", name)) + ("." + tool[0])
    command = [harness.VALGRIND, "--log-file=" + base + ".log.%p"] + tool[1:] \
        + ["--callgrind-out-file=" + base + ".out.%p"] + opts + argv
    status, err = run_threads(command, tap.dir, ids) if tap.path("threads") in argv else harness.run(command, tap.dir)
    files = {}
    for path in glob.glob(glob.escape(base) + ".out.*"):
        pid, _, thread = path.rpartition(".")[2].partition("-")
        if os.path.getsize(path):       # with a file for each thread, Callgrind leaves an empty one without a thread's
                                        # name
            files.setdefault(int(pid), {})[thread] = path
    parents = {}
    for log in sorted(glob.glob(glob.escape(base) + ".log.*")):
        with open(log, errors="replace") as f:
            text = f.read()
        m = re.search(r"==(\d+)== Parent PID: (\d+)", text)
        if m:
            parents[int(m.group(1))] = int(m.group(2))
        err += text
    # A child's number may be the lower one.
    return [files[pid] for pid in sorted(files, key=lambda pid: (parents.get(pid) in files, pid))], status, err


def both(tap, libc, name, argv, opts=()):
    """Returns our files and Callgrind's.  glibc 2.41 names a thread's stack with its id: runs again until both have as many
    digits.
    """
    while True:
        ids = []
        runs = [profile(tap, tool, name + libc.suffix, libc.command(argv), list(opts) + more, ids)
                for tool, more in ((OURS, []), (THEIRS, libc.pop_on_jump))]
        if len({len(str(i)) for i in ids}) <= 1:
            return runs
        for files, _, _ in runs:
            for path in [path for threads in files for path in threads.values()]:
                os.unlink(path)


def oracle(*args):
    return harness.oracle("callgrind_compare.py", *args)


def graph_of(tap, files):
    """Returns the DCFG of the process that wrote the files."""
    pid = re.search(r"\.out\.(\d+)(-\d+)?$", next(iter(files.values()))).group(1)
    return tap.path("graph.%s.json" % pid)


def graph_total(path):
    with open(path) as f:
        return json.load(f)["PROCESSES"][1][1]["INSTR_COUNT"]


def check_graph(libc, case, path):
    """Return what is wrong with a DCFG: rules, and names of functions in libc's objects."""
    wrong, said = harness.oracle("dcfg_rules.py", "--generations", path) if libc.rules or case.name in RULED else (0, "")
    return (said if wrong else "") + (libc.wrong_names(path) if case.dynamic else "")


def check(tap, libc, case):
    """Returns (whether the case is right, diagnosis)."""
    (ours, status, err), (theirs, other, other_err) = both(tap, libc, case.name, case.argv, case.opts)
    text = "" if status == other else "exit status %s, under callgrind %s\n" % (status, other)
    if len(theirs) != case.processes:
        text += "Callgrind wrote %d files, should be %d\n%s" % (len(theirs), case.processes, other_err[-2000:])
    if [sorted(threads) for threads in ours] != [sorted(threads) for threads in theirs]:
        return False, text + "files %s, callgrind %s\n%s" % (ours, theirs, err[-2000:])
    opts = ["--ends=%d" % case.ends] + ["--unloaded=" + name for name in case.unloaded]
    opts += ["--jumps"] * ("--collect-jumps=yes" in case.opts)
    for i, (a, b) in enumerate(zip(ours, theirs)):
        for thread in sorted(a):
            # Callgrind's file of a forked child also has what its parent did before.
            wrong, said = oracle(*opts, a[thread], *([b[thread]] if i == 0 else []))
            if wrong:
                return False, text + "%s:\n%s" % (os.path.basename(a[thread]), said)
        cost = sum(callgrind_compare.process_and_total(path)[1] for path in a.values())
        graph = graph_of(tap, a)
        if cost != graph_total(graph):
            text += "process %d: %d instructions, its graph has %d\n" % (i, cost, graph_total(graph))
        if case.first:
            text += check_graph(libc, case, graph)
        os.unlink(graph)
    if not text:
        for path in [path for threads in ours + theirs for path in threads.values()]:
            os.unlink(path)
    return not text, text
