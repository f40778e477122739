"""Shared by the tests of whole lives: runs that leave several files, each checked against every rule, and counts by
names of functions.

DCFG_TRACE=1: each run also writes a trace and a profile, and these are checked together with the files.
"""
import glob
import os
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
import harness
import callgrind_compare
import dcfg_model
import dcfg_rules
import tracelib

TRACE = os.environ.get("DCFG_TRACE") == "1"
# Runs a command and prints, last, the most memory that it had, in kB.  Huge pages are off (prctl's PR_SET_THP_DISABLE): the
# kernel gives them to one run and not to the next.
MEASURE = [sys.executable, "-c", "import ctypes, resource, subprocess, sys; ctypes.CDLL(None).prctl(41, 1, 0, 0, 0); "
           "status = subprocess.call(sys.argv[1:]); "
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)"]
# Without it, a computing thread may keep others waiting for seconds, and such traces take long to check.
FAIR = ["--fair-sched=try"]
PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "life")
# At a division, other tools' instruction pointer is an earlier instruction's, to which the handler returns: so it never ends
# under Lackey.
NOT_UNDER_LACKEY = ("life_divide",)
# Failed attempts in each of the freestanding programs with signals; others have none.
FAILED = {"life_bus": 1, "life_fatal": 1, "life_fatalhandler": 2, "life_fault": 2, "life_faultend": 4,
          "life_faultfirst": 6, "life_faultonce": 1, "life_faultrep": 2, "life_goto": 3, "life_illegal": 4,
          "life_never": 1}


def build(tap, source, *flags, **kw):
    name = kw.get("name") or os.path.splitext(source)[0]
    return harness.cc(tap, os.path.join(PROGS, source), name, *flags)


def build_plugins(tap):
    """Compile the objects that plugins.c loads."""
    return [harness.cc(tap, os.path.join(PROGS, "plugin.c"), "plugin%d.so" % n, "-shared", "-fPIC", "-DWHICH=%d" % n)
            for n in (1, 2)]


def build_flows(tap):
    """Returns (name, program) of those that leave functions in unusual ways and need no arguments."""
    for source, flags in (("throw.cpp", ["-lstdc++"]), ("contexts.c", []), ("ifunc.c", ["-O2", "-Wl,-z,lazy"]),
                          ("ifunc.c", ["-O2", "-Wl,-z,now", "-static"])):
        name = os.path.splitext(source)[0] + ("_static" if "-static" in flags else "")
        prog = build(tap, source, *flags, name=name)
        if prog:
            yield name, prog


class Reading(threading.local):
    """The last file that was read: most files are asked several questions in a row, and reading takes as long as checking.
    """
    key = processes = None


_last = Reading()


def read(path, report=lambda rule, text: None):
    """Does as dcfg_model.load().  A file with errors is read anew each time, for the report."""
    s = os.stat(path)
    key = path, s.st_ino, s.st_size, s.st_mtime_ns
    if _last.key == key:
        return _last.processes
    _last.key = _last.processes = None
    wrong = []

    def told(rule, text):
        wrong.append(rule)
        report(rule, text)
    processes = dcfg_model.load(path, told)
    if not wrong:
        _last.key, _last.processes = key, processes
    return processes


class Dcfg:
    """A file, read.  A function's count is that of the block at its symbol: its calls."""

    def __init__(self, path):
        self.path = path
        self.p = read(path)[0]
        self.pid = self.p.pid
        self.threads = len(self.p.per_thread)
        self.total = self.p.instr_count

    @staticmethod
    def starts(image, functions):
        """Return the begins of these functions."""
        return {image.load + off for name, off, _ in image.symbols or () if name in functions}

    def by_image(self, function):
        """Returns [(image, calls)], images in the file's order, without those that were not called."""
        out = []
        for im in self.p.images:
            at = self.starts(im, [function])
            n = sum(b.count for b in im.blocks or () if b.start in at)
            if n:
                out.append((im, n))
        return out

    def calls(self, function):
        return sum(n for _, n in self.by_image(function))

    def anonymous(self):
        return [im for im in self.p.images if im.name.startswith("[anon")]

    def edges(self, kind):
        return [e for e in self.p.edges if e.type == kind]

    def where(self, node):
        """Returns the function that a node is in."""
        b = self.p.blocks.get(node)
        if b is None:
            return str(node)
        off = b.start - b.image.load
        return " ".join(nm for nm, o, size in b.image.symbols or () if o <= off < o + size) or hex(off)


def rules(path, generations=True):
    """Return what is wrong with a file, as text; empty if all is well."""
    class Lines:
        def __init__(self):
            self.text = ""

        def write(self, s):
            self.text += s
    lines = Lines()
    bad = dcfg_rules.Violations(lines)
    opts = dcfg_rules.Options()
    opts.generations = generations
    try:
        dcfg_rules.check_processes(read(path, bad), opts, bad)
    except (dcfg_model.Broken, OSError, EOFError) as e:
        return "unreadable: %s" % e
    bad.finish()
    return lines.text


