"""Shared by the tests of the DCFG-trace: compiling the readers, running with a trace, comparing it with Lackey's."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import harness
import trace_rules
import trace_table

_compiled = {}


def compiled(tap, name):
    """Compiles a C program of tests/oracle."""
    if name not in _compiled:
        _compiled[name] = harness.cc(tap, os.path.join(harness.ORACLE, name + ".c"), name, "-O2")
    return _compiled[name]


def rules(tap, dcfg, trace, *opts):
    """Returns (what is wrong, summary)."""
    status, text = trace_rules.check(compiled(tap, "trace_decode"), dcfg, trace, opts)
    return "" if status == 0 else text or "the decoder's exit status is %d" % status, trace_rules.summary(text)


def run(tap, name, argv, opts=(), env=None):
    """Runs under the tool with a trace, as harness.dcfg() does; returns (DCFG or None, trace or None, exit status,
    diagnosis).
    """
    trace = tap.path(name + ".trace.json")
    dcfg, status, why = harness.dcfg(tap, name, argv, ["--trace=yes", "--trace-out-file=" + trace] + list(opts), env)
    if dcfg and not os.path.exists(trace):
        with open(tap.path(name + ".log"), errors="replace") as f:
            why = "no trace was written, exit status %d\n%s" % (status, f.read()[-2000:])
        trace = None
    return dcfg, trace if dcfg else None, status, why


def process_id(trace):
    """Returns the process id, from the file's first bytes, or None."""
    f, p = trace_rules.unpacked(trace)
    with f:
        m = re.search(rb"\]\s*,\s*\[\s*(\d+)\s*,", f.read(1000))
    if p:
        p.wait()
    return int(m.group(1)) if m else None


class PathReader:
    """lackey_path at the end of a pipe, .fifo.  WAY: a file of ids to compare the trace with."""

    def __init__(self, tap, name, dcfg, way=None):
        self.fifo, self.table, self.path = (tap.path(name + end) for end in (".way.fifo", ".way.table", ".path"))
        self.way = way
        with open(self.table, "w") as f:
            trace_table.write(dcfg, f)
        os.mkfifo(self.fifo)
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" < ' + "'%s'" % self.fifo, "sh", compiled(tap, "lackey_path")]
            + (["-c", self.table, way] if way else [self.table, self.path]),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def done(self):
        """Returns (file of edge ids or None, lackey_path's output), after Lackey's end."""
        try:
            text = self.process.communicate(timeout=harness.TIMEOUT)[0].decode()
        except subprocess.TimeoutExpired:
            self.process.kill()
            text = self.process.communicate()[0].decode() + "no trace\n"
        os.unlink(self.fifo)
        os.unlink(self.table)
        return (self.way or self.path) if self.process.returncode == 0 else None, text


def same_way(tap, name, argv, dcfg, ids, status, failed=0, env=None, changes=False, opts=()):
    """Test that the decoded sequence of ids is the path of Lackey's identical run.

    Lackey's path is derived without looking at the sequence, and then compared.  If that is not possible, because code
    changes or up to FAILED attempts fault, the sequence is followed.

    Lackey prints the instructions of a superblock some at a time, so a fault swallows those before it.  A superblock
    for each instruction helps: then all completed instructions are printed, and hardly any other."""
    reader = PathReader(tap, name, dcfg, ids if changes or failed else None)
    other = harness.lackey_into(tap, reader.fifo, argv, env, list(opts) + ["--vex-guest-max-insns=1"] * (failed > 0))
    return compare_ways(tap, name, ids, status, reader, other, failed)


def compare_ways(tap, name, ids, status, reader, other, failed=0):
    """Returns the decoded sequence and the exit status of a run, and the output of the reader and the exit status of
    Lackey's run.
    """
    path, text = reader.done()
    wrong = (not reader.way and first_difference(ids, path)) if path else text
    if not wrong and status != other:
        wrong = "exit status %s, under Lackey %s" % (status, other)
    numbers = dict(re.findall(r"^(\w+) (\d+)$", text, re.M))
    if not wrong and int(numbers["failed"]) > failed:
        wrong = "%s attempts failed, there should be %d" % (numbers["failed"], failed)
    if path and not reader.way:
        os.unlink(path)
    text = "%s: the way is Lackey's, %s instructions" % (name, numbers.get("instructions", "no"))
    return tap.ok(not wrong, text, wrong)


def crosscheck(tap, name, argv, chunk=1000000):
    """Compare graph and trace of a run, the latter in chunks of CHUNK edges, with one run under Lackey.  Return as decoded()
    does, or None.  The graph of a run without a trace is the same: trace_options.t."""
    dcfg, trace, status, why = run(tap, name, argv, ["--trace-chunk=%d" % chunk])
    if not trace:
        tap.ok(False, name, why)
        return None
    got = decoded(tap, name, dcfg, trace, "--chunk=%d" % chunk)
    reader = PathReader(tap, name, dcfg) if got else None
    table, other = harness.lackey(tap, name, argv, copy=[reader.fifo] if reader else ())
    same = harness.compare_with_lackey(tap, name, dcfg, status, table, other)
    return got if got and compare_ways(tap, name, got[0] + ".0", status, reader, other) and same else None


def first_difference(a, b):
    """Return the first difference of two files of ids, as text; empty if there is none."""
    with open(a, "rb") as f, open(b, "rb") as g:
        at = 0
        while True:
            x, y = f.read(1 << 20), g.read(1 << 20)
            if x != y:
                i = next((i for i in range(min(len(x), len(y))) if x[i] != y[i]), min(len(x), len(y))) // 4

                def ids(s):
                    near = range(4 * max(0, i - 2), min(len(s), 4 * (i + 3)), 4)
                    return [int.from_bytes(s[k:k + 4], "little") for k in near]
                return "edge number %d: decoded ... %s, Lackey ... %s" % (at + i, ids(x), ids(y))
            if not x:
                return ""
            at += len(x) // 4


def decoded(tap, name, dcfg, trace, *opts):
    """Checks the rules as a test; returns (prefix of the files with each thread's ids, summary), or None."""
    prefix = tap.path(name + ".ids")
    wrong, numbers = rules(tap, dcfg, trace, "--out=" + prefix, *opts)
    text = "%s: trace, all rules" % name
    if numbers:
        text += ", %d edges in %d chunk%s" % (numbers["edges"], numbers["chunks"], "s" * (numbers["chunks"] != 1))
    return (prefix, numbers) if tap.ok(not wrong, text, wrong) else None
