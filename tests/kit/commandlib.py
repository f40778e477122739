"""Shared by the tests of the command dcfg: running it, the small right file of small_dcfg.py, and a trace of it.

The command is beside the valgrind that is tested, unless DCFG names another one: ./dev test names one with sanitizers.
which() says when that one runs.
Tests that measure or limit the command take the one without (PLAIN).  Sanitizers execute instructions of their own,
keep freed memory, and take terabytes of addresses, which RLIMIT_AS forbids.
"""
import collections
import contextlib
import copy
import csv
import io
import json
import operator
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forks
import harness
import small_dcfg as small

PLAIN = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
DCFG = os.environ.get("DCFG") or PLAIN
FORKS = os.environ.get("DCFG_FORKS")            # DCFG has sanitizers, and can fork for each run
LARGE = 100000                                  # bytes of files
GOOD_RUNS = 3                                   # runs of a form on small files that ended well, one after the other
_large, _good = set(), collections.Counter()
PINPLAY = os.path.join(harness.SRCDIR, os.pardir, "shared", "reference", "pinplay")


def form(args):
    """Returns the form of a command line: what is not a path or a place."""
    return tuple(re.sub(r"=.*[^a-z-].*", "", a) for a in args if a[:1] == "-" or a.isalpha())


def which(args, cwd=None):
    """Returns the program to run: DCFG, until a form of a command has ended well GOOD_RUNS times in a row, and once for each form on
    a large file.  PLAIN answers further questions of that form: the same code runs.  DCFG_SLOW=1: always DCFG.
    """
    if not FORKS or os.environ.get("DCFG_SLOW"):
        return DCFG
    args, read = [os.fsdecode(a) for a in args], 0
    for a in args:
        with contextlib.suppress(OSError, ValueError):
            read += os.path.getsize(os.path.join(cwd or "", a))
    kind = form(args)
    if _good[kind] >= GOOD_RUNS or read > LARGE and kind in _large:
        return PLAIN
    if read > LARGE:
        _large.add(kind)
    return DCFG


def process(*args, env=None, program=None, **more):
    """Runs dcfg; returns what subprocess.run() does, with pipes for the outputs.  A program that can fork for each run does so."""
    kind, asked_for = form([os.fsdecode(a) for a in args]), program
    program = program or which(args, more.get("cwd"))
    argv, env = [program, *args], dict(harness.ENV, **(env or {}))
    if FORKS and program == DCFG and forks.can_run(env, harness.ENV, more):
        r = forks.run(argv, harness.ENV, harness.TIMEOUT, env, **more)
    else:
        r = subprocess.run(argv, **dict({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}, **more), env=env, timeout=harness.TIMEOUT)
    if r.returncode:
        _good[kind] = 0
    elif program == DCFG and not asked_for:
        _good[kind] += 1
    return r


def command(*args, index=False, **more):
    """Runs dcfg; returns (exit status, standard output, standard error).  Without index=True, standard error lacks the line with which
    the first slice of a trace says that it made an index: which one is the first matters to no other test.
    """
    r = process(*(str(a) for a in args), **more)
    err = r.stderr.decode("utf-8", "replace")
    return r.returncode, r.stdout.decode("utf-8", "replace"), err if index else re.sub(r"^dcfg slice: made .*\n", "", err, flags=re.M)


def table(text):
    """Returns rows of CSV as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def columns(text, *names):
    """Returns an iterator over rows of CSV, with what is in two or more columns; in a tenth of the time that dictionaries take."""
    rows = csv.reader(io.StringIO(text))
    head = next(rows, None)
    return map(operator.itemgetter(*map(head.index, names)), rows) if head else iter(())


def numbers(text, *names):
    """Returns an iterator over rows of CSV, with the numbers in two or more columns."""
    return (tuple(map(int, row)) for row in columns(text, *names))


def within(megabytes, *args, **more):
    """Does as command(), with a limit of address space in MB, which is more than the used memory."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    return command(*args, preexec_fn=limit, program=PLAIN, **more)