def traces(tap, r):
    """Return what is wrong with the traces of a run, as text; empty if all is well.  Each file has one trace, with the
    same process id; a process that becomes another one has two of each."""
    wrong, found = "", {}
    for t in r.traces:
        found.setdefault(tracelib.process_id(t), []).append(t)
    for f in r.files:
        pid = read(f)[0].pid
        said = ""
        for t in found.get(pid, ()):
            w = tracelib.rules(tap, f, t)[0]
            if not w:
                found[pid].remove(t)
                break
            said += "%s with %s:\n%s" % (os.path.basename(f), os.path.basename(t), w)
        else:
            wrong += said or "%s has no trace\n" % os.path.basename(f)
    return wrong + "".join("%s belongs to no file\n" % os.path.basename(t) for ts in found.values() for t in ts
                           if not wrong)


def profiles(r):
    """Return what is wrong with the profiles of a run: each must be right in itself, and have as many instructions as
    the process's DCFG."""
    wrong, sums = "", {}
    for path in r.profiles:
        bad, said = harness.oracle("callgrind_compare.py", path)
        if bad:
            wrong += "%s:\n%s" % (os.path.basename(path), said)
            continue
        pid, total = callgrind_compare.process_and_total(path)
        sums.setdefault(pid, []).append(total)
    for f in r.files:
        p = read(f)[0]
        if p.instr_count in sums.get(p.pid, ()):
            sums[p.pid].remove(p.instr_count)
        elif not wrong:
            wrong += "%s: %d instructions, its profile has %s\n" % (os.path.basename(f), p.instr_count,
                                                                 sums.get(p.pid))
    return wrong


class Run:
    """A finished run: .status, .log (Valgrind's messages, of all processes), .out (standard output), .files, .traces,
    .profiles.
    """


def run(tap, name, argv, opts=(), out="%p.json", env=None, stdin=None, timeout=harness.TIMEOUT, while_running=None,
        before=(), trace=TRACE):
    """Run in a directory of its own.  WHILE_RUNNING, a function of the process, reads the output; BEFORE is a command
    that runs Valgrind."""
    r = Run()
    r.dir = tap.path(name + ".run")
    os.mkdir(r.dir)
    full = dict(harness.ENV)
    full.update(env or {})
    cmd = list(before) + [harness.VALGRIND, "--tool=dcfg", "--log-file=" + os.path.join(r.dir, "log.%p"),
           "--dcfg-out-file=" + os.path.join(r.dir, out)] + list(opts) + argv
    if trace:
        at = cmd.index("--tool=dcfg")
        cmd[at + 1:at + 1] = ["--trace=yes", "--trace-out-file=" + os.path.join(r.dir, out.replace(".json", ".trace")),
                              "--callgrind=yes", "--dump-instr=yes", "--collect-jumps=yes",
                              "--callgrind-out-file=" + os.path.join(r.dir, out.replace(".json", ".profile"))]
    p = subprocess.Popen(cmd, cwd=r.dir, env=full, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    r.pid = p.pid
    r.seen = None
    try:
        if while_running:
            r.seen = while_running(p)
        r.out = p.communicate(timeout=timeout)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        p.kill()
        r.out = p.communicate()[0].decode(errors="replace") + "no end after %d s" % timeout
    r.status = p.returncode
    r.log = ""
    for log in sorted(glob.glob(os.path.join(glob.escape(r.dir), "log.*"))):
        with open(log, errors="replace") as f:
            r.log += f.read()
    everything = sorted(glob.glob(os.path.join(glob.escape(r.dir), "*.json*")))
    r.traces = sorted(glob.glob(os.path.join(glob.escape(r.dir), "*.trace*")))
    r.profiles = sorted(glob.glob(os.path.join(glob.escape(r.dir), "*.profile*")))
    r.left = [f for f in everything + r.traces + r.profiles if ".tmp-" in f or ".spool-" in f]
    r.traces = [f for f in r.traces if f not in r.left]
    r.files = [f for f in everything if ".tmp-" not in f]
    return r


def check(tap, name, r, files=None, status=0):
    """Checks that every file keeps every rule, their number, that nothing is left over, and that the tool did not complain.
    """
    good = status is None or r.status == status
    good = tap.ok(good, "%s: exit status" % name, "%s instead of %s\n%s" % (r.status, status, r.log[-2000:])) and good
    wrong = "".join("%s:\n%s" % (os.path.basename(f), w) for f in r.files for w in [rules(f)] if w)
    if TRACE:
        wrong += traces(tap, r) + profiles(r)
    if files is not None and len(r.files) != files:
        wrong += "%d files, should be %d: %s\n%s" % (len(r.files), files, " ".join(map(os.path.basename, r.files)),
                                                  r.log[-3000:])
    if r.left:
        wrong += "left over: %s\n" % " ".join(map(os.path.basename, r.left))
    if "internal error" in r.log or "the 'impossible' happened" in r.log:
        wrong += r.log[-3000:]
    n = len(r.files)
    what = "%s: %d file%s%s, all rules" % (name, n, "" if n == 1 else "s", " with traces and profiles" * TRACE)
    return tap.ok(not wrong and n > 0, what, wrong or "no file\n" + r.log[-2000:]) and good


def equal(tap, name, got, want):
    return tap.ok(got == want, name, "is %r, should be %r" % (got, want))
