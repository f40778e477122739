"""What the tests of the DCFG-trace share: compiling the readers, running with a trace, comparing it with Lackey's."""
import glob
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import harness
sys.path.insert(0, harness.ORACLE)
import trace_rules
import trace_table

_compiled = {}


def compiled(tap, name):
    """A C program of tests/oracle."""
    if name not in _compiled:
        _compiled[name] = harness.cc(tap, os.path.join(harness.ORACLE, name + ".c"), name, "-O2")
    return _compiled[name]


def rules(tap, dcfg, trace, *opts):
    """(what is wrong, summary)."""
    status, text = trace_rules.check(compiled(tap, "trace_decode"), dcfg, trace, opts)
    return "" if status == 0 else text or "the decoder's exit status is %d" % status, trace_rules.summary(text)


def run(tap, name, argv, opts=(), env=None):
    """Run under the tool with a trace, as harness.dcfg() does; (DCFG or None, trace or None, exit status, diagnosis).
    """
    trace = tap.path(name + ".trace.json")
    dcfg, status, why = harness.dcfg(tap, name, argv, ["--trace=yes", "--trace-out-file=" + trace] + list(opts), env)
    if dcfg and not os.path.exists(trace):
        with open(tap.path(name + ".log"), errors="replace") as f:
            why = "no trace was written, exit status %d\n%s" % (status, f.read()[-2000:])
        trace = None
    return dcfg, trace if dcfg else None, status, why


def process_id(trace):
    """Read from the file's first bytes, or None."""
    f, p = trace_rules.unpacked(trace)
    with f:
        m = re.search(rb"\]\s*,\s*\[\s*(\d+)\s*,", f.read(1000))
    if p:
        p.wait()
    return int(m.group(1)) if m else None


def left_over(directory):
    """What remains of files that were not finished."""
    return sorted(os.path.basename(f) for f in glob.glob(os.path.join(glob.escape(directory), "*"))
                  if ".spool-" in f or ".tmp-" in f)


def of_test(name):
    """Another test's functions: for the list of what it runs."""
    return loaded(name, os.path.join(harness.HERE, name + ".t"))


def loaded(name, path):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def lackey_path(tap, name, argv, dcfg, env=None, way=None, opts=()):
    """Run under Lackey; (file of edge ids or None, exit status, what lackey_path said).  WAY is a file of ids, which
    the trace is compared with: see there."""
    fifo, table, out = (tap.path(name + end) for end in (".fifo", ".table", ".path"))
    with open(table, "w") as f:
        trace_table.write(dcfg, f)
    os.mkfifo(fifo)
    reader = subprocess.Popen(["sh", "-c", 'exec "$@" < ' + "'%s'" % fifo, "sh", compiled(tap, "lackey_path")]
                              + (["-c", table, way] if way else [table, out]), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    status, _ = harness.run([harness.VALGRIND, "-q", "--tool=lackey", "--trace-mem=yes", "--vex-guest-chase=no",
                             "--log-file=" + fifo] + list(opts) + argv, tap.dir, env)
    try:
        text = reader.communicate(timeout=60)[0].decode()
    except subprocess.TimeoutExpired:           # Valgrind never opened the pipe
        reader.kill()
        text = reader.communicate()[0].decode() + "no trace\n"
    os.unlink(fifo)
    os.unlink(table)
    return (way or out) if reader.returncode == 0 else None, status, text


def same_way(tap, name, argv, dcfg, ids, status, failed=0, env=None, changes=False, opts=()):
    """As a test: is the decoded sequence of ids the way of Lackey's identical run?

    What Lackey saw is derived without looking at the sequence, and then compared; where that is not possible, because
    code changes or up to FAILED attempts fault, the sequence is followed.

    Lackey prints the instructions of a superblock some at a time, so that a fault swallows those before it.  A
    superblock for each instruction helps: then all that have completed are printed, and hardly one that has not."""
    given = changes or failed
    opts = list(opts) + ["--vex-guest-max-insns=1"] * (failed > 0)
    path, other, text = lackey_path(tap, name, argv, dcfg, env, ids if given else None, opts)
    wrong = (not given and first_difference(ids, path)) if path else text
    if not wrong and status != other:
        wrong = "exit status %s, under Lackey %s" % (status, other)
    numbers = dict(re.findall(r"^(\w+) (\d+)$", text, re.M))
    if not wrong and int(numbers["failed"]) > failed:
        wrong = "%s attempts failed, there should be %d" % (numbers["failed"], failed)
    if path and not given:
        os.unlink(path)
    text = "%s: the way is Lackey's, %s instructions" % (name, numbers.get("instructions", "no"))
    return tap.ok(not wrong, text, wrong)


def first_difference(a, b):
    """Where two files of ids differ, as text; nothing if they do not."""
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
    """Check the rules as a test; (prefix of the files with each thread's ids, summary), or None."""
    prefix = tap.path(name + ".ids")
    wrong, numbers = rules(tap, dcfg, trace, "--out=" + prefix, *opts)
    text = "%s: trace, all rules" % name
    if numbers:
        text += ", %d edges in %d chunk%s" % (numbers["edges"], numbers["chunks"], "s" * (numbers["chunks"] != 1))
    return (prefix, numbers) if tap.ok(not wrong, text, wrong) else None