def one_line(tap, status, out, err, word, text):
    tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and err.startswith("dcfg") and word in err, text, "%s %s" % (status, out + err))


def refused(tap, text, word, *args, **more):
    """A command line is refused: by a line with WORD, and nothing else."""
    one_line(tap, *command(*args, **more), word, text)


def runs(tap, name, prog, inputs, env=None):
    files = []
    for k, args in enumerate(inputs):
        path, status, why = harness.dcfg(tap, "%s%d" % (name, k), [prog] + args, env=(env or {}).get(k))
        if not path:
            tap.ok(False, name, why)
            return []
        files.append(path)
    return files


def installed(tap):
    """Makes a directory with the programs that a page's commands begin with."""
    there = tap.path("bin")
    if not os.path.isdir(there):
        os.mkdir(there)
        valgrind = shutil.which(harness.VALGRIND)
        for name, path in (("valgrind", valgrind), ("dcfg", DCFG),
                           ("callgrind_annotate", os.path.join(os.path.dirname(valgrind), "callgrind_annotate"))):
            with open(os.path.join(there, name), "w") as f:
                f.write("#!/bin/sh\nexec %s \"$@\"\n" % shlex.quote(path))
            os.chmod(f.name, 0o755)
    return there


# ---- the trace of the small file ---------------------------------------------------------------------------------

# Nodes in the order of execution.
WAYS = {0: [1, 4, 15, 17, 5, 6, 7, 7, 7, 8, 6, 7, 7, 7, 8, 6, 9, 9, 9, 9, 10, 11, 2],
        1: [1, 12, 15, 17, 13, 16, 14, 2]}
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"


def edges_of(d, way):
    ids = {(r[1], r[2]): r[0] for r in small.proc(d)["EDGES"][1:]}
    return [ids[pair] for pair in zip(way, way[1:])]


def encode(d, ways, chunk):
    """Makes a trace, {thread: edges} in chunks, in which all codes of an edge are equally long, and as short as possible."""
    follow = {}
    for edges in ways.values():
        for a, b in zip(edges, edges[1:]):
            follow.setdefault(a, set()).add(b)
    code, rows = {}, []
    for a in sorted(follow):
        bits = (len(follow[a]) - 1).bit_length()
        for n, b in enumerate(sorted(follow[a])):
            code[a, b] = format(n, "b").zfill(bits) if bits else ""
            rows.append([a, code[a, b], [b]])
    instrs = {b[0]: b[3] for bs in small.BLOCKS for b in bs}
    source = {r[0]: r[1] for r in small.proc(d)["EDGES"][1:]}
    threads = [["THREAD_ID", "TRACE_DATA"]]
    for thread, edges in sorted(ways.items()):
        data = [["PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID", "EDGE_ID_SEQUENCE"]]
        before = 0
        for i in range(0, len(edges), chunk):
            part = edges[i:i + chunk]
            bits = "".join(code[pair] for pair in zip(part, part[1:]))
            bits += "0" * (-len(bits) % 6)
            text = "".join(ALPHABET[int(bits[k:k + 6], 2)] for k in range(0, len(bits), 6))
            n = sum(instrs.get(source.get(e), 0) for e in part)
            data.append([before, n, len(part), part[0], text])
            before += n
        threads.append([thread, data])
    return {"MAJOR_VERSION": 1, "MINOR_VERSION": 0,
            "PROCESSES": [["PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA"],
                          [4711, {}, [["CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS"]] + rows, threads]]}


def good_trace(d, chunk=8):
    return encode(d, {t: edges_of(d, way) for t, way in WAYS.items()}, chunk)


def write(path, value):
    with open(path, "w") as f:
        f.write(json.dumps(value))
    return path


def brief(name):
    """Returns the name of a C++ function without parameters and result, as far as tests need it."""
    return re.sub(r"[(<].*", "", name).split(" ")[-1]


def rules(text):
    """Returns the rules that dcfg check named."""
    return {line.split(":")[0] for line in text.splitlines()[:-1]}


copy_of = copy.deepcopy
